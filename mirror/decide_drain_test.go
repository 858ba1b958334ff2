// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// TestDrainWithFrozenCounters: up to 1.30 nobody counts terminating down once the Job has finished. A held mirror goes
// all the same when its pods have gone, whoever deleted it, and the failure that this made is no result.
func TestDrainWithFrozenCounters(t *testing.T) {
	for name, remove := range map[string]func(*world){
		"evicted":               func(w *world) { w.wanted = false; w.step() },
		"deleted in foreground": func(w *world) { w.worker.delete(metav1.DeletePropagationForeground) },
		"deleted in background": func(w *world) { w.worker.delete(metav1.DeletePropagationBackground) },
	} {
		for field, frozen := range map[string]mod{
			"terminating": terminating(1), "uncounted": uncountedID, "active": active(1),
		} {
			w := running(t, hold)
			remove(w)
			w.worker.touch(active(0), is(failedJob, 60), func(j *batchv1.Job) { j.Status.Failed = 2 }, frozen)
			for range 10 {
				w.step()
				if w.worker.job != nil && w.worker.creates == 1 {
					gone := w.worker.job.Status.Active
					w.worker.job.Status.Active = 0 // the pods are gone, whatever the counters say
					w.worker.collect()
					if w.worker.job != nil {
						w.worker.job.Status.Active = gone
					}
				}
				w.pass(time.Minute)
			}
			if w.worker.job != nil && w.worker.creates == 1 {
				t.Errorf("%s, %s: held for ever: %s", name, field, w.planner.Decide(w.state()))
			}
			if hasAny(w.management.job, failedJob) {
				t.Errorf("%s, %s: %+v", name, field, w.management.job.Status)
			}
		}
	}
}

// TestDrainDeletedAgain: a deletion in the background takes the garbage collector's finalizer off, and says nothing
// about pods.
func TestDrainDeletedAgain(t *testing.T) {
	w := running(t, hold)
	w.worker.touch(active(0)) // there is a new pod, which the status does not show yet
	w.worker.hidden = true
	w.settle()
	w.wanted = false
	w.step()
	w.expectStep()
	w.worker.delete(metav1.DeletePropagationBackground)
	w.expectStep(deleteMirror, releaseMirror)
	if w.worker.job == nil {
		t.Fatal("the mirror is gone, and its pod runs")
	}
	w.wanted = true
	w.settle()
	w.worker.hidden = false
	w.worker.collect()
	w.pass(time.Hour)
	if w.settle(); w.worker.job == nil || w.worker.creates != 2 {
		t.Errorf("created %d times", w.worker.creates)
	}
}

// TestExpiresAtOnce: a TTL of 0 has a Job deleted in the second in which it fails, and that is a result. A failure in
// the second of another deletion may come from it.
func TestExpiresAtOnce(t *testing.T) {
	for _, test := range []struct {
		name       string
		ttl        *int32
		failed     int // the deletion is in second 50
		wantResult bool
	}{
		{"TTL 0, same second", ptr.To[int32](0), 50, true},
		{"TTL 0, later", ptr.To[int32](0), 51, false},
		{"TTL 1, same second", ptr.To[int32](1), 50, false},
		{"TTL 1, earlier", ptr.To[int32](1), 49, true},
		{"no TTL, same second", nil, 50, false},
	} {
		for _, promised := range []bool{true, false} {
			w := newWorld(t, hold, func(p *mirror.Policy) { p.KeepTTL = true })
			w.management.job.Spec.TTLSecondsAfterFinished = test.ttl
			w.settle()
			w.worker.touch(start(1), active(0), is(failedJob, test.failed))
			if promised {
				w.worker.touch(is(failureTarget, test.failed))
			}
			w.worker.delete(metav1.DeletePropagationForeground)
			w.worker.collect()
			w.settle()
			if got := hasAny(w.management.job, failedJob); got != test.wantResult {
				t.Errorf("%s, promised %v: a result: %v, want %v", test.name, promised, got, test.wantResult)
			}
		}
	}
	w := newWorld(t, hold, func(p *mirror.Policy) { p.KeepTTL = true })
	w.management.job.Spec.TTLSecondsAfterFinished = ptr.To[int32](0)
	w.settle()
	w.worker.touch(start(1), active(0), is(failureTarget, 50), is(failedJob, 55)) // killed by a deletion in second 50
	w.worker.delete(metav1.DeletePropagationForeground)
	w.worker.collect()
	if w.settle(); hasAny(w.management.job, failedJob) {
		t.Error("a failure that the deletion made is a result")
	}
}

