// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// patience is for the garbage collector, on a machine with other things to do.
const patience = time.Minute

// world is an object in the management cluster, the controller that runs it on a worker, and the operator there.
type world struct {
	fixture
	t       *testing.T
	kind    jobmanagedby.Kind
	planner *mirror.Planner
	name    string
	wanted  bool
	later   time.Duration // what the controller's clock is ahead
	// beforeActions, if set, is called once between a look and what it leads to.
	beforeActions func()
}

// newWorld creates the local object.
func newWorld(t *testing.T, f fixture, name string, change ...func(*mirror.Policy)) *world {
	t.Helper()
	kind, u := f.load(t, name)
	w := &world{fixture: f, t: t, kind: kind, planner: planner(t, kind, u, change...), name: name, wanted: true}
	create(t, f.locals(), u)
	return w
}

// step looks, decides, and carries the plan out to the letter.
func (w *world) step() mirror.Plan {
	w.t.Helper()
	remote, remoteErr := w.mirrors().Get(w.t.Context(), w.name, metav1.GetOptions{})
	local, localErr := w.locals().Get(w.t.Context(), w.name, metav1.GetOptions{})
	plan := w.planner.DecideObject(w.kind, mirror.State{
		Key:   types.NamespacedName{Namespace: localNamespace, Name: w.name},
		Local: mirror.LiveGetObject(local, localErr), Mirror: mirror.LiveGetObject(remote, remoteErr), Elsewhere: mirror.OtherWorkers(),
		Worker: "worker-a", Wanted: w.wanted, Now: metav1.NewTime(time.Now().Add(w.later)),
	})
	if plan.Err != nil && plan.Outcome != mirror.MirrorLost {
		w.t.Fatalf("%s: %v", plan, plan.Err)
	}
	for _, d := range plan.Differences {
		if d.Kind != mirror.ToSend && d.Kind != mirror.OnPurpose { // nobody else changes the spec of a mirror here
			w.t.Errorf("%s: %s", plan, d)
		}
	}
	if w.beforeActions != nil && len(plan.Actions) > 0 {
		w.beforeActions()
		w.beforeActions = nil
	}
	for _, a := range plan.Actions {
		if err := w.do(a); err != nil {
			if reason := apierrors.ReasonForError(err); !a.Tolerates(reason) {
				w.t.Fatalf("%s: %s: %v\n%s", plan, a, err, a.Patch)
			}
			break
		}
	}
	return plan
}

func (w *world) do(a mirror.Action) error {
	objects := w.local.Resource(w.resource).Namespace(a.Object.Namespace)
	if a.OnWorker() {
		objects = w.remote.Resource(w.resource).Namespace(a.Object.Namespace)
	}
	var err error
	switch {
	case a.Kind == mirror.ReadLive: // all reads are
	case a.Kind == mirror.CreateMirror:
		_, err = objects.Create(w.t.Context(), a.Unstructured, metav1.CreateOptions{FieldValidation: strict})
	case a.Kind == mirror.DeleteMirror:
		err = objects.Delete(w.t.Context(), a.Object.Name, a.DeleteOptions())
	case a.Subresource != "":
		_, err = objects.Patch(w.t.Context(), a.Object.Name, a.PatchType, a.Patch, metav1.PatchOptions{FieldValidation: strict}, a.Subresource)
	default:
		_, err = objects.Patch(w.t.Context(), a.Object.Name, a.PatchType, a.Patch, metav1.PatchOptions{FieldValidation: strict})
	}
	return err
}

// anyActions is for steps that depend on what others do meanwhile.
const anyActions mirror.ActionKind = "*"

// expect goes on until there is nothing left to do, and compares the actions that it took, and the last outcome.
func (w *world) expect(outcome mirror.Outcome, want ...mirror.ActionKind) {
	w.t.Helper()
	var took []mirror.ActionKind
	var plan mirror.Plan
	whatever := slices.Contains(want, anyActions)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		plan = w.step()
		for _, a := range plan.Actions {
			took = append(took, a.Kind)
		}
		switch {
		case len(plan.Actions) > 0:
			continue
		case plan.Outcome == outcome && (whatever || slices.Equal(took, want)):
			return
		case !whatever && len(took) > len(want):
			w.t.Fatalf("%v, then %s; want %v, then %s", took, plan, want, outcome)
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.t.Fatalf("after %v: %v, then %s; want %v, then %s", patience, took, plan, want, outcome)
}

// operate has the operator write the status of the mirror.
func (w *world) operate(status map[string]any) {
	w.t.Helper()
	operate(w.t, w.mirrors(), w.name, status)
}

// shows: the local object has the status of the mirror.
func (w *world) shows() {
	w.t.Helper()
	same(w.t, "the local status", read(w.t, w.locals(), w.name).Object["status"], read(w.t, w.mirrors(), w.name).Object["status"])
}

// result: the local object has finished like that.
func (w *world) result(want jobmanagedby.Result) {
	w.t.Helper()
	local := read(w.t, w.locals(), w.name)
	got, err := w.kind.Finished(local)
	must(w.t, err)
	if got != want {
		w.t.Errorf("the result is %q, want %q: %v", got, want, local.Object["status"])
	}
}

// gone: the server has no object of that name any more.
func (w *world) gone(what string, _ *unstructured.Unstructured, err error) {
	w.t.Helper()
	if !apierrors.IsNotFound(err) {
		w.t.Errorf("%s is not gone: %v", what, err)
	}
}

// deleteLocal is what a user does.
func (w *world) deleteLocal() {
	w.t.Helper()
	must(w.t, w.locals().Delete(w.t.Context(), w.name, metav1.DeleteOptions{}))
}

// bothGone ends a test.
func (w *world) bothGone() {
	w.t.Helper()
	local, err := w.locals().Get(w.t.Context(), w.name, metav1.GetOptions{})
	w.gone("the local object", local, err)
	remote, err := w.mirrors().Get(w.t.Context(), w.name, metav1.GetOptions{})
	w.gone("the mirror", remote, err)
}
