// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
)

// lintRow is something that Lint warns about.
type lintRow struct {
	rule      LintRule
	refusedBy Rule // Lint is silent where the API server has it; empty for none
	// spots are the places where the status is like that, none if it is not.
	spots func(facts) []spot
}

// spot is a place in a status.
type spot struct {
	field string
	value any
	more  string // to say about it, right behind the summary
}

// lintTable is everything that Lint warns about, in its order. Who trips over it is in lintTextOf.
var lintTable = []lintRow{
	{LintConditionTypeEmpty, "", entries("type", func(c *batchv1.JobCondition) bool { return c.Type == "" })},
	{LintConditionTypeMisspelt, "", entries("type", func(c *batchv1.JobCondition) bool { return conditionOf(c.Type) == 0 && knownAs(c.Type) != "" })},
	{LintConditionStatusInvalid, "", entries("status", statusInvalid)},
	{LintDuplicateCondition, "", repeatedEntries},
	{LintTerminalWithoutTransitionTime, "", entries("lastTransitionTime", func(c *batchv1.JobCondition) bool { return isTrue(c, finished) && timeless(c) })},
	{LintConditionWithoutTransitionTime, "", entries("lastTransitionTime", func(c *batchv1.JobCondition) bool { return !isTrue(c, finished) && timeless(c) })},
	{LintTerminalBeforeStartTime, "", terminalBeforeStart},
	{LintFailureWithoutReason, "", entries("reason", func(c *batchv1.JobCondition) bool { return isTrue(c, failed|failureTarget) && c.Reason == "" })},
	{LintSuspendedWithoutCondition, "", count("conditions", suspendedSilently)},
	{LintActiveWhileSuspended, "", count("active", func(f facts) bool { return f.has&suspended != 0 && f.new.Active > 0 })},
	{LintActiveWithoutStartTime, "", count("startTime", func(f facts) bool { return f.new.Active > 0 && !onWire(f.new.StartTime).set })},
	{LintSucceededAboveCompletions, "", succeededAbove},
	{LintCompleteBelowCompletions, "", completeBelow},
	{LintSucceededNotCompletedIndexes, "", succeededNotIndexes},
	{LintIndexesNearObjectLimit, "", longIndexes},

	{LintCompleteAndFailed, CompleteAndFailed, breaks(CompleteAndFailed)},
	{LintCompleteAndFailureTarget, CompleteAndFailureTarget, breaks(CompleteAndFailureTarget)},
	{LintCompletionTimeWithoutComplete, CompletionTimeWithoutComplete, breaks(CompletionTimeWithoutComplete)},
	{LintCompleteWithoutCompletionTime, CompleteWithoutCompletionTime, breaks(CompleteWithoutCompletionTime)},
	{LintCompletionTimeBeforeStartTime, CompletionTimeBeforeStartTime, breaks(CompletionTimeBeforeStartTime)},
	{LintFinishedWithActivePods, FinishedWithActivePods, breaks(FinishedWithActivePods)},
	{LintFinishedWithoutStartTime, FinishedWithoutStartTime, breaks(FinishedWithoutStartTime)},
	{LintFinishedWithUncountedPods, FinishedWithUncountedPods, breaks(FinishedWithUncountedPods)},
	{LintCompletedIndexesMalformed, CompletedIndexesMalformed, breaks(CompletedIndexesMalformed)},
	{LintFailedIndexesMalformed, FailedIndexesMalformed, breaks(FailedIndexesMalformed)},
	{LintCompletedIndexesOnNonIndexed, CompletedIndexesOnNonIndexed, breaks(CompletedIndexesOnNonIndexed)},
	{LintFailedIndexesWithoutBackoffLimitPerIndex, FailedIndexesWithoutBackoffLimitPerIndex, breaks(FailedIndexesWithoutBackoffLimitPerIndex)},
	{LintFailedAndCompletedIndexesOverlap, FailedAndCompletedIndexesOverlap, breaks(FailedAndCompletedIndexesOverlap)},
	{LintMoreReadyThanActive, MoreReadyThanActive, breaks(MoreReadyThanActive)},
}

// breaks finds what the newest version of a rule objects to.
func breaks(rule Rule) func(facts) []spot {
	var newest row
	for _, r := range table {
		if r.rule == rule {
			newest = r
		}
	}
	return func(f facts) (spots []spot) {
		if !newest.broken(f) {
			return nil
		}
		for _, err := range newest.errs(f, "") {
			spots = append(spots, spot{err.Field, shown(err), err.Detail})
		}
		return spots
	}
}

// entries finds entries of conditions. Child is the field of an entry that it is about.
func entries(child string, odd func(*batchv1.JobCondition) bool) func(facts) []spot {
	return func(f facts) (spots []spot) {
		for i := range f.new.Conditions {
			if c := &f.new.Conditions[i]; odd(c) {
				spots = append(spots, entrySpot(i, c, child))
			}
		}
		return spots
	}
}

