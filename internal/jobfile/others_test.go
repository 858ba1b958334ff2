// SPDX-License-Identifier: Apache-2.0

package jobfile_test

import (
	"errors"
	"testing"

	"github.com/managedby-dev/managedby/internal/jobfile"
)

// What is no Job is passed over where there is a Job, and is an error where there is none; a list without
// anything is told from a file without anything.
func TestOtherKinds(t *testing.T) {
	const (
		pod     = "{apiVersion: v1, kind: Pod}"
		volcano = "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job}"
		empty   = "apiVersion: v1\nkind: List\nitems: []\n---\n"
	)
	list := func(items string) string { return "apiVersion: v1\nkind: List\nitems: [" + items + "]\n---\n" }
	tests := []struct {
		name, text string
		warning    string
		other      string // kind and version of what is refused
		emptyList  bool
	}{
		{"a document", pod + "\n---\n" + jobNamed("a"), "f: no Jobs, and passed over: 1 Pod of v1", "", false},
		{"items", jobNamed("a") + list(pod+","+volcano+","+pod), "f: no Jobs, and passed over: 1 Job of batch.volcano.sh/v1alpha1, 2 Pod of v1", "", false},
		{"another list", jobNamed("a") + "{apiVersion: v1, kind: PodList, items: [" + pod + "]}", "f: no Jobs, and passed over: 1 PodList of v1", "", false},
		{"no version", jobNamed("a") + "{kind: Thing}", "f: no Jobs, and passed over: 1 Thing", "", false},
		{"no others", jobNamed("a") + empty, "", "", false},
		{"nothing but others", list(volcano + "," + pod), "", "Job batch.volcano.sh/v1alpha1", false},
		{"nothing but an empty list", empty + empty, "", "", true},
		{"a JobList", "{apiVersion: batch/v1, kind: JobList, items: []}", "", "", true},
	}
	for _, tt := range tests {
		jobs, warnings, err := jobfile.Parse("f", []byte(tt.text))
		var other *jobfile.OtherKindError
		switch {
		case tt.other != "":
			if !errors.As(err, &other) || other.Kind+" "+other.APIVersion != tt.other {
				t.Errorf("%s: %v", tt.name, err)
			}
		case errors.Is(err, jobfile.ErrEmptyList) != tt.emptyList || (err != nil) != tt.emptyList:
			t.Errorf("%s: %v", tt.name, err)
		case !tt.emptyList && len(jobs) != 1, len(warnings) > 1, len(warnings) == 1 != (tt.warning != ""), tt.warning != "" && warnings[0] != tt.warning:
			t.Errorf("%s: %d Jobs, %q", tt.name, len(jobs), warnings)
		}
	}
}
