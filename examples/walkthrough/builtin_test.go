// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/internal/clitest"
	"github.com/managedby-dev/managedby/internal/jobfile"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

var update = flag.Bool("update", false, "rewrite the files under testdata")

// TestGolden holds what a newcomer sees first. After a change that is meant to alter it, run
//
//	go test ./examples/walkthrough -run TestGolden -update
//
// and commit only differences that can be explained.
func TestGolden(t *testing.T) {
	for file, args := range map[string][]string{
		"builtin.txt": nil,
		"one-way.txt": {"-local", "testdata/one-way-local.yaml", "-remote", "testdata/one-way-remote.yaml"},
	} {
		t.Run(file, func(t *testing.T) {
			got := runWith(t, "", args...)
			clitest.Golden(t, "testdata/"+file, got.stdout, *update)
		})
	}
}

// Nothing of the clock, and no line that a terminal would fold.
func TestBuiltInOutput(t *testing.T) {
	for _, width := range []string{"80", "100", "120"} {
		var one, other strings.Builder
		args := []string{"-width", width}
		if run(args, nil, &one, &one, someDay) != exitDone || run(args, nil, &other, &other, someDay.Add(999*time.Hour)) != exitDone {
			t.Fatal(one.String())
		}
		if one.String() != other.String() {
			t.Errorf("width %s: the output depends on the clock", width)
		}
		longest := 0
		for line := range strings.Lines(one.String()) {
			longest = max(longest, cli.Length(strings.TrimSuffix(line, "\n")))
			if strings.TrimRight(line, " \n")+"\n" != line {
				t.Errorf("width %s: space at the end of %q", width, line)
			}
		}
		if want := map[string]int{"80": 80, "100": 100, "120": 120}[width]; longest > want {
			t.Errorf("width %s: a line of %d", width, longest)
		}
	}
}

// The stories that are told about the pairs are true.
func TestStories(t *testing.T) {
	strict := cli.NewestPatches()[2:]
	type refusal map[statusvalidate.Rule][]string
	tests := []struct {
		story   string
		blind   refusal // which rules a blind copy breaks, and where
		outcome mirror.StatusOutcome
		unwise  bool // the copy is not refused, and the plan still differs from it
	}{
		{"running", refusal{}, mirror.Copied, false},
		{"finished", refusal{statusvalidate.FailedWithoutFailureTarget: strict, statusvalidate.FinishedWithTerminatingPods: strict}, mirror.Copied, false},
		{"suspended", refusal{}, mirror.Deferred, true},
		{"redispatched", refusal{
			statusvalidate.FailedDecreased: strict, statusvalidate.StartTimeChangedWhileRunning: strict,
			statusvalidate.SuccessCriteriaMetOnNonIndexed:         {"1.30.14"},
			statusvalidate.SuccessCriteriaMetWithoutSuccessPolicy: {"1.30.14"},
		}, mirror.Copied, false},
	}
	r := builtInReport(t)
	for i, tt := range tests {
		pair, broken := r.Pairs[i], refusal{}
		for _, rr := range pair.Releases {
			for _, v := range rr.BlindCopy.Violations {
				broken[v.Rule] = append(broken[v.Rule], rr.Release)
			}
			if rr.Plan.Outcome != tt.outcome || rr.Plan.Verdict != accepted {
				t.Errorf("%s on %s: %s, %s", tt.story, rr.Release, rr.Plan.Outcome, rr.Plan.Verdict)
			}
			if rr.Plan.guarded() != tt.unwise {
				t.Errorf("%s on %s: adjustments %v", tt.story, rr.Release, rr.Plan.Adjustments)
			}
		}
		if diff := cmp.Diff(tt.blind, broken); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.story, diff)
		}
		if pair.Identity != mirror.Ours || stories[i].name != tt.story {
			t.Errorf("%s: %s", stories[i].name, pair.Identity)
		}
	}
}

