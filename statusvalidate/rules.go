// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// row is a rule as one range of releases holds it.
type row struct {
	rule Rule
	held held
	// when is the ratchet: the rule is looked at only if the update changes one of these.
	when changes
	// broken reports whether the update breaks the rule. It must not allocate.
	broken func(facts) bool
	// errs is what the API server answers if it does. It is not called otherwise.
	errs answer
}

// answer makes the errors for an update that breaks a rule.
type answer func(f facts, detail string) field.ErrorList

// table is every rule, in the order in which the API server reports them. Rows with the same rule
// are versions of it, next to each other, each at least as strict as the ones below it.
//
// Its source is validateJobStatus and ValidateJobStatusUpdate of pkg/apis/batch/validation, and
// getStatusValidationOptions of pkg/registry/batch/job, in Kubernetes 1.30 to 1.37. The numbers in
// the constants' comments count these checks in the same order.
var table = []row{
	{NegativeActive, everyRelease, anything, func(f facts) bool { return f.new.Active < 0 }, negative("active")},
	{NegativeSucceeded, everyRelease, anything, func(f facts) bool { return f.new.Succeeded < 0 }, negative("succeeded")},
	{NegativeFailed, everyRelease, anything, func(f facts) bool { return f.new.Failed < 0 }, negative("failed")},
	{NegativeReady, everyRelease, anything, func(f facts) bool { return ptr.Deref(f.new.Ready, 0) < 0 }, negative("ready")},
	{NegativeTerminating, everyRelease, anything, func(f facts) bool { return ptr.Deref(f.new.Terminating, 0) < 0 }, negative("terminating")},
	{UncountedSucceededMalformed, everyRelease, anything, succeededPodsMalformed, succeededPodErrors},
	{UncountedFailedMalformed, everyRelease, anything, failedPodsMalformed, failedPodErrors},

	{CompleteAndFailed, strict130, completeChanged | failedChanged, both(complete, failed), conditionsInvalid},
	{CompleteAndFailureTarget, strict130, completeChanged | failureTargetChanged, both(complete, failureTarget), conditionsInvalid},
	{CompletionTimeWithoutComplete, strict130, completeChanged | completionTimeChanged, endWithoutComplete, invalid("completionTime")},
	{CompleteWithoutCompletionTime, strict130, completeChanged | completionTimeChanged, completeWithoutEnd, required("completionTime")},
	{CompletionTimeBeforeStartTime, strict130, startTimeChanged | completionTimeChanged, func(f facts) bool { return f.early }, invalid("completionTime")},
	{FailedWithoutFailureTarget, strict131, failedChanged | failedIndexesChanged, without(failed, failureTarget), conditionsInvalid},
	{CompleteWithoutSuccessCriteriaMet, strict131, completeChanged | successCriteriaMetChanged, without(complete, successCriteriaMet), conditionsInvalid},
	{FinishedWithActivePods, strict130, finishedChanged | activeChanged, func(f facts) bool { return f.finished() && f.new.Active > 0 }, invalid("active")},
	{FinishedWithoutStartTime, beforeZeroCompletions, finishedChanged | startTimeChanged, finishedUnstarted, required("startTime")},
	{FinishedWithoutStartTime, sinceZeroCompletions, finishedChanged | startTimeChanged, finishedUnstartedDespiteWork, required("startTime")},
	{FinishedWithUncountedPods, strict130, finishedChanged | uncountedChanged, finishedUncounted, invalid("uncountedTerminatedPods")},
	{CompletedIndexesMalformed, strict130, completedIndexesChanged, completedMalformed, completedMalformedErrors},
	{FailedIndexesMalformed, strict130, failedIndexesChanged, failedMalformed, failedMalformedErrors},
	{CompletedIndexesOnNonIndexed, strict130, completedIndexesChanged, func(f facts) bool { return f.new.CompletedIndexes != "" && !f.indexed() }, invalid("completedIndexes")},
	{FailedIndexesWithoutBackoffLimitPerIndex, strict130, failedIndexesChanged, failedWithoutLimit, invalid("failedIndexes")},
	{FailedAndCompletedIndexesOverlap, strict130, completedIndexesChanged | failedIndexesChanged, indexesOverlap, invalid("failedIndexes")},
	{FinishedWithTerminatingPods, strict131, finishedChanged | terminatingChanged, func(f facts) bool { return f.finished() && ptr.Deref(f.new.Terminating, 0) > 0 }, invalid("terminating")},
	{MoreReadyThanActive, strict131, readyChanged | activeChanged, func(f facts) bool { return f.new.Ready != nil && *f.new.Ready > f.new.Active }, invalid("ready")},

	{SuccessCriteriaMetOnNonIndexed, only130, anything, func(f facts) bool { return f.has&successCriteriaMet != 0 && !f.indexed() }, conditionsInvalid},
	{SuccessCriteriaMetAndFailed, since130, anything, both(successCriteriaMet, failed), conditionsInvalid},
	{SuccessCriteriaMetAndFailureTarget, since130, anything, both(successCriteriaMet, failureTarget), conditionsInvalid},
	{SuccessCriteriaMetWithoutSuccessPolicy, only130, anything, func(f facts) bool { return f.has&successCriteriaMet != 0 && f.spec.SuccessPolicy == nil }, conditionsInvalid},
	{SuccessPolicyCompleteWithoutSuccessCriteriaMet, since130, anything, policyWithoutCriteria, conditionsInvalid},

	{FailedTakenBack, strict130, anything, takenBack(failed), conditionsInvalid},
	{CompleteTakenBack, strict130, anything, takenBack(complete), conditionsInvalid},
	{FailureTargetTakenBack, strict130, anything, takenBack(failureTarget), conditionsInvalid},
	{FailedDecreased, strict130, anything, func(f facts) bool { return f.new.Failed < f.old.Failed }, invalid("failed")},
	{SucceededDecreased, strict130, anything, func(f facts) bool { return f.new.Succeeded < f.old.Succeeded && !f.elastic() }, invalid("succeeded")},
	{CompletionTimeChanged, strict130, anything, func(f facts) bool { return f.recomplete }, invalid("completionTime")},
	{StartTimeChangedWhileRunning, beforeResume, startTimeChanged, restartedWhileRunning, required("startTime")},
	{StartTimeChangedWhileRunning, resumeTo135, startTimeChanged, restartedUnlessResuming, required("startTime")},
	{StartTimeChangedWhileRunning, since136, startTimeChanged, restartedUnlessResuming, invalid("startTime")},
	{SuccessCriteriaMetTakenBack, since130, anything, takenBack(successCriteriaMet), conditionsInvalid},
	{SuccessCriteriaMetAfterComplete, since130, anything, criteriaAfterComplete, conditionsInvalid},
}

