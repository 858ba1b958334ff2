// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/internal/mergepatch"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// objectServer is an API server with one custom resource in it, nil if there is none.
type objectServer struct {
	t       testing.TB
	u       *unstructured.Unstructured
	creates int
}

// do carries out an action, as far as its preconditions hold, and returns the reason of a refusal.
func (s *objectServer) do(a mirror.Action) metav1.StatusReason {
	switch {
	case a.Kind == mirror.CreateMirror && s.u != nil:
		return metav1.StatusReasonAlreadyExists
	case a.Kind == mirror.CreateMirror:
		s.creates++
		s.u = a.Unstructured.DeepCopy()
		s.u.SetUID(types.UID(fmt.Sprintf("mirror-%d", s.creates)))
		s.u.SetResourceVersion("100")
		s.u.SetGeneration(1)
		return ""
	case s.u == nil:
		return metav1.StatusReasonNotFound
	case a.UID != s.u.GetUID() || a.ResourceVersion != "" && a.ResourceVersion != s.u.GetResourceVersion():
		return metav1.StatusReasonConflict
	case a.Kind == mirror.DeleteMirror:
		s.delete(metav1.FinalizerDeleteDependents)
	case a.PatchType == types.JSONPatchType:
		return s.release(a.Patch)
	default:
		s.patch(a)
	}
	return ""
}

// patch applies a merge patch. The subresource "status" changes the status alone, everything else the rest.
func (s *objectServer) patch(a mirror.Action) {
	var patch map[string]any
	decodeNumbers(s.t, a.Patch, &patch)
	before := s.u.DeepCopy()
	patched := mergepatch.Apply(s.u.DeepCopy().Object, patch).(map[string]any)
	after := &unstructured.Unstructured{}
	must(s.t, after.UnmarshalJSON(encode(patched)))
	if a.Subresource == "status" {
		status := after.Object["status"]
		after = before.DeepCopy()
		after.Object["status"] = status
	} else {
		delete(after.Object, "status")
		if status, there := before.Object["status"]; there {
			after.Object["status"] = status
		}
	}
	if !reflect.DeepEqual(before.Object["spec"], after.Object["spec"]) {
		after.SetGeneration(before.GetGeneration() + 1)
	}
	s.u = after
	s.touch(func(*unstructured.Unstructured) {})
}

// delete is what a user does, or with a finalizer of the garbage collector a controller.
func (s *objectServer) delete(finalizers ...string) {
	s.touch(func(u *unstructured.Unstructured) {
		rest := slices.DeleteFunc(u.GetFinalizers(), func(f string) bool { return f == metav1.FinalizerDeleteDependents })
		u.SetFinalizers(append(rest, finalizers...))
		if u.GetDeletionTimestamp() == nil {
			now := at(50)
			u.SetDeletionTimestamp(&now)
		}
	})
}

func (s *objectServer) release(data []byte) metav1.StatusReason {
	rest, ok := released(data, s.u)
	if !ok {
		return metav1.StatusReasonInvalid
	}
	s.touch(func(u *unstructured.Unstructured) { u.SetFinalizers(rest) })
	return ""
}

// touch changes the object as somebody else would.
func (s *objectServer) touch(change func(*unstructured.Unstructured)) {
	change(s.u)
	version, _ := strconv.Atoi(s.u.GetResourceVersion())
	s.u.SetResourceVersion(strconv.Itoa(version + 1))
	if s.u.GetDeletionTimestamp() != nil && len(s.u.GetFinalizers()) == 0 {
		s.u = nil
	}
}

// collect is what the garbage collector does.
func (s *objectServer) collect() {
	if s.u != nil && s.u.GetDeletionTimestamp() != nil {
		s.touch(func(u *unstructured.Unstructured) {
			u.SetFinalizers(slices.DeleteFunc(u.GetFinalizers(), func(f string) bool { return f == metav1.FinalizerDeleteDependents }))
		})
	}
}

// objectWorld is a management cluster and one worker, with an object of some kind.
type objectWorld struct {
	t                  testing.TB
	kind               jobmanagedby.Kind
	planner            *mirror.Planner
	management, worker *objectServer
	wanted             bool
	now                metav1.Time
}

func newObjectWorld(t testing.TB, name string, change ...func(*mirror.Policy)) *objectWorld {
	kind, local, p := unfinished(t, name, change...)
	return &objectWorld{
		t: t, kind: kind, planner: p, wanted: true, now: at(100),
		management: &objectServer{t: t, u: local}, worker: &objectServer{t: t},
	}
}

