// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// reasonResumed is the reason of the Suspended=False that resumes a Job, as the built-in controller
// has it.
const reasonResumed = "JobResumed"

// repair is a change that makes a rule hold. It is made only if the rule is broken at that point.
type repair struct {
	rules []statusvalidate.Rule
	mend  func(d *draft, broken statusvalidate.Rule)
}

// repairs are in the order in which they are tried, once each. The order matters: a later one may
// have nothing left to do because of an earlier one, and none breaks what an earlier one mended.
var repairs = []repair{
	// Terminating.
	{[]statusvalidate.Rule{statusvalidate.FinishedWithActivePods, statusvalidate.FinishedWithTerminatingPods}, (*draft).awaitPods},

	// The promise of a verdict.
	{[]statusvalidate.Rule{statusvalidate.FailedWithoutFailureTarget}, promise(batchv1.JobFailed, batchv1.JobFailureTarget)},
	{[]statusvalidate.Rule{statusvalidate.CompleteWithoutSuccessCriteriaMet, statusvalidate.SuccessPolicyCompleteWithoutSuccessCriteriaMet},
		promise(batchv1.JobComplete, batchv1.JobSuccessCriteriaMet)},
	{[]statusvalidate.Rule{statusvalidate.SuccessCriteriaMetOnNonIndexed, statusvalidate.SuccessCriteriaMetWithoutSuccessPolicy},
		(*draft).leaveOutSuccessCriteriaMet},
	{[]statusvalidate.Rule{statusvalidate.FailureTargetTakenBack}, keep(batchv1.JobFailureTarget)},
	{[]statusvalidate.Rule{statusvalidate.SuccessCriteriaMetTakenBack}, keep(batchv1.JobSuccessCriteriaMet)},

	// Counters.
	{[]statusvalidate.Rule{statusvalidate.FailedDecreased}, func(d *draft, rule statusvalidate.Rule) {
		d.status.Failed = d.local.Status.Failed
		d.adjust("status.failed", rule, "held at the local value")
	}},
	{[]statusvalidate.Rule{statusvalidate.SucceededDecreased}, func(d *draft, rule statusvalidate.Rule) {
		d.status.Succeeded = d.local.Status.Succeeded
		d.adjust("status.succeeded", rule, "held at the local value")
	}},

	// Times.
	{[]statusvalidate.Rule{statusvalidate.StartTimeChangedWhileRunning}, (*draft).resumeOrHoldStartTime},
	{[]statusvalidate.Rule{statusvalidate.FinishedWithoutStartTime}, (*draft).giveStartTime},
	{[]statusvalidate.Rule{statusvalidate.CompletionTimeWithoutComplete}, func(d *draft, rule statusvalidate.Rule) {
		d.status.CompletionTime = nil
		d.adjust("status.completionTime", rule, "left out: the Job is not Complete")
	}},
	{[]statusvalidate.Rule{statusvalidate.CompleteWithoutCompletionTime}, (*draft).giveCompletionTime},
	{[]statusvalidate.Rule{statusvalidate.CompletionTimeChanged}, func(d *draft, rule statusvalidate.Rule) {
		d.status.CompletionTime = d.local.Status.CompletionTime.DeepCopy()
		d.adjust("status.completionTime", rule, "held at the local value")
	}},
	{[]statusvalidate.Rule{statusvalidate.CompletionTimeBeforeStartTime}, func(d *draft, rule statusvalidate.Rule) {
		d.status.CompletionTime = d.status.StartTime.DeepCopy()
		d.adjust("status.completionTime", rule, "raised to startTime")
	}},

	// Pods.
	{[]statusvalidate.Rule{statusvalidate.FinishedWithUncountedPods, statusvalidate.UncountedSucceededMalformed, statusvalidate.UncountedFailedMalformed},
		(*draft).leaveOutUncounted},
	{[]statusvalidate.Rule{statusvalidate.MoreReadyThanActive}, func(d *draft, rule statusvalidate.Rule) {
		d.status.Ready = ptr.To(d.status.Active)
		d.adjust("status.ready", rule, "capped at active")
	}},

	// Indexes.
	{completedIndexRules, (*draft).mendCompletedIndexes},
	{failedIndexRules, (*draft).mendFailedIndexes},
	{[]statusvalidate.Rule{statusvalidate.FailedAndCompletedIndexesOverlap}, (*draft).separateIndexes},
}

// makeAcceptable repairs the draft until the API server has nothing against it. It returns no outcome
// if that worked, and else Conflict or Invalid, with what is still in the way: of a contradiction
// that the repairs would cover up, what was in the way before them.
func (d *draft) makeAcceptable() (refused StatusOutcome, violations statusvalidate.Violations) {
	if d.check(); len(d.broken) == 0 {
		return "", nil
	}
	if refused = d.contradiction(); refused != "" {
		violations = d.violations()
	}
	for _, r := range repairs {
		if rule, broken := d.firstBroken(r.rules...); broken {
			r.mend(d, rule)
			d.check()
		}
	}
	switch {
	case len(d.broken) == 0:
		return refused, violations
	case refused == "":
		refused = Invalid
	}
	return refused, d.violations()
}

