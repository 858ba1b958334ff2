// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// lintCase is a Job whose status is odd, or looks as if it were.
type lintCase struct {
	rule         statusvalidate.LintRule
	name         string
	spec, status string // YAML
	want         string // "field value" of each finding of the rule; empty for none
}

func (c lintCase) job(t *testing.T) *batchv1.Job {
	t.Helper()
	job := &batchv1.Job{}
	text := fmt.Sprintf("{spec: {%s}, status: {%s}}", c.spec, c.status)
	if err := yaml.UnmarshalStrict([]byte(text), job); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return job
}

// Conditions for the cases; atFive is the time of them all.
const (
	atFive    = `lastTransitionTime: "2026-01-01T00:05:00Z"`
	completed = `{type: Complete, status: "True", ` + atFive + `}`
	failed    = `{type: Failed, status: "True", reason: DeadlineExceeded, ` + atFive + `}`
	failing   = `{type: FailureTarget, status: "True", reason: DeadlineExceeded, ` + atFive + `}`
	suspended = `{type: Suspended, status: "True", ` + atFive + `}`
	started   = `startTime: "2026-01-01T00:00:00Z"`
	ended     = `completionTime: "2026-01-01T00:05:00Z"`
	indexed3  = `completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1`
)

var lintCases = []lintCase{
	{statusvalidate.LintConditionTypeEmpty, "no type", "", `conditions: [{status: "True", ` + atFive + `}]`, "status.conditions[0].type "},
	{statusvalidate.LintConditionTypeEmpty, "a type of somebody's own", "", `conditions: [{type: x, status: "True", ` + atFive + `}]`, ""},

	{statusvalidate.LintConditionTypeMisspelt, "small letters", "", `conditions: [` + failed + `, {type: complete, status: "True"}, {type: SUSPENDED}]`,
		"status.conditions[1].type complete, status.conditions[2].type SUSPENDED"},
	{statusvalidate.LintConditionTypeMisspelt, "letters that fold to the same", "", `conditions: [{type: "\u017fuspended"}]`, "status.conditions[0].type \u017fuspended"},
	{statusvalidate.LintConditionTypeMisspelt, "all the types there are", "", `conditions: [{type: Complete}, {type: Failed}, {type: FailureTarget}, {type: SuccessCriteriaMet}, {type: Suspended}, {type: Completed}, {type: ""}]`, ""},

	{statusvalidate.LintConditionStatusInvalid, "a truth value, in small letters", "", `conditions: [{type: Complete, status: "true"}, {type: x}]`,
		"status.conditions[0].status true, status.conditions[1].status "},
	{statusvalidate.LintConditionStatusInvalid, "each of the three", "", `conditions: [{type: a, status: "True"}, {type: b, status: "False"}, {type: c, status: Unknown}]`, ""},

	{statusvalidate.LintDuplicateCondition, "three of a type", "", `conditions: [` + failed + `, {type: x}, {type: Failed, status: "False"}, ` + failed + `]`,
		"status.conditions[2].type Failed, status.conditions[3].type Failed"},
	{statusvalidate.LintDuplicateCondition, "two without a type", "", `conditions: [{status: "True"}, {status: "True"}]`, "status.conditions[1].type "},
	{statusvalidate.LintDuplicateCondition, "one of each", "", `conditions: [` + failed + `, ` + failing + `]`, ""},

	{statusvalidate.LintTerminalWithoutTransitionTime, "Complete and Failed", "", `conditions: [{type: Complete, status: "True"}, {type: Failed, status: "True", lastTransitionTime: null}]`,
		"status.conditions[0].lastTransitionTime <nil>, status.conditions[1].lastTransitionTime <nil>"},
	{statusvalidate.LintTerminalWithoutTransitionTime, "not terminal", "", `conditions: [{type: Complete, status: "False"}, {type: FailureTarget, status: "True"}, ` + failed + `]`, ""},

	{statusvalidate.LintConditionWithoutTransitionTime, "not terminal", "", `conditions: [{type: Complete, status: "False"}, {type: x, status: "True"}]`,
		"status.conditions[0].lastTransitionTime <nil>, status.conditions[1].lastTransitionTime <nil>"},
	{statusvalidate.LintConditionWithoutTransitionTime, "terminal", "", `conditions: [{type: Complete, status: "True"}, ` + suspended + `]`, ""},

	{statusvalidate.LintTerminalBeforeStartTime, "a second before", "", `startTime: "2026-01-01T00:05:01Z", conditions: [` + completed + `, ` + failing + `]`,
		"status.conditions[0].lastTransitionTime 2026-01-01 00:05:00 +0000 UTC"},
	{statusvalidate.LintTerminalBeforeStartTime, "at the same time", "", `startTime: "2026-01-01T00:05:00Z", conditions: [` + failed + `]`, ""},
	{statusvalidate.LintTerminalBeforeStartTime, "no start", "", `conditions: [` + failed + `]`, ""},
	{statusvalidate.LintTerminalBeforeStartTime, "no time", "", started + `, conditions: [{type: Failed, status: "True"}]`, ""},
	{statusvalidate.LintTerminalBeforeStartTime, "False", "", `startTime: "2026-01-01T00:05:01Z", conditions: [{type: Failed, status: "False", ` + atFive + `}]`, ""},

	{statusvalidate.LintFailureWithoutReason, "both conditions of a failure", "", `conditions: [{type: FailureTarget, status: "True", message: m}, {type: Failed, status: "True"}]`,
		"status.conditions[0].reason <nil>, status.conditions[1].reason <nil>"},
	{statusvalidate.LintFailureWithoutReason, "Complete needs none: 1.30 gives none", "", `conditions: [` + completed + `, ` + failed + `, {type: Failed, status: "False"}]`, ""},

	{statusvalidate.LintSuspendedWithoutCondition, "nothing is said", "suspend: true", "", "status.conditions <nil>"},
	{statusvalidate.LintSuspendedWithoutCondition, "False is said", "suspend: true", `conditions: [{type: Suspended, status: "False", ` + atFive + `}]`, "status.conditions <nil>"},
	{statusvalidate.LintSuspendedWithoutCondition, "it is said", "suspend: true", `conditions: [` + suspended + `]`, ""},
	{statusvalidate.LintSuspendedWithoutCondition, "pods are still there", "suspend: true", "active: 1", ""},
	{statusvalidate.LintSuspendedWithoutCondition, "finished", "suspend: true", `conditions: [` + failed + `]`, ""},
	{statusvalidate.LintSuspendedWithoutCondition, "about to fail", "suspend: true", `conditions: [` + failing + `]`, ""},
	{statusvalidate.LintSuspendedWithoutCondition, "about to succeed", "suspend: true", `conditions: [{type: SuccessCriteriaMet, status: "True"}]`, ""},
	{statusvalidate.LintSuspendedWithoutCondition, "not suspended", "suspend: false", "", ""},
	{statusvalidate.LintSuspendedWithoutCondition, "not suspended by default", "", "", ""},

	{statusvalidate.LintActiveWhileSuspended, "a pod is left", "", `active: 1, conditions: [` + suspended + `]`, "status.active 1"},
	{statusvalidate.LintActiveWhileSuspended, "no pod is left", "suspend: true", `conditions: [` + suspended + `]`, ""},
	{statusvalidate.LintActiveWhileSuspended, "not suspended yet", "suspend: true", `active: 1, conditions: [{type: Suspended, status: "False"}]`, ""},

	{statusvalidate.LintActiveWithoutStartTime, "pods", "", "active: 1", "status.startTime <nil>"},
	{statusvalidate.LintActiveWithoutStartTime, "a time", "", "active: 1, " + started, ""},
	{statusvalidate.LintActiveWithoutStartTime, "no pods", "", "failed: 1", ""},

	{statusvalidate.LintSucceededAboveCompletions, "one more", "completions: 3", "succeeded: 4", "status.succeeded 4"},
	{statusvalidate.LintSucceededAboveCompletions, "all", "completions: 3", "succeeded: 3", ""},
	{statusvalidate.LintSucceededAboveCompletions, "the default is 1", "", "succeeded: 2", "status.succeeded 2"},
	{statusvalidate.LintSucceededAboveCompletions, "a work queue", "parallelism: 2", "succeeded: 2", ""},

	{statusvalidate.LintCompleteBelowCompletions, "one less", "completions: 3", `succeeded: 2, conditions: [` + completed + `]`, "status.succeeded 2"},
	{statusvalidate.LintCompleteBelowCompletions, "all", "completions: 3", `succeeded: 3, conditions: [` + completed + `]`, ""},
	{statusvalidate.LintCompleteBelowCompletions, "a work queue", "parallelism: 2", `conditions: [` + completed + `]`, "status.succeeded 0"},
	{statusvalidate.LintCompleteBelowCompletions, "one worker has emptied the queue", "parallelism: 2", `succeeded: 1, conditions: [` + completed + `]`, ""},
	{statusvalidate.LintCompleteBelowCompletions, "nothing to do", "completions: 0", `conditions: [` + completed + `]`, ""},
	{statusvalidate.LintCompleteBelowCompletions, "a success policy", "completions: 3, successPolicy: {}", `succeeded: 1, conditions: [` + completed + `]`, ""},
	{statusvalidate.LintCompleteBelowCompletions, "failed", "completions: 3", `succeeded: 1, conditions: [` + failed + `]`, ""},

	{statusvalidate.LintSucceededNotCompletedIndexes, "fewer", indexed3, `succeeded: 1, completedIndexes: "0-2"`, "status.succeeded 1"},
	{statusvalidate.LintSucceededNotCompletedIndexes, "none are listed", indexed3, `succeeded: 1`, "status.succeeded 1"},
	{statusvalidate.LintSucceededNotCompletedIndexes, "the same", indexed3, `succeeded: 2, completedIndexes: "0,2"`, ""},
	{statusvalidate.LintSucceededNotCompletedIndexes, "malformed, which is another matter", indexed3, `succeeded: 2, completedIndexes: "0,2-"`, ""},
	{statusvalidate.LintSucceededNotCompletedIndexes, "not Indexed", "completions: 3", `succeeded: 2`, ""},
	{statusvalidate.LintSucceededNotCompletedIndexes, "all there may be", "completionMode: Indexed, completions: 2147483647", `succeeded: 2147483647, completedIndexes: 0-2147483646`, ""},

	{statusvalidate.LintIndexesNearObjectLimit, "together too long", indexed3, fmt.Sprintf("completedIndexes: %q, failedIndexes: '1'", strings.Repeat("0", 1<<20)), "status.completedIndexes <nil>"},
	{statusvalidate.LintIndexesNearObjectLimit, "failedIndexes", indexed3, fmt.Sprintf("completedIndexes: '1', failedIndexes: %q", strings.Repeat("0", 1<<20)), "status.failedIndexes <nil>"},
	{statusvalidate.LintIndexesNearObjectLimit, "just not", indexed3, fmt.Sprintf("completedIndexes: %q", strings.Repeat("0", 1<<20)), ""},

	{statusvalidate.LintCompleteAndFailed, "both", "", `conditions: [` + completed + `, ` + failed + `]`, "status.conditions <nil>"},
	{statusvalidate.LintCompleteAndFailed, "one", "", `conditions: [` + completed + `, {type: Failed, status: "False"}]`, ""},
	{statusvalidate.LintCompleteAndFailureTarget, "both", "", `conditions: [` + completed + `, ` + failing + `]`, "status.conditions <nil>"},
	{statusvalidate.LintCompleteAndFailureTarget, "one", "", `conditions: [` + failed + `, ` + failing + `]`, ""},
	{statusvalidate.LintCompletionTimeWithoutComplete, "failed", "", ended + `, conditions: [` + failed + `]`, "status.completionTime 2026-01-01 00:05:00 +0000 UTC"},
	{statusvalidate.LintCompletionTimeWithoutComplete, "complete", "", ended + `, conditions: [` + completed + `]`, ""},
	{statusvalidate.LintCompleteWithoutCompletionTime, "none", "", `conditions: [` + completed + `]`, "status.completionTime <nil>"},
	{statusvalidate.LintCompleteWithoutCompletionTime, "failed", "", `conditions: [` + failed + `]`, ""},
	{statusvalidate.LintCompletionTimeBeforeStartTime, "before", "", `startTime: "2026-01-01T00:05:01Z", ` + ended, "status.completionTime 2026-01-01 00:05:00 +0000 UTC"},
	{statusvalidate.LintCompletionTimeBeforeStartTime, "after", "", started + ", " + ended, ""},
	{statusvalidate.LintFinishedWithActivePods, "a pod", "", `active: 1, conditions: [` + failed + `]`, "status.active 1"},
	{statusvalidate.LintFinishedWithActivePods, "about to fail", "", `active: 1, conditions: [` + failing + `]`, ""},
	{statusvalidate.LintFinishedWithoutStartTime, "none", "", `conditions: [` + failed + `]`, "status.startTime <nil>"},
	{statusvalidate.LintFinishedWithoutStartTime, "nothing to start", "suspend: true, completions: 0", `conditions: [` + completed + `]`, ""},
	{statusvalidate.LintFinishedWithUncountedPods, "a pod", "", `uncountedTerminatedPods: {failed: [u]}, conditions: [` + failed + `]`, `status.uncountedTerminatedPods &UncountedTerminatedPods{Succeeded:[],Failed:[u],}`},
	{statusvalidate.LintFinishedWithUncountedPods, "none", "", `uncountedTerminatedPods: {}, conditions: [` + failed + `]`, ""},
	{statusvalidate.LintCompletedIndexesMalformed, "too large", indexed3, "completedIndexes: 1-3", "status.completedIndexes 1-3"},
	{statusvalidate.LintCompletedIndexesMalformed, "in range", indexed3, "completedIndexes: 1-2", ""},
	{statusvalidate.LintFailedIndexesMalformed, "falling", indexed3, "failedIndexes: '1,0'", "status.failedIndexes 1,0"},
	{statusvalidate.LintFailedIndexesMalformed, "rising", indexed3, "failedIndexes: '0,1'", ""},
	{statusvalidate.LintCompletedIndexesOnNonIndexed, "not Indexed", "completions: 3", "completedIndexes: '0'", "status.completedIndexes 0"},
	{statusvalidate.LintCompletedIndexesOnNonIndexed, "Indexed", indexed3, "completedIndexes: '0'", ""},
	{statusvalidate.LintFailedIndexesWithoutBackoffLimitPerIndex, "empty is a value", "completionMode: Indexed, completions: 3", "failedIndexes: ''", "status.failedIndexes "},
	{statusvalidate.LintFailedIndexesWithoutBackoffLimitPerIndex, "there is a limit", indexed3, "failedIndexes: ''", ""},
	{statusvalidate.LintFailedAndCompletedIndexesOverlap, "an index in both", indexed3, "completedIndexes: 0-1, failedIndexes: '1'", "status.failedIndexes 1"},
	{statusvalidate.LintFailedAndCompletedIndexesOverlap, "no index in both", indexed3, "completedIndexes: 0-1, failedIndexes: '2'", ""},
	{statusvalidate.LintMoreReadyThanActive, "more", "", "active: 1, ready: 2", "status.ready 2"},
	{statusvalidate.LintMoreReadyThanActive, "as many", "", "active: 1, ready: 1", ""},
}

