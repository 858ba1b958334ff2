// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// deferral is how long to wait for a mirror to stop before looking again. Its last event may come
// while the local Job is still suspended, and no other need follow when that changes.
const deferral = 10 * time.Second

// ProjectStatus plans what status the local Job is to show, given its mirror's: the remote status as
// it is where the management API server accepts it, and else changed by the least that makes it
// acceptable, with an [Adjustment] for every change. Status is nil or a status that the Validator
// allows as the next one of the local Job.
//
// Some guards act even where the server would accept: what a run did is not shown on a suspended
// Job, startTime stays when the worker suspends a running Job, a terminal condition gets a lastTransitionTime
// (TTL-after-finished needs one), there is one condition of a type, and conditions that other controllers put
// on the local Job are kept.
//
// A plan is settled: once it is written, planning again writes nothing, at any later time, until one
// of the Jobs changes. Only [Terminating] moves on by itself, when its RequeueAfter has passed.
//
// Values are compared as [statusvalidate.Validator.Validate] does: as a typed client puts them on the
// wire. ProjectStatus does not ask whether Remote is the mirror of Local; [Planner.PlanStatus]
// does. It panics if one of the Jobs is nil, and on no other input. It changes neither, and the plan
// shares no memory with them. It allocates nothing if the two statuses are equal and need no guard.
func ProjectStatus(pair Pair, opts StatusOptions) StatusPlan {
	local, remote := pair.Local, pair.Remote
	switch {
	case verdict(&local.Status) != 0:
		return planFinished(pair, opts)
	case verdict(&remote.Status) != 0:
		return planCopy(pair, opts, Copied)
	case suspends(local) && (!suspends(remote) || remote.Status.Active > 0):
		return planDeferred(pair, opts)
	case suspends(local) || !suspends(remote) || local.Status.StartTime.IsZero():
		return planCopy(pair, opts, Copied)
	case opts.Untold:
		return planCopy(pair, opts, Resuming)
	default:
		return planCopy(pair, opts, Evicted)
	}
}

func suspends(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// planFinished plans for a local Job that has its result. That is final, whatever the remote Job
// says: one that says otherwise may be a stale read, or have run again.
func planFinished(pair Pair, opts StatusOptions) StatusPlan {
	if verdict(&pair.Local.Status) == verdict(&pair.Remote.Status) {
		return planOf(Finished)
	}
	d := newDraft(pair, opts)
	_, violations := d.makeAcceptable()
	return refusal(Conflict, violations)
}

// planDeferred writes Suspended=True if it is missing, and nothing else. Nobody else writes it for
// a Job that is managed externally, and without it 1.36.0 and 1.36.1 freeze the pod template.
func planDeferred(pair Pair, opts StatusOptions) StatusPlan {
	p := planOf(Deferred)
	p.RequeueAfter = deferral
	if hasTrue(pair.Local.Status.Conditions, batchv1.JobSuspended) {
		return p
	}
	d := newDraft(Pair{Local: pair.Local, Remote: pair.Local}, opts)
	d.status.Conditions = set(d.status.Conditions, suspended(opts.Now))
	if violations := d.violations(); len(violations) > 0 {
		return refusal(Invalid, violations)
	}
	d.adjust("status", "", "held while the local Job is suspended and its mirror is not")
	p.Status, p.Adjustments = d.status, d.adjustments
	return p
}

// suspended is the condition that the built-in controller gives a suspended Job.
func suspended(now metav1.Time) batchv1.JobCondition {
	return batchv1.JobCondition{
		Type: batchv1.JobSuspended, Status: corev1.ConditionTrue, LastTransitionTime: now,
		Reason: "JobSuspended", Message: "Job suspended",
	}
}

// planCopy makes the remote status acceptable. The outcome is what to call it if all goes well.
func planCopy(pair Pair, opts StatusOptions, outcome StatusOutcome) StatusPlan {
	local, remote := &pair.Local.Status, &pair.Remote.Status
	if verdict(remote) == 0 && sameStatus(local, remote) && !repeats(remote.Conditions) {
		return planOf(inSync(outcome))
	}
	d := newDraft(pair, opts)
	d.guard(outcome)
	if refused, violations := d.makeAcceptable(); refused != "" {
		return refusal(refused, violations)
	}
	d.stampTerminal()
	if p := d.plan(outcome); p.Status == nil || timesOnTheWire(p.Status) {
		return p
	}
	p := planOf(Invalid)
	p.Why = "a time in it is before the year 0 or after 9999 in UTC, which nothing can read"
	return p
}

func inSync(outcome StatusOutcome) StatusOutcome {
	if outcome == Copied {
		return InSync
	}
	return outcome
}
