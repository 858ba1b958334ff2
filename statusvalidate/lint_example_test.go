// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// bareCompletion is what a careless controller makes of a Job of three pods.
func bareCompletion() *batchv1.Job {
	start := metav1.Unix(1_760_000_000, 0)
	return &batchv1.Job{
		Spec: batchv1.JobSpec{Completions: ptr.To[int32](3)},
		Status: batchv1.JobStatus{
			StartTime: &start, CompletionTime: &start, Succeeded: 2,
			Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}},
		},
	}
}

// What the API server refuses, and what nobody refuses but somebody trips over.
func ExampleValidator_Lint() {
	var v statusvalidate.Validator
	job := bareCompletion()
	for _, violation := range v.ValidateStatus(job) {
		fmt.Println("error:  ", violation)
	}
	for _, finding := range v.Lint(job) {
		fmt.Println("warning:", finding)
	}

	// Output:
	// error:   status.conditions: Invalid value: Complete=True needs SuccessCriteriaMet=True (CompleteWithoutSuccessCriteriaMet)
	// warning: status.conditions[0].lastTransitionTime: a terminal condition should have a lastTransitionTime (Complete=True) (TerminalWithoutTransitionTime)
	// warning: status.succeeded: a Job without a success policy should be Complete only when enough pods have succeeded; there should be 3 (CompleteBelowCompletions)
}

// A failed Job with a completionTime: Kubernetes 1.35 refuses it, and 1.30 lets it pass.
func ExampleValidator_ValidateStatus() {
	job := bareCompletion()
	job.Status.Conditions = []batchv1.JobCondition{
		{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue, Reason: "DeadlineExceeded", LastTransitionTime: *job.Status.StartTime},
		{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "DeadlineExceeded", LastTransitionTime: *job.Status.StartTime},
	}
	for _, name := range []string{"v1.30.14", "v1.35.4"} {
		apiServer, _ := jobmanagedby.ParseRelease(name)
		v := statusvalidate.For(apiServer)
		for _, violation := range v.ValidateStatus(job) {
			fmt.Println(name, "error:  ", violation.Rule)
		}
		for _, finding := range v.Lint(job) {
			fmt.Println(name, "warning:", finding.Rule)
		}
	}

	// Output:
	// v1.30.14 warning: CompletionTimeWithoutComplete
	// v1.35.4 error:   CompletionTimeWithoutComplete
}

// Everything that Lint warns about, as data.
func ExampleLintRules() {
	for _, info := range statusvalidate.LintRules() {
		if info.Rule == statusvalidate.LintTerminalWithoutTransitionTime {
			fmt.Println(info)
			fmt.Println("harm:  ", info.Harm)
			fmt.Println("remedy:", info.Remedy)
		}
	}

	// Output:
	// TerminalWithoutTransitionTime: a terminal condition should have a lastTransitionTime
	// harm:   the TTL-after-finished controller cannot tell when the Job finished, fails, and tries again for ever; the Job is never deleted
	// remedy: set lastTransitionTime to the time at which the Job finished; it can be added later
}

// A finding says what to do about it.
func ExampleFinding_Remedy() {
	var v statusvalidate.Validator
	for _, finding := range v.Lint(bareCompletion()) {
		fmt.Println(finding.Field, "->", finding.Remedy())
	}

	// Output:
	// status.conditions[0].lastTransitionTime -> set lastTransitionTime to the time at which the Job finished; it can be added later
	// status.succeeded -> write succeeded in the update that writes Complete
}

func ExampleFinding_String() {
	fmt.Println(statusvalidate.Validator{}.Lint(bareCompletion())[0])
	// Output: status.conditions[0].lastTransitionTime: a terminal condition should have a lastTransitionTime (Complete=True) (TerminalWithoutTransitionTime)
}

func ExampleLintRuleInfo_String() {
	fmt.Println(statusvalidate.LintRules()[0])
	// Output: ConditionTypeEmpty: a condition should have a type
}