func (w *objectWorld) step() mirror.Plan {
	w.t.Helper()
	plan := w.planner.DecideObject(w.kind, mirror.State{
		Key: types.NamespacedName{Namespace: "research", Name: "any"}, Local: mirror.LiveObject(w.management.u), Mirror: mirror.LiveObject(w.worker.u),
		Elsewhere: mirror.OtherWorkers(), Worker: worker, Wanted: w.wanted, Now: w.now,
	})
	for _, a := range plan.Actions {
		side := w.management
		if a.OnWorker() {
			side = w.worker
		}
		if reason := side.do(a); reason != "" {
			if !a.Tolerates(reason) {
				w.t.Errorf("%s: %s is an error", a, reason)
			}
			break
		}
	}
	w.worker.collect()
	return plan
}

// expect plans until nothing is left to do, and compares the actions that it took, and the last outcome.
func (w *objectWorld) expect(outcome mirror.Outcome, kinds ...mirror.ActionKind) {
	w.t.Helper()
	var took []mirror.ActionKind
	for range 20 {
		plan := w.step()
		for _, a := range plan.Actions {
			took = append(took, a.Kind)
		}
		if len(plan.Actions) > 0 {
			continue
		}
		if plan.Outcome != outcome || !slices.Equal(took, kinds) {
			w.t.Errorf("%v, then %s; want %v, then %s", took, plan, kinds, outcome)
		}
		return
	}
	w.t.Fatalf("the plans do not settle: %v", took)
}

// unfinishedInTestdata are the kinds whose object in testdata has not finished, with the condition that says so.
var unfinishedInTestdata = map[string]string{"jaxjob": "Succeeded", "trainjob": "Complete", "pipelinerun": "Succeeded"}

// finish gives the mirror the status of the object in testdata.
func (w *objectWorld) finish(name string) {
	_, u := kindObject(w.t, name)
	if unfinishedInTestdata[name] != "" {
		u.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": unfinishedInTestdata[name], "status": "True"}}}
	}
	w.worker.touch(func(m *unstructured.Unstructured) { m.Object["status"] = u.Object["status"] })
}

// result is that of the local object.
func (w *objectWorld) result() jobmanagedby.Result {
	result, err := w.kind.Finished(w.management.u)
	must(w.t, err)
	return result
}

var dispatched = []mirror.ActionKind{mirror.AddFinalizer, mirror.Claim, mirror.CreateMirror}

// TestObjectLife takes an object of every kind from its creation to its deletion.
func TestObjectLife(t *testing.T) {
	for _, name := range kindObjects(t) {
		if name == "job" {
			continue // its status and record go together: TestDecideObjectJobs
		}
		for _, hold := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/hold=%v", name, hold), func(t *testing.T) {
				w := newObjectWorld(t, name, func(p *mirror.Policy) { p.HoldMirror = hold })
				w.expect("InSync", dispatched...)
				w.finish(name)
				shown := w.worker.u.Object["status"]
				removal := []mirror.ActionKind{mirror.DeleteMirror}
				if hold {
					removal = append(removal, mirror.ReleaseMirror)
				}
				if len(w.kind.Finish) > 0 {
					w.expect("Finished", slices.Concat([]mirror.ActionKind{mirror.WriteStatus}, removal, []mirror.ActionKind{mirror.RemoveFinalizer})...)
					if got := w.management.u.Object["status"]; !reflect.DeepEqual(got, shown) {
						t.Errorf("the status is %v, want %v", got, shown)
					}
				} else {
					w.expect("InSync", mirror.Claim, mirror.WriteStatus)
					w.management.delete()
					w.expect("Gone", append(removal, mirror.RemoveFinalizer)...)
				}
				if w.worker.u != nil || w.worker.creates != 1 {
					t.Errorf("%d creates; left over: %v", w.worker.creates, w.worker.u != nil)
				}
			})
		}
	}
}

