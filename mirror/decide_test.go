// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

const (
	addFinalizer    = mirror.AddFinalizer
	claim           = mirror.Claim
	create          = mirror.CreateMirror
	writeStatus     = mirror.WriteStatus
	deleteMirror    = mirror.DeleteMirror
	patchMirror     = mirror.PatchMirror
	releaseMirror   = mirror.ReleaseMirror
	removeFinalizer = mirror.RemoveFinalizer
)

// running is a world with a Job whose mirror runs.
func running(t testing.TB, change ...func(*mirror.Policy)) *world {
	t.Helper()
	w := newWorld(t, change...)
	w.expect(mirror.InSync, addFinalizer, claim, create)
	w.worker.touch(start(1), active(2))
	w.expect(mirror.InSync, writeStatus)
	return w
}

func hold(p *mirror.Policy)      { p.HoldMirror = true }
func exclusive(p *mirror.Policy) { p.ExclusiveOrigin = true }
func failJob(p *mirror.Policy)   { p.OnMirrorLost = mirror.FailJob }

func TestDecideLife(t *testing.T) {
	w := running(t)
	w.worker.touch(active(0), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
	w.expect(mirror.Finished, writeStatus, deleteMirror, removeFinalizer)
	if w.worker.job != nil || len(w.management.job.Finalizers) > 0 || w.management.job.Status.Succeeded != 4 {
		t.Errorf("left: %v, %v", w.worker.job, w.management.job)
	}
	if w.worker.creates != 1 {
		t.Errorf("created %d times", w.worker.creates)
	}
}

func TestDecideKeepFinished(t *testing.T) {
	for keep, wait := range map[time.Duration]time.Duration{time.Hour: time.Hour - 80*time.Second, -1: 0} {
		w := running(t, hold, func(p *mirror.Policy) { p.KeepFinished = keep })
		w.worker.touch(active(0), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
		w.expect(mirror.Finished, writeStatus, releaseMirror)
		if plan := w.step(); plan.RequeueAfter != wait {
			t.Errorf("keep %v: look again in %v, want %v", keep, plan.RequeueAfter, wait)
		}
		if w.worker.job == nil || len(w.management.job.Finalizers) == 0 {
			t.Errorf("keep %v: the mirror or the finalizer is gone already", keep)
		}
		w.pass(wait)
		if wait > 0 {
			w.expect(mirror.Finished, deleteMirror, removeFinalizer)
		}
	}
}

// TestDecideDifferences: the plan has the differences of the spec plan.
func TestDecideDifferences(t *testing.T) {
	w := running(t)
	w.worker.touch(func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](1) })
	w.management.touch(func(j *batchv1.Job) { j.Generation++ })
	want := w.planner.PlanSpec(mirror.Pair{Local: w.management.job, Remote: w.worker.job}).Differences
	if plan := w.step(); len(want) == 0 || !reflect.DeepEqual(plan.Differences, want) {
		t.Errorf("%v, want %v", plan.Differences, want)
	}
}

// TestDecideFinishedInTheFuture: the clock of the worker is ahead, and nothing is kept longer for that.
func TestDecideFinishedInTheFuture(t *testing.T) {
	w := running(t)
	w.worker.touch(active(0), end(500), succeeded(4), is(complete, 500), is(criteriaMet, 500))
	w.expect(mirror.Finished, writeStatus, deleteMirror, removeFinalizer)

	w = running(t, func(p *mirror.Policy) { p.KeepFinished = time.Minute })
	w.worker.touch(active(0), end(500), succeeded(4), is(complete, 500), is(criteriaMet, 500))
	w.expect(mirror.Finished, writeStatus)
	if plan := w.step(); plan.RequeueAfter != time.Minute {
		t.Errorf("look again in %v", plan.RequeueAfter)
	}
}

