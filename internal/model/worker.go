// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// jobController is the built-in Job controller of a worker: it makes pods, and then writes what has become
// of them in steps of their own. A release before 1.31 (Config.OldWorker) promises no verdict and counts no
// terminating pod down once the Job has finished.
func (m *Model) jobController(s *state, worker uint8, emit func(stepKind, state)) {
	at := s.site(worker)
	o := &m.objects[at.job]
	if at.job == 0 || o.stranger {
		return
	}
	switch {
	case o.verdict != "":
	case o.promise != "" && at.pods == noPod:
		emit(jobFinishes, m.write(*s, worker, "finish", finish))
	case o.promise != "":
	case at.pods == succeeded:
		emit(jobSucceeds, m.write(*s, worker, "succeed", m.succeed))
	case at.pods == failed:
		if o.job.Status.Failed == 0 && !o.deleting {
			emit(jobRetries, m.write(*s, worker, "retry", retry))
		}
		emit(jobFails, m.write(*s, worker, "fail", m.fail))
	default:
		m.runPods(s, worker, o, emit)
	}
}

// runPods makes and deletes the pod of an unfinished Job, and counts.
func (m *Model) runPods(s *state, worker uint8, o *object, emit func(stepKind, state)) {
	at := s.site(worker)
	switch {
	case o.deleting:
	case !o.suspended && at.pods == noPod:
		emit(podStarts, withPods(*s, worker, running))
	case o.suspended && at.pods == running:
		emit(podDeleted, withPods(*s, worker, terminating))
	}
	if counted := m.count(*s, worker); counted.site(worker).job != at.job {
		emit(jobCounts, counted)
	}
	if o.deleting && at.pods == noPod && o.job.Status.Active+ptr.Deref(o.job.Status.Terminating, 0) > 0 {
		emit(jobFailsLate, m.write(*s, worker, "fail", m.fail)) // a pod that was deleted counts as failed
	}
	if m.config.OldWorker && o.deleting && at.pods == terminating {
		emit(jobFailsLate, m.write(*s, worker, "deadline", m.deadline)) // it counts as failed while it terminates
	}
	if at.pods == running && !o.deleting && !o.suspended && s.left.allows(s.left.Failures) {
		next := m.write(*s, worker, "deadline", m.deadline)
		next.site(worker).pods = terminating
		next.left.spend(&next.left.Failures)
		emit(jobDeadline, next)
	}
}

func withPods(s state, worker uint8, p phase) state {
	s.site(worker).pods = p
	return s
}

// write is a write of the Job's status by the Job controller. Pods that have exited are counted by it.
func (m *Model) write(s state, worker uint8, op string, change func(*batchv1.Job)) state {
	at := s.site(worker)
	run := m.freshRun(&s)
	to := m.edit(at.job, op, run, func(job *batchv1.Job) {
		if job.Status.StartTime == nil {
			job.Status.StartTime = ptr.To(runTime(run))
		}
		change(job)
	})
	if at.pods == succeeded || at.pods == failed {
		at.pods = noPod
	}
	m.replaceJob(&s, worker, to, to != at.job)
	return s
}

// count writes how many pods there are, and that the Job is suspended or resumed.
func (m *Model) count(s state, worker uint8) state {
	at := s.site(worker)
	pods, run := at.pods, m.freshRun(&s)
	to := m.edit(at.job, "count "+pods.String(), run, func(job *batchv1.Job) {
		st := &job.Status
		st.Active, st.Terminating = 0, ptr.To[int32](0)
		switch pods {
		case running:
			st.Active = 1
		case terminating:
			st.Terminating = ptr.To[int32](1)
		}
		if job.DeletionTimestamp == nil {
			suspendOrResume(job, runTime(run))
		}
	})
	m.replaceJob(&s, worker, to, to != at.job)
	return s
}

// suspendOrResume does what syncJob in pkg/controller/job does: a Job that is resumed starts anew.
func suspendOrResume(job *batchv1.Job, start metav1.Time) {
	st := &job.Status
	i := slices.IndexFunc(st.Conditions, func(c batchv1.JobCondition) bool { return c.Type == batchv1.JobSuspended })
	switch suspend := ptr.Deref(job.Spec.Suspend, false); {
	case suspend && i < 0:
		st.Conditions = append(st.Conditions, condition(batchv1.JobSuspended, "JobSuspended", suspendTime))
	case suspend && st.Conditions[i].Status != corev1.ConditionTrue:
		st.Conditions[i] = condition(batchv1.JobSuspended, "JobSuspended", suspendTime)
	case !suspend && i >= 0 && st.Conditions[i].Status == corev1.ConditionTrue:
		st.Conditions[i] = condition(batchv1.JobSuspended, "JobResumed", suspendTime)
		st.Conditions[i].Status = corev1.ConditionFalse
		st.StartTime = start.DeepCopy()
	case !suspend && st.StartTime == nil:
		st.StartTime = start.DeepCopy()
	}
}

func condition(t batchv1.JobConditionType, reason string, at metav1.Time) batchv1.JobCondition {
	return batchv1.JobCondition{Type: t, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: at}
}

// endTime is when a run ends.
func endTime(job *batchv1.Job) metav1.Time {
	if job.DeletionTimestamp != nil {
		return late
	}
	return early
}

func (m *Model) succeed(job *batchv1.Job) {
	st := &job.Status
	st.Active, st.Succeeded, st.Terminating = 0, 1, ptr.To[int32](0)
	if m.config.OldWorker {
		conclude(job, batchv1.JobComplete)
		return
	}
	st.Conditions = append(st.Conditions, condition(batchv1.JobSuccessCriteriaMet, "CompletionsReached", endTime(job)))
}

func (m *Model) fail(job *batchv1.Job) {
	job.Status.Failed, job.Status.Active, job.Status.Terminating = 1, 0, ptr.To[int32](0)
	m.promiseFailure(job)
}

// deadline is a failure of the Job while its pod runs.
func (m *Model) deadline(job *batchv1.Job) {
	job.Status.Failed, job.Status.Active, job.Status.Terminating = 1, 0, ptr.To[int32](1)
	m.promiseFailure(job)
}

func (m *Model) promiseFailure(job *batchv1.Job) {
	if m.config.OldWorker {
		conclude(job, batchv1.JobFailed)
		return
	}
	job.Status.Conditions = append(job.Status.Conditions, condition(batchv1.JobFailureTarget, "Failure", endTime(job)))
}

func retry(job *batchv1.Job) {
	job.Status.Failed, job.Status.Active, job.Status.Terminating = 1, 0, ptr.To[int32](0)
}

// finish keeps the promise.
func finish(job *batchv1.Job) {
	job.Status.Active, job.Status.Terminating = 0, ptr.To[int32](0)
	verdict := batchv1.JobComplete
	for _, c := range job.Status.Conditions {
		if c.Type == batchv1.JobFailureTarget {
			verdict = batchv1.JobFailed
		}
	}
	conclude(job, verdict)
}

func conclude(job *batchv1.Job, verdict batchv1.JobConditionType) {
	end := endTime(job)
	job.Status.Conditions = append(job.Status.Conditions, condition(verdict, "Concluded", end))
	if verdict == batchv1.JobComplete {
		job.Status.CompletionTime = end.DeepCopy()
	}
}
