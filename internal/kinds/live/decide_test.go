// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// each runs a test for every kind. A Job really runs on the worker; every other kind has the test for an operator.
func each(t *testing.T, test func(t *testing.T, f fixture)) {
	for _, f := range fixtures {
		if f.object != "job" {
			t.Run(f.object, func(t *testing.T) { test(t, f) })
		}
	}
}

// start brings the object to the worker.
func (w *world) start(more ...mirror.ActionKind) {
	w.t.Helper()
	w.expect(mirror.InSync, append([]mirror.ActionKind{mirror.AddFinalizer, mirror.Claim, mirror.CreateMirror}, more...)...)
	name, err := w.kind.ManagedBy(read(w.t, w.mirrors(), w.name))
	must(w.t, err)
	same(w.t, "who runs the mirror", name, w.kind.Reserved)
}

// TestLife takes an object of every kind from its creation through its result to its deletion.
func TestLife(t *testing.T) {
	for _, hold := range []bool{false, true} {
		name, removal := "life", []mirror.ActionKind{mirror.DeleteMirror}
		if hold {
			name, removal = "held-life", append(removal, mirror.ReleaseMirror)
		}
		removal = append(removal, mirror.RemoveFinalizer)
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f fixture) {
				w := newWorld(t, f, name, func(p *mirror.Policy) { p.HoldMirror = hold })
				running, later := f.statuses(t)
				w.start()
				w.operate(running)
				w.expect(mirror.InSync, mirror.Claim, mirror.WriteStatus)
				w.shows()
				w.operate(later)
				if len(w.kind.Finish) > 0 {
					w.expect(mirror.Finished, append([]mirror.ActionKind{mirror.WriteStatus}, removal...)...)
					w.result(jobmanagedby.Succeeded)
					w.deleteLocal()
					w.expect(mirror.Gone)
				} else {
					w.expect(mirror.InSync, mirror.WriteStatus)
					w.shows()
					w.deleteLocal()
					w.expect(mirror.Gone, removal...)
				}
				w.bothGone()
			})
		})
	}
}

// TestDeletedWhileRunning: the mirror goes first, and the local object with it.
func TestDeletedWhileRunning(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		w := newWorld(t, f, "deleted")
		w.start()
		w.deleteLocal()
		w.expect(mirror.Gone, mirror.DeleteMirror, mirror.RemoveFinalizer)
		w.bothGone()
	})
}

// TestSuspend: what the user says of the suspension reaches the mirror, both ways.
func TestSuspend(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		w := newWorld(t, f, "suspend")
		w.start()
		running, _ := f.statuses(t)
		w.operate(running)
		w.expect(mirror.InSync, mirror.Claim, mirror.WriteStatus)
		for range 2 {
			local := read(t, f.locals(), w.name)
			was, err := w.kind.Suspended(local)
			must(t, err)
			must(t, w.kind.SetSuspended(local, !was))
			_, err = f.locals().Update(t.Context(), local, metav1.UpdateOptions{FieldValidation: strict})
			must(t, err)
			if f.object == "cronjob" { // its controller is there, and acts when it is not suspended
				w.expect(mirror.InSync, anyActions)
			} else {
				w.expect(mirror.InSync, mirror.PatchMirror)
			}
			is, err := w.kind.Suspended(read(t, f.mirrors(), w.name))
			must(t, err)
			same(t, "suspended", is, !was)
		}
	})
}

