// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// lost concludes a Job whose mirror has disappeared.
func (t situation) lost() Plan {
	return t.conclude(MirrorLost, batchv1.JobCondition{
		Type: batchv1.JobFailed, Status: corev1.ConditionTrue, LastTransitionTime: t.Now, Reason: "MirrorLost",
		Message: fmt.Sprintf("The mirror on worker %q has disappeared in attempt %d", t.record.Worker, t.record.Attempt),
	})
}

// concludeFate keeps the promise of a verdict whose mirror has disappeared.
func (t situation) concludeFate() Plan {
	if read, open := t.confirm(); open {
		return outcome(Concluded).then(readLive(read))
	}
	verdict := batchv1.JobCondition{Status: corev1.ConditionTrue, LastTransitionTime: t.Now}
	for _, kind := range terminalConditions {
		if hasTrue(t.local.Status.Conditions, kind.promise) {
			promised := entry(t.local.Status.Conditions, kind.promise)
			verdict.Type, verdict.Reason, verdict.Message = kind.terminal, promised.Reason, promised.Message
			break // a malformed Job with both is concluded as a success
		}
	}
	return t.conclude(Concluded, verdict)
}

// conclude gives the local Job a terminal condition, as if a mirror without pods showed it.
func (t situation) conclude(o Outcome, verdict batchv1.JobCondition) Plan {
	status := t.kind.projectIdle(t, &verdict)
	if !status.writes() {
		return planFor(status)
	}
	p := outcome(o)
	p.Adjustments = status.Adjustments
	return t.write(p, status, nil)
}

// idle is for a Job that is not on this worker and not to be. What the record says of this worker is undone
// by a live read only.
func (t situation) idle() Plan {
	p := outcome(Idle)
	if t.isStray() {
		p = outcome(Conflict).because("a Job on the worker calls itself the mirror of this one, and the dispatch record names another")
	}
	var released *record
	switch {
	case t.record.sent() && t.record.Worker != t.Worker:
		return p
	case t.record.sent():
		if !t.State.Mirror.live {
			return p.then(readLive(Read{Mirror: true}))
		}
		if !t.isStray() { // which the record has to go on denying
			r := t.released()
			released = &r
		}
	}
	status := t.kind.projectIdle(t, t.suspension())
	p.Adjustments, p.Violations = status.Adjustments, status.Violations
	return t.write(p, status, released)
}

// suspension is the condition that a suspended Job lacks. Nobody else writes it for one that is managed
// externally.
func (t situation) suspension() *batchv1.JobCondition {
	if !suspends(t.local) || hasTrue(t.local.Status.Conditions, batchv1.JobSuspended) {
		return nil
	}
	c := suspended(t.Now)
	return &c
}
