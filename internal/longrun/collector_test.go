// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"fmt"
	"maps"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// soon is true at once in the fair phase, and now and then before.
func (l *life) soon() bool { return l.fair || oneIn(l.rand, 3) }

// collectLeftovers ends pods that a deletion in the background has left.
func (c *cluster) collectLeftovers() {
	for _, uid := range slices.Sorted(maps.Keys(c.pods)) {
		if job := c.job(); c.pods[uid] > 0 && (job == nil || job.UID != uid) && c.life.soon() {
			delete(c.pods, uid)
		}
	}
}

// collect is the garbage collector with a deletion in the foreground: first the pods, then its finalizer. It reports
// whether it did anything.
func (c *cluster) collect() bool {
	job := c.job()
	if job.DeletionTimestamp == nil || !slices.Contains(job.Finalizers, metav1.FinalizerDeleteDependents) || !c.life.soon() {
		return false
	}
	if c.pods[job.UID] > 0 {
		c.kill()
		return true
	}
	c.edit(func(job *batchv1.Job) {
		if job.Status.Active > 0 && verdict(job) == "" {
			quiet(&job.Status)
		}
		job.Finalizers = slices.DeleteFunc(job.Finalizers, func(f string) bool { return f == metav1.FinalizerDeleteDependents })
	})
	return true
}

// kill deletes pods. They count as failed, and may be one too many.
func (c *cluster) kill() {
	job, r := c.job(), c.life.rand
	killed := c.pods[job.UID]
	c.pods[job.UID] = 0
	tooMany := verdict(job) == "" && !has(job, batchv1.JobSuccessCriteriaMet) && !has(job, batchv1.JobFailureTarget) && oneIn(r, 2)
	c.write(func(s *batchv1.JobStatus) {
		quiet(s)
		s.Failed += int32(killed)
	})
	if tooMany {
		c.life.mirrors[job.UID].killed = true
		c.life.count("failures made by a deletion")
		c.fail("BackoffLimitExceeded")
	}
}

// expire is the TTL controller. It deletes in the foreground.
func (c *cluster) expire() {
	job := c.job()
	ttl := job.Spec.TTLSecondsAfterFinished
	if ttl == nil || job.DeletionTimestamp != nil || oneIn(c.life.rand, 3) {
		return
	}
	finished := condition(job, verdict(job)).LastTransitionTime
	if c.clock().Sub(finished.Time) < time.Duration(*ttl)*time.Second {
		return
	}
	c.life.logf("%s: the TTL of %s", c.name, job.UID)
	c.life.count("deletions by a TTL")
	c.life.disturb(job, byTTL)
	c.remove(metav1.DeletePropagationForeground)
}

// disturb notes that somebody other than the controller deletes a mirror.
func (l *life) disturb(job *batchv1.Job, by string) {
	m := l.mirrors[job.UID]
	if m.deletedBy == "" {
		m.deletedBy = by
	}
	l.jobs[m.owner].disturbed = true
}

// fillIndexes makes the lists of indexes that go with the counters.
func fillIndexes(job *batchv1.Job) {
	s, n := &job.Status, *job.Spec.Completions
	if verdict(job) == batchv1.JobComplete {
		s.Succeeded = n
	}
	done := min(s.Succeeded, n)
	switch done {
	case 0:
		s.CompletedIndexes = ""
	case 1:
		s.CompletedIndexes = "0"
	default:
		s.CompletedIndexes = fmt.Sprintf("0-%d", done-1)
	}
	if job.Spec.BackoffLimitPerIndex == nil {
		return
	}
	s.FailedIndexes = ptr.To("")
	if s.Failed > 0 && done < n {
		s.FailedIndexes = ptr.To(fmt.Sprint(n - 1))
	}
}
