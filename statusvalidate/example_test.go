// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"errors"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// bareFailure is what a worker of 1.30 makes of a running Job: Failed, without FailureTarget.
func bareFailure() statusvalidate.Change {
	start := metav1.Unix(1_760_000_000, 0)
	stored := &batchv1.Job{Status: batchv1.JobStatus{Active: 1, StartTime: &start}}
	updated := stored.DeepCopy()
	updated.Status.Active, updated.Status.Failed = 0, 1
	updated.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
	return statusvalidate.Change{Old: stored, New: updated}
}

// A controller has copied the status of a finished Job from a worker, and asks what the API server
// of the management cluster will say.
func Example() {
	apiServer, err := jobmanagedby.ParseRelease("v1.35.4")
	if err != nil {
		panic(err)
	}
	for _, v := range statusvalidate.For(apiServer).Validate(bareFailure()) {
		fmt.Println("error: ", v)
		fmt.Println("remedy:", v.Remedy())
	}

	// Output:
	// error:  status.conditions: Invalid value: Failed=True needs FailureTarget=True (FailedWithoutFailureTarget)
	// remedy: add FailureTarget=True with the same reason and message, earlier or in the same update
}

// The same update to API servers of several releases.
func ExampleFor() {
	for _, name := range []string{"v1.30.14", "v1.31.14", "v1.32.0"} {
		apiServer, err := jobmanagedby.ParseRelease(name)
		if err != nil {
			panic(err)
		}
		fmt.Println(name, statusvalidate.For(apiServer).Allows(bareFailure()))
	}

	// Output:
	// v1.30.14 true
	// v1.31.14 true
	// v1.32.0 false
}

// During an upgrade the write may reach any of the API servers.
func ExampleForAll() {
	before, _ := jobmanagedby.ParseRelease("v1.31.14")
	after, _ := jobmanagedby.ParseRelease("v1.32.9")
	fmt.Println("before:", statusvalidate.For(before).Allows(bareFailure()))
	fmt.Println("during:", statusvalidate.ForAll(before, after).Allows(bareFailure()))
	fmt.Println("any release, 1.32 and later:", statusvalidate.ForAll().Allows(bareFailure()))

	// Output:
	// before: true
	// during: false
	// any release, 1.32 and later: false
}

// The zero Validator answers for the newest release.
func ExampleValidator_Allows() {
	var v statusvalidate.Validator
	c := bareFailure()
	fmt.Println(v.Allows(c))
	c.New.Status.Conditions = append(c.New.Status.Conditions, batchv1.JobCondition{
		Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue,
	})
	fmt.Println(v.Allows(c))

	// Output:
	// false
	// true
}

// A controller that mends what it can asks for the rules alone.
func ExampleValidator_Broken() {
	var v statusvalidate.Validator
	c := bareFailure()
	c.New.Status.StartTime = nil
	fmt.Println(v.Broken(c))

	// Output:
	// [FailedWithoutFailureTarget FinishedWithoutStartTime StartTimeChangedWhileRunning]
}

// All that is wrong is reported at once, in the order of the API server.
func ExampleValidator_Validate() {
	complete := &batchv1.Job{Status: batchv1.JobStatus{
		Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}},
	}}
	var v statusvalidate.Validator
	for _, violation := range v.Validate(statusvalidate.Change{Old: &batchv1.Job{}, New: complete}) {
		fmt.Printf("%-22s %-22s %s\n", string(violation.Err.Type), violation.Err.Field, violation.Rule)
	}

	// Output:
	// FieldValueRequired     status.completionTime  CompleteWithoutCompletionTime
	// FieldValueInvalid      status.conditions      CompleteWithoutSuccessCriteriaMet
	// FieldValueRequired     status.startTime       FinishedWithoutStartTime
}

