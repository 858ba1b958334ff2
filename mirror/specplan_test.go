// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/mirror"
)

func TestDifferenceString(t *testing.T) {
	for _, tt := range []struct {
		d    mirror.Difference
		want string
	}{
		{mirror.Difference{Field: "spec.suspend", Kind: mirror.ToSend, Local: "true", Mirror: "false"}, "spec.suspend: ToSend, local true, mirror false"},
		{mirror.Difference{Field: "spec.parallelism", Kind: mirror.ToSend, Local: "1", Mirror: "2", Overrides: true}, "spec.parallelism: ToSend, local 1, mirror 2, overrides the worker"},
		{mirror.Difference{Field: "spec.completions", Kind: mirror.Immutable, Rule: mirror.CompletionsImmutable, Local: "1"}, "spec.completions: Immutable, local 1, mirror none (CompletionsImmutable)"},
		{mirror.Difference{Field: "metadata.labels[a\nb]", Kind: mirror.OnPurpose, Mirror: "\"\u2028\""}, "metadata.labels[a\ufffdb]: Ours, local none, mirror \"\ufffd\""},
	} {
		if got := tt.d.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestSpecPlanString(t *testing.T) {
	a := mirror.Difference{Field: "a", Kind: mirror.ToSend, Local: "1"}
	b := mirror.Difference{Field: "b", Kind: mirror.SetByWorker, Local: "1"}
	c := mirror.Difference{Field: "c", Kind: mirror.OnPurpose, Local: "1"}
	for _, tt := range []struct {
		plan mirror.SpecPlan
		want string
	}{
		{mirror.SpecPlan{}, "nothing to send"},
		{mirror.SpecPlan{Stale: true}, "nothing to send, the local Job is stale"},
		{mirror.SpecPlan{Patch: []byte("{}"), Differences: []mirror.Difference{b, c}}, "send the record alone: b: SetByWorker, local 1, mirror none"},
		{mirror.SpecPlan{Patch: []byte("{}"), Differences: []mirror.Difference{a, b}}, "send: a: ToSend, local 1, mirror none; b: SetByWorker, local 1, mirror none"},
	} {
		if got := tt.plan.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if d := cmp.Diff([]mirror.Difference{b}, (mirror.SpecPlan{Differences: []mirror.Difference{a, b, c}}).Of(mirror.SetByWorker)); d != "" {
		t.Errorf("Of (-want +got):\n%s", d)
	}
}

// TestSpecPlanValues: these are written to logs and metrics. A new one is fine, a changed one is not.
func TestSpecPlanValues(t *testing.T) {
	if d := cmp.Diff([]mirror.DifferenceKind{"ToSend", "NotYet", "Immutable", "SetByWorker", "Undecided", "Ours"}, mirror.DifferenceKinds()); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]mirror.SpecRule{
		"CompletionsImmutable", "IndexLimits", "HostNameTooLong", "TemplateStarted", "TemplateNotSuspended",
		"TemplateActivePods", "TemplateNotYetReported", "ResourcesImmutable", "AnnotationsTooLarge",
	}, mirror.SpecRules()); d != "" {
		t.Errorf("rules (-want +got):\n%s", d)
	}
	kinds, rules := mirror.DifferenceKinds(), mirror.SpecRules()
	kinds[0], rules[0] = "", ""
	if mirror.DifferenceKinds()[0] == "" || mirror.SpecRules()[0] == "" {
		t.Error("the lists are shared")
	}
}

// TestDifferencesAreJSON: Local and Mirror can be decoded, and a difference with a rule says why.
func TestDifferencesAreJSON(t *testing.T) {
	p := planner(t, onWorker(t, "1.34.4"))
	local := templateJob(limit("1"))
	remote := storedMirror(build(t, p, local))
	remote.Spec.Template.Spec.Containers[0].Image = "other"
	mirrorStates["stopped"](remote)
	local = byUser(local, func(j *batchv1.Job) { limit("2")(j); tolerate("c")(j); j.Labels = map[string]string{"l": "<&>\n"} })
	for _, d := range p.Differences(mirror.Pair{Local: local, Remote: remote}) {
		for _, value := range []string{d.Local, d.Mirror} {
			if value != "" && !json.Valid([]byte(value)) {
				t.Errorf("%s: %q is no JSON", d.Field, value)
			}
		}
		if strings.Contains(d.String(), "\n") || d.Rule != "" && d.Why == "" || d.Local == d.Mirror {
			t.Errorf("%+v", d)
		}
	}
}