func TestDecideDeletion(t *testing.T) {
	t.Run("running", func(t *testing.T) {
		w := running(t, hold)
		w.management.delete(metav1.DeletePropagationBackground)
		w.expectStep(deleteMirror, releaseMirror)
		w.expectStep()
		w.worker.podsGone()
		w.expectStep(removeFinalizer)
		if w.management.job != nil || w.worker.job != nil {
			t.Error("something is left")
		}
	})
	t.Run("never sent", func(t *testing.T) {
		w := newWorld(t)
		w.expectStep(addFinalizer)
		w.management.delete(metav1.DeletePropagationBackground)
		w.expectStep(removeFinalizer)
	})
	t.Run("a foreign Job in the way", func(t *testing.T) {
		w := newWorld(t)
		w.worker.job = storedJob()
		w.expect(mirror.Conflict)
		w.management.touch(finalizer(cleanupFinalizer))
		w.management.delete(metav1.DeletePropagationBackground)
		w.expectStep(removeFinalizer)
		if w.management.job != nil || w.worker.job == nil {
			t.Error("the local Job has to go and the other to stay")
		}
	})
	t.Run("the worker does not answer", func(t *testing.T) {
		w := running(t, func(p *mirror.Policy) { p.AbandonAfter = time.Minute })
		w.management.delete(metav1.DeletePropagationBackground)
		s := w.state()
		s.Mirror = mirror.Observation{}
		s.Now = at(50 + 59)
		if plan := w.planner.Decide(s); plan.Outcome != mirror.CleanupPending || len(plan.Actions) > 0 || plan.RequeueAfter != time.Second {
			t.Error(plan)
		}
		s.Now = at(50 + 60)
		if plan := w.planner.Decide(s); plan.Outcome != mirror.Abandoned || len(plan.Actions) != 1 || plan.Actions[0].Kind != removeFinalizer {
			t.Error(plan)
		}
		s = w.state()
		s.Worker, s.Mirror, s.Elsewhere, s.Now = "w2", mirror.Live(nil), mirror.OtherWorkers(mirror.Observation{}), at(50+60)
		if plan := w.planner.Decide(s); plan.Outcome != mirror.Abandoned {
			t.Errorf("another worker does not answer: %s", plan)
		}
		p := planner(t)
		if plan := p.Decide(s); plan.Outcome != mirror.CleanupPending {
			t.Errorf("without AbandonAfter: %s", plan)
		}
	})
}

// expectStep plans once and compares.
func (w *world) expectStep(kinds ...mirror.ActionKind) mirror.Plan {
	w.t.Helper()
	plan := w.step()
	var took []mirror.ActionKind
	for _, a := range plan.Actions {
		took = append(took, a.Kind)
	}
	if !reflect.DeepEqual(took, kinds) {
		w.t.Errorf("%s; want %v", plan, kinds)
	}
	return plan
}

// TestDecideDeadWorker: a worker that does not answer, and to which the Job was never sent, keeps nobody waiting.
func TestDecideDeadWorker(t *testing.T) {
	dead := mirror.OtherWorkers(mirror.Observation{})
	for name, end := range map[string]func(*world){
		"deleted":  func(w *world) { w.management.delete(metav1.DeletePropagationBackground) },
		"finished": func(w *world) { w.management.touch(start(1), is(failureTarget, 2), is(failedJob, 2)) },
		"promised": func(w *world) { w.management.touch(start(1), is(failureTarget, 2)) },
	} {
		w := running(t)
		w.worker.job = nil
		w.elsewhere = dead
		end(w)
		if plan := w.step(); len(plan.Actions) != 1 || plan.Actions[0].OnWorker() {
			t.Errorf("%s: %s", name, plan)
		}
		s := w.state()
		if w.management.job == nil {
			continue
		}
		s.Worker = "w2" // which the Job was not sent to: the dead one may be the one that has it
		s.Elsewhere = mirror.OtherWorkers(mirror.Observation{})
		if plan := w.planner.Decide(s); len(plan.Actions) > 0 {
			t.Errorf("%s, seen from another worker: %s", name, plan)
		}
	}
}

