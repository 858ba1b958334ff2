// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/internal/clitest"
)

var update = flag.Bool("update", false, "rewrite the golden files under testdata")

// someDay is a clock for runs that must not depend on it.
var someDay = time.Date(2031, time.May, 4, 3, 2, 1, 0, time.UTC)

type result struct {
	code           int
	stdout, stderr string
}

func runWith(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := program{name: "statuslint", stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr, now: someDay}.run(args)
	return result{code, stdout.String(), stderr.String()}
}

// jobWith returns a Job with that spec and status, in YAML.
func jobWith(name, spec, status string) string {
	return "apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: team, name: " + name + "}\nspec: {" + spec + "}\nstatus: {" + status + "}\n---\n"
}

// TestGolden holds what users see. After a change that is meant to alter it, run
//
//	go test ./examples/statuslint -run TestGolden -update
//
// and commit only differences that can be explained.
func TestGolden(t *testing.T) {
	const update1 = "-old testdata/stored.yaml -new testdata/sent.yaml"
	tests := []struct {
		file, args string
		code       int
	}{
		{"jobs.txt", "testdata/jobs.yaml", exitFindings},
		{"jobs-all.txt", "testdata/jobs.yaml -release all -width 100", exitFindings},
		{"jobs.json", "testdata/jobs.yaml -o json -release 1.31.14,1.36.3", exitFindings},
		{"jobs.sarif", "testdata/jobs.yaml -o sarif", exitFindings},
		{"update.txt", update1, exitFindings},
		{"update-all.txt", update1 + " -release all", exitFindings},
		{"update.json", update1 + " -o json", exitFindings},
		{"audit.txt", "-audit testdata/audit.log", exitFindings},
		{"answer.txt", "-error testdata/answer.json", exitFindings},
		{"answer.json.txt", "-error testdata/answer.json -o json", exitFindings},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			got := runWith(t, "", strings.Fields(tt.args)...)
			if got.code != tt.code || got.stderr != "" {
				t.Errorf("exit %d, want %d; stderr %s", got.code, tt.code, got.stderr)
			}
			clitest.Golden(t, filepath.Join("testdata", "golden", tt.file), got.stdout, *update)
			if strings.HasSuffix(tt.file, ".txt") && !strings.Contains(tt.args, "json") {
				fits(t, got.stdout, map[bool]int{false: 80, true: 100}[strings.Contains(tt.args, "100")])
			}
		})
	}
}

func fits(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); cli.Length(line) > width || strings.TrimRight(line, " ") != line {
			t.Errorf("too long, or space at the end: %q", line)
		}
	}
}

func TestExitStatus(t *testing.T) {
	clean := jobWith("a", "", `active: 1, startTime: "2026-03-02T10:00:00Z"`)
	odd := jobWith("b", "completions: 1", "succeeded: 2")
	bad := jobWith("c", "", "active: -1")
	tests := []struct {
		name, stdin, args string
		want              int
		says              string
	}{
		{"clean", clean, "-", exitClean, "looked at 1 status: nothing to report, by 1.32.13 - 1.37.2\n"},
		{"flags may come after files", clean, "- -release 1.36.3", exitClean, "nothing to report, by 1.36.3\n"},
		{"a warning", clean + odd, "-", exitFindings, "looked at 2 statuses: 0 errors, 1 warning\n"},
		{"an error", clean + bad, "-", exitFindings, "looked at 2 statuses: 1 error, 0 warnings\n"},
		{"clean, JSON", clean, "- -o json", exitClean, `"findings": [],`},
		{"clean, SARIF", clean, "- -o sarif", exitClean, `"results": []`},
		{"a Job without a status", jobWith("a", "", ""), "-", exitClean, "nothing to report"},
		{"help", "", "-h", exitClean, "  statuslint -audit FILE\n"},
		{"help, in the end", "", "x --help", exitClean, "  statuslint -audit FILE\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runWith(t, tt.stdin, strings.Fields(tt.args)...)
			if got.code != tt.want || got.stderr != "" || !strings.Contains(got.stdout, tt.says) {
				t.Errorf("exit %d, want %d\nstderr: %s\nstdout should contain %q:\n%s", got.code, tt.want, got.stderr, tt.says, got.stdout)
			}
		})
	}
}

