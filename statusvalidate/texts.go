// SPDX-License-Identifier: Apache-2.0

package statusvalidate

// text is what a rule says to people.
type text struct {
	summary string // what must be so; the detail of the error
	remedy  string // what to write instead
}

const negativeRemedy = "write a count of pods, 0 or more; a negative one is a bug in the arithmetic of the controller"

// textOf has a text for every rule. Nothing of it is part of the API.
var textOf = map[Rule]text{
	NegativeActive:      {"active must not be negative", negativeRemedy},
	NegativeSucceeded:   {"succeeded must not be negative", negativeRemedy},
	NegativeFailed:      {"failed must not be negative", negativeRemedy},
	NegativeReady:       {"ready must not be negative", negativeRemedy},
	NegativeTerminating: {"terminating must not be negative", negativeRemedy},
	UncountedSucceededMalformed: {"pod ids in uncountedTerminatedPods.succeeded must be non-empty and listed once",
		"list each pod once, or leave uncountedTerminatedPods out: an external controller has no use for it"},
	UncountedFailedMalformed: {"pod ids in uncountedTerminatedPods.failed must be non-empty and listed once, and not under succeeded too",
		"list each pod once, or leave uncountedTerminatedPods out: an external controller has no use for it"},

	CompleteAndFailed: {"Complete=True and Failed=True exclude each other",
		"write the one verdict that is true; a verdict already stored cannot be replaced"},
	CompleteAndFailureTarget: {"Complete=True and FailureTarget=True exclude each other",
		"a Job with FailureTarget can only become Failed: do not write FailureTarget before failure is certain"},
	CompletionTimeWithoutComplete: {"completionTime must only be set together with Complete=True",
		"leave completionTime out; the end of a failed Job is the lastTransitionTime of its Failed condition"},
	CompleteWithoutCompletionTime: {"completionTime must be set together with Complete=True",
		"set completionTime in the same update, for instance to the lastTransitionTime of Complete"},
	CompletionTimeBeforeStartTime: {"completionTime must not be before startTime",
		"raise completionTime to startTime; the two may come from clocks that differ"},
	FailedWithoutFailureTarget: {"Failed=True needs FailureTarget=True",
		"add FailureTarget=True with the same reason and message, earlier or in the same update"},
	CompleteWithoutSuccessCriteriaMet: {"Complete=True needs SuccessCriteriaMet=True",
		"add SuccessCriteriaMet=True with the same reason and message, earlier or in the same update"},
	FinishedWithActivePods: {"a finished Job must not have active pods",
		"write FailureTarget or SuccessCriteriaMet now, and Failed or Complete when active is 0"},
	FinishedWithoutStartTime: {"a finished Job must have a startTime",
		"set startTime in the same update, at the latest to the time at which the Job finished"},
	FinishedWithUncountedPods: {"a finished Job must not have uncounted terminated pods",
		"count the pods and leave uncountedTerminatedPods out"},
	CompletedIndexesMalformed: {"completedIndexes must list indexes below spec.completions in rising order",
		`write indexes and intervals such as "1,3-5,7", or keep the old value until it fits spec.completions`},
	FailedIndexesMalformed: {"failedIndexes must list indexes below spec.completions in rising order",
		`write indexes and intervals such as "1,3-5,7", or keep the old value until it fits spec.completions`},
	CompletedIndexesOnNonIndexed: {"completedIndexes must be empty unless spec.completionMode is Indexed",
		"leave completedIndexes out"},
	FailedIndexesWithoutBackoffLimitPerIndex: {"failedIndexes must be absent unless spec.backoffLimitPerIndex is set",
		"leave failedIndexes nil; an empty string is a value too"},
	FailedAndCompletedIndexesOverlap: {"an index must not be both in failedIndexes and in completedIndexes",
		"take the index out of one of the two lists"},
	FinishedWithTerminatingPods: {"a finished Job must not have terminating pods",
		"write FailureTarget or SuccessCriteriaMet now, and Failed or Complete when terminating is 0 or nil"},
	MoreReadyThanActive: {"ready must not be above active",
		"lower ready in the update that lowers active"},

	SuccessCriteriaMetOnNonIndexed: {"this release takes SuccessCriteriaMet=True for Indexed Jobs only",
		"leave SuccessCriteriaMet out for an API server of 1.30"},
	SuccessCriteriaMetAndFailed: {"SuccessCriteriaMet=True and Failed=True exclude each other",
		"a Job with SuccessCriteriaMet can only become Complete"},
	SuccessCriteriaMetAndFailureTarget: {"SuccessCriteriaMet=True and FailureTarget=True exclude each other",
		"write the one that came first: neither can be taken back"},
	SuccessCriteriaMetWithoutSuccessPolicy: {"this release takes SuccessCriteriaMet=True for Jobs with spec.successPolicy only",
		"leave SuccessCriteriaMet out for an API server of 1.30"},
	SuccessPolicyCompleteWithoutSuccessCriteriaMet: {"Complete=True needs SuccessCriteriaMet=True where spec.successPolicy is set",
		"add SuccessCriteriaMet=True, earlier or in the same update"},

	FailedTakenBack: {"Failed=True must not be taken back",
		"keep the condition: a finished Job stays as it is"},
	CompleteTakenBack: {"Complete=True must not be taken back",
		"keep the condition: a finished Job stays as it is"},
	FailureTargetTakenBack: {"FailureTarget=True must not be taken back",
		"keep the condition in every update, also where conditions are built anew: the Job can only become Failed"},
	FailedDecreased: {"failed must not decrease",
		"write the higher of the old count and yours: a second run does not undo the failures of the first"},
	SucceededDecreased: {"succeeded must not decrease, unless the Job is Indexed with completions equal to parallelism",
		"write the higher of the old count and yours"},
	CompletionTimeChanged: {"completionTime must not change",
		"keep the value that is there"},
	StartTimeChangedWhileRunning: {"startTime must not change once set, unless the Job is suspended or resumes in this very update",
		"keep the value that is there; to set a new one on resuming, turn Suspended from True to an explicit False in the same update"},
	SuccessCriteriaMetTakenBack: {"SuccessCriteriaMet=True must not be taken back",
		"keep the condition in every update, also where conditions are built anew: the Job can only become Complete"},
	SuccessCriteriaMetAfterComplete: {"SuccessCriteriaMet=True must not be added to a Job that is Complete without it",
		"leave SuccessCriteriaMet out: the Job is finished as it is"},
}