// TestLossIsCountedBeforeItIsRecorded: a mirror that somebody deletes before the record names it was there; one that we
// evict is not lost.
func TestLossIsCountedBeforeItIsRecorded(t *testing.T) {
	for name, policy := range map[string]func(*mirror.Policy){"Fail": failJob, "MaxAttempts": func(p *mirror.Policy) { p.MaxAttempts = 1 }} {
		for _, how := range []metav1.DeletionPropagation{metav1.DeletePropagationForeground, metav1.DeletePropagationBackground} {
			w := newWorld(t, policy)
			w.expectStep(addFinalizer)
			w.expectStep(claim, create)
			w.worker.touch(start(1), active(2), finalizer("example.com/slow"))
			w.worker.delete(how)
			w.settle()
			w.worker.touch(active(0), func(j *batchv1.Job) { j.Finalizers = nil })
			w.pass(time.Hour)
			if w.settle(); w.worker.creates != 1 || !hasAny(w.management.job, failedJob) {
				t.Errorf("%s, %s: created %d times, %+v", name, how, w.worker.creates, w.management.job.Status)
			}
		}
		w := newWorld(t, policy)
		w.expectStep(addFinalizer)
		w.expectStep(claim, create)
		w.worker.touch(start(1), active(2))
		w.wanted = false
		w.settle()
		w.wanted = true // before it is gone
		w.settle()
		w.worker.podsGone()
		w.pass(time.Hour)
		if w.settle(); w.worker.creates != 2 || hasAny(w.management.job, failedJob) {
			t.Errorf("%s, evicted: created %d times, %+v", name, w.worker.creates, w.management.job.Status)
		}
	}
}

// TestObjectExpiresAtOnce is TestExpiresAtOnce for another kind: with a TTL in the mirror, it may be 0.
func TestObjectExpiresAtOnce(t *testing.T) {
	for keepTTL, want := range map[bool]jobmanagedby.Result{true: jobmanagedby.Failed, false: jobmanagedby.Unfinished} {
		for second, want := range map[int]jobmanagedby.Result{49: jobmanagedby.Failed, 50: want, 51: jobmanagedby.Unfinished} {
			w := newObjectWorld(t, "jobset", hold, func(p *mirror.Policy) { p.KeepTTL = keepTTL })
			w.expect("InSync", dispatched...)
			w.worker.touch(func(u *unstructured.Unstructured) {
				u.Object["status"] = map[string]any{"conditions": []any{map[string]any{
					"type": "Failed", "status": "True", "lastTransitionTime": at(second).UTC().Format(time.RFC3339),
				}}}
			})
			w.worker.delete(metav1.FinalizerDeleteDependents) // in second 50
			w.step()
			if got := w.result(); got != want {
				t.Errorf("KeepTTL %v, failed in second %d: %q, want %q", keepTTL, second, got, want)
			}
		}
	}
}

