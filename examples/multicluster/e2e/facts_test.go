// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
	"github.com/managedby-dev/managedby/mirror"
)

// A Job that was deleted in the background and is kept by a finalizer becomes one that waits for its pods when
// it is deleted again, in the foreground. A held mirror that somebody else deletes is drained by that. Once more in the
// background, and it waits no longer.
func TestSecondDeleteInTheForeground(t *testing.T) {
	onEachRelease(t, func(t *testing.T, c client.Client) {
		h := &hand{t: t}
		name := "deleted-twice"
		h.create(c, jobs.New(name, jobs.Unmanaged, jobs.Forever, jobs.StopsIn("2s"), func(job *batchv1.Job) {
			job.Finalizers = []string{"dispatcher.example.com/mirror-hold"}
		}))
		h.waitFor(c, name, "runs", hasReady(1))
		h.delete(c, name, background)
		if job := h.get(c, name); job.DeletionTimestamp == nil || slices.Contains(job.Finalizers, metav1.FinalizerDeleteDependents) {
			t.Fatalf("after the first delete: %v %v", job.DeletionTimestamp, job.Finalizers)
		}
		h.delete(c, name, foreground)
		if job := h.get(c, name); !slices.Contains(job.Finalizers, metav1.FinalizerDeleteDependents) {
			t.Fatalf("after the second delete: %v", job.Finalizers)
		}
		h.delete(c, name, background)
		if job := h.get(c, name); slices.Contains(job.Finalizers, metav1.FinalizerDeleteDependents) {
			t.Fatalf("after the third delete: %v", job.Finalizers)
		}
		h.delete(c, name, foreground)
		h.waitFor(c, name, "the garbage collector is done", func(job *batchv1.Job) bool {
			return !slices.Contains(job.Finalizers, metav1.FinalizerDeleteDependents)
		})
		if job := h.get(c, name); job.Status.Active != 0 {
			t.Errorf("the garbage collector has let go with %d active pods", job.Status.Active)
		}
	})
}

// ReleaseMirror is a JSON patch. When what it tests is not so, the API server's reason is one that the action
// tolerates.
func TestReleaseMirrorThatComesTooLate(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	h := newHand(t, f, held)
	worker := h.workers[workerA]
	planRelease := func(name string) mirror.Action {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever, jobs.StopsIn("20s")), workerA)
		h.delete(h.management, name, background)
		planner, err := mirror.New(h.policy)
		must(t, err)
		plan := planner.Decide(mirror.State{
			Local: mirror.Live(h.get(h.management, name)), Mirror: mirror.Live(h.get(worker, name)),
			Elsewhere: mirror.OtherWorkers(), Worker: workerA, Now: metav1.Now(),
		})
		if short(plan) != "CleaningUp DeleteMirror ReleaseMirror" {
			t.Fatalf("planned %v", plan)
		}
		h.delete(worker, name, foreground) // the first of the two
		return plan.Actions[1]
	}
	release := func(a mirror.Action) metav1.StatusReason {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: a.Object.Namespace, Name: a.Object.Name}}
		return apierrors.ReasonForError(worker.Patch(t.Context(), job, client.RawPatch(a.PatchType, a.Patch)))
	}
	finalizers := func(list ...string) func(*batchv1.Job) { return func(job *batchv1.Job) { job.Finalizers = list } }
	hold := "dispatcher.example.com/mirror-hold"
	for _, test := range []struct {
		name   string
		before func(name string)
		want   metav1.StatusReason
	}{
		{"release-in-time", func(string) {}, ""},
		{"release-behind-a-background-delete", func(name string) { h.delete(worker, name, background) }, metav1.StatusReasonInvalid},
		{"release-moved", func(name string) { h.edit(worker, name, finalizers(metav1.FinalizerDeleteDependents, hold)) }, metav1.StatusReasonInvalid},
		{"release-twice", func(name string) { h.edit(worker, name, finalizers(metav1.FinalizerDeleteDependents)) }, metav1.StatusReasonInvalid},
		{"release-gone", func(name string) { h.purge(worker, name) }, metav1.StatusReasonNotFound},
		{"release-another", func(name string) {
			h.purge(worker, name)
			h.create(worker, jobs.New(name, jobs.Unmanaged, jobs.Forever, finalizers(hold)))
		}, metav1.StatusReasonInvalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			action := planRelease(test.name)
			test.before(test.name)
			got := release(action)
			if got == metav1.StatusReasonUnknown {
				got = ""
			}
			if got != test.want {
				t.Errorf("the reason is %q, want %q", got, test.want)
			}
			if test.want != "" && !action.Tolerates(got) {
				t.Errorf("the action does not tolerate %q", got)
			}
			h.purge(worker, test.name)
		})
	}
}

// One patch of the status stores annotations too.
func TestStatusPatchStoresAnnotations(t *testing.T) {
	onEachRelease(t, func(t *testing.T, c client.Client) {
		h := &hand{t: t}
		h.create(c, jobs.New("status-and-metadata"))
		patch := `{"metadata":{"annotations":{"example.com/a":"1"}},"status":{"active":2}}`
		job := h.get(c, "status-and-metadata")
		must(t, c.Status().Patch(t.Context(), job, client.RawPatch(types.MergePatchType, []byte(patch))))
		job = h.get(c, "status-and-metadata")
		if job.Annotations["example.com/a"] != "1" || job.Status.Active != 2 {
			t.Errorf("stored: %v, active %d", job.Annotations, job.Status.Active)
		}
	})
}

// What a merge patch gets whose resourceVersion or UID is that of another object. A UID alone is no precondition
// to the API server, but a change that it does not allow.
func TestPatchPreconditions(t *testing.T) {
	onEachRelease(t, func(t *testing.T, c client.Client) {
		h := &hand{t: t}
		h.create(c, jobs.New("preconditions"))
		version := `"resourceVersion":"` + h.get(c, "preconditions").ResourceVersion + `"`
		const uid = `"uid":"00000000-0000-0000-0000-000000000000"`
		h.edit(c, "preconditions", func(job *batchv1.Job) { job.Labels = map[string]string{"a": "b"} })
		for metadata, want := range map[string]metav1.StatusReason{
			version: metav1.StatusReasonConflict, version + "," + uid: metav1.StatusReasonConflict, uid: metav1.StatusReasonInvalid,
		} {
			patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{`+metadata+`,"finalizers":["example.com/f"]}}`))
			for name, err := range map[string]error{
				"Job": c.Patch(t.Context(), h.get(c, "preconditions"), patch), "status": c.Status().Patch(t.Context(), h.get(c, "preconditions"), patch),
			} {
				if got := apierrors.ReasonForError(err); got != want {
					t.Errorf("%s of the %s: %q, want %q", metadata, name, got, want)
				}
			}
		}
	})
}

// onEachRelease runs a test on a control plane of each release that the suite uses.
func onEachRelease(t *testing.T, test func(*testing.T, client.Client)) {
	t.Helper()
	for _, pair := range releasePairs() {
		t.Run(pair.management+"+"+pair.worker, func(t *testing.T) {
			f := sharedFleet(t, pair.management, pair.worker)
			for _, c := range []*cluster.Cluster{f.Management, f.Workers[0]} {
				t.Run(c.Name, func(t *testing.T) { test(t, admin(t, c)) })
			}
		})
	}
}
