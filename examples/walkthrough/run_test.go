// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/managedby-dev/managedby/internal/clitest"
)

// someDay is a clock for runs that must not depend on it.
var someDay = time.Date(2031, time.May, 4, 3, 2, 1, 0, time.UTC)

type result struct {
	code           int
	stdout, stderr string
}

func runWith(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(args, strings.NewReader(stdin), &stdout, &stderr, someDay)
	return result{code, stdout.String(), stderr.String()}
}

// manifest returns a manifest that is built in, such as "running-local".
func manifest(t *testing.T, name string) string {
	t.Helper()
	data, err := manifests.ReadFile("manifests/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// edit replaces the only occurrence of a text.
func edit(t *testing.T, s, from, to string) string {
	t.Helper()
	if n := strings.Count(s, from); n != 1 {
		t.Fatalf("%q occurs %d times", from, n)
	}
	return strings.Replace(s, from, to, 1)
}

func TestExitStatus(t *testing.T) {
	local, remote := manifest(t, "running-local"), manifest(t, "running-remote")
	files := map[string]string{
		"local.yaml":  local,
		"remote.yaml": remote,
		"both.yaml": edit(t, remote, "status:\n", "status:\n  conditions:\n"+
			"  - {type: Complete, status: \"True\"}\n  - {type: Failed, status: \"True\"}\n"),
		"failing.yaml": edit(t, local, "status:\n", "status:\n  conditions:\n  - {type: FailureTarget, status: \"True\"}\n"),
		"complete.yaml": edit(t, remote, "status:\n", "status:\n  completionTime: \"2026-03-02T10:20:00Z\"\n"+
			"  conditions:\n  - {type: SuccessCriteriaMet, status: \"True\"}\n  - {type: Complete, status: \"True\"}\n"),
	}
	clitest.Files(t, files)
	tests := []struct {
		name string
		args string
		want int
		says string
	}{
		{"built in", "", exitDone, "Deferred"},
		{"help", "-h", exitDone, "-release LIST"},
		{"files", "-local local.yaml -remote remote.yaml", exitDone, "Copied"},
		{"not managed by us", "-local local.yaml -remote remote.yaml -controller else.example.com/x", exitDone, "NotManaged"},
		{"another origin", "-local local.yaml -remote remote.yaml -origin elsewhere", exitRefused, "Conflict"},
		{"both verdicts", "-local local.yaml -remote both.yaml", exitRefused, "Invalid"},
		{"fate and result differ", "-local failing.yaml -remote complete.yaml -release 1.37.2", exitRefused, "Conflict"},
		{"only one release refuses", "-local failing.yaml -remote complete.yaml -release 1.37.2,1.31.14", exitRefused, "plan: SuccessCriteriaMetAndFailureTarget"},
		{"that one is not asked", "-local failing.yaml -remote complete.yaml -release 1.31.14", exitDone, "Copied"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runWith(t, "", strings.Fields(tt.args)...)
			if got.code != tt.want || got.stderr != "" || !strings.Contains(got.stdout, tt.says) {
				t.Errorf("exit %d, want %d\nstderr: %s\nstdout should contain %q:\n%s", got.code, tt.want, got.stderr, tt.says, got.stdout)
			}
		})
	}
}

func TestIdentityIsSaid(t *testing.T) {
	local, remote := manifest(t, "running-local"), manifest(t, "running-remote")
	uid := "    acme.io/mirror-local-uid: d2b7c9f4-1e52-4b0e-9d1b-6a7c7f3f0c11\n"
	var none []string
	for line := range strings.Lines(remote) {
		if !strings.Contains(line, "acme.io/mirror-") {
			none = append(none, line)
		}
	}
	clitest.Files(t, map[string]string{
		"local.yaml":      local,
		"ours.yaml":       remote,
		"previous.yaml":   edit(t, remote, uid, "    acme.io/mirror-local-uid: another\n"),
		"partial.yaml":    edit(t, remote, uid, ""),
		"unlabelled.yaml": edit(t, remote, "    acme.io/mirror-origin: mgmt-eu-west-1\n", ""),
		"none.yaml":       strings.Join(none, ""),
	})
	tests := []struct{ remote, says, outcome string }{
		{"ours.yaml", "  The remote Job carries the identity of this local Job", "Copied"},
		{"previous.yaml", "  Nothing may be written. The remote Job is the mirror of an earlier Job", "Conflict"},
		{"partial.yaml", "  Nothing may be written. The remote Job carries an identity, but not that of this local Job", "Conflict"},
		{"unlabelled.yaml", "  Nothing may be written. The remote Job carries an identity, but not that of this local Job", "Conflict"},
		{"none.yaml", "carries no identity of ours", "Copied"},
	}
	for _, tt := range tests {
		got := runWith(t, "", "-local", "local.yaml", "-remote", tt.remote, "-width", "120")
		if !strings.Contains(got.stdout, tt.says) || !strings.Contains(got.stdout, "write on 1.37.2: "+tt.outcome) {
			t.Errorf("%s: want %q and %s in\n%s", tt.remote, tt.says, tt.outcome, got.stdout)
		}
	}
}

// Of a Job that is not ours there is nothing to say about its mirror.
func TestNotManagedIsBrief(t *testing.T) {
	got := runWith(t, "", "-controller", "else.example.com/x")
	if strings.Contains(got.stdout, "The remote Job carries") || !strings.Contains(got.stdout, "not by \"else.example.com/x\"") {
		t.Error(got.stdout)
	}
}

// A write that fails is no success, and no panic.
func TestOutputFails(t *testing.T) {
	closed, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	var stderr bytes.Buffer
	if code := run(nil, nil, closed, &stderr, someDay); code != exitUsage || stderr.Len() == 0 {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}

// What stands in a manifest is shown, and does not reach the terminal as it is.
func TestNoEscapes(t *testing.T) {
	job := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: \"a\\e[2J\", annotations: {x: \"\\e[2J\"}, uid: u, namespace: team}\n" +
		"spec: {managedBy: acme.io/dispatcher}\nstatus: {conditions: [{type: \"\\e[2J\", status: \"True\"}]}\n"
	clitest.Files(t, map[string]string{"local.yaml": job})
	got := runWith(t, job, "-local", "local.yaml", "-remote", "-")
	if strings.Contains(got.stdout+got.stderr, "\x1b") || !strings.Contains(got.stdout, `team/a\u001b[2J`) {
		t.Errorf("got %q", got.stdout+got.stderr)
	}
}
