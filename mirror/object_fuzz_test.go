// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/internal/mergepatch"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// FuzzObject builds and projects any object of any kind: no panic, typed errors, the same answer again,
// nothing changed and nothing shared, a plan that is settled, and a mirror that is ours and left to its operator.
func FuzzObject(f *testing.F) {
	const meta = `"metadata":{"namespace":"a","name":"b","uid":"u","resourceVersion":"1"}`
	f.Add([]byte(`{`+meta+`,"spec":{"replicatedJobs":[{"template":{"spec":{"managedBy":"x"}}}]}}`), []byte(`{"conditions":[{"type":"Failed","status":"True"}]}`), uint8(2), true)
	f.Add([]byte(`{`+meta+`,"spec":{"components":[{"template":{"apiVersion":"batch/v1","kind":"Job","spec":[]}}]}}`), []byte(`{}`), uint8(14), true)
	f.Add([]byte(`{`+meta+`,"spec":{"parallelism":"2"},"status":{"active":1}}`), []byte(`{"active":2}`), uint8(0), true)
	f.Add([]byte(`{`+meta+`,"spec":{"deletionStrategy":{"deletionRules":[{"policy":"DeleteSelf"}]}}}`), []byte(`[]`), uint8(11), true)
	f.Add([]byte(`{"metadata":{"labels":{"a":1}},"spec":{}}`), []byte(`null`), uint8(1), false)
	f.Add([]byte(`{`+meta+`,"spec":{}}`), []byte(`{"a":null,"b":{"c":null},"d":[{"e":null}]}`), uint8(2), true)
	kinds := jobmanagedby.Kinds()
	f.Fuzz(func(t *testing.T, data, status []byte, i uint8, ours bool) {
		local := &unstructured.Unstructured{}
		var remoteStatus any
		if json.Unmarshal(data, &local.Object) != nil || local.Object == nil || json.Unmarshal(status, &remoteStatus) != nil {
			t.Skip()
		}
		k := kinds[int(i)%len(kinds)]
		controller := dispatcher
		if k.NoField == "" {
			local.SetGroupVersionKind(k.WithVersion(k.Versions[0]))
			if len(k.Allowed) > 0 {
				controller = k.Allowed[0]
			}
		}
		if ours { // most inputs would be refused otherwise
			_ = k.Delegate(&unstructured.Unstructured{Object: map[string]any{"apiVersion": local.Object["apiVersion"], "kind": local.Object["kind"], "spec": local.Object["spec"]}}, controller)
		}
		before := local.DeepCopy()
		p := plannerFor(t, controller)
		m, err := p.BuildObject(k, local)
		again, errAgain := p.BuildObject(k, local)
		if (m == nil) == (err == nil) || !reflect.DeepEqual(m, again) || (err == nil) != (errAgain == nil) || err != nil && err.Error() != errAgain.Error() {
			t.Fatalf("two calls: %v, %v and %v, %v", m, err, again, errAgain)
		}
		if err != nil {
			known(t, err)
		} else if r := p.RelateObject(mirror.ObjectPair{Local: local, Remote: m}); r != mirror.Ours {
			t.Errorf("the mirror is %q", r)
		} else if name, err := k.ManagedBy(m); err != nil || name != k.Reserved {
			t.Errorf("the mirror is managed by %q, %v", name, err)
		}
		if m == nil {
			m = local.DeepCopy()
		}
		m.Object["status"] = remoteStatus
		pair := mirror.ObjectPair{Local: local, Remote: m}
		opts := mirror.StatusOptions{Now: metav1.Unix(1_760_000_000, 0)}
		plan, err := mirror.ProjectObjectStatus(k, pair, opts)
		if err != nil {
			known(t, err)
		}
		if !reflect.DeepEqual(local, before) {
			t.Fatal("the local object was changed")
		}
		if plan.Status != nil && err == nil {
			settled := local.DeepCopy()
			settled.Object["status"] = mergepatch.Apply(map[string]any{"status": settled.Object["status"]}, patchOf(t, plan, local)).(map[string]any)["status"]
			if next, err := mirror.ProjectObjectStatus(k, mirror.ObjectPair{Local: settled, Remote: m}, opts); err != nil || next.Status != nil {
				t.Errorf("not settled: %s, then %s, %v", plan, next, err)
			}
		}
		decided := decideAny(t, p, k, local, m)
		if !reflect.DeepEqual(local, before) {
			t.Fatal("DecideObject changed the local object")
		}
		for _, a := range decided.Actions {
			if a.Unstructured != nil {
				scribbleObject(a.Unstructured.Object["spec"])
			}
		}
		scribbleObject(plan.Status)
		scribbleObject(m.Object["spec"])
		if !reflect.DeepEqual(local, before) {
			t.Error("memory is shared")
		}
	})
}

// patchOf is the plan's change of the status.
func patchOf(t *testing.T, plan mirror.ObjectStatusPlan, local *unstructured.Unstructured) map[string]any {
	var patch map[string]any
	if err := json.Unmarshal(plan.Patch(local), &patch); err != nil { // numbers as in the inputs
		t.Fatal(err)
	}
	return map[string]any{"status": patch["status"]}
}

// decideAny asks for the next step about two objects, and about one alone. What stands in the way is an error of a known
// type, and the same question has the same answer.
func decideAny(t *testing.T, p *mirror.Planner, k jobmanagedby.Kind, local, remote *unstructured.Unstructured) (last mirror.Plan) {
	for _, o := range []mirror.Observation{mirror.LiveObject(remote), mirror.LiveObject(nil)} {
		s := mirror.State{Local: mirror.LiveObject(local), Mirror: o, Elsewhere: mirror.OtherWorkers(), Worker: worker, Wanted: true, Now: at(100)}
		last = p.DecideObject(k, s)
		if again := p.DecideObject(k, s); !reflect.DeepEqual(last, again) {
			t.Errorf("two calls: %s and %s", last, again)
		}
		if last.Err != nil && last.Outcome != mirror.MirrorLost && last.Outcome != mirror.BadRecord {
			known(t, last.Err)
		}
	}
	if plan, err := p.PlanObjectSpec(k, mirror.ObjectPair{Local: local, Remote: remote}); err != nil {
		known(t, err)
		if !reflect.DeepEqual(plan, mirror.SpecPlan{}) {
			t.Errorf("a plan with an error: %s", plan)
		}
	}
	return last
}

// known fails unless an error is one of those that are documented.
func known(t *testing.T, err error) {
	t.Helper()
	var (
		malformed  *jobmanagedby.MalformedError
		wrong      *jobmanagedby.KindError
		without    *jobmanagedby.NoFieldError
		notManaged *mirror.NotManagedError
		deleted    *mirror.BeingDeletedError
		finished   *mirror.FinishedError
		identity   *mirror.NoIdentityError
		name       *mirror.NameError
		tooLarge   *mirror.TooLargeError
		incomplete *mirror.IncompleteError
	)
	for _, target := range []any{&malformed, &wrong, &without, &notManaged, &deleted, &finished, &identity, &name, &tooLarge, &incomplete} {
		if errors.As(err, target) {
			if malformed != nil && (malformed.Path == "" || malformed.Want == "") {
				t.Errorf("%#v does not say where", malformed)
			}
			return
		}
	}
	t.Errorf("%T %v is none of the typed errors", err, err)
}
