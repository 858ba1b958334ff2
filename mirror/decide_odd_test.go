// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// These are histories in which earlier versions lost a Job, ran it twice, or wrote for ever.

// TestForthAndBack: a Job that was taken off its worker and comes back to it, while a cache shows its first
// mirror.
func TestForthAndBack(t *testing.T) {
	w := newWorld(t, failJob)
	w.settle()
	w.worker.touch(start(1), active(2))
	w.settle()
	former := w.worker.job.DeepCopy()
	w.wanted = false
	w.step()
	w.worker.podsGone()
	w.settle()
	w.wanted = true
	s := w.state()
	s.Mirror = mirror.Cached(former)
	if plan := w.planner.Decide(s); len(plan.Actions) != 1 || plan.Actions[0].Kind != mirror.ReadLive {
		t.Errorf("a mirror that is gone is taken for the new one: %s", plan)
	}
}

// TestAbandonOnlyTheUnreachable: AbandonAfter is for workers that do not answer.
func TestAbandonOnlyTheUnreachable(t *testing.T) {
	w := running(t, func(p *mirror.Policy) { p.AbandonAfter = time.Minute })
	w.management.delete(metav1.DeletePropagationBackground)
	s := w.state()
	s.Worker, s.Now, s.Mirror = "w2", at(50+61), mirror.Observation{}
	s.Elsewhere = mirror.OtherWorkers(mirror.Live(w.worker.job))
	if plan := w.planner.Decide(s); len(plan.Actions) > 0 {
		t.Errorf("another worker has the mirror, and answers: %s", plan)
	}
	s.Mirror, s.Elsewhere = mirror.Cached(nil), mirror.OtherWorkers(mirror.Observation{})
	if plan := w.planner.Decide(s); len(plan.Actions) != 1 || plan.Actions[0].Kind != mirror.ReadLive {
		t.Errorf("this worker answers, and was not asked: %s", plan)
	}
}

// TestOrphanOfAnother: where a local Job is gone, a mirror in its place may be that of another Job, which lives.
func TestOrphanOfAnother(t *testing.T) {
	p := planner(t, exclusive, func(p *mirror.Policy) {
		p.Target = func(l *batchv1.Job) types.NamespacedName {
			return types.NamespacedName{Namespace: "pool", Name: l.Name}
		}
	})
	other := storedJob(func(j *batchv1.Job) { j.Namespace = "another" })
	s := mirror.State{
		Key: jobKey, Local: mirror.Live(nil), Mirror: mirror.Live(mirrorOf(t, p, other)), Elsewhere: mirror.OtherWorkers(),
		Worker: worker, Now: at(100),
	}
	if plan := p.Decide(s); plan.Outcome != mirror.Gone || len(plan.Actions) > 0 {
		t.Errorf("%s", plan)
	}
	s.Key = types.NamespacedName{}
	if plan := p.Decide(s); plan.Outcome != mirror.Orphan || len(plan.Actions) > 0 {
		t.Errorf("nobody said which Job is gone: %s", plan)
	}
	s.Key = types.NamespacedName{Namespace: "another", Name: "train"}
	if plan := p.Decide(s); plan.Outcome != mirror.Orphan || len(plan.Actions) != 1 {
		t.Errorf("its own: %s", plan)
	}
}

