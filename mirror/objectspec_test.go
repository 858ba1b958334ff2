// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/internal/objpath"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// objectPairOf is an object of testdata and its mirror, as the worker stores it.
func objectPairOf(t testing.TB, name string, change ...func(*mirror.Policy)) (*mirror.Planner, jobmanagedby.Kind, mirror.ObjectPair) {
	t.Helper()
	kind, local, p := unfinished(t, name, change...)
	return p, kind, mirror.ObjectPair{Local: local, Remote: storedObject(buildObject(t, p, kind, local))}
}

// storedObject is a mirror with what an API server gives it.
func storedObject(sent *unstructured.Unstructured) *unstructured.Unstructured {
	sent.SetUID(mirrorUID)
	sent.SetResourceVersion("70")
	return sent
}

// sentChanges plans what to tell the mirror, carries it out, and returns the differences. A second plan is empty.
func sentChanges(t testing.TB, p *mirror.Planner, kind jobmanagedby.Kind, pair *mirror.ObjectPair) []string {
	t.Helper()
	pair.Local.SetGeneration(pair.Local.GetGeneration() + 1)
	plan, err := p.PlanObjectSpec(kind, *pair)
	must(t, err)
	if plan.Patch == nil {
		t.Fatal("no patch")
	}
	s := &objectServer{t: t, u: pair.Remote}
	s.patch(mirror.Action{Kind: mirror.PatchMirror, Patch: plan.Patch})
	pair.Remote = s.u
	if again, err := p.PlanObjectSpec(kind, *pair); err != nil || again.Patch != nil || len(again.Differences) > 0 {
		t.Errorf("again: %s, %v", again, err)
	}
	return told(plan.Differences)
}

func setField(t testing.TB, u *unstructured.Unstructured, path string, value any) {
	t.Helper()
	p, err := objpath.Parse(path)
	must(t, err)
	must(t, p.Set(u.Object, value))
}

// TestPlanObjectSpecSuspend suspends and resumes an object of every kind that can be, and changes a label.
func TestPlanObjectSpecSuspend(t *testing.T) {
	for _, name := range kindObjects(t) {
		if name == "job" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p, kind, pair := objectPairOf(t, name)
			was, err := kind.Suspended(pair.Local)
			must(t, err)
			before := pair.Remote.DeepCopy()
			for _, suspended := range []bool{!was, was} {
				must(t, kind.SetSuspended(pair.Local, suspended))
				pair.Local.SetLabels(map[string]string{"suspended": fmt.Sprint(suspended)})
				got := sentChanges(t, p, kind, &pair)
				if !slices.Contains(got, "ToSend "+kind.Suspend.Path) || !slices.Contains(got, "ToSend metadata.labels[suspended]") {
					t.Errorf("%v", got)
				}
				if is, err := kind.Suspended(pair.Remote); is != suspended || err != nil {
					t.Errorf("suspended: %v, %v, want %v", is, err, suspended)
				}
			}
			for _, d := range differences("spec", before.Object["spec"], pair.Remote.Object["spec"]) {
				if d != kind.Suspend.Path+"="+fmt.Sprint(was) && d != "-"+kind.Suspend.Path {
					t.Errorf("there and back: %s", d)
				}
			}
		})
	}
}

// TestPlanObjectSpecCancellation: a string that is no suspension is carried over, and never overwritten.
func TestPlanObjectSpecCancellation(t *testing.T) {
	p, kind, pair := objectPairOf(t, "pipelinerun")
	setField(t, pair.Local, "spec.status", "CancelledRunFinally")
	got := sentChanges(t, p, kind, &pair)
	if status := pair.Remote.Object["spec"].(map[string]any)["status"]; status != "CancelledRunFinally" || !slices.Contains(got, "ToSend spec.status") {
		t.Errorf("%v: %v", status, got)
	}

	setField(t, pair.Remote, "spec.status", "Cancelled") // somebody on the worker is in a hurry
	pair.Local.SetLabels(map[string]string{"a": "b"})
	sentChanges(t, p, kind, &pair)
	if status := pair.Remote.Object["spec"].(map[string]any)["status"]; status != "Cancelled" {
		t.Errorf("overwritten: %v", status)
	}

	p, kind, pair = objectPairOf(t, "pipelinerun")
	setField(t, pair.Remote, "spec.status", "Cancelled") // by a user of the worker
	setField(t, pair.Local, "spec.status", nil)
	pair.Local.SetLabels(map[string]string{"a": "b"})
	must(t, kind.SetSuspended(pair.Local, false))
	sentChanges(t, p, kind, &pair)
	setField(t, pair.Local, "spec.status", "PipelineRunPending")
	got = sentChanges(t, p, kind, &pair)
	spec := pair.Remote.Object["spec"].(map[string]any)
	pair.Local.SetLabels(nil)
	if sentChanges(t, p, kind, &pair); pair.Remote.GetLabels()["a"] != "" {
		t.Error("a label that was sent along with what was refused stays for ever")
	}
	if _, there := spec["suspend"]; there || spec["status"] != "Cancelled" || !slices.Contains(got, "Undecided spec.status") {
		t.Errorf("%v: %v", spec, got)
	}
}

