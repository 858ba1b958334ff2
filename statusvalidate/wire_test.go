// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// at is an instant that many milliseconds after the others' beginning.
func at(milliseconds int64) *metav1.Time {
	return ptr.To(metav1.NewTime(time.UnixMilli(1_760_000_000_000 + milliseconds).UTC()))
}

func zoned(t *metav1.Time) *metav1.Time {
	return ptr.To(metav1.NewTime(t.In(time.FixedZone("", 5*3600+1800))))
}

func is(t batchv1.JobConditionType, status corev1.ConditionStatus) batchv1.JobCondition {
	return batchv1.JobCondition{Type: t, Status: status}
}

// TestAsOnTheWire has what the API server is never sent, or never sees differ.
func TestAsOnTheWire(t *testing.T) {
	complete := []batchv1.JobCondition{
		is(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue), is(batchv1.JobComplete, corev1.ConditionTrue),
	}
	failed := []batchv1.JobCondition{
		is(batchv1.JobFailureTarget, corev1.ConditionTrue), is(batchv1.JobFailed, corev1.ConditionTrue),
	}
	tests := []struct {
		name     string
		old, new batchv1.JobStatus
		want     []statusvalidate.Rule
		why      string
	}{{
		name: "startTime with a fraction",
		old:  batchv1.JobStatus{StartTime: at(0)}, new: batchv1.JobStatus{StartTime: at(999)},
		why: "fractions of seconds are not sent",
	}, {
		name: "startTime a millisecond later, in the next second",
		old:  batchv1.JobStatus{StartTime: at(999)}, new: batchv1.JobStatus{StartTime: at(1000)},
		want: []statusvalidate.Rule{statusvalidate.StartTimeChangedWhileRunning},
		why:  "fractions are cut off, not rounded",
	}, {
		name: "startTime in another zone",
		old:  batchv1.JobStatus{StartTime: at(0)}, new: batchv1.JobStatus{StartTime: zoned(at(0))},
		why: "it is the same instant",
	}, {
		name: "startTime with a monotonic reading",
		old:  batchv1.JobStatus{StartTime: ptr.To(metav1.Unix(time.Now().Unix(), 0))},
		new:  batchv1.JobStatus{StartTime: ptr.To(metav1.Now())},
		why:  "a clock in memory is not sent",
	}, {
		name: "startTime turns zero",
		old:  batchv1.JobStatus{StartTime: at(0)}, new: batchv1.JobStatus{StartTime: &metav1.Time{}},
		want: []statusvalidate.Rule{statusvalidate.StartTimeChangedWhileRunning},
		why:  "a zero time is sent as null",
	}, {
		name: "startTime was zero",
		old:  batchv1.JobStatus{StartTime: &metav1.Time{}}, new: batchv1.JobStatus{StartTime: at(0)},
		why: "a zero time is none",
	}, {
		name: "a zero startTime on a finished Job",
		new:  batchv1.JobStatus{StartTime: &metav1.Time{}, Conditions: failed},
		want: []statusvalidate.Rule{statusvalidate.FinishedWithoutStartTime},
		why:  "a zero time is none",
	}, {
		name: "a zero completionTime",
		new:  batchv1.JobStatus{StartTime: at(0), CompletionTime: &metav1.Time{}, Conditions: complete},
		want: []statusvalidate.Rule{statusvalidate.CompleteWithoutCompletionTime},
		why:  "a zero time is none",
	}, {
		name: "a zero completionTime on a running Job",
		new:  batchv1.JobStatus{CompletionTime: &metav1.Time{}},
		why:  "a zero time is none",
	}, {
		name: "completionTime before startTime by a fraction",
		new:  batchv1.JobStatus{StartTime: at(900), CompletionTime: at(100), Conditions: complete},
		why:  "both are the same second",
	}, {
		name: "completionTime with a fraction",
		old:  batchv1.JobStatus{StartTime: at(0), CompletionTime: at(1000), Conditions: complete},
		new:  batchv1.JobStatus{StartTime: at(0), CompletionTime: zoned(at(1500)), Conditions: complete},
		why:  "both are the same second",
	}, {
		name: "no uncounted pods turn into empty lists",
		old:  batchv1.JobStatus{StartTime: at(0), Conditions: failed},
		new: batchv1.JobStatus{StartTime: at(0), Conditions: failed,
			UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{Failed: []types.UID{}}},
		why: "it is a change, and nothing is listed",
	}, {
		name: "an empty list turns into none beside an id that is there already",
		old: batchv1.JobStatus{StartTime: at(0), Conditions: failed,
			UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{Failed: []types.UID{"p"}, Succeeded: []types.UID{}}},
		new: batchv1.JobStatus{StartTime: at(0), Conditions: failed,
			UncountedTerminatedPods: &batchv1.UncountedTerminatedPods{Failed: []types.UID{"p"}}},
		why: "it is no change, so that the rule is not looked at",
	}, {
		name: "failedIndexes turn from nil into an empty string",
		new:  batchv1.JobStatus{FailedIndexes: ptr.To("")},
		want: []statusvalidate.Rule{statusvalidate.FailedIndexesWithoutBackoffLimitPerIndex},
		why:  "an empty string is a value",
	}, {
		name: "ready turns from nil into 0 beside a negative active",
		old:  batchv1.JobStatus{Active: -1}, new: batchv1.JobStatus{Active: -1, Ready: ptr.To[int32](0)},
		want: []statusvalidate.Rule{statusvalidate.NegativeActive, statusvalidate.MoreReadyThanActive},
		why:  "nil and 0 differ",
	}, {
		name: "terminating turns from nil into 0",
		old:  batchv1.JobStatus{StartTime: at(0), Conditions: failed},
		new:  batchv1.JobStatus{StartTime: at(0), Conditions: failed, Terminating: ptr.To[int32](0)},
		why:  "nil and 0 differ, and 0 is accepted",
	}, {
		name: "the second entry of a type",
		old: batchv1.JobStatus{StartTime: at(0), Conditions: []batchv1.JobCondition{
			is(batchv1.JobFailureTarget, corev1.ConditionUnknown), is(batchv1.JobFailureTarget, corev1.ConditionTrue)}},
		new: batchv1.JobStatus{StartTime: at(0), Conditions: []batchv1.JobCondition{
			is(batchv1.JobFailureTarget, corev1.ConditionFalse)}},
		want: []statusvalidate.Rule{statusvalidate.FailureTargetTakenBack},
		why:  "any entry counts",
	}, {
		name: "Suspended both True and False",
		old:  batchv1.JobStatus{StartTime: at(0), Conditions: []batchv1.JobCondition{is(batchv1.JobSuspended, corev1.ConditionTrue)}},
		new: batchv1.JobStatus{StartTime: at(9000), Conditions: []batchv1.JobCondition{
			is(batchv1.JobSuspended, corev1.ConditionTrue), is(batchv1.JobSuspended, corev1.ConditionFalse)}},
		why: "an explicit False is there, so that the Job resumes",
	}, {
		name: "an unknown status and an unknown type",
		new: batchv1.JobStatus{Conditions: []batchv1.JobCondition{
			is(batchv1.JobComplete, corev1.ConditionUnknown), is(batchv1.JobFailed, ""), is("Fine", corev1.ConditionTrue)}},
		why: "a condition counts only where it is True and known",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := statusvalidate.Change{Old: &batchv1.Job{Status: tt.old}, New: &batchv1.Job{Status: tt.new}}
			if diff := cmp.Diff(tt.want, newest.Broken(c)); diff != "" {
				t.Errorf("broken rules (-want +got):\n%s%s", diff, tt.why)
			}
		})
	}
}