// One request can change an annotation and the status; this one has a bad annotation.
func ExampleValidateMetadata() {
	stored := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "sample", Namespace: "team-a", UID: "u1"}}
	updated := stored.DeepCopy()
	updated.Annotations = map[string]string{"bad key": "east"}
	for _, err := range statusvalidate.ValidateMetadata(statusvalidate.Change{Old: stored, New: updated}) {
		fmt.Println(err.Type, err.Field)
	}

	// Output:
	// Invalid value metadata.annotations
}

// The policy of a release, as a list for people.
func ExampleRules() {
	apiServer, _ := jobmanagedby.ParseRelease("v1.31.14") // the JobManagedBy gate is off by default
	for _, info := range statusvalidate.Rules() {
		if info.HoldsIn(apiServer) && info.LookedAt == "always" {
			fmt.Println(info.Rule)
		}
	}

	// Output:
	// NegativeActive
	// NegativeSucceeded
	// NegativeFailed
	// NegativeReady
	// NegativeTerminating
	// UncountedSucceededMalformed
	// UncountedFailedMalformed
	// SuccessCriteriaMetAndFailed
	// SuccessCriteriaMetAndFailureTarget
	// SuccessPolicyCompleteWithoutSuccessCriteriaMet
	// SuccessCriteriaMetTakenBack
	// SuccessCriteriaMetAfterComplete
}

// Which releases of the API server need ready to be at most active?
func ExampleRuleInfo_HoldsIn() {
	for _, info := range statusvalidate.Rules() {
		if info.Rule != statusvalidate.MoreReadyThanActive {
			continue
		}
		for _, name := range []string{"v1.31.14", "v1.32.0"} {
			apiServer, _ := jobmanagedby.ParseRelease(name)
			fmt.Println(name, info.HoldsIn(apiServer))
		}
	}

	// Output:
	// v1.31.14 false
	// v1.32.0 true
}

// A rule on one line.
func ExampleRuleInfo_String() {
	fmt.Println(statusvalidate.Rules()[0])

	// Output:
	// NegativeActive (all; always): active must not be negative
}

// What a person reads in a log.
func ExampleViolation_Error() {
	var v statusvalidate.Validator
	fmt.Println(v.Validate(bareFailure())[0].Error())

	// Output:
	// status.conditions: Invalid value: Failed=True needs FailureTarget=True (FailedWithoutFailureTarget)
}

// A violation is the API server's field error, and the rule.
func ExampleViolation_Unwrap() {
	var v statusvalidate.Validator
	var fieldError *field.Error
	if errors.As(v.Validate(bareFailure())[0], &fieldError) {
		fmt.Println(fieldError.Field)
	}

	// Output:
	// status.conditions
}

// What to do about it, for the message of an event.
func ExampleViolation_Remedy() {
	var v statusvalidate.Validator
	fmt.Println(v.Validate(bareFailure())[0].Remedy())

	// Output:
	// add FailureTarget=True with the same reason and message, earlier or in the same update
}

// For code that works with error lists, such as an admission webhook.
func ExampleViolations_ErrorList() {
	var v statusvalidate.Validator
	for _, err := range v.Validate(bareFailure()).ErrorList() {
		fmt.Println(err.Type, err.Field)
	}

	// Output:
	// Invalid value status.conditions
}

// A reconciler returns the violations as an error, and its caller finds out which rule it was.
func ExampleViolations_Err() {
	var v statusvalidate.Validator
	err := fmt.Errorf("not writing the status: %w", v.Validate(bareFailure()).Err())

	var violation *statusvalidate.Violation
	if errors.As(err, &violation) {
		fmt.Println(violation.Rule)
	}

	// Output:
	// FailedWithoutFailureTarget
}

// A controller that can mend one thing asks for it.
func ExampleViolations_Has() {
	var v statusvalidate.Validator
	c := bareFailure()
	if v.Validate(c).Has(statusvalidate.FailedWithoutFailureTarget) {
		target := c.New.Status.Conditions[0]
		target.Type = batchv1.JobFailureTarget
		c.New.Status.Conditions = append(c.New.Status.Conditions, target)
	}
	fmt.Println(v.Allows(c))

	// Output:
	// true
}
