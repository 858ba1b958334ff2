// SPDX-License-Identifier: Apache-2.0

package statusvalidate

// Rule is the stable id of a rule. It never changes with the wording of an error, here or in
// Kubernetes. New rules may be added in a minor version.
type Rule string

// The rules, in the order in which the API server reports them. [Rules] says what each is about,
// when it is looked at, in which releases, and what to do.
const (
	// Counts and pod ids (1 to 7) are checked in every release, whatever the update changes.

	NegativeActive              Rule = "NegativeActive"              // 1
	NegativeSucceeded           Rule = "NegativeSucceeded"           // 2
	NegativeFailed              Rule = "NegativeFailed"              // 3
	NegativeReady               Rule = "NegativeReady"               // 4
	NegativeTerminating         Rule = "NegativeTerminating"         // 5
	UncountedSucceededMalformed Rule = "UncountedSucceededMalformed" // 6
	UncountedFailedMalformed    Rule = "UncountedFailedMalformed"    // 7

	// Rules about the new status (8 to 24), looked at if the update changes what they are about.

	CompleteAndFailed                        Rule = "CompleteAndFailed"                        // 8
	CompleteAndFailureTarget                 Rule = "CompleteAndFailureTarget"                 // 9
	CompletionTimeWithoutComplete            Rule = "CompletionTimeWithoutComplete"            // 10
	CompleteWithoutCompletionTime            Rule = "CompleteWithoutCompletionTime"            // 11
	CompletionTimeBeforeStartTime            Rule = "CompletionTimeBeforeStartTime"            // 12
	FailedWithoutFailureTarget               Rule = "FailedWithoutFailureTarget"               // 13
	CompleteWithoutSuccessCriteriaMet        Rule = "CompleteWithoutSuccessCriteriaMet"        // 14
	FinishedWithActivePods                   Rule = "FinishedWithActivePods"                   // 15
	FinishedWithoutStartTime                 Rule = "FinishedWithoutStartTime"                 // 16
	FinishedWithUncountedPods                Rule = "FinishedWithUncountedPods"                // 17
	CompletedIndexesMalformed                Rule = "CompletedIndexesMalformed"                // 18
	FailedIndexesMalformed                   Rule = "FailedIndexesMalformed"                   // 19
	CompletedIndexesOnNonIndexed             Rule = "CompletedIndexesOnNonIndexed"             // 20
	FailedIndexesWithoutBackoffLimitPerIndex Rule = "FailedIndexesWithoutBackoffLimitPerIndex" // 21
	FailedAndCompletedIndexesOverlap         Rule = "FailedAndCompletedIndexesOverlap"         // 22
	FinishedWithTerminatingPods              Rule = "FinishedWithTerminatingPods"              // 23
	MoreReadyThanActive                      Rule = "MoreReadyThanActive"                      // 24

	// Rules about SuccessCriteriaMet (25 to 29), looked at whatever the update changes.

	SuccessCriteriaMetOnNonIndexed                 Rule = "SuccessCriteriaMetOnNonIndexed"                 // 25
	SuccessCriteriaMetAndFailed                    Rule = "SuccessCriteriaMetAndFailed"                    // 26
	SuccessCriteriaMetAndFailureTarget             Rule = "SuccessCriteriaMetAndFailureTarget"             // 27
	SuccessCriteriaMetWithoutSuccessPolicy         Rule = "SuccessCriteriaMetWithoutSuccessPolicy"         // 28
	SuccessPolicyCompleteWithoutSuccessCriteriaMet Rule = "SuccessPolicyCompleteWithoutSuccessCriteriaMet" // 29

	// Rules about the step from the old status to the new one (30 to 36).

	FailedTakenBack                 Rule = "FailedTakenBack"                 // 30
	CompleteTakenBack               Rule = "CompleteTakenBack"               // 30
	FailureTargetTakenBack          Rule = "FailureTargetTakenBack"          // 30
	FailedDecreased                 Rule = "FailedDecreased"                 // 31
	SucceededDecreased              Rule = "SucceededDecreased"              // 32
	CompletionTimeChanged           Rule = "CompletionTimeChanged"           // 33
	StartTimeChangedWhileRunning    Rule = "StartTimeChangedWhileRunning"    // 34
	SuccessCriteriaMetTakenBack     Rule = "SuccessCriteriaMetTakenBack"     // 35
	SuccessCriteriaMetAfterComplete Rule = "SuccessCriteriaMetAfterComplete" // 36
)
