// SPDX-License-Identifier: Apache-2.0

// Package options says which option of upstream's status validation is behind a rule of ours.
package options

import (
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// Of returns the name of the option in upstream's JobStatusValidationOptions that an error of the rule is
// due to, or wire.Always: the rule holds whatever the options are.
func Of(rule statusvalidate.Rule) string {
	if option, ok := table[rule]; ok {
		return option
	}
	return wire.Always
}

var table = map[statusvalidate.Rule]string{
	statusvalidate.CompleteAndFailed:                        "RejectCompleteJobWithFailedCondition",
	statusvalidate.CompleteAndFailureTarget:                 "RejectCompleteJobWithFailureTargetCondition",
	statusvalidate.CompletionTimeWithoutComplete:            "RejectNotCompleteJobWithCompletionTime",
	statusvalidate.CompleteWithoutCompletionTime:            "RejectCompleteJobWithoutCompletionTime",
	statusvalidate.CompletionTimeBeforeStartTime:            "RejectCompletionTimeBeforeStartTime",
	statusvalidate.FailedWithoutFailureTarget:               "RejectFailedJobWithoutFailureTarget",
	statusvalidate.CompleteWithoutSuccessCriteriaMet:        "RejectCompleteJobWithoutSuccessCriteriaMet",
	statusvalidate.FinishedWithActivePods:                   "RejectFinishedJobWithActivePods",
	statusvalidate.FinishedWithoutStartTime:                 "RejectFinishedJobWithoutStartTime",
	statusvalidate.FinishedWithUncountedPods:                "RejectFinishedJobWithUncountedTerminatedPods",
	statusvalidate.CompletedIndexesMalformed:                "RejectInvalidCompletedIndexes",
	statusvalidate.FailedIndexesMalformed:                   "RejectInvalidFailedIndexes",
	statusvalidate.CompletedIndexesOnNonIndexed:             "RejectCompletedIndexesForNonIndexedJob",
	statusvalidate.FailedIndexesWithoutBackoffLimitPerIndex: "RejectFailedIndexesForNoBackoffLimitPerIndex",
	statusvalidate.FailedAndCompletedIndexesOverlap:         "RejectFailedIndexesOverlappingCompleted",
	statusvalidate.FinishedWithTerminatingPods:              "RejectFinishedJobWithTerminatingPods",
	statusvalidate.MoreReadyThanActive:                      "RejectMoreReadyThanActivePods",
	statusvalidate.FailedTakenBack:                          "RejectDisablingTerminalCondition",
	statusvalidate.CompleteTakenBack:                        "RejectDisablingTerminalCondition",
	statusvalidate.FailureTargetTakenBack:                   "RejectDisablingTerminalCondition",
	statusvalidate.FailedDecreased:                          "RejectDecreasingFailedCounter",
	statusvalidate.SucceededDecreased:                       "RejectDecreasingSucceededCounter",
	statusvalidate.CompletionTimeChanged:                    "RejectMutatingCompletionTime",
	statusvalidate.StartTimeChangedWhileRunning:             "RejectStartTimeUpdateForUnsuspendedJob",
}