func builtInReport(t *testing.T, args ...string) report {
	t.Helper()
	opts, err := parseFlags(args, someDay)
	if err != nil {
		t.Fatal(err)
	}
	pairs, warnings, err := opts.pairs(nil)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	r, err := walk(pairs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Each remote manifest is what a worker keeps of the mirror that Build makes of the local one.
func TestRemoteManifestsAreMirrors(t *testing.T) {
	planner, err := mirror.New(mirror.Policy{Controller: exampleController, Origin: "mgmt-eu-west-1"})
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := builtInPairs()
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range pairs {
		sent, err := planner.Build(asSent(stories[i].name, p.local.Job))
		if err != nil {
			t.Fatal(err)
		}
		if lost := mirror.Lost(sent, p.remote.Job); len(lost) > 0 {
			t.Errorf("%v: %v", p.remote.At, lost)
		}
		if planner.Relate(mirror.Pair{Local: p.local.Job, Remote: p.remote.Job}) != mirror.Ours {
			t.Errorf("%v is not Ours", p.remote.At)
		}
	}
}

// asSent returns the local Job as it was when its mirror was made.
func asSent(story string, local *batchv1.Job) *batchv1.Job {
	job := local.DeepCopy()
	if story == "suspended" { // after it was sent
		job.Spec.Suspend, job.Generation = ptr.To(false), job.Generation-1
	}
	return job
}

// The manifests are in the form in which kubectl prints them, with nothing that a server has not
// stored: each status is acceptable where it is said to come from.
func TestManifestsAreReal(t *testing.T) {
	servers := map[string]string{
		"running-remote": "1.33.13", "finished-remote": "1.30.14", "suspended-remote": "1.37.2", "redispatched-remote": "1.33.13",
	}
	for _, s := range stories {
		for _, name := range []string{s.name + "-local", s.name + "-remote"} {
			text := manifest(t, name)
			if _, warnings, err := jobfile.Parse(name, []byte(text)); err != nil || len(warnings) > 0 {
				t.Fatal(err, warnings)
			}
			if again := printed(t, text); again != text {
				t.Errorf("%s (-it is, +kubectl would print):\n%s", name, cmp.Diff(text, again))
			}
			release, err := jobmanagedby.ParseRelease(servers[name])
			if err != nil {
				release = jobmanagedby.Release{} // of the management cluster
			}
			checkStored(t, name, text, release)
		}
	}
}

func printed(t *testing.T, text string) string {
	t.Helper()
	docs, err := jobfile.Split("manifest", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := cli.ToYAML(treeFromJSON(t, docs[0].JSON))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n") + "\n"
}

func checkStored(t *testing.T, name, text string, release jobmanagedby.Release) {
	t.Helper()
	jobs, _, err := jobfile.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	job := jobs[0].Job
	never := &batchv1.Job{ObjectMeta: job.ObjectMeta, Spec: job.Spec}
	if vs := statusvalidate.For(release).Validate(statusvalidate.Change{Old: never, New: job}); len(vs) > 0 {
		t.Errorf("%s: %v", name, vs)
	}
	generated := []string{batchv1.ControllerUidLabel, batchv1.JobNameLabel, "controller-uid", "job-name"}
	for _, label := range generated {
		want := string(job.UID)
		if strings.HasSuffix(label, "name") {
			want = job.Name
		}
		if got := job.Spec.Template.Labels[label]; got != want {
			t.Errorf("%s: template label %s is %q, want %q", name, label, got, want)
		}
	}
	if got := job.Spec.Selector.MatchLabels; got[batchv1.ControllerUidLabel] != string(job.UID) {
		t.Errorf("%s: selector %v", name, got)
	}
	if job.UID == "" || job.ResourceVersion == "" || job.Generation == 0 || job.CreationTimestamp.IsZero() {
		t.Errorf("%s: metadata is not complete", name)
	}
}
