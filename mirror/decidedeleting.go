package mirror

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// mirrorDeleting copies what is a result in spite of the deletion, and lets the mirror go when no result can
// come any more.
func (t situation) mirrorDeleting() Plan {
	remote := t.withoutLateFailure()
	status := t.project(remote)
	p := outcome(MirrorDeleting).again(lookAgain, "the mirror has to be gone")
	p.Adjustments, p.Violations = status.Adjustments, status.Violations
	switch {
	case !t.p.holds(t.mirror):
	case status.Outcome == Conflict: // whatever comes is no result
		p = t.release(p)
	case fate(&remote.Status) == 0 && !hasPods(&t.mirror.Status):
		p = t.drain(p)
	}
	return t.write(p, status.Status, nil)
}

// drain lets a mirror go that we hold, without losing a result. That its status shows no pods is no evidence,
// because it may be behind. So the mirror is deleted in the foreground, and marked behind that; once it is
// marked, the garbage collector's finalizer is there until the pods are gone, and they are gone when they are
// counted.
func (t situation) drain(p Plan) Plan {
	switch {
	case t.mirror.Annotations[t.p.policy.Keys.Hold] != draining:
		return t.onMirror(p, on(DeleteMirror, t.mirror), t.p.markDraining(t.mirror))
	case slices.Contains(t.mirror.Finalizers, metav1.FinalizerDeleteDependents):
		return p
	default:
		return t.onMirror(p, t.p.releaseMirror(t.mirror))
	}
}

// withoutLateFailure returns the mirror without a failure that its own deletion may have caused: pods that
// the deletion kills count as failed. A failure that is older, or that the local Job has already
// promised, stays.
func (t situation) withoutLateFailure() *batchv1.Job {
	c := entry(t.mirror.Status.Conditions, batchv1.JobFailureTarget)
	if c == nil || c.Status != corev1.ConditionTrue {
		c = entry(t.mirror.Status.Conditions, batchv1.JobFailed)
	}
	if c == nil || c.Status != corev1.ConditionTrue || c.LastTransitionTime.Before(t.mirror.DeletionTimestamp) && !c.LastTransitionTime.IsZero() ||
		hasTrue(t.local.Status.Conditions, batchv1.JobFailureTarget) {
		return t.mirror
	}
	remote := *t.mirror
	remote.Status.Conditions = slices.DeleteFunc(slices.Clone(remote.Status.Conditions), func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobFailureTarget || c.Type == batchv1.JobFailed
	})
	return &remote
}

// hasPods reports whether a status shows pods that are not gone, or not counted.
func hasPods(s *batchv1.JobStatus) bool {
	uncounted := ptr.Deref(s.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	return s.Active > 0 || ptr.Deref(s.Terminating, 0) > 0 || len(uncounted.Succeeded)+len(uncounted.Failed) > 0
}