// TestReleaseBehindADeletionInTheBackground: nor is a mirror let go where that deletion comes between the two requests.
func TestReleaseBehindADeletionInTheBackground(t *testing.T) {
	w := running(t, hold)
	w.worker.touch(active(0))
	w.worker.hidden = true
	w.settle()
	w.wanted = false
	w.step()
	w.expectStep()
	w.worker.delete(metav1.DeletePropagationBackground)
	for _, a := range w.planner.Decide(w.state()).Actions {
		if a.Kind == releaseMirror {
			w.worker.delete(metav1.DeletePropagationBackground)
		}
		if reason := w.worker.do(a); reason != "" && !a.Tolerates(reason) {
			t.Errorf("%s: %s is an error", a, reason)
		}
	}
	if w.worker.job == nil || !slices.Contains(w.worker.job.Finalizers, holdFinalizer) {
		t.Error("the mirror is let go while its pod runs")
	}
	w.worker.hidden = false
	w.expectStep(deleteMirror, releaseMirror)
	if w.worker.job != nil {
		t.Errorf("left: %v", w.worker.job.Finalizers)
	}
}

// TestReleaseAmongOtherFinalizers: the list that a deletion leaves is the one that the release expects.
func TestReleaseAmongOtherFinalizers(t *testing.T) {
	for _, before := range [][]string{
		{holdFinalizer}, {holdFinalizer, "a.io/b"}, {"a.io/b", holdFinalizer}, {metav1.FinalizerOrphanDependents, holdFinalizer},
		{holdFinalizer, metav1.FinalizerOrphanDependents, "a.io/b"}, {metav1.FinalizerDeleteDependents, holdFinalizer},
	} {
		w := running(t, hold)
		w.worker.touch(func(j *batchv1.Job) { j.Finalizers = slices.Clone(before) })
		w.management.touch(func(j *batchv1.Job) { j.DeletionTimestamp = ptr.To(at(60)) })
		w.step()
		if w.worker.job == nil || slices.Contains(w.worker.job.Finalizers, holdFinalizer) || !slices.Contains(w.worker.job.Finalizers, metav1.FinalizerDeleteDependents) {
			t.Errorf("%v: %v", before, w.worker.job)
		}
	}
}

// TestLossOfALaterAttempt: a cache may show the mirror of an earlier attempt, so one that is being deleted is looked at
// live before it is gone and cannot be counted.
func TestLossOfALaterAttempt(t *testing.T) {
	p := planner(t, func(p *mirror.Policy) { p.MaxAttempts = 2 })
	text := `{"v":1,"job":"` + string(storedJob().UID) + `","worker":"` + worker + `","attempt":2,"lost":1,"at":"2026-01-01T12:00:10Z"}`
	local := withMods(storedJob(), finalizer(cleanupFinalizer), annotate(dispatchKey, text))
	m := mirrorOf(t, p, storedJob(), finalizer(metav1.FinalizerDeleteDependents), func(j *batchv1.Job) { j.DeletionTimestamp = ptr.To(at(20)) })
	s := mirror.State{Key: jobKey, Local: mirror.Live(local), Mirror: mirror.Cached(m), Elsewhere: mirror.OtherWorkers(), Worker: worker, Wanted: true, Now: at(30)}
	if plan := p.Decide(s); len(plan.Actions) != 1 || !plan.Actions[0].Read.Mirror {
		t.Errorf("from a cache: %s", plan)
	}
	s.Mirror = mirror.Live(m)
	if plan := p.Decide(s); len(plan.Actions) != 1 || !strings.Contains(string(plan.Actions[0].Patch), string(m.UID)) {
		t.Errorf("live: %s", plan)
	}
}

// TestDrainOfAContradiction: a held mirror that cannot bring a result, because the local Job has promised the other one, is let
// go when it is being deleted, and the promise is kept.
func TestDrainOfAContradiction(t *testing.T) {
	w := running(t, hold)
	w.management.touch(is(failureTarget, 60))
	w.worker.touch(active(0), end(60), succeeded(4), is(complete, 60), is(criteriaMet, 60))
	w.worker.delete(metav1.DeletePropagationForeground)
	w.worker.collect()
	for range 3 {
		w.settle()
	}
	if w.worker.job != nil || !hasAny(w.management.job, failedJob) {
		t.Errorf("mirror there: %v, %+v", w.worker.job != nil, w.management.job.Status)
	}
}
