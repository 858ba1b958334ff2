// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// What a reconcile asks on every pass, and what a validator asks per status, allocates nothing.
func TestReadingAllocatesNothing(t *testing.T) {
	jobs := []*batchv1.Job{jobFor(nil), jobFor(ptr.To("")), jobFor(ptr.To(jobmanagedby.JobController)), jobFor(ptr.To(dispatcher))}
	all := []jobmanagedby.Release{{}}
	for _, rel := range releases {
		r := mustParse(t, rel.version)
		r.Gate = rel.gate
		if rel.emulated != "" {
			r.Emulation = mustParse(t, rel.emulated).Version
		}
		all = append(all, r)
	}
	for name, read := range map[string]func(){
		"ManagedBy":       func() { each(jobs, func(j *batchv1.Job) bool { return jobmanagedby.ManagedBy(j) == "" }) },
		"IsManagedBy":     func() { each(jobs, func(j *batchv1.Job) bool { return jobmanagedby.IsManagedBy(j, dispatcher) }) },
		"BuiltInSkips":    func() { each(jobs, jobmanagedby.BuiltInSkips) },
		"Dropped":         func() { each(jobs, func(j *batchv1.Job) bool { return jobmanagedby.Dropped(j, jobs[0]) }) },
		"ValidateUpdate":  func() { each(jobs, func(j *batchv1.Job) bool { return jobmanagedby.ValidateUpdate(j, j) == nil }) },
		"HonorsManagedBy": func() { each(all, jobmanagedby.Release.HonorsManagedBy) },
		"AtLeast":         func() { each(all, func(r jobmanagedby.Release) bool { return r.AtLeast(1, 34, 2) }) },
		"Hazard":          func() { each(hazards, jobmanagedby.Reason.Hazard) },
		"TemplateManagedBy": func() {
			each(templates, func(t *batchv1.JobTemplateSpec) bool { return jobmanagedby.TemplateManagedBy(t) == "" })
		},
	} {
		if n := testing.AllocsPerRun(100, read); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

var (
	hazards   = []jobmanagedby.Reason{jobmanagedby.ReasonDelegated, jobmanagedby.ReasonGateOff, "Other"}
	templates = []*batchv1.JobTemplateSpec{{}, {Spec: batchv1.JobSpec{ManagedBy: ptr.To(dispatcher)}}}
)

// each keeps the calls from being optimised away.
func each[T any](values []T, f func(T) bool) {
	for _, v := range values {
		if f(v) {
			count++
		}
	}
}

var count int

func BenchmarkManagedBy(b *testing.B) {
	for name, job := range map[string]*batchv1.Job{"unset": jobFor(nil), "delegated": jobFor(ptr.To(dispatcher))} {
		b.Run("field="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				count += len(jobmanagedby.ManagedBy(job))
			}
		})
	}
}

func BenchmarkDecide(b *testing.B) {
	job := jobFor(ptr.To(dispatcher))
	for _, v := range []string{"1.31.14", "1.35.4"} {
		r := mustParse(b, v)
		b.Run("release="+v, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				count += len(jobmanagedby.Decide(job, r).Message)
			}
		})
	}
}

func BenchmarkHonorsManagedBy(b *testing.B) {
	for _, v := range []string{"1.29", "1.34.2", "1.37.2"} {
		r := mustParse(b, v)
		b.Run("release="+v, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r.HonorsManagedBy() {
					count++
				}
			}
		})
	}
}

func BenchmarkValidateName(b *testing.B) {
	for _, tt := range []struct{ key, name string }{{"valid", dispatcher}, {"invalid", "Acme.io/the dispatcher"}} {
		b.Run("name="+tt.key, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				count += len(jobmanagedby.ValidateName(tt.name, nil))
			}
		})
	}
}
