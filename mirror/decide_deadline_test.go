// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// A Job has run for 100 s of its 600 and is suspended. The built-in controller stops the time then, and starts it anew
// when the Job is resumed.
func suspendedAfterAWhile(t *testing.T) *world {
	w := newWorld(t)
	w.management.job.Spec.ActiveDeadlineSeconds = ptr.To[int64](600)
	w.settle()
	w.worker.touch(start(100), active(2))
	w.settle()
	w.pass(100 * time.Second)
	w.suspend(true)
	w.worker.touch(active(0), is(batchv1.JobSuspended, 160))
	w.settle()
	return w
}

// suspend is what the user does.
func (w *world) suspend(suspend bool) {
	w.management.touch(func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(suspend); j.Generation++ })
	w.settle()
}

// TestDeadlineAfterASuspension: a suspension gives the whole deadline back, whatever becomes of the mirror meanwhile.
func TestDeadlineAfterASuspension(t *testing.T) {
	for name, meanwhile := range map[string]func(*world){
		"resumed in place": func(*world) {},
		"evicted, and back": func(w *world) {
			w.wanted = false
			w.settle() // without pods it goes at once
			w.wanted = true
		},
		"lost": func(w *world) { w.worker.job = nil },
	} {
		w := suspendedAfterAWhile(t)
		meanwhile(w)
		w.pass(24 * time.Hour)
		w.suspend(false)
		if got := w.worker.job.Spec.ActiveDeadlineSeconds; *got != 600 {
			t.Errorf("%s: %d s are left", name, *got)
		}
	}
}

// TestDeadlineAfterAHeldStartTime: some releases hold startTime over a resumption. The time runs from that all the same.
func TestDeadlineAfterAHeldStartTime(t *testing.T) {
	w := newWorld(t)
	w.management.job.Spec.ActiveDeadlineSeconds = ptr.To[int64](600)
	w.settle()
	w.worker.touch(start(100), active(2))
	w.settle()
	w.management.touch(func(j *batchv1.Job) {
		c := batchv1.JobCondition{Type: batchv1.JobSuspended, Status: corev1.ConditionFalse, Reason: "JobResumed", LastTransitionTime: at(5000)}
		j.Status.Conditions = append(j.Status.Conditions, c)
	})
	w.worker.job = nil
	w.now = at(5100)
	w.settle()
	if got := *w.worker.job.Spec.ActiveDeadlineSeconds; got != 500 {
		t.Errorf("%d s are left of 600, 100 s after the resumption", got)
	}
}

// TestDeadlineOfASecondMirrorIsWholeAgain: one that has only what was left has all of it after a suspension.
func TestDeadlineOfASecondMirrorIsWholeAgain(t *testing.T) {
	w := newWorld(t)
	w.management.job.Spec.ActiveDeadlineSeconds = ptr.To[int64](600)
	w.settle()
	w.worker.touch(start(100), active(2))
	w.settle()
	w.worker.job = nil
	w.now = at(650)
	w.settle()
	if got := *w.worker.job.Spec.ActiveDeadlineSeconds; got != 50 {
		t.Errorf("%d s are left of 600 after 550", got)
	}
	w.worker.touch(start(650), active(2))
	w.settle()
	w.suspend(true)
	w.worker.touch(active(0), is(batchv1.JobSuspended, 660))
	w.settle()
	w.suspend(false)
	if got := *w.worker.job.Spec.ActiveDeadlineSeconds; got != 600 {
		t.Errorf("resumed with %d s", got)
	}
}
