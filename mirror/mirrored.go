// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// lastSeen separates the worker from the time in the message of the condition.
const lastSeen = ", last seen "

// withCondition returns the status to write with the condition of Policy.Condition, which says who runs
// the Job and whether that is alive. Nothing to write stands for the status that the local Job has; the answer is
// that again if it is not to change. Where the API server refuses every write to a status, because of what that is
// already, the condition is left out. Only one worker has a say, so that two do not overwrite each other: the one that
// the Job was sent to, and before that the one that it is wanted on.
func (t situation) withCondition(o Outcome, s projection) projection {
	kind := t.p.policy.Condition
	if kind == "" || !t.kind.isJob() || !t.speaks() {
		return s
	}
	now := &t.local.Status
	if s.Status != nil {
		now = s.Status
	}
	reason := conditionReason(o, now)
	if t.says(now.Conditions, reason) {
		return s
	}
	with := now.DeepCopy()
	with.Conditions, _ = folded(with.Conditions)
	with.Conditions = set(with.Conditions, batchv1.JobCondition{
		Type: kind, Status: conditionStatus(reason), Reason: string(reason), LastTransitionTime: t.Now,
		Message: t.Worker + lastSeen + t.when(reason) + t.Now.UTC().Format(time.RFC3339),
	})
	if t.p.validator.Allows(statusvalidate.Change{Old: t.local, New: &batchv1.Job{Status: *with}}) {
		s.Status = with
	}
	return s
}

// when goes before the time: a worker that does not answer was seen some time before.
func (t situation) when(reason Outcome) string {
	if conditionStatus(reason) == corev1.ConditionUnknown {
		return "before "
	}
	return "at "
}

func (t situation) speaks() bool {
	if t.record.sent() {
		return t.record.Worker == t.Worker
	}
	return t.Wanted
}

// says reports whether the one condition of the type says so already. The time in its message is not compared: it
// is rewritten only with the rest.
func (t situation) says(conditions []batchv1.JobCondition, reason Outcome) bool {
	var c *batchv1.JobCondition
	for i := range conditions {
		if conditions[i].Type == t.p.policy.Condition {
			if c != nil {
				return false
			}
			c = &conditions[i]
		}
	}
	return c != nil && c.Reason == string(reason) && c.Status == conditionStatus(reason) &&
		strings.HasPrefix(c.Message, t.Worker) && strings.HasPrefix(c.Message[len(t.Worker):], lastSeen)
}

// conditionReason is the outcome as the reason of the condition. Copied is InSync as soon as it is
// written, and a Job that gets its result with this write is Finished.
func conditionReason(o Outcome, status *batchv1.JobStatus) Outcome {
	switch {
	case verdict(status) != 0:
		return Finished
	case o == Copied:
		return InSync
	default:
		return o
	}
}

// conditionStatus is True where a mirror is there, Unknown where nobody knows, and else False.
func conditionStatus(o Outcome) corev1.ConditionStatus {
	switch o {
	case InSync, Deferred, Evicted, Resuming, Terminating, Finished, MirrorDeleting, Evicting:
		return corev1.ConditionTrue
	case Unreachable:
		return corev1.ConditionUnknown
	default:
		return corev1.ConditionFalse
	}
}
