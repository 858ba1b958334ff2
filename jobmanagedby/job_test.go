// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

const dispatcher = "acme.io/dispatcher"

// jobFor returns a Job with spec.managedBy as given.
func jobFor(name *string) *batchv1.Job {
	return &batchv1.Job{Spec: batchv1.JobSpec{ManagedBy: name}}
}

func TestManagedBy(t *testing.T) {
	tests := []struct {
		name      string
		managedBy *string
		want      string
		skips     bool
		why       string
	}{
		{"unset", nil, jobmanagedby.JobController, false, "the field is not defaulted; unset is the built-in controller"},
		{"reserved", ptr.To("kubernetes.io/job-controller"), jobmanagedby.JobController, false, "the same as unset"},
		{"other", ptr.To(dispatcher), dispatcher, true, "any other name is a foreign one"},
		{"empty", ptr.To(""), "", true, "upstream compares with nil and the reserved name only"},
		{"upper case", ptr.To("Kubernetes.io/Job-Controller"), "Kubernetes.io/Job-Controller", true, "compared byte for byte"},
		{"space", ptr.To(" kubernetes.io/job-controller"), " kubernetes.io/job-controller", true, "compared byte for byte"},
		{"prefix", ptr.To("kubernetes.io/job-controller-2"), "kubernetes.io/job-controller-2", true, "compared as a whole"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := jobFor(tt.managedBy)
			template := &batchv1.JobTemplateSpec{Spec: job.Spec}
			if got := jobmanagedby.ManagedBy(job); got != tt.want {
				t.Errorf("ManagedBy = %q, want %q: %s", got, tt.want, tt.why)
			}
			if got := jobmanagedby.TemplateManagedBy(template); got != tt.want {
				t.Errorf("TemplateManagedBy = %q, want %q: %s", got, tt.want, tt.why)
			}
			if got := jobmanagedby.BuiltInSkips(job); got != tt.skips {
				t.Errorf("BuiltInSkips = %v, want %v: %s", got, tt.skips, tt.why)
			}
			for _, controller := range []string{tt.want, dispatcher, jobmanagedby.JobController, "", "acme.io/Dispatcher"} {
				if got, want := jobmanagedby.IsManagedBy(job, controller), controller == tt.want; got != want {
					t.Errorf("IsManagedBy(%q) = %v, want %v", controller, got, want)
				}
			}
		})
	}
}

// The reserved name is part of the API of every cluster; it must not change with a Go module.
func TestJobControllerIsTheReservedName(t *testing.T) {
	if jobmanagedby.JobController != "kubernetes.io/job-controller" {
		t.Errorf("JobController = %q", jobmanagedby.JobController)
	}
}

func TestNilJobPanics(t *testing.T) {
	job := jobFor(nil)
	for name, call := range map[string]func(){
		"ManagedBy":          func() { jobmanagedby.ManagedBy(nil) },
		"TemplateManagedBy":  func() { jobmanagedby.TemplateManagedBy(nil) },
		"IsManagedBy":        func() { jobmanagedby.IsManagedBy(nil, dispatcher) },
		"BuiltInSkips":       func() { jobmanagedby.BuiltInSkips(nil) },
		"Decide":             func() { jobmanagedby.Decide(nil, jobmanagedby.Release{}) },
		"ValidateUpdate new": func() { jobmanagedby.ValidateUpdate(nil, job) },
		"ValidateUpdate old": func() { jobmanagedby.ValidateUpdate(job, nil) },
		"Dropped":            func() { jobmanagedby.Dropped(nil, job) },
		"Default":            func() { jobmanagedby.Default(nil, dispatcher) },
		"DefaultTemplate":    func() { jobmanagedby.DefaultTemplate(nil, dispatcher) },
		"DelegateTemplate":   func() { _ = jobmanagedby.DelegateTemplate(nil, dispatcher) },
		"Delegate":           func() { _ = jobmanagedby.Delegate(nil, dispatcher) },
		"CheckKnown":         func() { _ = jobmanagedby.CheckKnown(nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("a nil Job was taken for a Job")
				}
			}()
			call()
		})
	}
}
