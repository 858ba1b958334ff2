// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/internal/mergepatch"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// TestProjectObjectStatus has a row for each outcome, and for what is copied and kept.
func TestProjectObjectStatus(t *testing.T) {
	const (
		completed = `{"type":"Completed","status":"True","reason":"AllJobsCompleted"}`
		failed    = `{"type":"Failed","status":"True","reason":"FailedJobs"}`
		startup   = `{"type":"StartupPolicyCompleted","status":"True"}`
		ours      = `{"type":"acme.io/Mirrored","status":"True","reason":"InSync"}`
		ran       = `"replicatedJobsStatus":[{"name":"w","active":2}]`
		idle      = `"replicatedJobsStatus":[{"name":"w","active":0}]`
	)
	with := func(members ...string) string { return `{` + strings.Join(members, ",") + `}` }
	conditions := func(list ...string) string { return `"conditions":[` + strings.Join(list, ",") + `]` }
	tests := []struct {
		name                            string
		local, remote                   string // the statuses; empty for none
		localSuspended, remoteSuspended bool
		untold                          bool
		outcome                         mirror.StatusOutcome
		want                            string // the status to write, empty for nothing
		kept                            int
	}{
		{name: "nothing yet", outcome: mirror.InSync},
		{name: "nothing yet after an earlier run", local: with(ran), outcome: mirror.InSync},
		{name: "an empty status", local: with(ran), remote: `{}`, outcome: mirror.InSync},
		{name: "new", remote: with(ran), outcome: mirror.Copied, want: with(ran)},
		{name: "the same", local: with(ran), remote: with(ran), outcome: mirror.InSync},
		{name: "counters go down", local: with(ran), remote: with(idle), outcome: mirror.Copied, want: with(idle)},
		{name: "members go", local: with(ran, `"restarts":1`), remote: with(ran), outcome: mirror.Copied, want: with(ran)},
		{name: "a result", local: with(ran), remote: with(conditions(completed), idle), outcome: mirror.Copied, want: with(conditions(completed), idle)},
		{name: "a result while suspended", remote: with(conditions(failed)), localSuspended: true, outcome: mirror.Copied, want: with(conditions(failed))},
		{name: "finished", local: with(conditions(completed)), remote: with(conditions(completed), ran), outcome: mirror.Finished},
		{name: "another result", local: with(conditions(completed)), remote: with(conditions(failed)), outcome: mirror.Conflict},
		{name: "no result any more", local: with(conditions(failed)), remote: with(ran), outcome: mirror.Conflict},
		{name: "no status any more", local: with(conditions(failed)), outcome: mirror.Conflict},
		{name: "suspended, the mirror runs", remote: with(ran), localSuspended: true, outcome: mirror.Copied, want: with(ran)},
		{name: "both suspended", local: with(ran), remote: with(idle), localSuspended: true, remoteSuspended: true, outcome: mirror.Copied, want: with(idle)},
		{name: "evicted", local: with(ran), remote: with(idle), remoteSuspended: true, outcome: mirror.Evicted, want: with(idle)},
		{name: "evicted, without news", local: with(ran), remote: with(ran), remoteSuspended: true, outcome: mirror.Evicted},
		{name: "resuming", local: with(ran), remote: with(idle), remoteSuspended: true, untold: true, outcome: mirror.Resuming, want: with(idle)},
		{name: "not started", local: with(idle), remote: with(idle, `"restarts":0`), remoteSuspended: true, outcome: mirror.Copied, want: with(idle, `"restarts":0`)},
		{name: "evicted and finished", local: with(ran), remote: with(conditions(failed)), remoteSuspended: true, outcome: mirror.Copied, want: with(conditions(failed))},
		{name: "a condition of ours", local: with(conditions(ours)), remote: with(conditions(startup)), outcome: mirror.Copied, want: with(conditions(startup, ours)), kept: 1},
		{name: "a condition of ours alone", local: with(conditions(ours)), remote: with(ran), outcome: mirror.Copied, want: with(ran, conditions(ours)), kept: 1},
		{name: "a condition of ours is there", local: with(conditions(startup, ours)), remote: with(conditions(startup)), outcome: mirror.InSync, kept: 1},
		{name: "the mirror has that condition", local: with(conditions(ours)), remote: with(conditions(strings.Replace(ours, "True", "False", 1))), outcome: mirror.Copied,
			want: with(conditions(strings.Replace(ours, "True", "False", 1)))},
		{name: "an old condition of the operator goes", local: with(conditions(startup)), remote: with(ran), outcome: mirror.Copied, want: with(ran)},
		{name: "an empty list of conditions", local: with(ran), remote: with(ran, `"conditions":[]`), outcome: mirror.Copied, want: with(ran, `"conditions":[]`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, local := kindObject(t, "jobset")
			remote := local.DeepCopy()
			setStatus(t, k, local, tt.local, tt.localSuspended)
			setStatus(t, k, remote, tt.remote, tt.remoteSuspended)
			pair := mirror.ObjectPair{Local: local, Remote: remote}
			before, remoteBefore := local.DeepCopy(), remote.DeepCopy()
			opts := mirror.StatusOptions{Untold: tt.untold, Now: metav1.Unix(1_760_000_000, 0)}
			plan, err := mirror.ProjectObjectStatus(k, pair, opts)
			if err != nil || plan.Outcome != tt.outcome || plan.Why == "" || len(plan.Adjustments) != tt.kept {
				t.Fatalf("%s, %v, want %s", plan, err, tt.outcome)
			}
			if got := statusText(t, plan); got != canonical(t, tt.want) {
				t.Errorf("to write: %s, want %s", got, tt.want)
			}
			if patch := plan.Patch(local); (patch == nil) != (plan.Status == nil) {
				t.Errorf("patch %s", patch)
			} else if patch != nil {
				local.Object["status"] = apply(t, local.Object["status"], patch)
			}
			again, err := mirror.ProjectObjectStatus(k, pair, opts)
			if err != nil || again.Status != nil {
				t.Errorf("a second plan: %s, %v", again, err)
			}
			if plan.Status != nil && !reflect.DeepEqual(local.Object["status"], plan.Status) {
				t.Errorf("the patch makes %v", local.Object["status"])
			}
			scribbleObject(plan.Status)
			local.Object["status"] = before.Object["status"]
			if local.Object["status"] == nil {
				delete(local.Object, "status")
			}
			if !reflect.DeepEqual(local, before) || !reflect.DeepEqual(remote, remoteBefore) {
				t.Error("an argument was changed, or shares memory with the plan")
			}
		})
	}
}

