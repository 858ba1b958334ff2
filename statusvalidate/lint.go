// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
)

// Finding is one thing in a status that the API server lets pass and clients trip over.
type Finding struct {
	// Rule is never empty.
	Rule LintRule

	// Field is the path of the field, such as "status.conditions[1].lastTransitionTime".
	Field string

	// Value is what is there: a string, a number, or what [Violation].Err would have for BadValue. It is
	// nil if nothing is there, or if the conditions as a whole are meant. It shares no memory with the Job.
	Value any

	// Detail says what is wrong, for people.
	Detail string
}

// Remedy says what to write instead, in a sentence for people. It is empty if f.Rule is not a rule of
// this package.
func (f Finding) Remedy() string { return lintTextOf[f.Rule].remedy }

// String returns the finding on one line. Programs must not depend on its text.
func (f Finding) String() string { return fmt.Sprintf("%s: %s (%s)", f.Field, f.Detail, f.Rule) }

// LintRuleInfo describes what [Validator.Lint] warns about.
type LintRuleInfo struct {
	Rule    LintRule
	Summary string // what should be so
	Harm    string // who trips over it, and how
	Remedy  string // what to write instead

	// RefusedBy is the rule by which other API servers refuse the same, empty if none does. Where the
	// Validator has that rule, Lint is silent.
	RefusedBy Rule
}

// String returns the id and the summary on one line.
func (i LintRuleInfo) String() string { return fmt.Sprintf("%s: %s", i.Rule, i.Summary) }

// LintRules returns everything that Lint can warn about, in its order. It is made from the table that
// Lint walks; the caller may change the result.
func LintRules() []LintRuleInfo {
	infos := make([]LintRuleInfo, len(lintTable))
	for i, r := range lintTable {
		t := lintTextOf[r.rule]
		infos[i] = LintRuleInfo{Rule: r.rule, Summary: t.summary, Harm: t.harm, Remedy: t.remedy, RefusedBy: r.refusedBy}
	}
	return infos
}

// Lint returns what is odd in the status of one Job and would still be accepted: contradictions,
// missing times, lists that have grown too long. It is nil if and only if there is nothing to warn about.
// The findings are in the order of [LintRules], and those of one rule in the order of the status.
//
// It is about the status as it is, whoever wrote it, and does not repeat what ValidateStatus reports: a
// rule that the Validator has is never a finding. So the two together say all that is wrong. Metadata
// is not looked at, and neither is the spec by itself.
//
// Values are compared as [Validator.Validate] does: times as whole seconds, a zero time as none; where
// the spec leaves completions, parallelism or completionMode out, the API server's defaults count. A Job
// has a condition if any entry of that type is True.
//
// Lint panics if job is nil, and on no other input. It does not change job, and what it returns shares no
// memory with it. Its cost is linear in the size of the status.
func (v Validator) Lint(job *batchv1.Job) (findings []Finding) {
	f := factsOf(alone(job))
	for i := range lintTable {
		r := &lintTable[i]
		if r.refusedBy != "" && v.has(r.refusedBy) {
			continue
		}
		for _, s := range r.spots(f) {
			findings = append(findings, Finding{Rule: r.rule, Field: s.field, Value: s.value, Detail: lintTextOf[r.rule].summary + s.more})
		}
	}
	return findings
}

// ValidateStatus returns what the API server would object to if the status of job were written in one
// update to the same Job without a status. That is the whole of what is wrong in a status by itself: every
// rule is looked at, also the ones that [Validator.Validate] leaves alone for an update that does not
// change what they are about. What cannot be seen from one status is not in it: counters that decrease,
// conditions taken back, times that change.
//
// A stored Job with violations is not in danger, as most rules are looked at only if an update changes what
// they are about. It was written before the API server had the rule, or while its gate was off; or its spec
// has changed since.
//
// Values are compared as Validate does. ValidateStatus panics if job is nil, and on no other input. It does
// not change job, and what it returns shares no memory with it.
func (v Validator) ValidateStatus(job *batchv1.Job) Violations { return v.Validate(alone(job)) }

// alone is the update that writes the whole status of the Job at once. Against an empty status there is
// no rule about the new status that is not looked at: what would break it is a change. A negative counter
// is that, and no decrease.
func alone(job *batchv1.Job) Change {
	none := batchv1.JobStatus{Succeeded: min(job.Status.Succeeded, 0), Failed: min(job.Status.Failed, 0)}
	return Change{Old: &batchv1.Job{Spec: job.Spec, Status: none}, New: job}
}

// has reports whether the API server enforces the rule, in any of its versions.
func (v Validator) has(rule Rule) bool {
	for rows := v.rows(); rows != 0; rows &= rows - 1 {
		if table[rows.first()].rule == rule {
			return true
		}
	}
	return false
}