// TestObjectLost concludes an object of every kind whose mirror is lost for good.
func TestObjectLost(t *testing.T) {
	for _, name := range kindObjects(t) {
		if name == "job" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			w := newObjectWorld(t, name, func(p *mirror.Policy) { p.OnMirrorLost = mirror.FailJob })
			w.expect("InSync", append(dispatched[:3:3], mirror.Claim)...)
			w.worker.touch(func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{"restarts": int64(1)} })
			w.expect("InSync", mirror.WriteStatus)
			w.worker.u = nil
			if len(w.kind.Finish) == 0 {
				w.expect("MirrorLost")
				return
			}
			w.expect("Finished", mirror.WriteStatus, mirror.RemoveFinalizer)
			if w.result() != jobmanagedby.Failed || !strings.Contains(fmt.Sprint(w.management.u.Object["status"]), "restarts:1") {
				t.Errorf("%q: %v", w.result(), w.management.u.Object["status"])
			}
			at, err := w.kind.FinishedAt(w.management.u)
			if err != nil || !at.Equal(w.now.Time) {
				t.Errorf("failed at %v (%v), want %v", at, err, w.now)
			}
			if w.worker.creates != 1 {
				t.Errorf("%d creates", w.worker.creates)
			}
		})
	}
}

// TestObjectDeletedMirror: the failure that a deletion causes is no result, an older one is, and a success always.
func TestObjectDeletedMirror(t *testing.T) {
	status := func(kind string, second int) map[string]any {
		c := map[string]any{"type": kind, "status": "True", "lastTransitionTime": at(second).UTC().Format("2006-01-02T15:04:05Z")}
		return map[string]any{"conditions": []any{c}}
	}
	for name, tt := range map[string]struct {
		status map[string]any
		want   jobmanagedby.Result
	}{
		"failed after it":   {status("Failed", 51), jobmanagedby.Unfinished},
		"failed before it":  {status("Failed", 49), jobmanagedby.Failed},
		"succeeded":         {status("Completed", 51), jobmanagedby.Succeeded},
		"not finished":      {map[string]any{"restarts": int64(2)}, jobmanagedby.Unfinished},
		"nobody knows when": {map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True"}}}, jobmanagedby.Unfinished},
	} {
		for _, hold := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/hold=%v", name, hold), func(t *testing.T) {
				w := newObjectWorld(t, "jobset", func(p *mirror.Policy) { p.HoldMirror = hold })
				w.expect("InSync", dispatched...)
				w.worker.delete("example.com/keeps")
				w.worker.touch(func(u *unstructured.Unstructured) { u.Object["status"] = tt.status })
				for range 8 {
					w.step()
				}
				if w.result() != tt.want {
					t.Errorf("%q, want %q", w.result(), tt.want)
				}
				if slices.Contains(w.worker.u.GetFinalizers(), holdFinalizer) {
					t.Errorf("held: %v", w.worker.u.GetFinalizers())
				}
			})
		}
	}
}

// TestObjectEvicted: an object that is not wanted any more leaves the worker, and keeps its status.
func TestObjectEvicted(t *testing.T) {
	w := newObjectWorld(t, "raycluster")
	w.expect("InSync", dispatched...)
	w.finish("raycluster")
	w.expect("InSync", mirror.Claim, mirror.WriteStatus)
	status := w.management.u.Object["status"]
	w.wanted = false
	w.expect("Idle", mirror.Claim, mirror.DeleteMirror, mirror.Claim)
	if w.worker.u != nil || !reflect.DeepEqual(w.management.u.Object["status"], status) {
		t.Errorf("left: %v; the status is %v", w.worker.u, w.management.u.Object["status"])
	}
	w.wanted = true
	w.now = metav1.NewTime(w.now.Add(600e9))
	w.expect("InSync", mirror.Claim, mirror.CreateMirror)
}

// TestObjectResultFirst: a result is written before the record, so that it stays when its mirror disappears.
func TestObjectResultFirst(t *testing.T) {
	for _, policy := range []mirror.LossPolicy{mirror.RecreateMirror, mirror.FailJob} {
		w := newObjectWorld(t, "jobset", func(p *mirror.Policy) { p.OnMirrorLost = policy })
		for range 2 {
			w.step()
		}
		w.finish("jobset")
		w.step()
		w.worker.u = nil
		w.expect("Finished", mirror.RemoveFinalizer)
		if w.result() != jobmanagedby.Succeeded || w.worker.creates != 1 {
			t.Errorf("%q: %s, %d creates", policy, w.result(), w.worker.creates)
		}
	}
}

