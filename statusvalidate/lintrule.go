// SPDX-License-Identifier: Apache-2.0

package statusvalidate

// LintRule is the stable id of something that [Validator.Lint] warns about. It never changes within
// a major version, whatever becomes of the texts; new ones may be added in a minor version.
type LintRule string

// What no API server of 1.30 to 1.37 refuses. [LintRules] says of each who trips over it, and what to
// write instead.
const (
	// An entry of conditions without a type.
	LintConditionTypeEmpty LintRule = "ConditionTypeEmpty"
	// An entry whose type is that of a Job condition but for upper and lower case: "complete".
	LintConditionTypeMisspelt LintRule = "ConditionTypeMisspelt"
	// An entry whose status is not True, False or Unknown, such as "true".
	LintConditionStatusInvalid LintRule = "ConditionStatusInvalid"
	// A second entry of a type, and each one after it.
	LintDuplicateCondition LintRule = "DuplicateCondition"
	// Complete=True or Failed=True without lastTransitionTime.
	LintTerminalWithoutTransitionTime LintRule = "TerminalWithoutTransitionTime"
	// Any other entry without lastTransitionTime.
	LintConditionWithoutTransitionTime LintRule = "ConditionWithoutTransitionTime"
	// Complete=True or Failed=True with a lastTransitionTime before startTime.
	LintTerminalBeforeStartTime LintRule = "TerminalBeforeStartTime"
	// Failed=True or FailureTarget=True without a reason.
	LintFailureWithoutReason LintRule = "FailureWithoutReason"
	// A Job with spec.suspend that neither runs nor ends, without Suspended=True. Of a Job just created
	// or just suspended that is a matter of time; nobody but its controller ends it.
	LintSuspendedWithoutCondition LintRule = "SuspendedWithoutCondition"
	// Suspended=True with active pods.
	LintActiveWhileSuspended LintRule = "ActiveWhileSuspended"
	// Active pods without startTime.
	LintActiveWithoutStartTime LintRule = "ActiveWithoutStartTime"
	// More succeeded pods than spec.completions.
	LintSucceededAboveCompletions LintRule = "SucceededAboveCompletions"
	// Complete=True with fewer succeeded pods than spec.completions, or than one where that is not set; a
	// Job with a success policy may.
	LintCompleteBelowCompletions LintRule = "CompleteBelowCompletions"
	// An Indexed Job whose well-formed completedIndexes list more or fewer indexes than succeeded says.
	LintSucceededNotCompletedIndexes LintRule = "SucceededNotCompletedIndexes"
	// completedIndexes and failedIndexes of more than 1 MiB together. (etcd takes requests of at most
	// 1.5 MiB by default; what is beyond that the API server does refuse, with an internal error.)
	LintIndexesNearObjectLimit LintRule = "IndexesNearObjectLimit"
)

// What an API server with the strict rules refuses, by the rule of the same name, and one with its
// JobManagedBy gate off, or of a release before the rule, lets pass. Lint warns only where the Validator
// does not have the rule; where it has, [Validator.ValidateStatus] reports it.
//
// Three strict rules are left out, because the built-in controllers of releases that do not have
// them break them as a matter of course: [FailedWithoutFailureTarget],
// [CompleteWithoutSuccessCriteriaMet] and [FinishedWithTerminatingPods].
const (
	LintCompleteAndFailed                        LintRule = "CompleteAndFailed"
	LintCompleteAndFailureTarget                 LintRule = "CompleteAndFailureTarget"
	LintCompletionTimeWithoutComplete            LintRule = "CompletionTimeWithoutComplete" // also that of a failed Job
	LintCompleteWithoutCompletionTime            LintRule = "CompleteWithoutCompletionTime"
	LintCompletionTimeBeforeStartTime            LintRule = "CompletionTimeBeforeStartTime"
	LintFinishedWithActivePods                   LintRule = "FinishedWithActivePods"
	LintFinishedWithoutStartTime                 LintRule = "FinishedWithoutStartTime"
	LintFinishedWithUncountedPods                LintRule = "FinishedWithUncountedPods"
	LintCompletedIndexesMalformed                LintRule = "CompletedIndexesMalformed"
	LintFailedIndexesMalformed                   LintRule = "FailedIndexesMalformed"
	LintCompletedIndexesOnNonIndexed             LintRule = "CompletedIndexesOnNonIndexed"
	LintFailedIndexesWithoutBackoffLimitPerIndex LintRule = "FailedIndexesWithoutBackoffLimitPerIndex"
	LintFailedAndCompletedIndexesOverlap         LintRule = "FailedAndCompletedIndexesOverlap"
	LintMoreReadyThanActive                      LintRule = "MoreReadyThanActive"
)