// TestConditionSettles, whatever conditions of its type there are on the two Jobs.
func TestConditionSettles(t *testing.T) {
	const kind = "acme.io/Mirrored"
	entry := func(status corev1.ConditionStatus) mod {
		return with(batchv1.JobCondition{Type: kind, Status: status, Reason: "InSync", Message: "below, last seen at noon"})
	}
	for name, act := range map[string]func(*world){
		"the mirror has one":      func(w *world) { w.worker.touch(entry("True")) },
		"the local Job has two":   func(w *world) { w.management.touch(entry("False"), entry("True")) },
		"with an added promise":   func(w *world) { w.worker.touch(active(0), is(failedJob, 20)) },
		"suspended by the worker": func(w *world) { w.worker.touch(suspend, suspendedNow) },
	} {
		w := newWorld(t, func(p *mirror.Policy) { p.Condition, p.KeepFinished = kind, -1 })
		w.settle()
		w.worker.touch(start(1), active(2))
		w.settle()
		act(w)
		w.settle()
		w.pass(time.Minute)
		if plan := w.expectStep(); len(plan.Actions) > 0 {
			t.Errorf("%s: %s", name, plan)
		}
		n := 0
		for _, c := range w.management.job.Status.Conditions {
			if c.Type == kind {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: %d conditions", name, n)
		}
	}
}

// TestConditionTwice: also where nothing but the condition is written.
func TestConditionTwice(t *testing.T) {
	const kind = "acme.io/Mirrored"
	p := planner(t, func(p *mirror.Policy) { p.Condition = kind })
	entry := func(status corev1.ConditionStatus) mod { return with(condition(kind, status, 0, "Other")) }
	w := &world{t: t, planner: p, wanted: true, now: at(100), management: &server{t: t, job: withMods(storedJob(), entry("False"), entry("True"))}, worker: &server{t: t}}
	for i, want := range []int{1, 0} {
		s := w.state()
		s.Mirror = mirror.Observation{}
		plan := p.Decide(s)
		if len(plan.Actions) != want {
			t.Fatalf("%d: %s", i, plan)
		}
		for _, a := range plan.Actions {
			w.management.do(a)
		}
	}
}

// TestConditionIsLeftOut where the API server would refuse it because of what the status is already.
func TestConditionIsLeftOut(t *testing.T) {
	p := planner(t, func(p *mirror.Policy) {
		p.Condition = "acme.io/Mirrored"
		r := release(t, "1.30.14")
		on := true
		r.Gate = &on
		p.Management = append(p.Management, r)
	})
	local := withMods(storedJob(), finalizer(cleanupFinalizer), sentTo(worker, 1, mirrorUID), start(0), end(9), is(complete, 9), is(criteriaMet, 9))
	remote := mirrorOf(t, p, storedJob(), start(0), end(9), is(complete, 9), is(criteriaMet, 9))
	plan := p.Decide(mirror.State{
		Key: jobKey, Local: mirror.Live(local), Mirror: mirror.Live(remote), Elsewhere: mirror.OtherWorkers(), Worker: worker, Now: at(100),
	})
	if len(plan.Actions) != 1 || plan.Actions[0].Kind != deleteMirror {
		t.Errorf("%s", plan)
	}
}

// TestTwoMirrorsWithoutRecord: nobody knows which of them is the mirror, so none is adopted, and both are deleted
// with the Job.
func TestTwoMirrorsWithoutRecord(t *testing.T) {
	w := newWorld(t)
	w.management.touch(finalizer(cleanupFinalizer))
	first := mirrorOf(t, w.planner, w.management.job, start(1), active(1))
	second := mirrorOf(t, w.planner, w.management.job, start(1), active(1), func(j *batchv1.Job) { j.UID = "second" })
	w.worker.job, w.elsewhere = first, mirror.OtherWorkers(mirror.Live(second))
	if plan := w.expectStep(); plan.Outcome != mirror.Conflict {
		t.Error(plan)
	}
	w.management.delete(metav1.DeletePropagationBackground)
	w.expectStep(deleteMirror)
	s := w.state()
	s.Worker, s.Mirror, s.Elsewhere = "w2", mirror.Live(second), mirror.OtherWorkers(mirror.Live(first))
	if plan := w.planner.Decide(s); len(plan.Actions) != 1 || plan.Actions[0].Kind != deleteMirror {
		t.Errorf("the second: %s", plan)
	}
}

// TestStolenRecord: a mirror on a worker where the Job is not wanted does not take the record from the worker that
// the Job was sent to.
func TestStolenRecord(t *testing.T) {
	w := running(t)
	w.management.touch(sentTo("w2", 2, ""))
	w.worker.touch(is(failureTarget, 9))
	w.wanted, w.elsewhere = false, mirror.OtherWorkers(mirror.Live(nil))
	w.expectStep(deleteMirror)
	if got, _ := w.planner.DispatchOf(w.management.job); got.Worker != "w2" || hasAny(w.management.job, failureTarget) {
		t.Errorf("%+v, %+v", got, w.management.job.Status)
	}
}

// TestEvictionTakenBack: a mirror that stays after all counts when it is lost.
func TestEvictionTakenBack(t *testing.T) {
	w := newWorld(t, failJob)
	w.settle()
	w.wanted = false
	w.management.do(w.planner.Decide(w.state()).Actions[0]) // and then a crash
	w.wanted = true
	w.expect(mirror.InSync, claim)
	w.worker.job = nil
	w.expect(mirror.Finished, writeStatus, removeFinalizer)
	failedAs(t, w.management.job, "MirrorLost")
}

// TestLostAndRefused: that no other mirror could be made is no reason not to conclude.
func TestLostAndRefused(t *testing.T) {
	admitted := true
	w := newWorld(t, failJob, func(p *mirror.Policy) {
		p.Admit = func(*batchv1.Job, types.NamespacedName) error {
			if !admitted {
				return fmt.Errorf("no")
			}
			return nil
		}
	})
	w.settle()
	admitted, w.worker.job = false, nil
	w.expect(mirror.Finished, writeStatus, removeFinalizer)
}

// TestForgedAfterRelease: what the record has called foreign does not become ours because the Job is taken off
// the worker.
func TestForgedAfterRelease(t *testing.T) {
	w := running(t)
	w.worker.touch(func(j *batchv1.Job) { j.UID = "forged" }, active(0), is(failureTarget, 9), is(failedJob, 9))
	w.wanted = false
	if _, last := w.settle(); last != mirror.Conflict || hasAny(w.management.job, failedJob) || w.worker.job.DeletionTimestamp != nil {
		t.Errorf("%s: %+v", last, w.management.job.Status)
	}
	if w.management.job.Status.Active != 0 {
		t.Error("its own mirror is gone: live counters have to be zero")
	}
}

// TestUnreadMirror: a mirror without what an API server gives it is not known.
func TestUnreadMirror(t *testing.T) {
	for _, m := range []mod{func(j *batchv1.Job) { j.UID = "" }, func(j *batchv1.Job) { j.ResourceVersion = "" }} {
		w := running(t)
		m(w.worker.job)
		if plan := w.expectStep(); plan.Outcome != mirror.Unreachable {
			t.Error(plan)
		}
	}
}

// TestSelf: the local Job is not its own mirror, though the management cluster were its own worker.
func TestSelf(t *testing.T) {
	p := planner(t)
	local := storedJob()
	self := mirrorOf(t, p, local, func(j *batchv1.Job) { j.UID = local.UID })
	for _, wanted := range []bool{true, false} {
		plan := p.Decide(mirror.State{
			Key: jobKey, Local: mirror.Live(local), Mirror: mirror.Live(self), Elsewhere: mirror.OtherWorkers(), Worker: worker, Wanted: wanted, Now: at(100),
		})
		if len(plan.Actions) > 0 {
			t.Error(plan)
		}
	}
}

// TestForgottenWorker: the record names a worker of which the caller says that it does not exist.
func TestForgottenWorker(t *testing.T) {
	w := running(t)
	for name, change := range map[string]func(){
		"wanted":  func() {},
		"deleted": func() { w.management.delete(metav1.DeletePropagationBackground) },
	} {
		change()
		s := w.state()
		s.Worker, s.Mirror = "w9", mirror.Live(nil)
		if plan := w.planner.Decide(s); len(plan.Actions) > 0 {
			t.Errorf("%s: %s", name, plan)
		}
	}
}

// TestFinishedPending: a finished Job is looked at again as long as it has our finalizer, and no longer.
func TestFinishedPending(t *testing.T) {
	p := planner(t)
	for finalizers, want := range map[string]time.Duration{cleanupFinalizer: 30 * time.Second, "example.com/other": 0} {
		s := inSyncState(t, p, is(complete, 9), func(j *batchv1.Job) { j.Finalizers = []string{finalizers} })
		s.Mirror = mirror.Observation{}
		if plan := p.Decide(s); plan.Outcome != mirror.Finished || plan.RequeueAfter != want || len(plan.Actions) > 0 {
			t.Errorf("with %s: %s", finalizers, plan)
		}
	}
}

// TestAdoptedAndPatched: a mirror that is found and told something in one plan is named first; what was read of the local
// Job is what the request goes by.
func TestAdoptedAndPatched(t *testing.T) {
	p := planner(t)
	s := inSyncState(t, p, sentTo(worker, 1, ""), func(j *batchv1.Job) { j.Generation, j.Spec.Parallelism = 9, ptr.To[int32](7) })
	plan := p.Decide(s)
	if len(plan.Actions) != 2 || plan.Actions[0].Kind != claim || plan.Actions[1].Kind != mirror.PatchMirror {
		t.Error(plan)
	}
}

// TestResultOfAnotherWorker: a result counts wherever it is, and the record stays with the worker that it names.
func TestResultOfAnotherWorker(t *testing.T) {
	p := planner(t)
	s := inSyncState(t, p, sentTo("w2", 1, ""))
	s.Mirror = mirror.Live(mirrorOf(t, p, storedJob(), start(0), end(9), succeeded(4), is(complete, 9), is(criteriaMet, 9)))
	s.Wanted, s.Elsewhere = false, mirror.OtherWorkers(mirror.Live(nil))
	plan := p.Decide(s)
	if len(plan.Actions) != 1 || plan.Actions[0].Kind != writeStatus || strings.Contains(string(plan.Actions[0].Patch), dispatchKey) {
		t.Errorf("%s: %s", plan, plan.Actions)
	}
}

// TestIncomplete: what is missing is said by name.
func TestIncomplete(t *testing.T) {
	p := planner(t)
	local := func(s mirror.State, change mod) mirror.State {
		s.Local = mirror.Cached(withMods(storedJob(), change))
		return s
	}
	for want, spoil := range map[string]func(mirror.State) mirror.State{
		"State.Worker": func(s mirror.State) mirror.State { s.Worker = ""; return s },
		"State.Now":    func(s mirror.State) mirror.State { s.Now = metav1.Time{}; return s },
		"metadata.uid of the local Job": func(s mirror.State) mirror.State {
			return local(s, func(j *batchv1.Job) { j.UID = "" })
		},
		"metadata.resourceVersion of the local Job": func(s mirror.State) mirror.State {
			return local(s, func(j *batchv1.Job) { j.ResourceVersion = "" })
		},
	} {
		plan := p.Decide(spoil(inSyncState(t, p)))
		var missing *mirror.IncompleteError
		if plan.Outcome != mirror.Incomplete || !errors.As(plan.Err, &missing) || !slices.Equal(missing.Missing, []string{want}) || len(plan.Actions) > 0 {
			t.Errorf("without %s: %s", want, plan)
		}
		if !strings.Contains(plan.String(), want) {
			t.Errorf("%q does not name %s", plan, want)
		}
	}
}

// TestOddTimes: nothing is written that cannot be read again, and no wait is longer than it should be.
func TestOddTimes(t *testing.T) {
	p := planner(t)
	for _, now := range []time.Time{{}, time.Unix(0, 1), time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		s := inSyncState(t, p)
		s.Mirror, s.Now = mirror.Live(nil), metav1.NewTime(now)
		if plan := p.Decide(s); plan.Outcome != mirror.Incomplete {
			t.Errorf("at %v: %s", now, plan)
		}
	}
	s := inSyncState(t, p)
	s.Worker = "w\xff"
	if plan := p.Decide(s); plan.Outcome != mirror.Incomplete {
		t.Errorf("a name that JSON does not keep: %s", plan)
	}
	far := func(j *batchv1.Job) {
		annotate(dispatchKey, strings.Replace(j.Annotations[dispatchKey], "2026-", "2999-", 1))(j)
	}
	s = inSyncState(t, p, far)
	s.Mirror = mirror.Live(nil)
	if plan := p.Decide(s); plan.Outcome != mirror.Dispatching {
		t.Errorf("claimed by a clock that is centuries ahead: %s", plan)
	}
	longest := planner(t, func(p *mirror.Policy) { p.RetryDelay = 1 << 62 })
	s = inSyncState(t, longest, func(j *batchv1.Job) { sentTo(worker, 40, mirrorUID)(j) })
	s.Mirror = mirror.Live(nil)
	if plan := longest.Decide(s); plan.Outcome != mirror.BackingOff {
		t.Errorf("a long delay: %s", plan)
	}
	late := at(0)
	late.Time = late.AddDate(400, 0, 0)
	keep := planner(t, func(p *mirror.Policy) { p.KeepFinished = time.Hour })
	finished := is(failedJob, 9)
	s = inSyncState(t, keep, finished, func(j *batchv1.Job) { j.Status.Conditions[0].LastTransitionTime = late })
	s.Mirror = mirror.Live(mirrorOf(t, keep, storedJob(), start(0), finished, is(failureTarget, 9)))
	if plan := keep.Decide(s); len(plan.Actions) == 0 || plan.Actions[0].Kind != deleteMirror {
		t.Errorf("a clock that is centuries ahead: %s", plan)
	}
}

// TestClocksAhead: who looks again whenever a plan says so does not wait until a clock is right that is ahead.
func TestClocksAhead(t *testing.T) {
	for ahead, most := range map[time.Duration]time.Duration{
		-time.Hour: 0, 0: 10 * time.Second, 5 * time.Second: 15 * time.Second, 10 * time.Second: 20 * time.Second, 11 * time.Second: 0, 1e6 * time.Hour: 0,
	} {
		w := newWorld(t)
		w.expectStep(addFinalizer)
		w.pass(ahead)
		w.management.do(w.planner.Decide(w.state()).Actions[0]) // and then a crash
		w.pass(-ahead)
		begin := w.now
		for plan := w.step(); plan.Outcome == mirror.BackingOff && w.now.Sub(begin.Time) < time.Hour; plan = w.step() {
			w.pass(plan.RequeueAfter)
		}
		if waited := w.now.Sub(begin.Time); waited != most {
			t.Errorf("a claim of in %v: waited %v, want %v", ahead, waited, most)
		}
	}
	const keep = time.Minute
	for ahead, want := range map[time.Duration]time.Duration{
		-time.Hour: 0, 0: keep, time.Second: keep + time.Second, time.Hour: keep + time.Hour, time.Hour + time.Second: 0, 1e6 * time.Hour: 0,
	} {
		w := running(t, func(p *mirror.Policy) { p.KeepFinished = keep })
		end := int(w.now.Add(ahead).Sub(at(0).Time) / time.Second)
		w.worker.touch(active(0), succeeded(4), is(complete, end), is(criteriaMet, end), func(j *batchv1.Job) {
			j.Status.StartTime, j.Status.CompletionTime = ptr.To(at(end)), ptr.To(at(end))
		})
		w.management.touch(func(j *batchv1.Job) { j.Status.StartTime = ptr.To(at(end)) })
		begin := w.now
		for plan := w.step(); w.worker.job != nil && w.now.Sub(begin.Time) < 10*time.Hour; plan = w.step() {
			w.pass(plan.RequeueAfter)
		}
		if kept := w.now.Sub(begin.Time); kept < want || kept > want+10*time.Second {
			t.Errorf("a result of in %v: kept for %v, want %v", ahead, kept, want)
		}
	}
}

// TestManyLosses: the counter of losses does not overflow.
func TestManyLosses(t *testing.T) {
	p := planner(t, func(p *mirror.Policy) { p.MaxAttempts = 3 })
	s := inSyncState(t, p, func(j *batchv1.Job) {
		annotate(dispatchKey, strings.Replace(j.Annotations[dispatchKey], `,"at"`, `,"lost":2147483647,"at"`, 1))(j)
	})
	s.Mirror, s.Now = mirror.Live(nil), at(100000)
	if plan := p.Decide(s); plan.Outcome != mirror.MirrorLost {
		t.Error(plan)
	}
}

// TestRecordCase: encoding/json reads names in any case, so they are not kept in another.
func TestRecordCase(t *testing.T) {
	text := `{"v":1,"job":"job","attempt":1,"at":"2026-01-01T00:00:00Z","Worker":"old","MIRROR":"gone","zone":"a"}`
	got, err := mirror.Rewrite(text)
	want := `{"v":1,"job":"job","worker":"old","attempt":1,"at":"2026-01-01T00:00:00Z","mirror":"gone","zone":"a"}`
	if got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// TestManyTolerations: the cost of a plan for the spec is linear in the length of a list.
func TestManyTolerations(t *testing.T) {
	if testing.Short() {
		t.Skip("timing")
	}
	cost := func(n int) time.Duration {
		p := planner(t)
		list := func(prefix string) mod {
			return func(j *batchv1.Job) {
				j.Spec.Suspend = new(bool)
				*j.Spec.Suspend = true
				for i := range n {
					j.Spec.Template.Spec.Tolerations = append(j.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: fmt.Sprint(prefix, i), Operator: corev1.TolerationOpExists})
				}
			}
		}
		remote := mirrorOf(t, p, withMods(storedJob(), list("old")))
		local := withMods(storedJob(), list("new"), func(j *batchv1.Job) { j.Generation++ })
		best := time.Hour
		for range 3 {
			begin := time.Now()
			p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
			best = min(best, time.Since(begin))
		}
		return best
	}
	small, large := cost(500), cost(4000)
	if large > 40*small {
		t.Errorf("8 times as many take %.0f times as long", float64(large)/float64(small))
	}
}

// TestLongBadRecord does not fill a log.
func TestLongBadRecord(t *testing.T) {
	w := running(t)
	w.management.touch(annotate(dispatchKey, strings.Repeat("\x01", 100000)))
	if plan := w.expectStep(); len(plan.String()) > 4096 {
		t.Errorf("%d bytes", len(plan.String()))
	}
}
