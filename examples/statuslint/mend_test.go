// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

const seed = 1

// TestMends checks generated writes: what is said to mend one is accepted by all the releases it is for, these
// are all the releases that refuse it, and a write that nobody refuses is not called refused.
func TestMends(t *testing.T) {
	t.Logf("seed %d", seed)
	all, err := cli.ParseReleases("all")
	if err != nil {
		t.Fatal(err)
	}
	g := jobgen.New(seed)
	mended := 0
	for range 2_000 {
		old, changed := g.Change()
		c := statusvalidate.Change{Old: old, New: changed}
		s := options{releases: all}.written(subject{}, c, someDay)
		var refusing []string
		for _, r := range all {
			if !statusvalidate.For(r).Allows(c) {
				refusing = append(refusing, r.String())
			}
		}
		if s.refused() != (len(refusing) > 0) {
			t.Fatalf("refused = %v, by %v", s.refused(), refusing)
		}
		var covered []string
		for _, m := range s.Mends {
			covered = append(covered, m.Releases...)
			if m.Status == nil {
				continue
			}
			mended++
			for _, name := range m.Releases {
				r, _ := jobmanagedby.ParseRelease(name)
				if vs := statusvalidate.For(r).Validate(statusvalidate.Change{Old: old, New: &batchv1.Job{Status: *m.Status}}); len(vs) > 0 {
					t.Fatalf("%s refuses what mends it: %v", name, vs.Err())
				}
			}
		}
		for _, name := range refusing {
			if !slices.Contains(covered, name) {
				t.Fatalf("refused by %s, and nothing is said of it; mends are for %v", name, covered)
			}
		}
	}
	t.Logf("%d mends", mended)
}

// No status suits 1.30 and the others alike.
func TestMendsOfContradictingReleases(t *testing.T) {
	job := jobWith("a", "", `succeeded: 1, startTime: "2026-03-02T10:00:00Z", completionTime: "2026-03-02T10:05:00Z", `+
		`conditions: [{type: Complete, status: "True", lastTransitionTime: "2026-03-02T10:05:00Z"}, {type: SuccessCriteriaMet, status: "True", lastTransitionTime: "2026-03-02T10:05:00Z"}]`)
	got := runWith(t, job, "-", "-release", "all", "-o", "json")
	var r report
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatal(err)
	}
	mends := r.Subjects[0].Mends
	if len(mends) != 1 || !slices.Equal(mends[0].Releases, []string{"1.30.14"}) || len(mends[0].Status.Conditions) != 1 {
		t.Errorf("got %+v", mends)
	}
	if want := []statusvalidate.Rule{statusvalidate.SuccessCriteriaMetTakenBack}; !slices.Equal(mends[0].TooLate, want) {
		t.Errorf("too late because of %v, want %v", mends[0].TooLate, want)
	}
}

// What a mend leaves is named, and what is a matter for the Job's controller alone is not made up.
func TestMendLeaves(t *testing.T) {
	got := runWith(t, jobWith("a", "completions: 1", `succeeded: 2, ready: 1, startTime: "2026-03-02T10:00:00Z"`), "-")
	for _, want := range []string{"ready: 0", "It leaves what only the controller can know: SucceededAboveCompletions."} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
	got = runWith(t, jobWith("a", "completions: 1", "succeeded: 2"), "-")
	if strings.Contains(got.stdout, "least change") {
		t.Errorf("nothing can be mended:\n%s", got.stdout)
	}
}

// Of a status that nobody refuses, a mend is shown only if it shows the status, and better.
func TestMendOfWarnings(t *testing.T) {
	tests := []struct{ name, spec, status, want string }{
		{"a time is filled in", "", `startTime: "2026-03-02T10:00:00Z", active: 1, conditions: [{type: FailureTarget, status: "True", reason: r}, {type: FailureTarget, status: "True", reason: r}]`, "folded into one entry"},
		{"nothing of the run is shown", "suspend: true", `startTime: "2026-03-02T10:00:00Z", active: 1, conditions: [{type: Suspended, status: "True", lastTransitionTime: "2026-03-02T10:00:00Z"}]`, ""},
	}
	for _, tt := range tests {
		got := runWith(t, jobWith("a", tt.spec, tt.status), "-")
		if got.code != exitFindings || strings.Contains(got.stdout, "least change") != (tt.want != "") || !strings.Contains(got.stdout, tt.want) {
			t.Errorf("%s: exit %d\n%s", tt.name, got.code, got.stdout)
		}
	}
}