// Several files are one run.
func TestSeveralFiles(t *testing.T) {
	clitest.Files(t, map[string]string{"a.yaml": jobWith("a", "", "active: -1"), "b.yaml": jobWith("a", "", "failed: -1")})
	got := runWith(t, jobWith("a", "", "succeeded: -1"), "a.yaml", "b.yaml", "-")
	for _, want := range []string{"a.yaml: document 1", "b.yaml: document 1", "standard input: document 1", "looked at 3 statuses: 3 errors"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
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
	p := program{name: "statuslint", stdin: strings.NewReader(jobWith("a", "", "")), stdout: closed, stderr: &stderr, now: someDay}
	if code := p.run([]string{"-"}); code != exitUsage || stderr.Len() == 0 {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}

// What stands in a manifest is shown, and does not reach the terminal as it is.
func TestNoEscapes(t *testing.T) {
	job := "apiVersion: batch/v1\nkind: Job\nmetadata: {name: \"a\\e[2J\"}\nstatus: {conditions: [{type: \"\\e[2J\", status: \"\\e[2J\"}]}\n"
	got := runWith(t, job, "-")
	if strings.Contains(got.stdout+got.stderr, "\x1b") || !strings.Contains(got.stdout, `a\u001b[2J`) {
		t.Errorf("got %q", got.stdout+got.stderr)
	}
}

// The text that -h prints fits a terminal, whatever the program is called.
func TestUsageFits(t *testing.T) {
	for path, name := range map[string]string{
		"/usr/bin/statuslint": "statuslint", "/home/u/bin/kubectl-statuslint": "kubectl statuslint", "kubectl-statuslint.exe": "kubectl statuslint", "main": "statuslint",
	} {
		if got := commandName(path); got != name {
			t.Errorf("%s: %s", path, got)
		}
		fits(t, program{name: name}.usage(), 80)
	}
}

// Of many findings of one rule there are ten, in every format, and all are counted.
func TestManyFindings(t *testing.T) {
	entries := func(n int) string {
		entry := "{type: X, status: 'yes', lastTransitionTime: '2026-03-02T10:00:00Z'}, "
		return jobWith("a", "", "conditions: ["+strings.Repeat(entry, n)+"], active: -1")
	}
	for n, want := range map[int]string{10: "", 11: "1 more", 12: "2 more", 2000: "1990 more"} {
		text := runWith(t, entries(n), "-").stdout
		if !strings.Contains(text, "status.conditions[9].status") || strings.Contains(text, "status.conditions[10].status") ||
			strings.Contains(text, "warning ConditionStatusInvalid: "+want+"\n") != (want != "") || !strings.Contains(text, fmt.Sprintf("1 error, %d warnings", n+n-1)) {
			t.Errorf("%d entries: no %q in\n%s", n, want, text)
		}
		asJSON := runWith(t, entries(n), "-", "-o", "json").stdout
		if strings.Count(asJSON, `"rule": "ConditionStatusInvalid"`) != 10 || !strings.Contains(asJSON, fmt.Sprintf(`"warnings": %d,`, n+n-1)) ||
			strings.Contains(asJSON, fmt.Sprintf(`"more": %d`, n-10)) != (n > 10) {
			t.Errorf("%d entries:\n%s", n, asJSON)
		}
		sarif := runWith(t, entries(n), "-", "-o", "sarif").stdout
		if strings.Count(sarif, `"ruleId": "ConditionStatusInvalid"`) != 10 || strings.Contains(sarif, want+" like it are left out.") != (n > 10) {
			t.Errorf("%d entries:\n%s", n, sarif)
		}
	}
}
