// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// A Job that is suspended has no mirror to wait for: only what is refused is mended.
func TestMendOfSuspendedJob(t *testing.T) {
	for _, suspend := range []string{"true", "false"} {
		got := runWith(t, jobWith("a", "suspend: "+suspend, "active: 1, ready: 4"), "-")
		_, mend, _ := strings.Cut(got.stdout, "The least change that an API server takes, for 1.32.13 - 1.37.2\n")
		if !strings.HasPrefix(mend, "  status.ready: capped at active (MoreReadyThanActive)\n  - ready: 4\n  + ready: 1\n") {
			t.Errorf("suspend: %s: %s", suspend, got.stdout)
		}
	}
	// It has zero completions and need not have started.
	job := jobWith("a", "suspend: true, completions: 0", "completedIndexes: '1', completionTime: '2026-03-02T10:05:00Z', conditions: "+
		"[{type: Complete, status: 'True', lastTransitionTime: '2026-03-02T10:05:00Z'}, {type: SuccessCriteriaMet, status: 'True', lastTransitionTime: '2026-03-02T10:05:00Z'}]")
	if got := runWith(t, job, "-", "-release", "1.34.4"); !strings.Contains(got.stdout, "- completedIndexes: ") || strings.Contains(got.stdout, "startTime") {
		t.Errorf("startTime is not refused:\n%s", got.stdout)
	}
}

// TestMendsOfJobs checks generated Jobs by themselves: the API servers take what mends one, nothing is said of
// a second Job, and what is said to be still possible is.
func TestMendsOfJobs(t *testing.T) {
	t.Logf("seed %d", seed)
	all, err := cli.ParseReleases("all")
	if err != nil {
		t.Fatal(err)
	}
	g := jobgen.New(seed)
	words := regexp.MustCompile(`\b([Ll]ocal|[Rr]emote|mirror|planner|Deferred|Evicted|Resuming)\b`)
	mended, late, stuck := 0, 0, 0
	for range 2_000 {
		_, job := g.Change()
		s := options{releases: all}.asItIs(subject{Kind: aJob}, job, someDay)
		p := &page{cli.Page{Width: 200}}
		for _, m := range s.Mends {
			if p.mend(s, m, names(all)); m.Status == nil {
				continue
			}
			mended++
			for _, name := range m.Releases {
				r, _ := jobmanagedby.ParseRelease(name)
				v := statusvalidate.For(r)
				if vs := v.ValidateStatus(&batchv1.Job{Spec: job.Spec, Status: *m.Status}); len(vs) > 0 {
					t.Fatalf("%s refuses what mends it: %v", name, vs.Err())
				}
				if len(m.TooLate) > 0 && len(m.stuck) == 0 && !v.Allows(statusvalidate.Change{Old: job, New: job}) {
					t.Fatalf("%s refuses to write it as it is", name)
				}
			}
			if len(m.TooLate) > 0 {
				late++
			}
			if len(m.stuck) > 0 {
				stuck++
			}
		}
		var out bytes.Buffer
		if _, err := p.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(strings.Split(out.String(), "\n"), words.MatchString); i >= 0 {
			t.Fatalf("line %d speaks of a second Job:\n%s", i+1, out.String())
		}
	}
	if t.Logf("%d mends, %d too late, %d stuck", mended, late, stuck); mended < 500 || late == 0 || stuck == 0 {
		t.Error("too few to say anything")
	}
}

// A negative counter is mended, or what to do is said: never that it cannot be, nor that it is stored already.
func TestMendOfNegativeCounters(t *testing.T) {
	const unknown = "No change is known that mends it, for 1.32.13 - 1.37.2\n  What to do stands with each finding."
	for status, want := range map[string]string{
		"failed: -1":            "  - failed: -1\n",
		"succeeded: -7":         "  - succeeded: -7\n",
		"ready: -1, failed: -1": unknown,
		"active: -1":            unknown,
		"terminating: -1":       unknown,
	} {
		got := runWith(t, jobWith("a", "", status), "-")
		if !strings.Contains(got.stdout, want) || strings.Contains(got.stdout, "Write nothing") {
			t.Errorf("%s:\n%s", status, got.stdout)
		}
	}
}

// What can be read by nothing is not proposed.
func TestMendOfTheLastYear(t *testing.T) {
	for zone, want := range map[string]string{"-23:59": "No change is known that mends it, for 1.32.13 - 1.37.2\n  A time in it is before the year 0 or after 9999", "Z": "added to go with Complete"} {
		last := "'9999-12-31T23:59:59" + zone + "'"
		job := jobWith("a", "", "succeeded: 1, startTime: "+last+", completionTime: "+last+", conditions: [{type: Complete, status: 'True', lastTransitionTime: "+last+"}]")
		if got := runWith(t, job, "-"); !strings.Contains(got.stdout, want) || strings.Contains(got.stdout, "10000") {
			t.Errorf("%s:\n%s", zone, got.stdout)
		}
	}
}
