// SPDX-License-Identifier: Apache-2.0

package jobfile_test

import (
	"strings"
	"testing"
)

const numbered = `# a file
---
apiVersion: batch/v1
kind: Job
metadata:
  name: status
  annotations:
    text: |
      status:
        active: 1
status:
  # the first
  conditions:
  - lastTransitionTime: "2026-01-01T00:00:00Z"
    status: "True"
    type: Failed

  - status: "True"
    type: Complete
  startTime: null
---
apiVersion: v1
kind: List
items:
- apiVersion: batch/v1
  kind: Job
  metadata: {name: a}
- apiVersion: batch/v1
  kind: Job
  metadata: {name: b}
  status:
    conditions:
      - type: Failed
        status: "True"
    active: 1
`

// Lines are those of the field, or of what is there around it.
func TestLine(t *testing.T) {
	for _, newline := range []string{"\n", "\r\n"} {
		jobs := parse(t, "f", strings.ReplaceAll(numbered, "\n", newline))
		tests := []struct {
			job  int
			path string
			want int
		}{
			{0, "status", 11}, {0, "status.conditions", 13}, {0, "status.conditions[0].lastTransitionTime", 14},
			{0, "status.conditions[0].type", 16}, {0, "status.conditions[1].status", 18}, {0, "status.conditions[1].type", 19},
			{0, "status.conditions[1].reason", 18}, {0, "status.conditions[2].type", 13}, {0, "status.startTime", 20},
			{0, "status.active", 11}, {0, "metadata.annotations.text", 8}, {0, "nothing", 0},
			{1, "status.active", 25}, {1, "metadata", 27},
			{2, "status.active", 35}, {2, "status.conditions[0].type", 33}, {2, "status.conditions[0].status", 34}, {2, "status.ready", 31},
		}
		for _, tt := range tests {
			if got := jobs[tt.job].Line(tt.path); got != tt.want {
				t.Errorf("%s of %v: line %d, want %d", tt.path, jobs[tt.job].At, got, tt.want)
			}
		}
	}
}

// Documents that are alike stand where they stand, and so do the items of a long list.
func TestLineOfMany(t *testing.T) {
	const many = 20_000
	jobs := parse(t, "f", strings.Repeat(jobNamed("a"), many))
	for i, j := range jobs {
		if got := j.Line("metadata"); got != 4*i+3 {
			t.Fatalf("document %d: line %d", i, got)
		}
	}
	for _, indent := range []string{"", "  "} {
		item := indent + "- apiVersion: batch/v1\n" + indent + "  kind: Job\n" + indent + "  metadata:\n" + indent + "    name: a\n"
		jobs = parse(t, "f", "apiVersion: v1\nitems:\n"+strings.Repeat(item, many)+"kind: List\n")
		for i, j := range jobs {
			if got := j.Line("metadata.name"); got != 4*i+6 {
				t.Fatalf("item %d: line %d", i, got)
			}
		}
	}
}

// JSON has no lines to speak of.
func TestNoLine(t *testing.T) {
	for _, job := range parse(t, "f", `{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "status": {"active": 1}}`+
		"\n{\n\"apiVersion\": \"batch/v1\",\nkind: Job, metadata: {name: b}\n}") {
		if got := job.Line("status.active"); got != 0 {
			t.Errorf("line %d", got)
		}
	}
}
