package mirror

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
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
	remote := t.idleJob()
	remote.Status.Conditions = append(remote.Status.Conditions, verdict)
	status := t.project(remote)
	if status.Status == nil {
		return planFor(status)
	}
	p := outcome(o)
	p.Adjustments = status.Adjustments
	return t.write(p, status.Status, nil)
}

// idleJob is the local Job with live counters of zero.
func (t situation) idleJob() *batchv1.Job {
	idle := &batchv1.Job{Spec: t.local.Spec, Status: *t.local.Status.DeepCopy()}
	idle.Status.Active, idle.Status.UncountedTerminatedPods = 0, nil
	for _, counter := range []**int32{&idle.Status.Ready, &idle.Status.Terminating} {
		if *counter != nil {
			*counter = ptr.To[int32](0)
		}
	}
	return idle
}

// idleChange is the change of the status that sets live counters to zero, nil if they are.
func (t situation) idleChange() map[string]any {
	if status := t.project(t.idleJob()).Status; status != nil {
		return statusDiff(&t.local.Status, status)
	}
	return nil
}

// idle is for a Job that is not on this worker and not to be. What the record says of this worker is undone
// by a live read only.
func (t situation) idle() Plan {
	p := outcome(Idle)
	if t.isStray() {
		p = outcome(Conflict).because("a Job on the worker calls itself the mirror of this one, and the dispatch record names another")
	}
	remote := t.idleJob()
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
	if suspends(t.local) && !hasTrue(remote.Status.Conditions, batchv1.JobSuspended) {
		remote.Status.Conditions = set(remote.Status.Conditions, suspended(t.Now))
	}
	status := t.project(remote)
	p.Adjustments, p.Violations = status.Adjustments, status.Violations
	return t.write(p, status.Status, released)
}
