// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/internal/jobfile"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// The names are those that the package comment lists; no list is null.
func TestJSONShape(t *testing.T) {
	got := runWith(t, "", "-o", "json")
	if got.code != exitDone || got.stderr != "" {
		t.Fatalf("exit %d, %s", got.code, got.stderr)
	}
	names := map[string]bool{}
	collect(t, names, "", treeFromJSON(t, []byte(got.stdout)))
	want := []string{
		"now", "pairs", "pairs[].about", "pairs[].controller", "pairs[].identity", "pairs[].managedBy", "pairs[].mirror",
		"pairs[].name", "pairs[].namespace",
		"pairs[].next", "pairs[].next.actions", "pairs[].next.actions[].cluster", "pairs[].next.actions[].kind",
		"pairs[].next.actions[].patch", "pairs[].next.actions[].patchType", "pairs[].next.actions[].subresource",
		"pairs[].next.differences", "pairs[].next.differences[].field", "pairs[].next.differences[].kind",
		"pairs[].next.differences[].local", "pairs[].next.differences[].mirror",
		"pairs[].next.outcome", "pairs[].next.requeueAfterSeconds", "pairs[].next.requeueWhy", "pairs[].next.why",
		"pairs[].origin", "pairs[].releases",
		"pairs[].releases[].blindCopy", "pairs[].releases[].blindCopy.verdict", "pairs[].releases[].blindCopy.violations",
		"pairs[].releases[].blindCopy.violations[].field", "pairs[].releases[].blindCopy.violations[].message",
		"pairs[].releases[].blindCopy.violations[].remedy", "pairs[].releases[].blindCopy.violations[].rule",
		"pairs[].releases[].blindCopy.violations[].type",
		"pairs[].releases[].builtInController", "pairs[].releases[].builtInController.hazard",
		"pairs[].releases[].builtInController.message", "pairs[].releases[].builtInController.reason",
		"pairs[].releases[].builtInController.skips",
		"pairs[].releases[].plan", "pairs[].releases[].plan.adjustments", "pairs[].releases[].plan.adjustments[].field",
		"pairs[].releases[].plan.adjustments[].rule", "pairs[].releases[].plan.adjustments[].why",
		"pairs[].releases[].plan.outcome", "pairs[].releases[].plan.requeueAfterSeconds", "pairs[].releases[].plan.status",
		"pairs[].releases[].plan.verdict", "pairs[].releases[].plan.violations", "pairs[].releases[].release",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(names))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// collect notes the paths of a document, but not those within Kubernetes objects.
func collect(t *testing.T, names map[string]bool, at string, value any) {
	t.Helper()
	if at == "pairs[].mirror" || strings.HasSuffix(at, ".status") || strings.HasSuffix(at, ".patch") {
		return
	}
	switch value := value.(type) {
	case cli.Tree:
		for key, v := range value {
			path := strings.TrimPrefix(at+"."+key, ".")
			names[path] = true
			collect(t, names, path, v)
		}
	case []any:
		for _, v := range value {
			collect(t, names, at+"[]", v)
		}
	case nil:
		t.Errorf("%s is null", at)
	}
}

// What a plan says is what another program can go by: the mirror is a manifest, the status is
// acceptable, and nothing to write is null.
func TestJSONValues(t *testing.T) {
	const files = "-local testdata/one-way-local.yaml -remote testdata/one-way-remote.yaml"
	for _, args := range []string{"-o json", "-o json " + files} {
		got := runWith(t, "", strings.Fields(args)...)
		var r report
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
			t.Fatal(err)
		}
		for i, pair := range r.Pairs {
			manifest, err := json.Marshal(pair.Mirror)
			if err != nil {
				t.Fatal(err)
			}
			if jobs, warnings, err := jobfile.Parse("mirror", manifest); err != nil || len(warnings) > 0 || jobs[0].Job.Name != pair.Name {
				t.Errorf("%s: the mirror is no manifest: %v %v", pair.Name, err, warnings)
			}
			for j, rr := range pair.Releases {
				if (rr.Plan.Verdict == nothingToWrite) != (rr.Plan.Status == nil) || rr.Plan.Verdict == refused {
					t.Errorf("%s on %s: %s, status %v", pair.Name, rr.Release, rr.Plan.Verdict, rr.Plan.Status)
				}
				if (rr.BlindCopy.Verdict == refused) != (len(rr.BlindCopy.Violations) > 0) {
					t.Errorf("%s on %s: blind copy %s, %v", pair.Name, rr.Release, rr.BlindCopy.Verdict, rr.BlindCopy.Violations)
				}
				if rr.Release != cli.NewestPatches()[j] {
					t.Errorf("release %d of pair %d is %s", j, i, rr.Release)
				}
			}
		}
	}
}

// The verdicts are asked for, not taken from the plan.
func TestVerdictOfPlanIsAsked(t *testing.T) {
	r := builtInReport(t)
	bad := r.Pairs[1] // finished
	status := bad.last().Plan.Status.DeepCopy()
	status.Conditions = status.Conditions[:1]
	got := ask(statusvalidate.Validator{}, bad.local, status)
	if got.Verdict != refused || got.Violations[0].Rule != statusvalidate.FailedWithoutFailureTarget {
		t.Errorf("got %+v", got)
	}
}