func setStatus(t *testing.T, k jobmanagedby.Kind, u *unstructured.Unstructured, status string, suspended bool) {
	t.Helper()
	delete(u.Object, "status")
	if status != "" {
		u.Object["status"] = decodeObject(t, `{"apiVersion":"v1","kind":"x","status":`+status+`}`).Object["status"]
	}
	if err := k.SetSuspended(u, suspended); err != nil {
		t.Fatal(err)
	}
}

func statusText(t *testing.T, plan mirror.ObjectStatusPlan) string {
	if plan.Status == nil {
		return ""
	}
	return toJSON(t, plan.Status)
}

func canonical(t *testing.T, text string) string {
	t.Helper()
	if text == "" {
		return ""
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return toJSON(t, v)
}

// apply carries out the part of a merge patch that is about the status.
func apply(t *testing.T, status any, patch []byte) any {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON([]byte(`{"apiVersion":"v1","kind":"x",` + string(patch[1:]))); err != nil {
		t.Fatal(err)
	}
	if u.GetUID() == "" || u.GetResourceVersion() == "" {
		t.Errorf("the patch has no preconditions: %s", patch)
	}
	return mergepatch.Apply(status, u.Object["status"])
}

// TestObjectRoundTrip takes an object of each kind there and back: built, run on the worker until it has
// the status in testdata, copied back, and settled.
func TestObjectRoundTrip(t *testing.T) {
	for _, name := range kindObjects(t) {
		t.Run(name, func(t *testing.T) {
			k, shown := kindObject(t, name)
			_, local, p := unfinished(t, name)
			remote := buildObject(t, p, k, local)
			remote.SetUID("remote")
			remote.SetResourceVersion("9")
			remote.Object["status"] = shown.Object["status"]
			pair := mirror.ObjectPair{Local: local, Remote: remote}
			plan, err := p.PlanObjectStatus(k, pair, metav1.Unix(1_780_000_000, 0))
			if err != nil {
				t.Fatal(err)
			}
			status, _ := shown.Object["status"].(map[string]any)
			want := mirror.Copied
			if len(status) == 0 {
				want = mirror.InSync
			}
			if plan.Outcome != want {
				t.Fatalf("%s, want %s", plan, want)
			}
			if plan.Status == nil {
				return
			}
			if diff := cmp.Diff(status, plan.Status); diff != "" && name != "job" {
				t.Errorf("status (-shown +copied):\n%s", diff)
			}
			local.Object["status"] = apply(t, local.Object["status"], plan.Patch(local))
			if again, err := p.PlanObjectStatus(k, pair, metav1.Unix(1_790_000_000, 0)); err != nil || again.Status != nil {
				t.Errorf("a second plan: %s, %v", again, err)
			}
			was, _ := k.Finished(shown)
			if is, err := k.Finished(local); err != nil || is != was {
				t.Errorf("Finished = %q, %v, want %q", is, err, was)
			}
		})
	}
}

// TestPlanObjectStatusIdentity: nothing is copied from what is not the mirror, nor to what is not ours.
func TestPlanObjectStatusIdentity(t *testing.T) {
	k, local, p := unfinished(t, "jobset")
	tests := []struct {
		name          string
		local, remote func(*unstructured.Unstructured)
		relation      mirror.Relation
		outcome       mirror.StatusOutcome
	}{
		{"the mirror", nil, nil, mirror.Ours, mirror.Copied},
		{"another origin", nil, func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{originKey: "x"}) }, mirror.Foreign, mirror.Conflict},
		{"no metadata that can be read", nil, func(u *unstructured.Unstructured) {
			u.Object["metadata"].(map[string]any)["labels"].(map[string]any)["n"] = int64(1)
		}, mirror.Foreign, mirror.Conflict},
		{"an earlier object", func(u *unstructured.Unstructured) { u.SetUID("later") }, nil, mirror.PreviousIncarnation, mirror.Conflict},
		{"elsewhere", nil, func(u *unstructured.Unstructured) { u.SetName("other") }, mirror.Foreign, mirror.Conflict},
		{"not ours", func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["managedBy"] = "b.io/x" }, nil, mirror.Ours, mirror.NotManaged},
	}
	for _, tt := range tests {
		own, remote := local.DeepCopy(), buildObject(t, p, k, local)
		remote.Object["status"] = map[string]any{"restarts": int64(1)}
		if tt.local != nil {
			tt.local(own)
		}
		if tt.remote != nil {
			tt.remote(remote)
		}
		pair := mirror.ObjectPair{Local: own, Remote: remote}
		plan, err := p.PlanObjectStatus(k, pair, metav1.Unix(1, 0))
		if err != nil || plan.Outcome != tt.outcome || (plan.Status != nil) != (tt.outcome == mirror.Copied) {
			t.Errorf("%s: %s, %v, want %s", tt.name, plan, err, tt.outcome)
		}
		if got := p.RelateObject(pair); got != tt.relation {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.relation)
		}
	}
	if r := p.RelateObject(mirror.ObjectPair{Local: local}); r != "" {
		t.Errorf("no remote: %q", r)
	}
	if r := p.RelateObject(mirror.ObjectPair{Remote: buildObject(t, p, k, local)}); r != mirror.PreviousIncarnation {
		t.Errorf("no local: %q", r)
	}
}

