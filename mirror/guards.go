// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// guard makes the changes that do not wait for the API server to object.
func (d *draft) guard(outcome StatusOutcome) {
	d.foldConditions()
	d.fillTerminalTime()
	d.guardStartTime(outcome)
	d.keepUnknownConditions()
	d.keepResumed()
}

// foldConditions leaves one entry of each type. The API server takes several, but clients read the
// first and the server any.
func (d *draft) foldConditions() {
	once, repeated := folded(d.status.Conditions)
	for _, t := range repeated {
		d.adjust(conditionPath(t), "", "folded into one entry")
	}
	d.status.Conditions, d.mirrored = once, len(once)
}

// fillTerminalTime gives a terminal condition a lastTransitionTime if it has none. The API server
// takes it without, but the TTL controller then fails for ever.
func (d *draft) fillTerminalTime() {
	for _, kind := range terminalConditions {
		c := d.condition(kind.terminal)
		if c == nil || c.Status != corev1.ConditionTrue || !c.LastTransitionTime.IsZero() {
			continue
		}
		if t := d.endTime(kind.terminal, kind.promise); !t.IsZero() {
			c.LastTransitionTime = *t.DeepCopy()
			d.adjust(conditionPath(kind.terminal), "", "given a lastTransitionTime")
		}
	}
}

// endTime is when the remote Job finished, by the best evidence other than the terminal condition.
func (d *draft) endTime(terminal, promise batchv1.JobConditionType) *metav1.Time {
	if terminal == batchv1.JobComplete && !d.status.CompletionTime.IsZero() {
		return d.status.CompletionTime
	}
	for _, c := range []*batchv1.JobCondition{d.condition(promise), d.localCondition(promise)} {
		if c != nil && !c.LastTransitionTime.IsZero() {
			return &c.LastTransitionTime
		}
	}
	return &d.opts.Now
}

// guardStartTime keeps startTime off a suspended Job that has none, and where it is on a running Job whose
// mirror is suspended.
func (d *draft) guardStartTime(outcome StatusOutcome) {
	if verdict(&d.remote.Status) == 0 {
		d.hideStartTime()
	}
	start := d.local.Status.StartTime
	if outcome != Evicted && outcome != Resuming || sameTime(start, d.status.StartTime) {
		return
	}
	d.check()
	rule, _ := d.firstBroken(statusvalidate.StartTimeChangedWhileRunning)
	d.status.StartTime = start.DeepCopy()
	d.adjust("status.startTime", rule, "held at the local value while the mirror is suspended")
}

// hideStartTime leaves startTime out on a suspended Job that has none, because it would freeze the pod
// template.
func (d *draft) hideStartTime() {
	if suspends(d.local) && d.local.Status.StartTime.IsZero() && !d.status.StartTime.IsZero() {
		d.status.StartTime = nil
		d.adjust("status.startTime", "", "left out while the Job is suspended")
	}
}

// keepUnknownConditions keeps conditions of types that the Job API does not know, which a controller
// put on the local Job alone.
func (d *draft) keepUnknownConditions() {
	mirrored := typesOf(d.status.Conditions)
	own, _ := folded(d.local.Status.Conditions)
	for _, c := range own {
		if !known(c.Type) && !mirrored[c.Type] {
			d.status.Conditions = append(d.status.Conditions, c) // the first additions there are
			d.adjust(conditionPath(c.Type), "", "kept: only the local Job has it")
		}
	}
}

// keepResumed keeps the Suspended=False by which the local Job was resumed, as long as the
// remote Job has no Suspended entry.
func (d *draft) keepResumed() {
	c := d.localCondition(batchv1.JobSuspended)
	if c == nil || c.Status != corev1.ConditionFalse || c.Reason != reasonResumed || d.condition(batchv1.JobSuspended) != nil {
		return
	}
	d.add(*c)
	d.adjust(conditionPath(batchv1.JobSuspended), "", "kept: the local Job was resumed")
}

// stampTerminal sets the time of a terminal condition to now, if it is asked for. It comes last: the
// time of a condition is no business of any rule.
func (d *draft) stampTerminal() {
	if !d.opts.StampTerminal || d.opts.Now.IsZero() {
		return
	}
	for _, kind := range terminalConditions {
		if c := d.condition(kind.terminal); c != nil && c.Status == corev1.ConditionTrue {
			c.LastTransitionTime = d.opts.Now
			d.adjust(conditionPath(kind.terminal), "", "stamped with the time of its arrival")
		}
	}
}
