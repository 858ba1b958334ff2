// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"fmt"
	"strings"
	"time"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// Outcome is that of a [Plan], the whole next step, or of a [StatusPlan], of which the values are a
// part. Values are CamelCase, stable, and fit for an event's reason and a metric's label; new ones
// may be added in a minor version.
type Outcome = StatusOutcome

// The outcomes of [Planner.Decide], beside those of [ProjectStatus]. It passes these on where it copies the
// status of a mirror, and they speak of the status alone: with InSync there may be a change of the spec to
// send, and with Finished a mirror to delete. [NotManaged], [Conflict] and [Finished] it has for reasons of its
// own as well.
const (
	// Incomplete means that State.Worker or State.Now is missing, or the UID or resourceVersion of the
	// local Job: nothing is planned. Plan.Err is an [*IncompleteError]. It is a mistake of the caller, or of
	// a fake API server that does not give objects what a real one does.
	Incomplete Outcome = "Incomplete"
	// Malformed means that one of the objects given to [Planner.DecideObject] cannot be read: nothing is planned. Plan.Err
	// says where.
	Malformed Outcome = "Malformed"
	// Gone means that there is no local Job, and nothing of ours on the worker, as far as is known.
	Gone Outcome = "Gone"
	// Orphan means that the worker has a mirror of a Job which does not exist any more. It is
	// deleted only with Policy.ExclusiveOrigin, and by live reads.
	Orphan Outcome = "Orphan"
	// CleaningUp means that the local Job is being deleted, and its mirror first.
	CleaningUp Outcome = "CleaningUp"
	// CleanedUp means that no mirror is left of a local Job that is being deleted: it can go.
	CleanedUp Outcome = "CleanedUp"
	// CleanupPending means that the local Job is being deleted, and a worker does not answer that may have
	// its mirror.
	CleanupPending Outcome = "CleanupPending"
	// Abandoned means that the deletion has waited for Policy.AbandonAfter: the local Job can go, and
	// what runs on the worker is left behind.
	Abandoned Outcome = "Abandoned"
	// BadRecord means that the dispatch record of the Job cannot be read or belongs to another
	// Job: nothing is planned. Plan.Err is a [*RecordError].
	BadRecord Outcome = "BadRecord"
	// Unconfirmed means that a live read has to say which mirror there is.
	Unconfirmed Outcome = "Unconfirmed"
	// Unreachable means that nobody knows whether the worker has the mirror. It is also what every Job is while
	// a cache has not synced: look again when it has.
	Unreachable Outcome = "Unreachable"
	// Refused means that [Planner.Build] refuses the Job, or that its annotations leave no room for the dispatch
	// record. Plan.Err says why.
	Refused Outcome = "Refused"
	// Elsewhere means that another worker has the mirror, or may have it.
	Elsewhere Outcome = "Elsewhere"
	// Dispatching means that the mirror is to be created.
	Dispatching Outcome = "Dispatching"
	// BackingOff means that the mirror is to be created later, because the last attempt left none.
	BackingOff Outcome = "BackingOff"
	// MirrorLost means that the mirror has disappeared, and the Job is concluded as Failed.
	MirrorLost Outcome = "MirrorLost"
	// MirrorDeleting means that the mirror is being deleted: its status is still copied, but a failure that
	// its deletion may have caused is not a result.
	MirrorDeleting Outcome = "MirrorDeleting"
	// Concluded means that the mirror has disappeared after it had promised a verdict: the Job is
	// concluded with that.
	Concluded Outcome = "Concluded"
	// Evicting means that the Job is no longer wanted on this worker: its mirror is deleted.
	Evicting Outcome = "Evicting"
	// Idle means that the Job is not wanted on this worker, and no mirror of it is there.
	Idle Outcome = "Idle"
)