// newest answers for the newest release.
var newest statusvalidate.Validator

// someValidators are one for each set of rules worth telling apart.
func someValidators(t *testing.T) map[string]statusvalidate.Validator {
	all := map[string]statusvalidate.Validator{"ForAll()": statusvalidate.ForAll()}
	for _, name := range []string{"1.29.0", "1.30.14", "1.30.14+gate", "1.31.14", "1.31.14+gate", "1.32.0", "1.35.0", "1.38.0"} {
		all[name] = statusvalidate.For(release(t, name))
	}
	return all
}

// TestSameAfterARoundTrip is the law of values as they are on the wire: encoding both Jobs and
// decoding them again changes nothing.
func TestSameAfterARoundTrip(t *testing.T) {
	validators := someValidators(t)
	generate(t, 3_000, func(i int, c statusvalidate.Change) {
		sent := statusvalidate.Change{Old: roundTrip(t, c.Old), New: roundTrip(t, c.New)}
		for name, v := range validators {
			if diff := cmp.Diff(describe(t, v.Validate(sent)), describe(t, v.Validate(c))); diff != "" {
				t.Fatalf("update %d, %s (-after a round trip +in memory):\n%s", i, name, diff)
			}
		}
	})
}

func roundTrip(t *testing.T, job *batchv1.Job) *batchv1.Job {
	t.Helper()
	encoded, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	decoded := &batchv1.Job{}
	if err := json.Unmarshal(encoded, decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

// describe writes everything of the violations that is promised.
func describe(t *testing.T, vs statusvalidate.Violations) (all []string) {
	for _, v := range vs {
		all = append(all, fmt.Sprintf("%s %s %s%s", v.Rule, string(v.Err.Type), v.Err.Field, badValue(t, v.Err)))
	}
	return all
}

// TestNewSpecIsIgnored pins that the spec and the metadata of the new Job play no part.
func TestNewSpecIsIgnored(t *testing.T) {
	validators := someValidators(t)
	var other *batchv1.Job
	generate(t, 3_000, func(i int, c statusvalidate.Change) {
		if other == nil {
			other = c.New
		}
		replaced := other.DeepCopy()
		replaced.Status = c.New.Status
		other = c.Old
		for name, v := range validators {
			with := v.Validate(statusvalidate.Change{Old: c.Old, New: replaced})
			if diff := cmp.Diff(describe(t, v.Validate(c)), describe(t, with)); diff != "" {
				t.Fatalf("update %d, %s (-its own spec +another spec):\n%s", i, name, diff)
			}
		}
	})
}

// TestDefaultsOfTheServer pins that leaving out what the API server fills in is the same as writing
// it down.
func TestDefaultsOfTheServer(t *testing.T) {
	one := ptr.To[int32](1)
	nonIndexed, indexed := ptr.To(batchv1.NonIndexedCompletion), ptr.To(batchv1.IndexedCompletion)
	tests := []struct {
		name        string
		left, whole batchv1.JobSpec
	}{
		{"nothing", batchv1.JobSpec{},
			batchv1.JobSpec{Completions: one, Parallelism: one, CompletionMode: nonIndexed, Suspend: ptr.To(false)}},
		{"the mode", batchv1.JobSpec{CompletionMode: indexed},
			batchv1.JobSpec{CompletionMode: indexed, Completions: one, Parallelism: one}},
		{"completions", batchv1.JobSpec{CompletionMode: indexed, Completions: one},
			batchv1.JobSpec{CompletionMode: indexed, Completions: one, Parallelism: one}},
	}
	for _, tt := range tests {
		generate(t, 2_000, func(i int, c statusvalidate.Change) {
			c.Old.Spec = tt.left
			left := describe(t, newest.Validate(c))
			c.Old.Spec = tt.whole
			if diff := cmp.Diff(describe(t, newest.Validate(c)), left); diff != "" {
				t.Fatalf("only %s is there, update %d (-whole +left out):\n%s", tt.name, i, diff)
			}
		})
	}
	workQueue := batchv1.JobSpec{Parallelism: one, CompletionMode: indexed}
	list := batchv1.JobStatus{CompletedIndexes: "9"}
	c := statusvalidate.Change{Old: &batchv1.Job{Spec: workQueue}, New: &batchv1.Job{Status: list}}
	if vs := newest.Validate(c); vs != nil {
		t.Errorf("completions has no default where parallelism is set, and is taken for 1: %v", vs.Err())
	}
}