// TestPlanObjectSpecCancellationIsTold: every change of the field is one difference, in the words of the kind.
func TestPlanObjectSpecCancellationIsTold(t *testing.T) {
	for _, test := range []struct {
		local, mirror any
		want          string
	}{
		{"Cancelled", nil, `spec.status: ToSend, local "Cancelled", mirror none`},
		{"Cancelled", "PipelineRunPending", `spec.status: ToSend, local "Cancelled", mirror "PipelineRunPending", overrides the worker`},
		{"PipelineRunPending", nil, `spec.status: ToSend, local "PipelineRunPending", mirror none`},
		{"PipelineRunPending", "Cancelled", `spec.status: Undecided, local "PipelineRunPending", mirror "Cancelled"`},
		{nil, "PipelineRunPending", `spec.status: SetByWorker, local none, mirror "PipelineRunPending"`},
		{"Cancelled", "StoppedRunFinally", `spec.status: Undecided, local "Cancelled", mirror "StoppedRunFinally"`},
		{"Cancelled", "Cancelled", ""},
		{nil, "Cancelled", ""},
	} {
		kind, local, p := unfinished(t, "pipelinerun")
		setField(t, local, "spec.status", nil)
		pair := mirror.ObjectPair{Local: local, Remote: storedObject(buildObject(t, p, kind, local))}
		local.SetGeneration(local.GetGeneration() + 1)
		setField(t, local, "spec.status", test.local)
		setField(t, pair.Remote, "spec.status", test.mirror)
		plan, err := p.PlanObjectSpec(kind, pair)
		must(t, err)
		var got []string
		for _, d := range plan.Differences {
			if d.Field == "spec.status" {
				got = append(got, d.String())
			}
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%v, %v: %q, want %q", test.local, test.mirror, got, test.want)
		}
	}
}

// TestPlanObjectSpecSettlesUndecided: what cannot be sent is said again and again, and not written again and again, also
// where a webhook of the worker has changed a label.
func TestPlanObjectSpecSettlesUndecided(t *testing.T) {
	p, kind, pair := objectPairOf(t, "pipelinerun")
	setField(t, pair.Local, "spec.status", nil)
	pair.Local.SetLabels(map[string]string{"team": "a"})
	pair.Remote = storedObject(buildObject(t, p, kind, pair.Local))
	setField(t, pair.Remote, "spec.status", "Cancelled")
	pair.Remote.SetLabels(map[string]string{"team": "b", "acme.io/mirror-origin": pair.Remote.GetLabels()["acme.io/mirror-origin"]})
	setField(t, pair.Local, "spec.status", "PipelineRunPending")
	pair.Local.SetGeneration(pair.Local.GetGeneration() + 1)
	writes := 0
	for range 5 {
		plan, err := p.PlanObjectSpec(kind, pair)
		must(t, err)
		if got := told(plan.Differences); !slices.Contains(got, "Undecided spec.status") {
			t.Errorf("%v", got)
		}
		if plan.Patch == nil {
			continue
		}
		writes++
		s := &objectServer{t: t, u: pair.Remote}
		s.patch(mirror.Action{Kind: mirror.PatchMirror, Patch: plan.Patch})
		pair.Remote = s.u
	}
	if writes != 1 { // of the generation
		t.Errorf("%d writes", writes)
	}
}

// TestPlanObjectSpecOwnKind: labels that a kind of one's own deletes itself by are not sent.
func TestPlanObjectSpecOwnKind(t *testing.T) {
	p, kind, pair := objectPairOf(t, "jobset")
	kind.SelfDelete = append(kind.SelfDelete, jobmanagedby.Edit{Path: "metadata.labels[example.com/ttl]"})
	pair.Local.SetLabels(map[string]string{"example.com/ttl": "60"})
	pair.Remote = storedObject(buildObject(t, p, kind, pair.Local))
	if plan, err := p.PlanObjectSpec(kind, pair); err != nil || plan.Patch != nil {
		t.Errorf("right after the create: %s %s, %v", plan, plan.Patch, err)
	}
	setField(t, pair.Local, "spec.suspend", true)
	sentChanges(t, p, kind, &pair)
	if _, there := pair.Remote.GetLabels()["example.com/ttl"]; there {
		t.Error("the mirror deletes itself")
	}
}

// TestPlanObjectSpecLeavesOut: what the mirror was not to have is not sent later, nor what policy and worker decide.
func TestPlanObjectSpecLeavesOut(t *testing.T) {
	p, kind, pair := objectPairOf(t, "appwrapper")
	pair.Local.SetLabels(map[string]string{"a": "b", "argocd.argoproj.io/instance": "x"})
	if got := sentChanges(t, p, kind, &pair); !slices.Contains(got, "ToSend metadata.labels[a]") {
		t.Errorf("%v", got)
	}
	if _, there := pair.Remote.GetAnnotations()["workload.codeflare.dev.appwrapper/successTTLDuration"]; there {
		t.Error("the mirror deletes itself")
	}
	if _, there := pair.Remote.GetLabels()["argocd.argoproj.io/instance"]; there {
		t.Error("the mirror is Argo CD's")
	}

	p, kind, pair = objectPairOf(t, "jobset", func(p *mirror.Policy) { p.Suspend = mirror.SuspendAtCreation })
	must(t, kind.SetSuspended(pair.Local, true))
	sentChanges(t, p, kind, &pair)
	if is, _ := kind.Suspended(pair.Remote); is {
		t.Error("suspended in spite of Policy.Suspend")
	}

	p, kind, pair = objectPairOf(t, "jobset")
	must(t, kind.SetSuspended(pair.Remote, true)) // by a queue on the worker
	pair.Local.SetLabels(map[string]string{"a": "b"})
	pair.Local.SetGeneration(3)
	plan, err := p.PlanObjectSpec(kind, pair)
	must(t, err)
	if got := told(plan.Differences); !slices.Contains(got, "SetByWorker spec.suspend") {
		t.Errorf("%v", got)
	}

	pair.Local.SetGeneration(1)
	if plan, err := p.PlanObjectSpec(kind, pair); err != nil || !plan.Stale || plan.Patch != nil {
		t.Errorf("an old local object: %s, %v", plan, err)
	}
}