// planOutcomes lists the outcomes that only Decide has, each with what it says to people.
var planOutcomes = [...]struct {
	outcome Outcome
	why     string
}{
	{Incomplete, "something is missing that a plan needs"},
	{Malformed, "an object cannot be read"},
	{Gone, "there is no such Job"},
	{Orphan, "the worker has the mirror of a Job that does not exist any more"},
	{CleaningUp, "the Job is being deleted, and its mirror first"},
	{CleanedUp, "the Job is being deleted, and has no mirror left"},
	{CleanupPending, "a worker that may have the mirror does not answer"},
	{Abandoned, "the worker has not answered for too long: what runs there is left behind"},
	{BadRecord, "the dispatch record cannot be used"},
	{Unconfirmed, "which mirror there is now has to be certain"},
	{Unreachable, "the worker does not answer"},
	{Refused, "no mirror can be made of the Job"},
	{Elsewhere, "another worker has the mirror, or may have it"},
	{Dispatching, "the mirror is to be created"},
	{BackingOff, "the last attempt left no mirror: the next one comes later"},
	{MirrorLost, "the mirror has disappeared, and the Job is concluded as failed"},
	{MirrorDeleting, "the mirror is being deleted"},
	{Concluded, "the mirror has disappeared, and the Job is concluded as it had promised"},
	{Evicting, "the Job is not wanted on this worker any more"},
	{Idle, "the Job is not wanted on this worker"},
}

// Outcomes returns every outcome there is, those of [StatusOutcomes] first, in a slice of the
// caller's own.
func Outcomes() []Outcome {
	all := StatusOutcomes()
	for _, o := range planOutcomes {
		all = append(all, o.outcome)
	}
	return all
}

// Plan is the whole next step of a controller for one Job and one worker. The zero Plan is to do
// nothing, and what the zero [State] gets.
//
// Carry the actions out in their order, and stop at the first that fails. No action spoils the
// precondition of a later one: what follows a DeleteMirror on the same Job needs no resourceVersion,
// and no other object is written twice. What comes after is planned anew from what is then seen.
type Plan struct {
	Outcome Outcome

	// Why says what settled the outcome, for people. Programs must not depend on its text.
	Why string

	Actions []Action

	// RequeueAfter says when to look again even if nothing happens; zero if there is no need to.
	// RequeueWhy says what for, for people.
	RequeueAfter time.Duration
	RequeueWhy   string

	// Adjustments and Violations are those of the status plan behind the outcome.
	Adjustments []Adjustment
	Violations  statusvalidate.Violations

	// Differences are those of the spec plan.
	Differences []Difference

	// Err is what stands in the way, for Incomplete, BadRecord, Refused and Malformed, and of other kinds than Job for Invalid and
	// MirrorLost: trying again does not help.
	Err error
}

// outcome returns a plan without anything to do.
func outcome(o Outcome) Plan {
	for i := range planOutcomes {
		if planOutcomes[i].outcome == o {
			return Plan{Outcome: o, Why: planOutcomes[i].why}
		}
	}
	return Plan{Outcome: o, Why: planOf(o).Why}
}

// because returns p with a reason of its own.
func (p Plan) because(why string) Plan {
	p.Why = why
	return p
}

// failing returns p with an error.
func (p Plan) failing(err error) Plan {
	p.Err = err
	return p
}

// then returns p with one more action.
func (p Plan) then(a Action) Plan {
	p.Actions = append(p.Actions, a)
	return p
}

// again returns p with a time to look again, if that is sooner.
func (p Plan) again(after time.Duration, why string) Plan {
	if after > 0 && (p.RequeueAfter == 0 || after < p.RequeueAfter) {
		p.RequeueAfter, p.RequeueWhy = after, why
	}
	return p
}

// String returns the plan on one line. Programs must not depend on its text.
func (p Plan) String() string {
	if p.Outcome == "" {
		return "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)", p.Outcome, printable(p.Why))
	if p.Err != nil {
		b.WriteString(": " + printable(p.Err.Error()))
	}
	separator := ": "
	for _, a := range p.Actions {
		b.WriteString(separator + a.String())
		separator = ", "
	}
	if p.RequeueAfter > 0 {
		fmt.Fprintf(&b, "; look again in %v: %s", p.RequeueAfter, p.RequeueWhy)
	}
	return b.String()
}