// TestDecideStampTerminal: the local TTL runs from the arrival of the result.
func TestDecideStampTerminal(t *testing.T) {
	w := running(t, func(p *mirror.Policy) { p.StampTerminal = true })
	w.worker.touch(active(0), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
	w.step()
	for _, c := range w.management.job.Status.Conditions {
		if c.Type == complete && !c.LastTransitionTime.Equal(&w.now) {
			t.Errorf("%+v", c)
		}
	}
}

// TestDecideStaleCache: what a cache that is behind shows must never run a Job twice.
func TestDecideStaleCache(t *testing.T) {
	t.Run("Complete and the mirror deleted", func(t *testing.T) {
		w := running(t)
		stale := w.management.job.DeepCopy()
		w.worker.touch(active(0), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
		w.expect(mirror.Finished, writeStatus, deleteMirror, removeFinalizer)

		s := w.state()
		s.Local, s.Mirror = mirror.Cached(stale), mirror.Cached(nil)
		plan := w.planner.Decide(s)
		if len(plan.Actions) != 1 || plan.Actions[0].Kind != mirror.ReadLive || !plan.Actions[0].Read.Mirror {
			t.Errorf("by a cache: %s", plan)
		}
		s.Mirror, s.Now = mirror.Live(nil), at(1000)
		plan = w.planner.Decide(s)
		if len(plan.Actions) != 2 || plan.Actions[0].Kind != claim {
			t.Fatal(plan)
		}
		if reason := w.management.do(plan.Actions[0]); reason != metav1.StatusReasonConflict {
			t.Errorf("the claim of a cache that is behind is answered with %q", reason)
		}
	})
	t.Run("two controllers", func(t *testing.T) {
		w := newWorld(t)
		w.expectStep(addFinalizer)
		one, two := w.planner.Decide(w.state()), w.planner.Decide(w.state())
		if reason := w.management.do(one.Actions[0]); reason != "" {
			t.Errorf("the first claim: %s", reason)
		}
		if reason := w.management.do(two.Actions[0]); reason != metav1.StatusReasonConflict {
			t.Errorf("the second claim: %q", reason)
		}
	})
	t.Run("the mirror of an earlier attempt in the cache", func(t *testing.T) {
		w := running(t)
		w.worker.touch(active(0), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
		former := w.worker.job
		w.worker.job = nil // deleted by somebody, before its result was read
		w.pass(time.Hour)
		w.expectStep(claim, create)
		s := w.state()
		s.Mirror = mirror.Cached(former)
		if plan := w.planner.Decide(s); len(plan.Actions) != 1 || plan.Actions[0].Kind != mirror.ReadLive || !plan.Actions[0].Read.Mirror {
			t.Errorf("the record is made to name a mirror that is gone: %s", plan)
		}
	})
	t.Run("an earlier Job in the cache", func(t *testing.T) {
		w := running(t, exclusive)
		s := w.state()
		s.Local = mirror.Cached(storedJob(func(j *batchv1.Job) { j.UID = "an-earlier-one" }))
		if plan := w.planner.Decide(s); len(plan.Actions) != 1 || plan.Actions[0].Kind != mirror.ReadLive {
			t.Errorf("the mirror of a later Job is taken for that of an earlier one: %s", plan)
		}
	})
}

func TestDecideWorkers(t *testing.T) {
	t.Run("a worker is unknown", func(t *testing.T) {
		w := newWorld(t)
		w.elsewhere = mirror.OtherWorkers(mirror.Live(nil), mirror.Observation{})
		w.expect(mirror.Elsewhere)
		w.elsewhere = mirror.Others{}
		w.expect(mirror.Elsewhere)
	})
	t.Run("another worker has it", func(t *testing.T) {
		w := newWorld(t)
		w.elsewhere = mirror.OtherWorkers(mirror.Cached(mirrorOf(t, w.planner, w.management.job)))
		w.expect(mirror.Elsewhere)
	})
	t.Run("a foreign Job elsewhere is none of ours", func(t *testing.T) {
		w := newWorld(t)
		w.elsewhere = mirror.OtherWorkers(mirror.Cached(storedJob()))
		w.expect(mirror.InSync, addFinalizer, claim, create)
	})
	t.Run("moved", func(t *testing.T) {
		w := newWorld(t, failJob)
		w.settle()
		s := w.state()
		s.Worker, s.Mirror, s.Elsewhere = "w2", mirror.Live(nil), mirror.OtherWorkers(mirror.Live(nil))
		if plan := w.planner.Decide(s); len(plan.Actions) != 2 || plan.Actions[1].Kind != create {
			t.Errorf("a Job that is not wanted on its worker any more is no lost one: %s", plan)
		}
	})
	t.Run("fate, and the other worker has it", func(t *testing.T) {
		w := running(t)
		w.management.touch(is(failureTarget, 9))
		s := w.state()
		s.Worker, s.Wanted, s.Mirror, s.Elsewhere = "w2", false, mirror.Live(nil), mirror.OtherWorkers(s.Mirror)
		if plan := w.planner.Decide(s); len(plan.Actions) > 0 {
			t.Errorf("concluded while its mirror is there: %s", plan)
		}
	})
}

// TestDecidePreemption: pods that the deletion of the mirror kills count as failed, which makes a Job
// with backoffLimit 0 fail. That is not its result.
func TestDecidePreemption(t *testing.T) {
	for _, p := range []func(*mirror.Policy){func(*mirror.Policy) {}, hold} {
		w := running(t, p)
		w.wanted = false
		w.step()
		w.worker.touch(failed(2), is(failureTarget, 51), is(failedJob, 51))
		w.expectStep(writeStatus)
		if hasAny(w.management.job, failureTarget, failedJob) {
			t.Fatalf("a failure later than the deletion is copied: %+v", w.management.job.Status)
		}
		w.worker.podsGone()
		w.settle()
		if w.worker.job != nil {
			t.Fatal("the mirror is held for ever")
		}
		local := w.management.job
		if local.Status.Active != 0 || local.Status.Failed != 2 {
			t.Errorf("live counters go to zero, others stay: %+v", local.Status)
		}
		if strings.Contains(local.Annotations[dispatchKey], worker) {
			t.Errorf("the record still names the worker: %s", local.Annotations[dispatchKey])
		}
		w.wanted = true
		w.expect(mirror.InSync, claim, create)
	}
}

// TestDecidePromiseBeforeEviction: a mirror that is about to have a result is left to finish.
func TestDecidePromiseBeforeEviction(t *testing.T) {
	for promise, terminal := range map[batchv1.JobConditionType]batchv1.JobConditionType{failureTarget: failedJob, criteriaMet: complete} {
		w := running(t)
		w.wanted = false
		w.worker.touch(is(promise, 30))
		w.expectStep(writeStatus)
		if plan := w.expectStep(); plan.RequeueAfter == 0 {
			t.Errorf("%s: nobody looks again: %s", promise, plan)
		}
		w.worker.touch(active(0), is(terminal, 40))
		w.expectStep(writeStatus)
		if !hasAny(w.management.job, terminal) {
			t.Errorf("%s: %+v", promise, w.management.job.Status)
		}
	}
}

func TestDecideDeletedMirror(t *testing.T) {
	deletedByOthers := func(t *testing.T, change ...func(*mirror.Policy)) *world {
		w := running(t, change...)
		w.worker.touch(finalizer("example.com/slow"))
		w.worker.delete(metav1.DeletePropagationBackground)
		return w
	}
	t.Run("a failure before the deletion counts", func(t *testing.T) {
		w := deletedByOthers(t)
		w.worker.touch(active(0), failed(2), is(failureTarget, 49), is(failedJob, 51))
		w.expectStep(writeStatus)
		if !hasAny(w.management.job, failedJob) {
			t.Errorf("%+v", w.management.job.Status)
		}
	})
	t.Run("a success counts at any time", func(t *testing.T) {
		w := deletedByOthers(t, hold)
		w.worker.touch(active(0), succeeded(4), end(60), is(criteriaMet, 60), is(complete, 60))
		w.expectStep(writeStatus)
		if !hasAny(w.management.job, complete) {
			t.Errorf("%+v", w.management.job.Status)
		}
		w.expectStep(deleteMirror, releaseMirror)
	})
	t.Run("held while it runs", func(t *testing.T) {
		w := deletedByOthers(t, hold)
		w.expectStep()
		w.worker.touch(active(0), terminating(1))
		w.expectStep(writeStatus)
		w.expectStep()
		w.worker.touch(terminating(0))
		w.expectStep(writeStatus, deleteMirror, patchMirror)
		w.expectStep(deleteMirror, releaseMirror)
	})
	t.Run("a status that is behind", func(t *testing.T) {
		for name, act := range map[string]func(*world){
			"deleted by others": func(w *world) { w.worker.delete(metav1.DeletePropagationBackground) },
			"evicted":           func(w *world) { w.wanted = false; w.step() },
		} {
			w := running(t, hold)
			w.worker.touch(active(0), succeeded(3)) // the last pod has started, and the status does not show it
			w.settle()
			w.worker.hidden = true
			act(w)
			w.settle()
			if w.worker.job == nil || !slices.Contains(w.worker.job.Finalizers, holdFinalizer) {
				t.Fatalf("%s: let go although the pods are not known to be gone", name)
			}
			w.worker.touch(succeeded(4), uncountedID)
			w.worker.hidden = false
			w.worker.collect()
			w.settle()
			if !slices.Contains(w.worker.job.Finalizers, holdFinalizer) {
				t.Fatalf("%s: let go although a pod is not counted", name)
			}
			w.worker.touch(uncounted(), end(60), is(criteriaMet, 60), is(complete, 60))
			w.settle()
			if !hasAny(w.management.job, complete) || w.worker.job != nil {
				t.Errorf("%s: the result is lost: %+v", name, w.management.job.Status)
			}
		}
	})
	t.Run("a promise of success holds it", func(t *testing.T) {
		w := deletedByOthers(t, hold)
		w.worker.touch(active(0), is(criteriaMet, 60))
		w.expectStep(writeStatus)
		w.expectStep()
	})
}

func TestDecideLostMirror(t *testing.T) {
	vanish := func(w *world) { w.worker.job = nil }
	t.Run("created again, later and later", func(t *testing.T) {
		w := running(t)
		for _, delay := range []time.Duration{10, 20, 40} {
			vanish(w)
			w.now = recordedAt(t, w)
			w.pass(delay*time.Second - time.Second)
			if plan := w.expectStep(); plan.Outcome != mirror.BackingOff || plan.RequeueAfter != time.Second {
				t.Error(plan)
			}
			w.pass(time.Second)
			w.expectStep(claim, create)
			if w.management.job.Status.Active != 0 {
				t.Error("the claim has to set live counters to zero")
			}
			w.worker.touch(start(1), active(2))
			w.expect(mirror.InSync, writeStatus)
		}
	})
	t.Run("what is left of the deadline", func(t *testing.T) {
		w := newWorld(t)
		w.management.job.Spec.ActiveDeadlineSeconds = ptr.To[int64](600)
		w.expect(mirror.InSync, addFinalizer, claim, create)
		w.worker.touch(start(100), active(2))
		w.expect(mirror.InSync, writeStatus)
		vanish(w)
		w.now = at(400)
		w.expect(mirror.InSync, claim, create)
		if got := ptr.Deref(w.worker.job.Spec.ActiveDeadlineSeconds, -1); got != 300 {
			t.Errorf("the deadline is %d", got)
		}
	})
	t.Run("fail", func(t *testing.T) {
		w := newWorld(t, failJob)
		w.settle()
		w.worker.touch(start(1), active(2))
		w.expect(mirror.InSync, writeStatus)
		vanish(w)
		w.expect(mirror.Finished, writeStatus, removeFinalizer)
		failedAs(t, w.management.job, "MirrorLost")
	})
	t.Run("fail at the second", func(t *testing.T) {
		w := newWorld(t, func(p *mirror.Policy) { p.MaxAttempts = 2 })
		w.expect(mirror.InSync, addFinalizer, claim, create, claim)
		vanish(w)
		w.pass(time.Hour)
		w.expect(mirror.InSync, claim, create, claim)
		w.worker.touch(start(1), active(1))
		w.expect(mirror.InSync, writeStatus)
		vanish(w)
		w.expect(mirror.Finished, writeStatus, removeFinalizer)
		failedAs(t, w.management.job, "MirrorLost")
	})
	t.Run("fail, although it never showed a status", func(t *testing.T) {
		for _, policy := range []func(*mirror.Policy){failJob, func(p *mirror.Policy) { p.MaxAttempts = 1 }} {
			w := newWorld(t, policy)
			w.expect(mirror.InSync, addFinalizer, claim, create, claim)
			vanish(w)
			w.expect(mirror.Finished, writeStatus, removeFinalizer)
			failedAs(t, w.management.job, "MirrorLost")
		}
	})
	t.Run("never created", func(t *testing.T) {
		w := newWorld(t, failJob)
		w.expectStep(addFinalizer)
		plan := w.planner.Decide(w.state())
		w.management.do(plan.Actions[0]) // and then a crash
		w.pass(time.Hour)
		w.expect(mirror.InSync, claim, create, claim)
	})
	t.Run("a promise is kept", func(t *testing.T) {
		for promise, terminal := range map[batchv1.JobConditionType]batchv1.JobConditionType{failureTarget: failedJob, criteriaMet: complete} {
			w := running(t)
			w.worker.touch(is(promise, 30))
			w.expect(mirror.InSync, writeStatus)
			vanish(w)
			w.expect(mirror.Finished, writeStatus, removeFinalizer)
			if !hasAny(w.management.job, terminal) || w.worker.creates != 1 {
				t.Errorf("%s: %+v", promise, w.management.job.Status)
			}
		}
	})
}

func TestDecideIdentity(t *testing.T) {
	t.Run("forged", func(t *testing.T) {
		w := running(t, exclusive)
		w.worker.job.UID = "another-that-says-the-same"
		for _, w.wanted = range []bool{true, false} {
			plan := w.planner.Decide(w.state())
			if plan.Outcome != mirror.Conflict || len(plan.Actions) > 0 && plan.Actions[0].OnWorker() {
				t.Errorf("wanted %v: %s", w.wanted, plan)
			}
		}
		w.management.delete(metav1.DeletePropagationBackground)
		w.expectStep(removeFinalizer)
	})
	t.Run("forged, and the record in the cache has no UID yet", func(t *testing.T) {
		for name, change := range map[string]func(*world){
			"evicted":  func(w *world) { w.wanted = false },
			"deleted":  func(w *world) { w.management.delete(metav1.DeletePropagationBackground) },
			"finished": func(w *world) { w.management.touch(start(1), is(failureTarget, 2), is(failedJob, 2)) },
			"resized": func(w *world) {
				w.management.touch(func(j *batchv1.Job) { j.Spec.Parallelism, j.Generation = ptr.To[int32](1), 4 })
			},
			"drained": func(w *world) {
				w.worker.touch(finalizer(holdFinalizer))
				w.worker.delete(metav1.DeletePropagationBackground)
			},
		} {
			w := newWorld(t)
			w.expectStep(addFinalizer)
			w.expectStep(claim, create)
			change(w)
			s := w.state()
			s.Local = mirror.Cached(w.management.job)
			plan := w.planner.Decide(s)
			if len(plan.Actions) == 0 {
				t.Errorf("%s: %s", name, plan)
				continue
			}
			if first := plan.Actions[0]; first.OnWorker() || first.Kind == mirror.ReadLive && !first.Read.Local {
				t.Errorf("%s: %s", name, plan)
			}
			w.step()
		}
	})
	t.Run("recreated unmanaged", func(t *testing.T) {
		for _, p := range []func(*mirror.Policy){func(*mirror.Policy) {}, exclusive} {
			w := running(t, p)
			w.management.job = storedJob(func(j *batchv1.Job) { j.UID, j.Spec.ManagedBy = "another", nil })
			plan := w.step()
			if plan.Outcome != mirror.Orphan {
				t.Error(plan)
			}
		}
	})
	t.Run("two management clusters of one Origin", func(t *testing.T) {
		one := running(t)
		other := newWorld(t)
		other.management.job.UID, other.worker = "the-other-cluster's", one.worker
		before := one.worker.job.DeepCopy()
		other.expect(mirror.Conflict)
		other.management.touch(finalizer(cleanupFinalizer))
		other.management.delete(metav1.DeletePropagationBackground)
		other.settle()
		if other.management.job != nil {
			t.Error("the other's Job has to go")
		}
		other.settle()
		if !reflect.DeepEqual(one.worker.job, before) {
			t.Error("the other's mirror was touched")
		}
	})
	t.Run("orphan", func(t *testing.T) {
		w := running(t, exclusive, hold)
		w.management.job = nil
		w.expectStep(deleteMirror, releaseMirror)
		w.worker.podsGone()
		w.expect(mirror.Gone)
	})
	t.Run("no record yet", func(t *testing.T) {
		w := newWorld(t)
		w.worker.job = mirrorOf(t, w.planner, w.management.job, start(1), active(1))
		w.expect(mirror.InSync, addFinalizer, writeStatus)
		if !strings.Contains(w.management.job.Annotations[dispatchKey], string(mirrorUID)) {
			t.Error(w.management.job.Annotations)
		}
	})
}

// TestDecideLiveCounters: where a mirror is gone, none of the counters of pods that live is left, and all
// others are.
func TestDecideLiveCounters(t *testing.T) {
	counted := func(w *world) {
		w.worker.touch(active(2), ready(1), terminating(1), failed(3), uncountedID)
		w.expect(mirror.InSync, writeStatus)
		w.worker.job = nil
	}
	for name, act := range map[string]func(*world){
		"created again": func(w *world) { w.pass(time.Hour); w.expectStep(claim, create) },
		"not wanted":    func(w *world) { w.wanted = false; w.expectStep(writeStatus) },
	} {
		w := running(t)
		counted(w)
		act(w)
		want := job(start(1), ready(0), terminating(0), failed(3)).Status
		if got := w.management.job.Status; toJSON(t, got) != toJSON(t, want) {
			t.Errorf("%s: %s, want %s", name, toJSON(t, got), toJSON(t, want))
		}
	}
}

// TestDecideAllocatesNothing for a Job that is in sync: the record and the identity are read in place.
func TestDecideAllocatesNothing(t *testing.T) {
	lost := func(j *batchv1.Job) {
		annotate(dispatchKey, strings.Replace(j.Annotations[dispatchKey], `,"at"`, `,"lost":1,"at"`, 1))(j)
	}
	for name, change := range policies {
		if name == "condition" {
			continue // it has to be written first
		}
		for _, m := range []mod{func(*batchv1.Job) {}, lost} {
			p := planner(t, change)
			s := inSyncState(t, p, m)
			if n := testing.AllocsPerRun(100, func() { p.Decide(s) }); n != 0 {
				t.Errorf("%s: %v allocations for %s", name, n, p.Decide(s))
			}
		}
	}
}

func TestDecideSuspended(t *testing.T) {
	w := newWorld(t)
	w.wanted = false
	w.management.touch(suspend)
	w.expect(mirror.Idle, writeStatus)
	if !hasAny(w.management.job, batchv1.JobSuspended) {
		t.Errorf("%+v", w.management.job.Status)
	}
	w.management.touch(func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(false) })
	w.expect(mirror.Idle)
}

func TestDecideRefused(t *testing.T) {
	w := newWorld(t, func(p *mirror.Policy) {
		p.Admit = func(*batchv1.Job, types.NamespacedName) error { return errors.New("no") }
	})
	plan := w.expectStep()
	if refused := (*mirror.NotAdmittedError)(nil); plan.Outcome != mirror.Refused || !errors.As(plan.Err, &refused) {
		t.Error(plan, plan.Err)
	}
}

func TestDecideCondition(t *testing.T) {
	const kind = "acme.io/Mirrored"
	w := newWorld(t, func(p *mirror.Policy) { p.Condition = kind })
	w.expect(mirror.InSync, addFinalizer, claim, create, writeStatus)
	says := func(status, reason string) {
		t.Helper()
		for _, c := range w.management.job.Status.Conditions {
			if c.Type == kind && (string(c.Status) != status || c.Reason != reason || !strings.HasPrefix(c.Message, worker+", last seen "+map[bool]string{true: "before", false: "at"}[status == "Unknown"]+" 20")) {
				t.Errorf("%+v; want %s %s", c, status, reason)
			}
		}
		if !slicesHas(w.management.job.Status.Conditions, kind) {
			t.Error("there is no condition")
		}
	}
	says("True", "InSync")
	before := w.management.job.ResourceVersion
	w.pass(time.Hour)
	w.expect(mirror.InSync)
	if w.management.job.ResourceVersion != before {
		t.Error("rewritten without a change")
	}
	s := w.state()
	s.Mirror = mirror.Observation{}
	plan := w.planner.Decide(s)
	w.management.do(plan.Actions[0])
	says("Unknown", "Unreachable")
	w.expect(mirror.InSync, writeStatus)

	s = w.state()
	s.Worker, s.Wanted, s.Mirror, s.Elsewhere = "w2", false, mirror.Live(nil), mirror.OtherWorkers(s.Mirror)
	if plan := w.planner.Decide(s); len(plan.Actions) > 0 {
		t.Errorf("a worker that has nothing to do with the Job writes %s", plan)
	}
	s.Wanted = true // moved to w2, and not gone from w1 yet
	if plan := w.planner.Decide(s); plan.Outcome != mirror.Elsewhere || len(plan.Actions) > 0 {
		t.Errorf("a worker that the Job was not sent to writes %s", plan)
	}
	w.worker.touch(active(0), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
	w.expect(mirror.Finished, writeStatus, deleteMirror, removeFinalizer)
	says("True", "Finished")
}

func slicesHas(conditions []batchv1.JobCondition, kind batchv1.JobConditionType) bool {
	for _, c := range conditions {
		if c.Type == kind {
			return true
		}
	}
	return false
}

// hasAny reports whether one of the conditions is True.
func hasAny(job *batchv1.Job, kinds ...batchv1.JobConditionType) bool {
	for _, c := range job.Status.Conditions {
		for _, kind := range kinds {
			if c.Type == kind && c.Status == "True" {
				return true
			}
		}
	}
	return false
}

func failedAs(t *testing.T, job *batchv1.Job, reason string) {
	t.Helper()
	for _, c := range job.Status.Conditions {
		if c.Type == failedJob && c.Status == "True" && c.Reason == reason {
			return
		}
	}
	t.Errorf("not failed as %s: %+v", reason, job.Status)
}

// recordedAt is when the last attempt was claimed.
func recordedAt(t *testing.T, w *world) metav1.Time {
	t.Helper()
	_, after, _ := strings.Cut(w.management.job.Annotations[dispatchKey], `"at":"`)
	text, _, _ := strings.Cut(after, `"`)
	at, err := time.Parse(time.RFC3339, text)
	must(t, err)
	return metav1.NewTime(at)
}