// TestObjectUntold: that the mirror has not been told yet is read off what was sent.
func TestObjectUntold(t *testing.T) {
	k, local, p := unfinished(t, "jobset")
	if err := k.SetSuspended(local, true); err != nil {
		t.Fatal(err)
	}
	remote := buildObject(t, p, k, local)
	remote.Object["status"] = map[string]any{"restarts": int64(1)}
	if err := k.SetSuspended(local, false); err != nil {
		t.Fatal(err)
	}
	local.Object["status"] = map[string]any{"replicatedJobsStatus": []any{map[string]any{"active": int64(1)}}}
	pair := mirror.ObjectPair{Local: local, Remote: remote}
	if plan, err := p.PlanObjectStatus(k, pair, metav1.Unix(1, 0)); err != nil || plan.Outcome != mirror.Resuming {
		t.Errorf("%s, %v", plan, err)
	}
	annotations := remote.GetAnnotations()
	delete(annotations, sentKey)
	remote.SetAnnotations(annotations)
	if plan, err := p.PlanObjectStatus(k, pair, metav1.Unix(1, 0)); err != nil || plan.Outcome != mirror.Evicted {
		t.Errorf("without the record: %s, %v", plan, err)
	}
}

// TestProjectObjectStatusAgrees: of Jobs it says what ProjectStatus says.
func TestProjectObjectStatusAgrees(t *testing.T) {
	const seed = 20260402
	t.Logf("seed %d", seed)
	g, k := jobgen.New(seed), jobKind(t)
	outcomes := map[mirror.StatusOutcome]int{}
	for i := range 3000 {
		next := g.Pair
		if i%4 == 0 {
			next = g.WildPair
		}
		local, remote := next()
		local, remote = asJob(t, asObject(t, local)), asJob(t, asObject(t, remote))
		opts := mirror.StatusOptions{Now: metav1.Unix(1_760_000_000, 0), Untold: i%3 == 0}
		want := mirror.ProjectStatus(mirror.Pair{Local: local, Remote: remote}, opts)
		got, err := mirror.ProjectObjectStatus(k, mirror.ObjectPair{Local: asObject(t, local), Remote: asObject(t, remote)}, opts)
		if err != nil || got.String() != want.String() || (got.Status == nil) != (want.Status == nil) {
			t.Fatalf("%s, %v, want %s", got, err, want)
		}
		if want.Status != nil {
			status := asJob(t, &unstructured.Unstructured{Object: map[string]any{"status": got.Status}}).Status
			if diff := cmp.Diff(toJSON(t, want.Status), toJSON(t, status)); diff != "" {
				t.Fatalf("status:\n%s", diff)
			}
			if patch := toJSON(t, json.RawMessage(want.Patch(local))); string(got.Patch(asObject(t, local))) != patch {
				t.Fatalf("patch %s, want %s", got.Patch(asObject(t, local)), patch)
			}
		}
		outcomes[got.Outcome]++
	}
	if len(outcomes) < 7 {
		t.Errorf("outcomes seen: %v", outcomes)
	}
	t.Log(outcomes)
}