// What a row looks at.

func both(a, b conditions) func(facts) bool {
	return func(f facts) bool { return f.has&a != 0 && f.has&b != 0 }
}

func without(a, b conditions) func(facts) bool {
	return func(f facts) bool { return f.has&a != 0 && f.has&b == 0 }
}

func takenBack(c conditions) func(facts) bool {
	return func(f facts) bool { return f.had&c != 0 && f.has&c == 0 }
}

func endWithoutComplete(f facts) bool {
	return onWire(f.new.CompletionTime).set && f.has&complete == 0
}

func completeWithoutEnd(f facts) bool {
	return !onWire(f.new.CompletionTime).set && f.has&complete != 0
}

func finishedUnstarted(f facts) bool {
	return f.finished() && !onWire(f.new.StartTime).set
}

func finishedUnstartedDespiteWork(f facts) bool {
	nothingToDo := ptr.Deref(f.spec.Suspend, false) && f.counts.fixed && f.counts.completions == 0
	return finishedUnstarted(f) && !nothingToDo
}

func finishedUncounted(f facts) bool {
	succeeded, failed := uncounted(f.new)
	return f.finished() && len(succeeded)+len(failed) > 0
}

func succeededPodsMalformed(f facts) bool {
	succeeded, _ := uncounted(f.new)
	return podsMalformed(nil, succeeded)
}

func failedPodsMalformed(f facts) bool {
	succeeded, failed := uncounted(f.new)
	return podsMalformed(succeeded, failed)
}

func completedMalformed(f facts) bool {
	return f.counts.fixed && malformed(f.new.CompletedIndexes, f.counts.completions)
}