// TestObjectTimeUnreadable: a result counts also if its time cannot be read.
func TestObjectTimeUnreadable(t *testing.T) {
	w := newObjectWorld(t, "rayjob")
	w.expect("InSync", dispatched...)
	w.worker.touch(func(u *unstructured.Unstructured) {
		u.Object["status"] = map[string]any{"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED", "endTime": int64(7)}
	})
	w.expect("Finished", mirror.WriteStatus, mirror.DeleteMirror, mirror.RemoveFinalizer)
}

// TestObjectOddStatus: a type of a condition that is no string, and numbers of another Go type.
func TestObjectOddStatus(t *testing.T) {
	w := newObjectWorld(t, "jobset")
	w.expect("InSync", dispatched...)
	w.worker.touch(func(u *unstructured.Unstructured) {
		u.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": []any{}, "status": "True"}}, "restarts": int64(1), "more": []any{map[string]any{"n": int64(2)}}}
	})
	w.expect("InSync", mirror.Claim, mirror.WriteStatus)
	w.worker.touch(func(u *unstructured.Unstructured) {
		status := u.Object["status"].(map[string]any)
		status["restarts"], status["more"] = float64(1), []any{map[string]any{"n": float64(2)}}
	})
	w.expect("InSync")
	w.worker.touch(func(u *unstructured.Unstructured) { u.Object["status"].(map[string]any)["restarts"] = 1.5 })
	w.expect("InSync", mirror.WriteStatus)
}

// TestObjectFailure: what a failure looks like, by the kinds' own ways to say it.
func TestObjectFailure(t *testing.T) {
	own := func(test jobmanagedby.Test) jobmanagedby.Kind {
		return jobmanagedby.Kind{
			GroupKind: schema.GroupKind{Group: "example.com", Kind: "Sweep"}, Versions: []string{"v1"}, Operator: "sweeper",
			Field: "spec.managedBy", Reserved: "example.com/sweeper", Form: jobmanagedby.FormAny, Checked: jobmanagedby.CheckedByNobody,
			Change: jobmanagedby.ChangeNever, Since: "1.0", Status: "status",
			Finish: []jobmanagedby.FinishRule{{If: []jobmanagedby.Test{test}, Result: jobmanagedby.Failed}},
		}
	}
	for name, tt := range map[string]struct {
		kind   jobmanagedby.Kind
		status any
		want   string // in the status; empty: none can be written
	}{
		"a boolean":                {own(jobmanagedby.Test{Path: "status.failed", Is: "true"}), nil, "map[failed:true]"},
		"a boolean that is there":  {own(jobmanagedby.Test{Path: "status.failed", Is: "true"}), map[string]any{"failed": false}, "map[failed:true]"},
		"a string":                 {own(jobmanagedby.Test{Path: "status.phase", Is: "Failed"}), map[string]any(nil), "map[phase:Failed]"},
		"a string that says true":  {own(jobmanagedby.Test{Path: "status.failed", Is: "true"}), map[string]any{"failed": "false"}, "map[failed:true]"},
		"a count":                  {own(jobmanagedby.Test{Path: "status.failed"}), nil, ""},
		"an entry that is missing": {own(jobmanagedby.Test{Path: "status.pods[name=a].failed", Is: "true"}), nil, ""},
	} {
		must(t, jobmanagedby.CheckKind(tt.kind))
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Sweep", "spec": map[string]any{"managedBy": dispatcher}, "status": tt.status,
			"metadata": map[string]any{"namespace": "research", "name": "train", "uid": string(storedJob().UID), "resourceVersion": "7",
				"finalizers":  []any{cleanupFinalizer},
				"annotations": map[string]any{dispatchKey: withMods(storedJob(), sentTo(worker, 1, mirrorUID)).Annotations[dispatchKey]}},
		}}
		p := planner(t, func(p *mirror.Policy) { p.OnMirrorLost = mirror.FailJob })
		plan := p.DecideObject(tt.kind, mirror.State{
			Local: mirror.LiveObject(u), Mirror: mirror.LiveObject(nil), Elsewhere: mirror.OtherWorkers(), Worker: worker, Wanted: true, Now: at(100),
		})
		got := ""
		if len(plan.Actions) > 0 {
			s := &objectServer{t: t, u: u}
			s.patch(plan.Actions[0])
			got = fmt.Sprint(s.u.Object["status"])
		}
		if plan.Outcome != mirror.MirrorLost || got != tt.want || (plan.Err == nil) != (tt.want != "") {
			t.Errorf("%s: %s: %s, want %s", name, plan, got, tt.want)
		}
	}
}
