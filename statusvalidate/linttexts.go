// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import "k8s.io/apimachinery/pkg/util/validation/field"

// lintText is what a lint rule says to people.
type lintText struct {
	summary string // what should be so; the detail of the finding
	harm    string // who trips over it, and how
	remedy  string // what to write instead
}

// lintTextOf has a text for every lint rule. Nothing of it is part of the API. The summary and remedy of
// what other API servers refuse are those of their rule.
var lintTextOf = withRuleTexts(map[LintRule]lintText{
	LintConditionTypeEmpty: {"a condition should have a type",
		"nobody can ask for it, and a strategic merge patch, which merges conditions by type, cannot take it out",
		"leave the entry out, or give it a type"},
	LintConditionTypeMisspelt: {"the types of Job conditions are written Complete, Failed, FailureTarget, SuccessCriteriaMet, Suspended",
		"types are compared letter by letter: to every client, and to the API server, the Job does not have the condition",
		"write the type as the Job API does: use the constants of k8s.io/api/batch/v1"},
	LintConditionStatusInvalid: {"the status of a condition should be True, False or Unknown",
		"a condition with any other status is as good as none, to the API server and to clients",
		`write "True", "False" or "Unknown", with a capital`},
	LintDuplicateCondition: {"there should be one condition of a type",
		"some clients look at the first entry of a type, some at any, and a strategic merge patch makes one of them",
		"change the entry that is there instead of appending another one"},
	LintTerminalWithoutTransitionTime: {"a terminal condition should have a lastTransitionTime",
		"the TTL-after-finished controller cannot tell when the Job finished, fails, and tries again for ever; the Job is never deleted",
		"set lastTransitionTime to the time at which the Job finished; it can be added later"},
	LintConditionWithoutTransitionTime: {"a condition should have a lastTransitionTime",
		"nobody can tell since when the Job has been like that, or which of two conditions came first",
		"set lastTransitionTime whenever the status of the condition changes"},
	LintTerminalBeforeStartTime: {"a Job should not finish before it starts",
		"durations are negative, and a TTL counts from before the start; the two times may come from clocks that differ",
		"raise lastTransitionTime to startTime"},
	LintFailureWithoutReason: {"a failed Job should say why",
		"users see a failed Job without a cause, and controllers that retry by the reason, such as JobSet, take it for another failure",
		"set reason, such as BackoffLimitExceeded or DeadlineExceeded, and message"},
	LintSuspendedWithoutCondition: {"a suspended Job should have Suspended=True",
		"tools that wait for the Job, such as those that show its health, wait for ever; and Kubernetes 1.36.0 and 1.36.1 freeze the pod template. " +
			"The built-in controller does not write it for a Job that is managed by another one",
		"write Suspended=True when no pods are left; of a Job just created or just suspended its controller may be about to"},
	LintActiveWhileSuspended: {"a Job with Suspended=True should not have active pods",
		"from 1.36 on the pod template of a suspended Job can be changed only when active is 0, and a queue that waits for that keeps the quota of the Job taken",
		"write Suspended=True when active is 0"},
	LintActiveWithoutStartTime: {"a Job with active pods should have a startTime",
		"kubectl shows no duration, and whoever enforces activeDeadlineSeconds has nothing to count from",
		"set startTime in the update that first shows pods"},
	LintSucceededAboveCompletions: {"succeeded should not be above spec.completions",
		"progress is beyond 100 percent, kubectl shows 4/3, and what is still to do, completions less succeeded, is negative",
		"count each completion once; of an Indexed Job, each index once"},
	LintCompleteBelowCompletions: {"a Job without a success policy should be Complete only when enough pods have succeeded",
		"kubectl shows a Complete Job as 1/3, and who sums up succeeded pods loses some",
		"write succeeded in the update that writes Complete"},
	LintSucceededNotCompletedIndexes: {"succeeded of an Indexed Job should be the number of its completedIndexes",
		"two clients that look at the two fields see two different amounts of progress",
		"write both in one update; where succeeded is held at the count of an earlier run, which it must not go below, they meet again later"},
	LintIndexesNearObjectLimit: {"completedIndexes and failedIndexes should stay below 1 MiB together",
		"etcd takes 1.5 MiB in a request by default: a Job that grows beyond it can no longer be updated, nor finished",
		"use fewer completions or less parallelism, so that indexes finish in long intervals"},

	LintCompleteAndFailed:                        {harm: "some clients take the Job for succeeded and some for failed: the first condition decides, or the order in which they ask"},
	LintCompleteAndFailureTarget:                 {harm: "some clients take the Job for succeeded, and some for failing"},
	LintCompletionTimeWithoutComplete:            {harm: "clients that take completionTime for success, as older CronJob controllers did, take the Job for succeeded"},
	LintCompleteWithoutCompletionTime:            {harm: "the duration in kubectl get goes on counting, and clients that sort or clean up by completionTime miss the Job"},
	LintCompletionTimeBeforeStartTime:            {harm: "durations are negative"},
	LintFinishedWithActivePods:                   {harm: "clients that free resources when a Job finishes free them while pods run, and nobody counts the pods down any more"},
	LintFinishedWithoutStartTime:                 {harm: "there is no duration, and clients that read startTime of a finished Job without a look at nil crash"},
	LintFinishedWithUncountedPods:                {harm: "the pods are in no counter, for ever: nobody counts them once the Job has finished"},
	LintCompletedIndexesMalformed:                {harm: "the built-in controller, and others that read the list, pass over what they cannot read, and run indexes again"},
	LintFailedIndexesMalformed:                   {harm: "clients that read the list pass over what they cannot read, or give up"},
	LintCompletedIndexesOnNonIndexed:             {harm: "clients that show the list show indexes of pods that have none"},
	LintFailedIndexesWithoutBackoffLimitPerIndex: {harm: "clients that show the list show failed indexes of a Job whose indexes do not fail one by one"},
	LintFailedAndCompletedIndexesOverlap:         {harm: "the sum of the two lists is more than there are indexes, and whether one is to be run again depends on who asks"},
	LintMoreReadyThanActive:                      {harm: "the number of pods that are not ready yet, active less ready, is negative"},
})

// withRuleTexts fills in the texts of the rules that lint rules are named for.
func withRuleTexts(texts map[LintRule]lintText) map[LintRule]lintText {
	for rule, t := range texts {
		if same, ok := textOf[Rule(rule)]; ok {
			texts[rule] = lintText{same.summary, t.harm, same.remedy}
		}
	}
	return texts
}

// shown is the value of an error, nil if it is there for its type alone.
func shown(err *field.Error) any {
	if err.BadValue == (field.OmitValueType{}) || err.Type == field.ErrorTypeRequired {
		return nil
	}
	return err.BadValue
}
