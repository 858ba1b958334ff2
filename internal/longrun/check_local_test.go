// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// checkStored looks at every version of every Job. A nil Job is one that is not there.
func (l *life) checkStored(c *cluster, old, job *batchv1.Job) {
	switch {
	case !c.isWorker() && job != nil:
		l.checkLocal(old, job)
	case c.isWorker() && job == nil && old != nil && l.mirrors[old.UID] != nil:
		l.checkGone(c, old)
	}
}

// checkLocal looks at a version of the local Job by itself, and notes its result.
func (l *life) checkLocal(old, job *batchv1.Job) {
	facts := l.jobs[job.UID]
	if facts.result != "" && facts.result != string(verdict(job)) {
		l.violate("a terminal result changes from %s to %q", facts.result, verdict(job))
	}
	if v := verdict(job); v != "" && facts.result == "" {
		facts.result = string(v)
		l.count("results: " + string(v))
	}
	if sizeOfAnnotations(job) > apivalidation.TotalAnnotationSizeLimitB {
		l.violate("annotations beyond the limit")
	}
	if d, err := l.planner.DispatchOf(job); err == nil && (d.Worker == "" || d.Evicting) {
		facts.lostOn = "" // it was taken off its worker: what is gone there is no loss
	}
	if old != nil && old.UID == job.UID {
		l.checkUpdate(facts, old, job)
	}
}

// checkUpdate looks at what has changed in the local Job.
func (l *life) checkUpdate(facts *jobFacts, old, job *batchv1.Job) {
	if suspends(old) && has(old, batchv1.JobSuspended) && !suspends(job) && l.isStopped(job) {
		facts.resumed = l.now
	}
	if has(old, batchv1.JobSuspended) && !has(job, batchv1.JobSuspended) {
		facts.resumed = time.Time{} // from here on startTime counts, which the API server may not let change
	}
	if fails(job) && !fails(old) {
		l.checkFailure(job)
	}
}

// mirrorsOf returns the mirrors of a Job that are there, by their cluster.
func (l *life) mirrorsOf(uid types.UID) map[*cluster]*batchv1.Job {
	all := map[*cluster]*batchv1.Job{}
	for _, c := range l.workers {
		if m := c.job(); m != nil && l.mirrors[m.UID] != nil && l.mirrors[m.UID].owner == uid {
			all[c] = m
		}
	}
	return all
}

// isStopped reports whether no mirror of a Job runs, or has not said yet that it does not.
func (l *life) isStopped(local *batchv1.Job) bool {
	for c, m := range l.mirrorsOf(local.UID) {
		if c.pods[m.UID] > 0 || !has(m, batchv1.JobSuspended) {
			return false
		}
	}
	return true
}

func fails(job *batchv1.Job) bool {
	return has(job, batchv1.JobFailureTarget) || has(job, batchv1.JobFailed)
}

// checkFailure sees that a failure is not that of pods which a deletion has killed.
func (l *life) checkFailure(local *batchv1.Job) {
	d, _ := l.planner.DispatchOf(local)
	for _, m := range l.mirrorsOf(local.UID) {
		isThis := d.Mirror == "" || d.Mirror == m.UID
		if isThis && l.mirrors[m.UID].killed && !looksExpired(m) {
			l.violate("a deletion becomes a failure")
		}
	}
}

// looksExpired reports whether nobody can tell a failure that the deletion made from one after which a TTL of 0 deleted
// the Job.
func looksExpired(m *batchv1.Job) bool {
	failed := condition(m, batchv1.JobFailed)
	return ptr.Deref(m.Spec.TTLSecondsAfterFinished, -1) == 0 && failed != nil && failed.LastTransitionTime.Equal(m.DeletionTimestamp)
}