func TestProjectObjectStatusMalformed(t *testing.T) {
	type object = map[string]any
	tests := []struct {
		kind, status string
		path         string
	}{
		{"jobset", `"done"`, "status"},
		{"jobset", `{"conditions":{}}`, "status.conditions"},
		{"jobset", `{"conditions":[1]}`, "status.conditions[0]"},
		{"raycluster", `{"conditions":{}}`, "status.conditions"},
		{"raycluster", `{"conditions":["x"]}`, "status.conditions[0]"},
		{"raycluster", `7`, "status"},
		{"job", `{"active":"2"}`, "status.active"},
	}
	for _, tt := range tests {
		for _, side := range []string{"local", "remote"} {
			k, good := kindObject(t, tt.kind)
			delete(good.Object, "status")
			bad := good.DeepCopy()
			bad.Object["status"] = decodeObject(t, `{"apiVersion":"v1","kind":"x","status":`+tt.status+`}`).Object["status"]
			pair := mirror.ObjectPair{Local: bad, Remote: good}
			good.Object["status"] = object{"x": "y"}
			if side == "remote" {
				pair = mirror.ObjectPair{Local: good, Remote: bad}
			}
			var malformed *jobmanagedby.MalformedError
			plan, err := mirror.ProjectObjectStatus(k, pair, mirror.StatusOptions{})
			if !errors.As(err, &malformed) || malformed.Path != tt.path || !reflect.DeepEqual(plan, mirror.ObjectStatusPlan{}) {
				t.Errorf("%s: %s is %s: %s, %v", tt.kind, side, tt.status, plan, err)
			}
		}
	}
	k, local := kindObject(t, "jobset")
	var wrong *jobmanagedby.KindError
	other := &unstructured.Unstructured{Object: object{"apiVersion": "v1", "kind": "Pod"}}
	if _, err := mirror.ProjectObjectStatus(k, mirror.ObjectPair{Local: local, Remote: other}, mirror.StatusOptions{}); !errors.As(err, &wrong) {
		t.Errorf("another kind: %v", err)
	}
}