func failedMalformed(f facts) bool {
	return f.counts.fixed && f.spec.BackoffLimitPerIndex != nil && f.new.FailedIndexes != nil &&
		malformed(*f.new.FailedIndexes, f.counts.completions)
}

func malformed(list string, completions int32) bool {
	_, fault := checkIndexes(list, completions)
	return fault != noFault
}

func failedWithoutLimit(f facts) bool {
	return f.spec.BackoffLimitPerIndex == nil && f.new.FailedIndexes != nil
}

func indexesOverlap(f facts) bool {
	if !f.counts.fixed || f.new.FailedIndexes == nil {
		return false
	}
	_, found := overlap(f.new.CompletedIndexes, *f.new.FailedIndexes, f.counts.completions)
	return found
}

func policyWithoutCriteria(f facts) bool {
	return f.spec.SuccessPolicy != nil && f.has&complete != 0 && f.has&successCriteriaMet == 0
}

func restartedWhileRunning(f facts) bool {
	return f.restart && !ptr.Deref(f.spec.Suspend, false)
}

func restartedUnlessResuming(f facts) bool {
	return restartedWhileRunning(f) && !f.resuming
}

func criteriaAfterComplete(f facts) bool {
	return f.had&complete != 0 && f.had&successCriteriaMet == 0 && f.has&successCriteriaMet != 0
}

// What the API server answers.

func conditionsInvalid(_ facts, detail string) field.ErrorList {
	return oneError(field.ErrorTypeInvalid, "status.conditions", field.OmitValueType{}, detail)
}

func required(child string) answer {
	name := "status." + child
	return func(_ facts, detail string) field.ErrorList {
		return oneError(field.ErrorTypeRequired, name, "", detail)
	}
}

func invalid(child string) answer {
	name := "status." + child
	return func(f facts, detail string) field.ErrorList {
		return oneError(field.ErrorTypeInvalid, name, valueOf(f.new, child), detail)
	}
}

// negative is invalid, but for the type of the value: the API server widens it, as
// apimachinery's ValidateNonnegativeField takes an int64.
func negative(child string) answer {
	name := "status." + child
	return func(f facts, detail string) field.ErrorList {
		return oneError(field.ErrorTypeInvalid, name, int64(valueOf(f.new, child).(int32)), detail)
	}
}

// oneError is what the constructors of package field make, without the cost of a field.Path.
func oneError(t field.ErrorType, name string, value any, detail string) field.ErrorList {
	return field.ErrorList{{Type: t, Field: name, BadValue: value, Detail: detail}}
}

func succeededPodErrors(f facts, _ string) field.ErrorList {
	succeeded, _ := uncounted(f.new)
	return podErrors(field.NewPath("status", "uncountedTerminatedPods", "succeeded"), nil, succeeded)
}

func failedPodErrors(f facts, _ string) field.ErrorList {
	succeeded, failed := uncounted(f.new)
	return podErrors(field.NewPath("status", "uncountedTerminatedPods", "failed"), succeeded, failed)
}

func completedMalformedErrors(f facts, detail string) field.ErrorList {
	fault := describeIndexes(f.new.CompletedIndexes, f.counts.completions)
	return invalid("completedIndexes")(f, detail+"; "+fault)
}

func failedMalformedErrors(f facts, detail string) field.ErrorList {
	fault := describeIndexes(*f.new.FailedIndexes, f.counts.completions)
	return invalid("failedIndexes")(f, detail+"; "+fault)
}

// valueOf returns the field's value for an error: as the API server has it after decoding, and
// sharing nothing with the Job.
func valueOf(s *batchv1.JobStatus, child string) any {
	switch child {
	case "active":
		return s.Active
	case "succeeded":
		return s.Succeeded
	case "failed":
		return s.Failed
	case "ready":
		return ptr.Deref(s.Ready, 0)
	case "terminating":
		return ptr.Deref(s.Terminating, 0)
	case "startTime":
		return onWire(s.StartTime).time()
	case "completionTime":
		return onWire(s.CompletionTime).time()
	case "completedIndexes":
		return s.CompletedIndexes
	case "failedIndexes":
		return ptr.Deref(s.FailedIndexes, "")
	case "uncountedTerminatedPods":
		return s.UncountedTerminatedPods.DeepCopy()
	}
	return field.OmitValueType{}
}