// contradiction compares the verdicts of the two Jobs, with what was promised counting as much as
// what has come.
func (d *draft) contradiction() StatusOutcome {
	local, remote := d.local.Status.Conditions, fate(&d.remote.Status)
	_, failureTakenBack := d.firstBroken(statusvalidate.FailureTargetTakenBack)
	_, successTakenBack := d.firstBroken(statusvalidate.SuccessCriteriaMetTakenBack)
	switch {
	case remote == success|failure:
		return Invalid
	case remote == success && failureTakenBack && hasTrue(local, batchv1.JobFailureTarget):
		return Conflict
	case remote == failure && successTakenBack && hasTrue(local, batchv1.JobSuccessCriteriaMet):
		return Conflict
	}
	return ""
}

// promise adds the condition that promises a terminal condition which is bare.
func promise(terminal, promised batchv1.JobConditionType) func(*draft, statusvalidate.Rule) {
	return func(d *draft, rule statusvalidate.Rule) {
		d.add(d.promiseOf(terminal, promised))
		d.adjust(conditionPath(promised), rule, "added to go with "+string(terminal))
	}
}

// promiseOf returns the condition that promises a terminal one: the local Job's own, if it has it,
// else one with reason, message and times of the terminal condition.
func (d *draft) promiseOf(terminal, promised batchv1.JobConditionType) batchv1.JobCondition {
	if c := d.localCondition(promised); c != nil && c.Status == corev1.ConditionTrue {
		return *c
	}
	c := *d.condition(terminal)
	c.Type = promised
	return c
}

// keep puts a condition of the local Job back that must not be taken back.
func keep(t batchv1.JobConditionType) func(*draft, statusvalidate.Rule) {
	return func(d *draft, rule statusvalidate.Rule) {
		d.add(*d.localCondition(t))
		d.adjust(conditionPath(t), rule, "kept: it cannot be taken back")
	}
}

func (d *draft) leaveOutSuccessCriteriaMet(rule statusvalidate.Rule) {
	d.remove(batchv1.JobSuccessCriteriaMet)
	d.adjust(conditionPath(batchv1.JobSuccessCriteriaMet), rule, "left out: the release does not take it on this Job")
}

// resumeOrHoldStartTime lets startTime move if the Job has just been resumed and the update can say
// so, which it must do explicitly; else it keeps it.
func (d *draft) resumeOrHoldStartTime(rule statusvalidate.Rule) {
	if d.resumes() {
		before := *d
		before.status = d.status.DeepCopy()
		d.add(batchv1.JobCondition{
			Type: batchv1.JobSuspended, Status: corev1.ConditionFalse, LastTransitionTime: d.opts.Now,
			Reason: reasonResumed, Message: "Job resumed",
		})
		if !d.breaks(rule) {
			d.adjust(conditionPath(batchv1.JobSuspended), rule, "set to False: the Job is resumed and starts anew")
			return
		}
		*d = before
	}
	d.status.StartTime = d.local.Status.StartTime.DeepCopy()
	d.adjust("status.startTime", rule, "held at the local value")
}

// resumes reports whether the update can be the one that takes the local Job out of suspension: the
// remote Job runs and has nothing of its own to say about it. A finished Job without startTime gets
// the old one anyway.
func (d *draft) resumes() bool {
	return hasTrue(d.local.Status.Conditions, batchv1.JobSuspended) &&
		!suspends(d.remote) && d.condition(batchv1.JobSuspended) == nil &&
		(verdict(d.status) == 0 || !d.status.StartTime.IsZero())
}

func (d *draft) giveStartTime(rule statusvalidate.Rule) {
	s, path := d.status, "status.startTime"
	switch c := d.terminal(); {
	case !d.local.Status.StartTime.IsZero():
		s.StartTime = d.local.Status.StartTime.DeepCopy()
		d.adjust(path, rule, "held at the local value")
	case !s.CompletionTime.IsZero():
		s.StartTime = s.CompletionTime.DeepCopy()
		d.adjust(path, rule, "taken from completionTime")
	case c != nil:
		s.StartTime = c.LastTransitionTime.DeepCopy()
		d.adjust(path, rule, "taken from the condition "+string(c.Type))
	}
}

func (d *draft) giveCompletionTime(rule statusvalidate.Rule) {
	d.status.CompletionTime = d.condition(batchv1.JobComplete).LastTransitionTime.DeepCopy()
	d.adjust("status.completionTime", rule, "taken from the condition Complete")
}

// leaveOutUncounted drops what a remote Job that has finished still lists, which nobody will count.
// On one that runs it stays, malformed as it may be.
func (d *draft) leaveOutUncounted(rule statusvalidate.Rule) {
	if verdict(&d.remote.Status) == 0 {
		return
	}
	d.status.UncountedTerminatedPods = nil
	d.adjust("status.uncountedTerminatedPods", rule, "left out: the mirror has finished")
}

// terminal returns the terminal condition of the draft, nil if it has none.
func (d *draft) terminal() *batchv1.JobCondition {
	for _, kind := range terminalConditions {
		if c := d.condition(kind.terminal); c != nil && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}
