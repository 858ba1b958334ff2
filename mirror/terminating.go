// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"math"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// awaitPods withholds the terminal condition until the pods of the remote Job are gone. Where only
// terminating pods are in the way there is an end to it: a worker of 1.30 or older never counts them down,
// so that they are taken to be gone once their grace period has passed.
func (d *draft) awaitPods(rule statusvalidate.Rule) {
	if _, active := d.firstBroken(statusvalidate.FinishedWithActivePods); !active {
		deadline := d.podsGone()
		if !d.opts.Now.Time.Before(deadline) {
			d.status.Terminating = ptr.To[int32](0)
			d.adjust("status.terminating", rule, "taken for 0: the grace period has passed")
			return
		}
		if !d.opts.Now.IsZero() {
			d.requeueAfter = deadline.Sub(d.opts.Now.Time)
		}
	}
	d.withholdTerminal(rule)
	d.hideStartTime()
	d.terminating = true
}

// podsGone is when the last terminating pod must be gone: the grace period of the template after the
// Job finished.
func (d *draft) podsGone() time.Time {
	const defaultGrace = corev1.DefaultTerminationGracePeriodSeconds
	grace := ptr.Deref(d.local.Spec.Template.Spec.TerminationGracePeriodSeconds, defaultGrace)
	grace = min(max(grace, 0), math.MaxInt32)
	return d.terminal().LastTransitionTime.Add(time.Duration(grace) * time.Second)
}

// withholdTerminal takes the terminal condition out and shows the verdict by the condition that promises
// it, on the releases that take it. That one carries a time, by which the grace period is counted in
// later plans where the remote Job has none.
func (d *draft) withholdTerminal(rule statusvalidate.Rule) {
	for _, kind := range terminalConditions {
		if !hasTrue(d.status.Conditions, kind.terminal) {
			continue
		}
		promised, ended := d.promiseOf(kind.terminal, kind.promise), d.condition(kind.terminal).LastTransitionTime
		d.remove(kind.terminal)
		d.adjust(conditionPath(kind.terminal), rule, "withheld until the pods are gone")
		d.showPromise(promised)
		if c := d.condition(kind.promise); c != nil && c.LastTransitionTime.IsZero() && !ended.IsZero() {
			c.LastTransitionTime = ended
			d.adjust(conditionPath(kind.promise), "", "given a lastTransitionTime")
		}
	}
}

func (d *draft) showPromise(c batchv1.JobCondition) {
	if hasTrue(d.status.Conditions, c.Type) {
		return
	}
	conditions, mirrored := slices.Clone(d.status.Conditions), d.mirrored
	d.add(c)
	if d.breaks(statusvalidate.SuccessCriteriaMetOnNonIndexed, statusvalidate.SuccessCriteriaMetWithoutSuccessPolicy) {
		d.status.Conditions, d.mirrored = conditions, mirrored
		return
	}
	d.adjust(conditionPath(c.Type), "", "shows the verdict to come")
}