// TestLintCases runs the cases on an API server without strict rules, and on the newest. Both find the
// same, but for what the newest refuses.
func TestLintCases(t *testing.T) {
	lenient := statusvalidate.For(release(t, "1.30.14"))
	found, clean := map[statusvalidate.LintRule]int{}, map[statusvalidate.LintRule]int{}
	for _, c := range lintCases {
		name := string(c.rule) + ": " + c.name
		job := c.job(t)
		if diff := cmp.Diff(c.want, spots(lenient.Lint(job), c.rule)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		want := c.want
		if refusedBy := lintInfoOf(t, c.rule).RefusedBy; refusedBy != "" {
			if refused := newest.ValidateStatus(job).Has(refusedBy); refused != (want != "") {
				t.Errorf("%s: refused by the newest release = %v", name, refused)
			}
			want = ""
		}
		if diff := cmp.Diff(want, spots(newest.Lint(job), c.rule)); diff != "" {
			t.Errorf("%s, newest release (-want +got):\n%s", name, diff)
		}
		if c.want == "" {
			clean[c.rule]++
		} else {
			found[c.rule]++
		}
	}
	for _, info := range statusvalidate.LintRules() {
		if found[info.Rule] == 0 || clean[info.Rule] == 0 {
			t.Errorf("%s: %d cases that it finds and %d that it does not, want some of each", info.Rule, found[info.Rule], clean[info.Rule])
		}
	}
}

func lintInfoOf(t *testing.T, rule statusvalidate.LintRule) statusvalidate.LintRuleInfo {
	t.Helper()
	for _, info := range statusvalidate.LintRules() {
		if info.Rule == rule {
			return info
		}
	}
	t.Fatalf("LintRules does not have %s", rule)
	return statusvalidate.LintRuleInfo{}
}

// spots lists the findings of one rule.
func spots(findings []statusvalidate.Finding, rule statusvalidate.LintRule) string {
	var list []string
	for _, f := range findings {
		if f.Rule == rule {
			list = append(list, fmt.Sprintf("%s %v", f.Field, f.Value))
		}
	}
	return strings.Join(list, ", ")
}

// TestLintDetails pins what a detail adds to the summary.
func TestLintDetails(t *testing.T) {
	tests := []struct{ spec, status, want string }{
		{"completions: 3", "succeeded: 4", "; completions are 3 (SucceededAboveCompletions)"},
		{"completions: 3", "succeeded: 2, conditions: [" + completed + "]", "; there should be 3 (CompleteBelowCompletions)"},
		{indexed3, "succeeded: 1, completedIndexes: 0-1", "; completedIndexes list 2 (SucceededNotCompletedIndexes)"},
		{"", "conditions: [{type: failed, status: 'True', " + atFive + "}]", "; Failed is meant (ConditionTypeMisspelt)"},
		{"", "conditions: [{type: Failed, status: yep, " + atFive + "}]", " (Failed) (ConditionStatusInvalid)"},
		{"", "conditions: [{type: Failed, status: 'True', reason: r}]", " (Failed=True) (TerminalWithoutTransitionTime)"},
		{indexed3, "completedIndexes: 1-x", `; the fragment "1-x" is neither an index nor an interval a-b (CompletedIndexesMalformed)`},
		{"", "conditions: [" + suspended + ", " + suspended + "]", "there should be one condition of a type (DuplicateCondition)"},
	}
	for _, tt := range tests {
		findings := statusvalidate.For(release(t, "1.30.14")).Lint(lintCase{spec: tt.spec, status: tt.status}.job(t))
		if !slices.ContainsFunc(findings, func(f statusvalidate.Finding) bool { return strings.HasSuffix(f.String(), tt.want) }) {
			t.Errorf("%s, %s: no %q in\n%v", tt.spec, tt.status, tt.want, findings)
		}
	}
}
