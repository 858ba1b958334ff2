// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// podsOfAJob is how many pods a mirror has that runs.
const podsOfAJob = 2

// end says how a Job that runs is to end.
type end int

const (
	byChance end = iota
	notYet
	inSuccess
)

// work is one step of a worker: of the garbage collector, or else of the Job controller.
func (c *cluster) work(how end) {
	job := c.job()
	c.collectLeftovers()
	if job == nil || c.life.mirrors[job.UID] == nil || c.collect() {
		return
	}
	c.sync(how)
}

// sync is one step of the Job controller, as syncJob in pkg/controller/job does it, with pods that come and go at once.
func (c *cluster) sync(how end) {
	job, pods := c.job(), c.pods[c.job().UID]
	switch {
	case verdict(job) != "":
		c.expire()
	case has(job, batchv1.JobFailureTarget):
		c.conclude(batchv1.JobFailed, condition(job, batchv1.JobFailureTarget).Reason)
	case has(job, batchv1.JobSuccessCriteriaMet):
		c.conclude(batchv1.JobComplete, "CompletionsReached")
	case c.isPastDeadline(job) && pods > 0:
		c.fail("DeadlineExceeded")
	case suspends(job):
		c.suspend()
	case pods == 0 && job.DeletionTimestamp == nil:
		c.start()
	case pods > 0:
		c.progress(how)
	}
}

func (c *cluster) isPastDeadline(job *batchv1.Job) bool {
	limit, start := job.Spec.ActiveDeadlineSeconds, job.Status.StartTime
	return limit != nil && start != nil && !suspends(job) && c.clock().Sub(start.Time) >= time.Duration(*limit)*time.Second
}

func (c *cluster) suspend() {
	c.pods[c.job().UID] = 0
	c.write(func(s *batchv1.JobStatus) {
		quiet(s)
		c.set(s, batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended")
	})
}

// start makes pods; often they are not in the status yet.
func (c *cluster) start() {
	job, r := c.job(), c.life.rand
	c.pods[job.UID] = podsOfAJob
	c.life.checkAlone(c.life.jobs[c.life.mirrors[job.UID].owner], job)
	shown := oneIn(r, 2)
	c.write(func(s *batchv1.JobStatus) {
		now := c.clock()
		if has(job, batchv1.JobSuspended) {
			c.set(s, batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed")
			s.StartTime = &now
		}
		if s.StartTime == nil {
			s.StartTime = &now
		}
		if shown {
			s.Active = podsOfAJob
		}
	})
}

// progress is what becomes of pods that run.
func (c *cluster) progress(how end) {
	r := c.life.rand
	x := r.IntN(16)
	switch {
	case how == inSuccess || how == byChance && x == 0:
		c.succeed()
	case how == byChance && (x == 1 || x >= 14):
		c.fail("BackoffLimitExceeded")
	case c.job().Status.Active == 0 && oneIn(r, 2): // the status is still behind
	default:
		c.write(func(s *batchv1.JobStatus) {
			s.Active = podsOfAJob
			switch x {
			case 2:
				s.Failed++
			case 3:
				s.Succeeded = min(s.Succeeded+1, 3)
			case 4:
				s.Ready = ptr.To(s.Active)
			}
		})
	}
}

// succeed promises a success, and often keeps the promise at once. Old workers promise nothing.
func (c *cluster) succeed() {
	if !c.life.traits.oldWorkers {
		c.write(func(s *batchv1.JobStatus) {
			c.set(s, batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue, "CompletionsReached")
		})
	}
	if c.life.traits.oldWorkers || oneIn(c.life.rand, 2) {
		c.conclude(batchv1.JobComplete, "CompletionsReached")
	}
}

// fail is succeed for a failure.
func (c *cluster) fail(reason string) {
	if !c.life.traits.oldWorkers {
		c.write(func(s *batchv1.JobStatus) {
			s.Failed++
			c.set(s, batchv1.JobFailureTarget, corev1.ConditionTrue, reason)
		})
	}
	if c.life.traits.oldWorkers || oneIn(c.life.rand, 2) {
		c.conclude(batchv1.JobFailed, reason)
	}
}

// conclude ends the pods and writes the verdict. Workers before 1.31 do not wait for pods that terminate, and never count
// them down after that.
func (c *cluster) conclude(kind batchv1.JobConditionType, reason string) {
	frozen := c.life.traits.oldWorkers && oneIn(c.life.rand, 2)
	c.pods[c.job().UID] = 0
	c.write(func(s *batchv1.JobStatus) {
		quiet(s)
		if frozen {
			s.Terminating = ptr.To[int32](1)
		}
		if s.StartTime == nil {
			s.StartTime = ptr.To(c.clock())
		}
		if kind == batchv1.JobComplete {
			s.Succeeded, s.CompletionTime = 4, ptr.To(c.clock())
		}
		c.set(s, kind, corev1.ConditionTrue, reason)
	})
	c.expire() // a TTL of 0 may take it in the same second
}

// quiet is the status of a Job without pods.
func quiet(s *batchv1.JobStatus) {
	s.Active, s.Ready, s.Terminating = 0, ptr.To[int32](0), ptr.To[int32](0)
}

// write writes the status, with the lists of indexes where the workers of this life have them.
func (c *cluster) write(change func(*batchv1.JobStatus)) {
	c.edit(func(job *batchv1.Job) {
		change(&job.Status)
		if c.life.traits.indexed && *job.Spec.CompletionMode == batchv1.IndexedCompletion {
			fillIndexes(job)
		}
	})
}

// set is setJobCondition of the Job controller.
func (c *cluster) set(s *batchv1.JobStatus, kind batchv1.JobConditionType, status corev1.ConditionStatus, reason string) {
	for i := range s.Conditions {
		if was := &s.Conditions[i]; was.Type == kind {
			if was.Status != status {
				was.Status, was.Reason, was.LastTransitionTime = status, reason, c.clock()
			}
			return
		}
	}
	s.Conditions = append(s.Conditions, batchv1.JobCondition{Type: kind, Status: status, Reason: reason, LastTransitionTime: c.clock()})
}
