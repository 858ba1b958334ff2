// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// StatusOutcome says what became of a remote status. Values are stable and may be logged, counted
// and shown in events; new ones may be added in a minor version.
type StatusOutcome string

const (
	// InSync means that the local status shows what it can of the remote one: nothing is written.
	InSync StatusOutcome = "InSync"
	// Copied means that the remote status is to be written, as it is or with adjustments.
	Copied StatusOutcome = "Copied"
	// Deferred means that the local Job is suspended and its mirror has not stopped yet. Nothing of the
	// run is copied, because a startTime would freeze the local pod template; at most
	// Suspended=True is written. Look again after RequeueAfter.
	Deferred StatusOutcome = "Deferred"
	// Evicted means that the worker suspended the mirror of a Job that runs: its own queue did. The
	// status is copied, the local startTime stays. It is no progress.
	Evicted StatusOutcome = "Evicted"
	// Resuming is Evicted, but for the reason: the mirror has not been told yet that the local Job
	// runs again.
	Resuming StatusOutcome = "Resuming"
	// Terminating means that the remote Job has finished, but the local one cannot be told while
	// pods are still active or terminating. The verdict is written now (FailureTarget,
	// SuccessCriteriaMet), the terminal condition later.
	Terminating StatusOutcome = "Terminating"
	// Finished means that both Jobs have the same verdict. It is final: nothing is written.
	Finished StatusOutcome = "Finished"
	// Conflict means that nothing may be written: the local Job has finished and the remote Job says
	// otherwise, or has promised the opposite verdict; or the remote Job is not the mirror of the local one.
	Conflict StatusOutcome = "Conflict"
	// Invalid means that no acceptable form of the remote status was found; Violations say why, and
	// Why where no rule does: a time cannot be put into JSON. It takes a malformed status on one of the
	// two sides, or Management releases that contradict
	// each other (1.30 refuses a SuccessCriteriaMet without which strict later ones take no Complete).
	Invalid StatusOutcome = "Invalid"
	// NotManaged means that spec.managedBy of the local Job is not Policy.Controller: another
	// controller writes its status. Only [Planner.PlanStatus] says so.
	NotManaged StatusOutcome = "NotManaged"
)

// statusOutcomes lists the outcomes, each with what it says to people.
var statusOutcomes = [...]struct {
	outcome StatusOutcome
	why     string
}{
	{InSync, "the local status shows the remote one"},
	{Copied, "the remote status has something new"},
	{Deferred, "the local Job is suspended and its mirror has not stopped yet"},
	{Evicted, "the worker has suspended the mirror"},
	{Resuming, "the mirror has not been told yet that the local Job runs again"},
	{Terminating, "the mirror has finished, but not all its pods are gone"},
	{Finished, "both Jobs have the same result"},
	{Conflict, "the mirror contradicts the result of the local Job, or a promise of one"},
	{Invalid, "no repair makes the remote status acceptable to the API server"},
	{NotManaged, "the local Job is managed by another controller"},
}

// StatusOutcomes returns every outcome there is, in a slice of the caller's own.
func StatusOutcomes() []StatusOutcome {
	all := make([]StatusOutcome, len(statusOutcomes))
	for i, o := range statusOutcomes {
		all[i] = o.outcome
	}
	return all
}

// planOf returns a plan without anything to write.
func planOf(outcome StatusOutcome) StatusPlan {
	for _, o := range statusOutcomes {
		if o.outcome == outcome {
			return StatusPlan{Outcome: outcome, Why: o.why}
		}
	}
	return StatusPlan{Outcome: outcome}
}

// refusal returns the plan of an outcome that violations stand behind.
func refusal(outcome StatusOutcome, vs statusvalidate.Violations) StatusPlan {
	p := planOf(outcome)
	p.Violations = vs
	return p
}

// Adjustment is one place where the status to write differs from the remote status.
type Adjustment struct {
	// Field is the path of the field, such as "status.startTime" or "status.conditions[FailureTarget]";
	// "status" if nothing of the remote status was taken.
	Field string

	// Rule is what the management API server would have objected to. It is empty for a guard, which
	// acts even where the server would accept.
	Rule statusvalidate.Rule

	// Why says what was done, for people. Programs must not depend on it.
	Why string
}

// String returns "status.failed: held at the local value (FailedDecreased)", on one line whatever the
// type of a condition is.
func (a Adjustment) String() string {
	s := a.Field + ": " + a.Why
	if a.Rule != "" {
		s += " (" + string(a.Rule) + ")"
	}
	return printable(s)
}

