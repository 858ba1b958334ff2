// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

func TestCheckKnown(t *testing.T) {
	const multikueue = "kueue.x-k8s.io/multikueue"
	known := []string{dispatcher, multikueue}
	tests := []struct {
		name      string
		managedBy *string
		known     []string
		unknown   bool
		closest   string
		why       string
	}{
		{"unset", nil, nil, false, "", "the built-in controller is always there"},
		{"reserved", ptr.To(jobmanagedby.JobController), nil, false, "", "the built-in controller is always there"},
		{"known", ptr.To(multikueue), known, false, "", "the second of two"},
		{"misspelt", ptr.To("kueue.x-k8s.io/multikeue"), known, true, multikueue, "a letter is missing"},
		{"swapped", ptr.To("acme.io/dispacther"), known, true, dispatcher, "two letters are swapped"},
		{"too long by one", ptr.To(dispatcher + "s"), known, true, dispatcher, "a letter too many"},
		{"something else", ptr.To("example.com/batch"), known, true, "", "nothing is near"},
		{"empty", ptr.To(""), known, true, "", "no name at all"},
		{"nothing known", ptr.To(dispatcher), nil, true, "", "the caller knows none"},
		{"first of two as near", ptr.To("acme.io/dispatcher0"), []string{"acme.io/dispatcher1", "acme.io/dispatcher2"}, true,
			"acme.io/dispatcher1", "in the caller's order"},
		{"nearest, not first", ptr.To("acme.io/dispatcher0"), []string{"acme.io/dispatchers2", "acme.io/dispatcher2"}, true,
			"acme.io/dispatcher2", "one edit against two"},
		{"a third of the bytes", ptr.To("abc/de"), []string{"abc/xy"}, true, "abc/xy", "two edits of six bytes are near enough"},
		{"above a third of the bytes", ptr.To("abc/def"), []string{"abc/xyz"}, true, "", "three edits of seven bytes are not"},
		{"reserved name misspelt", ptr.To("kubernetes.io/job-controler"), known, true, jobmanagedby.JobController, "always known"},
		{"too long to be a name", ptr.To(strings.Repeat("x", 1000)), []string{strings.Repeat("x", 1001)}, true, "", "not compared"},
		{"only the known one is too long", ptr.To(dispatcher), []string{dispatcher + strings.Repeat("x", 60)}, true, "", "not compared"},
		{"known although too long", ptr.To(strings.Repeat("x", 1000)), []string{strings.Repeat("x", 1000)}, false, "", "equal is equal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := jobmanagedby.CheckKnown(jobFor(tt.managedBy), tt.known...)
			if !tt.unknown {
				if err != nil {
					t.Errorf("CheckKnown = %v: %s", err, tt.why)
				}
				return
			}
			var unknown *jobmanagedby.UnknownControllerError
			if !errors.As(err, &unknown) || unknown.Controller != *tt.managedBy || unknown.Closest != tt.closest {
				t.Fatalf("CheckKnown = %v, want closest %q: %s", err, tt.closest, tt.why)
			}
			if strings.Contains(err.Error(), "did you mean") != (tt.closest != "") || !strings.Contains(err.Error(), tt.closest) {
				t.Errorf("message %q", err)
			}
		})
	}
}
