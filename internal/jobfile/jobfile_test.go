// SPDX-License-Identifier: Apache-2.0

package jobfile_test

import (
	"strings"
	"testing"

	"github.com/managedby-dev/managedby/internal/jobfile"
)

func jobNamed(name string) string {
	return "apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: team, name: " + name + "}\n---\n"
}

func parse(t *testing.T, file, text string) []jobfile.Sourced {
	t.Helper()
	jobs, warnings, err := jobfile.Parse(file, []byte(text))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return jobs
}

// What is in a file is found, and where. Everything that may be wrong with a file is in the tests of
// examples/walkthrough, which a user would see.
func TestParse(t *testing.T) {
	jobs := parse(t, "f", jobNamed("a")+"{apiVersion: v1, kind: List, items: [{apiVersion: batch/v1, kind: Job, metadata: {name: b}}]}")
	if got := jobfile.Names(jobs); got != "team/a, /b" {
		t.Error(got)
	}
	if got := jobs[1].At.String(); got != "f: document 2: items[0]" {
		t.Error(got)
	}
	if got := jobs[1].At.Errorf("spec", "it is %d", 3).Error(); got != "f: document 2: items[0].spec: it is 3" {
		t.Error(got)
	}
}

func TestReadRefusesRepeats(t *testing.T) {
	_, _, err := jobfile.Read(jobfile.Stdin, strings.NewReader(jobNamed("a")+jobNamed("b")+jobNamed("a")))
	if err == nil || err.Error() != "standard input: document 3: metadata.name: Job team/a is there twice, first in standard input: document 1" {
		t.Error(err)
	}
}

func TestMatch(t *testing.T) {
	ours := parse(t, "ours", jobNamed("a")+jobNamed("b")+jobNamed("c"))
	theirs := parse(t, "theirs", jobNamed("d")+jobNamed("c")+jobNamed("a"))
	pairs, alone, err := jobfile.Match(ours, theirs)
	if err != nil || len(pairs) != 2 || pairs[0][0].Key() != "team/a" || pairs[1][1].At.Document != 2 {
		t.Errorf("%v, %v", pairs, err)
	}
	if got := jobfile.Alone(alone, "theirs"); got != "ours: not in theirs, and passed over: team/b" {
		t.Error(got)
	}
	if _, _, err = jobfile.Match(ours[1:2], theirs); err == nil || !strings.Contains(err.Error(), "theirs has team/d, team/c, team/a") {
		t.Error(err)
	}
}