func entrySpot(i int, c *batchv1.JobCondition, child string) spot {
	s := spot{field: fmt.Sprintf("status.conditions[%d].%s", i, child), more: fmt.Sprintf(" (%s=%s)", c.Type, c.Status)}
	switch child {
	case "type":
		s.value, s.more = string(c.Type), ""
		if known := knownAs(c.Type); known != "" && known != c.Type {
			s.more = fmt.Sprintf("; %s is meant", known)
		}
	case "lastTransitionTime":
		if at := onWire(&c.LastTransitionTime).time(); at != nil {
			s.value = at
		}
	case "status":
		s.value, s.more = string(c.Status), fmt.Sprintf(" (%s)", c.Type)
	}
	return s
}

// knownTypes are the types of the Job API.
var knownTypes = []batchv1.JobConditionType{
	batchv1.JobComplete, batchv1.JobFailed, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet, batchv1.JobSuspended,
}

// knownAs returns the type of the Job API that t is but for upper and lower case, "" if it is none.
func knownAs(t batchv1.JobConditionType) batchv1.JobConditionType {
	for _, known := range knownTypes {
		if strings.EqualFold(string(known), string(t)) {
			return known
		}
	}
	return ""
}

func isTrue(c *batchv1.JobCondition, set conditions) bool {
	return c.Status == corev1.ConditionTrue && conditionOf(c.Type)&set != 0
}

func timeless(c *batchv1.JobCondition) bool { return !onWire(&c.LastTransitionTime).set }

func statusInvalid(c *batchv1.JobCondition) bool {
	return c.Status != corev1.ConditionTrue && c.Status != corev1.ConditionFalse && c.Status != corev1.ConditionUnknown
}

func repeatedEntries(f facts) (spots []spot) {
	seen := sets.New[batchv1.JobConditionType]()
	for i := range f.new.Conditions {
		c := &f.new.Conditions[i]
		if seen.Has(c.Type) {
			spots = append(spots, entrySpot(i, c, "type"))
		}
		seen.Insert(c.Type)
	}
	return spots
}

func terminalBeforeStart(f facts) []spot {
	start := onWire(f.new.StartTime)
	return entries("lastTransitionTime", func(c *batchv1.JobCondition) bool {
		return isTrue(c, finished) && onWire(&c.LastTransitionTime).before(start)
	})(f)
}

// count finds a field that is at odds with the rest of the status.
func count(child string, odd func(facts) bool) func(facts) []spot {
	return func(f facts) []spot {
		if !odd(f) {
			return nil
		}
		s := spot{field: "status." + child}
		if child == "active" {
			s.value = f.new.Active
		}
		return []spot{s}
	}
}

func suspendedSilently(f facts) bool {
	const told = suspended | finished | failureTarget | successCriteriaMet
	return ptr.Deref(f.spec.Suspend, false) && f.has&told == 0 && f.new.Active == 0
}

func succeededAbove(f facts) []spot {
	if !f.counts.fixed || f.new.Succeeded <= f.counts.completions {
		return nil
	}
	return []spot{{"status.succeeded", f.new.Succeeded, fmt.Sprintf("; completions are %d", f.counts.completions)}}
}

func completeBelow(f facts) []spot {
	want := int32(1)
	if f.counts.fixed {
		want = f.counts.completions
	}
	if f.has&complete == 0 || f.spec.SuccessPolicy != nil || f.new.Succeeded >= want {
		return nil
	}
	return []spot{{"status.succeeded", f.new.Succeeded, fmt.Sprintf("; there should be %d", want)}}
}

func succeededNotIndexes(f facts) []spot {
	if !f.indexed() || completedMalformed(f) {
		return nil
	}
	listed := int64(0)
	for w := (walker{list: f.new.CompletedIndexes, completions: tooMany}); w.next(); {
		listed += w.last - w.first + 1
	}
	if listed == int64(f.new.Succeeded) {
		return nil
	}
	return []spot{{"status.succeeded", f.new.Succeeded, fmt.Sprintf("; completedIndexes list %d", listed)}}
}

// nearObjectLimit leaves half a MiB of what etcd takes in a request by default for the rest of the Job.
const nearObjectLimit = 1 << 20

func longIndexes(f facts) []spot {
	completed, failed := len(f.new.CompletedIndexes), len(ptr.Deref(f.new.FailedIndexes, ""))
	if completed+failed <= nearObjectLimit {
		return nil
	}
	field := "status.completedIndexes"
	if failed > completed {
		field = "status.failedIndexes"
	}
	return []spot{{field, nil, fmt.Sprintf("; they are %d bytes and %d bytes long", completed, failed)}}
}
