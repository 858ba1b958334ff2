// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// workload is all that the next step depends on the kind of the object for; the table and its rows are the same
// for every kind. A row passes its situation, by value, so that it stays on the stack.
type workload interface {
	// build returns the action that creates the mirror.
	build(situation) (Action, error)
	// project plans the local status for that of the mirror.
	project(situation) projection
	// projectDeleting is project for a mirror that is being deleted: a failure that the deletion may have caused is
	// no result. It reports, too, whether no result can come any more.
	projectDeleting(situation) (status projection, isOver bool)
	// projectIdle plans the local status as if a mirror without pods showed it, with one more condition unless
	// that is nil.
	projectIdle(situation, *batchv1.JobCondition) projection
	// planSpec plans what the mirror is to be told.
	planSpec(situation) SpecPlan
	// isJob reports whether the status is that of a Job: the API server validates it, and takes changes of
	// the metadata along with it.
	isJob() bool
}

// projection is the plan for a local status. That of other kinds than Job is in object, as the whole status to write.
type projection struct {
	StatusPlan
	object, from map[string]any
	err          error
}

func (s projection) writes() bool { return s.Status != nil || s.object != nil }

// change is the merge patch of the status, nil if there is nothing to write.
func (s projection) change(local *batchv1.Job) map[string]any {
	switch {
	case s.object != nil:
		return diff(s.from, s.object)
	case s.Status != nil:
		return statusDiff(&local.Status, s.Status)
	default:
		return nil
	}
}

// jobWorkload is a batch/v1 Job.
type jobWorkload struct{}

func (jobWorkload) isJob() bool { return true }

func (jobWorkload) build(t situation) (Action, error) {
	job, err := t.p.build(t.local, t.spent())
	if err != nil {
		return Action{}, err
	}
	return Action{Kind: CreateMirror, Object: keyOf(job), Job: job}, nil
}

func (jobWorkload) planSpec(t situation) SpecPlan {
	return t.p.PlanSpec(Pair{Local: t.local, Remote: t.mirror})
}

func (jobWorkload) project(t situation) projection { return projectFor(t, t.mirror) }

// projectFor plans the status for a remote Job. A condition of the Policy's type on that speaks of another worker,
// below this one.
func projectFor(t situation, remote *batchv1.Job) projection {
	if kind := t.p.policy.Condition; kind != "" && find(remote.Status.Conditions, kind) >= 0 {
		remote = withoutConditions(remote, kind)
	}
	pair := Pair{Local: t.local, Remote: remote}
	return projection{StatusPlan: ProjectStatus(pair, t.p.statusOptions(pair, t.Now))}
}

// withoutConditions returns a Job with all else shared.
func withoutConditions(job *batchv1.Job, types ...batchv1.JobConditionType) *batchv1.Job {
	bare := *job
	bare.Status.Conditions = slices.DeleteFunc(slices.Clone(job.Status.Conditions), func(c batchv1.JobCondition) bool {
		return slices.Contains(types, c.Type)
	})
	return &bare
}

// projectDeleting: a Job that has finished brings nothing more, whatever its counters say. Up to 1.30 terminating
// stays as it was then.
func (jobWorkload) projectDeleting(t situation) (projection, bool) {
	remote := t.withoutLateFailure()
	isOver := verdict(&t.mirror.Status) != 0 || !hasPods(&t.mirror.Status)
	return projectFor(t, remote), fate(&remote.Status) == 0 && isOver
}

// withoutLateFailure returns the mirror without a failure that its own deletion may have caused: pods that
// the deletion kills count as failed. A failure that is older, or that the local Job has already
// promised, stays.
func (t situation) withoutLateFailure() *batchv1.Job {
	c := entry(t.mirror.Status.Conditions, batchv1.JobFailureTarget)
	if c == nil || c.Status != corev1.ConditionTrue {
		c = entry(t.mirror.Status.Conditions, batchv1.JobFailed)
	}
	if c == nil || c.Status != corev1.ConditionTrue || t.isBeforeDeletion(c) || hasTrue(t.local.Status.Conditions, batchv1.JobFailureTarget) {
		return t.mirror
	}
	return withoutConditions(t.mirror, batchv1.JobFailureTarget, batchv1.JobFailed)
}

func (t situation) isBeforeDeletion(c *batchv1.JobCondition) bool {
	return !c.LastTransitionTime.IsZero() && (c.LastTransitionTime.Before(t.mirror.DeletionTimestamp) || t.expiredAtOnce())
}

// expiredAtOnce reports whether the mirror failed and was deleted in the same second, by a TTL of 0.
func (t situation) expiredAtOnce() bool {
	failed := entry(t.mirror.Status.Conditions, batchv1.JobFailed)
	return ptr.Deref(t.mirror.Spec.TTLSecondsAfterFinished, 1) == 0 && failed != nil && failed.Status == corev1.ConditionTrue &&
		sameTime(&failed.LastTransitionTime, t.mirror.DeletionTimestamp)
}

// hasPods reports whether a status shows pods that are not gone, or not counted.
func hasPods(s *batchv1.JobStatus) bool {
	uncounted := ptr.Deref(s.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	return s.Active > 0 || ptr.Deref(s.Terminating, 0) > 0 || len(uncounted.Succeeded)+len(uncounted.Failed) > 0
}

func (jobWorkload) projectIdle(t situation, c *batchv1.JobCondition) projection {
	idle := &batchv1.Job{Spec: t.local.Spec, Status: *t.local.Status.DeepCopy()}
	idle.Status.Active, idle.Status.UncountedTerminatedPods = 0, nil
	for _, counter := range []**int32{&idle.Status.Ready, &idle.Status.Terminating} {
		if *counter != nil {
			*counter = ptr.To[int32](0)
		}
	}
	if c != nil {
		idle.Status.Conditions = set(idle.Status.Conditions, *c)
	}
	return projectFor(t, idle)
}