// printable replaces what could end a line or hide a part of it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// StatusPlan is what to write to the status of the local Job. The zero StatusPlan is not an answer.
type StatusPlan struct {
	// Outcome is never empty.
	Outcome StatusOutcome

	// Why says what settled the outcome, for people; it is never empty. Programs must not depend on
	// its text.
	Why string

	// Status is the whole status to write to the local Job, nil if there is nothing to write. Write
	// it on condition that the local Job's resourceVersion and UID are still those of the plan's
	// input; on a conflict, read both Jobs again and plan anew.
	Status *batchv1.JobStatus

	// Adjustments are the places where the status that the local Job is to show differs from the
	// remote one, in the order in which they were made, also where that status is there already.
	// A plan for a [Finished] Job has none.
	Adjustments []Adjustment

	// Violations say for Conflict and Invalid what the management API server would object to after
	// all repairs; or, where these would cover up the contradiction, before them. It is empty where
	// no rule stands behind it.
	Violations statusvalidate.Violations

	// RequeueAfter says when to look again even if nothing happens; zero if there is no need to.
	RequeueAfter time.Duration
}

// String returns the plan on one line. Programs must not depend on its text.
func (p StatusPlan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)", p.Outcome, p.Why)
	if p.Status != nil {
		b.WriteString(", write")
	}
	if p.RequeueAfter > 0 {
		fmt.Fprintf(&b, ", look again in %v", p.RequeueAfter)
	}
	separator := ": "
	for _, a := range p.Adjustments {
		b.WriteString(separator + a.String())
		separator = "; "
	}
	for _, v := range p.Violations {
		b.WriteString(separator + printable(v.Error()))
		separator = "; "
	}
	return b.String()
}

// StatusOptions are what [ProjectStatus] has to know beside the two Jobs.
type StatusOptions struct {
	// Validator is the management API server's. Its zero value is that of the newest release known;
	// [statusvalidate.ForAll] makes one for a control plane in the middle of an upgrade.
	Validator statusvalidate.Validator

	// Now is the time. It is used for conditions that are written because of the plan, and to see whether
	// terminating pods must be gone. Set it: without it, such conditions have no time, and a
	// result that waits for terminating pods waits for ever.
	Now metav1.Time

	// StampTerminal sets the lastTransitionTime of a terminal condition to Now when it is first
	// written, so that the local TTL runs from its arrival and not by a worker's clock.
	StampTerminal bool

	// Untold says that the mirror has not been told yet that the local Job is no longer suspended.
	// A suspended mirror is then Resuming, not Evicted.
	Untold bool
}

// PlanStatus plans what to write to the status of pair.Local, given what the mirror shows. It is
// [ProjectStatus] with the options of the Policy, behind two checks: a Local that is not managed by
// Policy.Controller is [NotManaged], and a Remote that [Planner.Relate] does not call Ours is a
// [Conflict].
//
// Resuming goes by what [Planner.Build] and [Planner.PlanSpec] recorded on the mirror: a controller that
// sends spec.suspend to the mirror by other means calls ProjectStatus, and says Untold as it knows. With
// [SuspendAtCreation] there is no Resuming: the worker's queue resumes.
//
// It panics if one of the Jobs is nil: that there is no mirror is not something to copy. It changes
// neither, and the plan shares no memory with them.
func (p *Planner) PlanStatus(pair Pair, now metav1.Time) StatusPlan {
	if !jobmanagedby.IsManagedBy(pair.Local, p.policy.Controller) {
		return planOf(NotManaged)
	}
	if relation := p.relationOf(pair.Local, pair.Remote); relation != Ours {
		plan := planOf(Conflict)
		plan.Why = "the remote Job is not the mirror of the local one: " + string(relation)
		return plan
	}
	return ProjectStatus(pair, p.statusOptions(pair, now))
}

// untold reports whether the last thing that the mirror of a Job which runs was told is to suspend, and
// it is to be told more.
func (p *Planner) untold(pair Pair) bool {
	if suspends(pair.Local) || !suspends(pair.Remote) || p.policy.Suspend == SuspendAtCreation {
		return false
	}
	var sent struct{ Spec struct{ Suspend bool } }
	err := json.Unmarshal([]byte(pair.Remote.Annotations[p.policy.Keys.LastSent]), &sent)
	return err == nil && sent.Spec.Suspend
}
