// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// row is a Job as the table shows it.
type row struct {
	name, managedBy, worker, outcome string
	active, ready                    int32
	succeeded, failed                int32
	conditions                       []batchv1.JobConditionType
	age                              time.Duration
	gone                             bool
}

func rowOf(job *batchv1.Job, worker, outcome string, now time.Time) row {
	r := row{
		name: job.Name, managedBy: jobmanagedby.ManagedBy(job), worker: worker, outcome: outcome,
		active: job.Status.Active, ready: ptr.Deref(job.Status.Ready, 0),
		succeeded: job.Status.Succeeded, failed: job.Status.Failed,
		age: now.Sub(job.CreationTimestamp.Time),
	}
	for _, c := range job.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			r.conditions = append(r.conditions, c.Type)
		}
	}
	return r
}

func (r row) is(condition batchv1.JobConditionType) bool {
	for _, c := range r.conditions {
		if c == condition {
			return true
		}
	}
	return false
}

// end is how the Job has ended so far: a terminal condition, deleted, or its outcome.
func (r row) end() string {
	switch {
	case r.gone:
		return "deleted"
	case r.is(batchv1.JobComplete):
		return "Complete"
	case r.is(batchv1.JobFailed):
		return "Failed"
	default:
		return r.outcome
	}
}

const layout = "%-11s %-36s %-9s %-14s %-12s %-30s %4s"

func header() string {
	return fmt.Sprintf(layout, "JOB", "MANAGED BY", "WORKER", "OUTCOME", "ACT/RDY/S/F", "CONDITIONS", "AGE")
}

// String is the row without its age, which changes all the time.
func (r row) String() string { return strings.TrimRight(r.format(""), " ") }

func (r row) withAge() string { return r.format(fmt.Sprintf("%ds", int(r.age.Seconds()))) }

func (r row) format(age string) string {
	var conditions []string
	for _, c := range r.conditions {
		conditions = append(conditions, string(c))
	}
	if r.gone {
		return fmt.Sprintf(layout, r.name, "", "", "", "", "deleted", "")
	}
	counts := fmt.Sprintf("%d/%d/%d/%d", r.active, r.ready, r.succeeded, r.failed)
	return fmt.Sprintf(layout, r.name, r.managedBy, cmp.Or(r.worker, "-"), cmp.Or(r.outcome, "-"), counts, strings.Join(conditions, ","), age)
}