// TestDeletedMirror: a mirror that a third party deletes is created again, and shown from the start.
func TestDeletedMirror(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		w := newWorld(t, f, "again")
		running, later := f.statuses(t)
		w.start()
		w.operate(running)
		w.expect(mirror.InSync, mirror.Claim, mirror.WriteStatus)
		first := read(t, f.mirrors(), w.name)
		must(t, f.mirrors().Delete(t.Context(), w.name, metav1.DeleteOptions{}))
		w.expect(mirror.BackingOff)
		w.later = time.Hour
		w.expect(mirror.InSync, mirror.Claim, mirror.CreateMirror)
		if second := read(t, f.mirrors(), w.name); second.GetUID() == first.GetUID() {
			t.Error("the mirror is the first one")
		}
		w.operate(later)
		if len(w.kind.Finish) > 0 {
			w.expect(mirror.Finished, anyActions)
			w.result(jobmanagedby.Succeeded)
			return
		}
		w.expect(mirror.InSync, anyActions)
		w.shows()
	})
}

// TestLost: an object whose mirror is lost for good has failed, in a way that the CRD takes.
func TestLost(t *testing.T) {
	for _, ran := range []bool{false, true} {
		name := map[bool]string{false: "lost-early", true: "lost"}[ran]
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f fixture) {
				w := newWorld(t, f, name, func(p *mirror.Policy) { p.OnMirrorLost = mirror.FailJob })
				w.start(mirror.Claim)
				if running, _ := f.statuses(t); ran {
					w.operate(running)
					w.expect(mirror.InSync, mirror.WriteStatus)
				}
				must(t, f.mirrors().Delete(t.Context(), w.name, metav1.DeleteOptions{}))
				if len(w.kind.Finish) == 0 {
					w.expect(mirror.MirrorLost)
					return
				}
				w.expect(mirror.Finished, mirror.WriteStatus, mirror.RemoveFinalizer)
				w.result(jobmanagedby.Failed)
			})
		})
	}
}

// TestForeign: an object of somebody else that has the name of the mirror stays as it is, whether it was there first or
// came in between.
func TestForeign(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		_, foreign := f.load(t, "foreign")
		foreign.SetNamespace(mirrorNamespace)
		theirs := create(t, f.mirrors(), foreign)
		w := newWorld(t, f, "foreign")
		w.expect(mirror.Conflict)
		w.deleteLocal()
		w.expect(mirror.Gone)

		_, foreign = f.load(t, "raced")
		foreign.SetNamespace(mirrorNamespace)
		w = newWorld(t, f, "raced")
		w.step() // AddFinalizer
		w.beforeActions = func() { create(t, f.mirrors(), foreign) }
		w.expect(mirror.Conflict, mirror.Claim, mirror.CreateMirror)
		w.deleteLocal()
		w.expect(mirror.Gone, mirror.RemoveFinalizer)
		for _, name := range []string{"foreign", "raced"} {
			if now := read(t, f.mirrors(), name); now.GetGeneration() != theirs.GetGeneration() || len(now.GetLabels()) != len(theirs.GetLabels()) || now.Object["status"] != nil && f.object != "cronjob" {
				t.Errorf("%s was changed: %v", name, now.Object)
			}
		}
	})
}

// TestEvicted: an object that is not wanted on its worker any more leaves it, and comes back.
func TestEvicted(t *testing.T) {
	each(t, func(t *testing.T, f fixture) {
		w := newWorld(t, f, "evicted")
		w.start()
		w.wanted = false
		w.expect(mirror.Idle, anyActions)
		local := read(t, f.locals(), w.name)
		w.gone("the mirror", nil, func() error { _, err := f.mirrors().Get(t.Context(), w.name, metav1.GetOptions{}); return err }())
		result, err := w.kind.Finished(local)
		must(t, err)
		same(t, "the result", result, jobmanagedby.Unfinished)
		w.wanted, w.later = true, time.Hour
		w.expect(mirror.InSync, anyActions)
	})
}

// TestJob: a Job, given as an object, really runs on the worker, and its result comes back.
func TestJob(t *testing.T) {
	w := newWorld(t, fixtures[0], "runs")
	w.expect(mirror.Finished, anyActions)
	w.result(jobmanagedby.Succeeded)
	w.deleteLocal()
	w.expect(mirror.Gone, anyActions)
	w.bothGone()
}
