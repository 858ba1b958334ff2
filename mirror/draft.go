// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// draft is a status on its way from the remote Job's to one that the local Job can be given.
type draft struct {
	local, remote *batchv1.Job
	opts          StatusOptions

	status      *batchv1.JobStatus
	mirrored    int                   // how many of the conditions come from the remote; the others are additions
	broken      []statusvalidate.Rule // by status, as of the last check
	adjustments []Adjustment

	terminating  bool // the terminal condition is withheld
	requeueAfter time.Duration
}

func newDraft(pair Pair, opts StatusOptions) *draft {
	d := &draft{local: pair.Local, remote: pair.Remote, opts: opts, status: pair.Remote.Status.DeepCopy()}
	d.mirrored = len(d.status.Conditions)
	return d
}

// change is the update that would write the draft.
func (d *draft) change() statusvalidate.Change {
	return statusvalidate.Change{Old: d.local, New: &batchv1.Job{Status: *d.status}}
}

// check asks the management API server about the draft as it is now.
func (d *draft) check() { d.broken = d.opts.Validator.Broken(d.change()) }

// violations says the same in the form of errors.
func (d *draft) violations() statusvalidate.Violations { return d.opts.Validator.Validate(d.change()) }

// firstBroken returns the first of the rules that the draft broke at the last check.
func (d *draft) firstBroken(rules ...statusvalidate.Rule) (rule statusvalidate.Rule, broken bool) {
	for _, rule := range d.broken {
		if slices.Contains(rules, rule) {
			return rule, true
		}
	}
	return "", false
}

// breaks checks the draft and reports whether it breaks one of the rules now.
func (d *draft) breaks(rules ...statusvalidate.Rule) bool {
	d.check()
	_, broken := d.firstBroken(rules...)
	return broken
}

func (d *draft) adjust(path string, rule statusvalidate.Rule, why string) {
	d.adjustments = append(d.adjustments, Adjustment{Field: path, Rule: rule, Why: why})
}

func conditionPath(t batchv1.JobConditionType) string {
	return field.NewPath("status", "conditions").Key(string(t)).String()
}

// localCondition returns the entry that speaks for a type on the local Job.
func (d *draft) localCondition(t batchv1.JobConditionType) *batchv1.JobCondition {
	return entry(d.local.Status.Conditions, t)
}

// condition returns the entry that speaks for a type in the draft, nil if there is none.
func (d *draft) condition(t batchv1.JobConditionType) *batchv1.JobCondition {
	return entry(d.status.Conditions, t)
}

func entry(entries []batchv1.JobCondition, t batchv1.JobConditionType) *batchv1.JobCondition {
	if i := find(entries, t); i >= 0 {
		return &entries[i]
	}
	return nil
}

// add puts a condition into the draft: in the place of the entry of its type, if the remote has one,
// else among the additions, which are in a fixed order.
func (d *draft) add(c batchv1.JobCondition) {
	entries := d.status.Conditions
	if find(entries, c.Type) >= 0 {
		d.status.Conditions = set(entries, c)
		return
	}
	place := d.mirrored
	for place < len(entries) && additionRank(entries[place].Type) <= additionRank(c.Type) {
		place++
	}
	d.status.Conditions = slices.Insert(entries, place, c)
}

// remove takes the entries of a type out of the draft.
func (d *draft) remove(t batchv1.JobConditionType) {
	var kept []batchv1.JobCondition
	mirrored := 0
	for i, c := range d.status.Conditions {
		if c.Type == t {
			continue
		}
		kept = append(kept, c)
		if i < d.mirrored {
			mirrored++
		}
	}
	d.status.Conditions, d.mirrored = kept, mirrored
}

// plan turns an acceptable draft into a plan.
func (d *draft) plan(outcome StatusOutcome) StatusPlan {
	if d.terminating {
		outcome = Terminating
	}
	written := sameStatus(&d.local.Status, d.status)
	if written {
		outcome = inSync(outcome)
	}
	p := planOf(outcome)
	p.Adjustments, p.RequeueAfter = d.adjustments, d.requeueAfter
	if !written {
		p.Status = d.status
	}
	return p
}
