// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// typical is an update that any API server accepts: an Indexed Job of 100 completions, resumed
// earlier, of which some more pods have ended.
func typical() statusvalidate.Change {
	old := &batchv1.Job{}
	old.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
	old.Spec.Completions, old.Spec.Parallelism = ptr.To[int32](100), ptr.To[int32](10)
	old.Spec.BackoffLimitPerIndex = ptr.To[int32](1)
	for _, t := range []batchv1.JobConditionType{batchv1.JobSuspended, "example.com/Admitted", "example.com/Mirrored"} {
		old.Status.Conditions = append(old.Status.Conditions, batchv1.JobCondition{
			Type: t, Status: corev1.ConditionFalse, LastTransitionTime: metav1.Unix(1_760_000_000, 0),
		})
	}
	old.Status.StartTime = ptr.To(metav1.Unix(1_760_000_000, 0))
	old.Status.Active, old.Status.Ready, old.Status.Terminating = 10, ptr.To[int32](8), ptr.To[int32](0)
	old.Status.Succeeded, old.Status.Failed = 40, 2
	old.Status.CompletedIndexes, old.Status.FailedIndexes = "0-35,37-40", ptr.To("36")
	old.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}

	changed := old.DeepCopy()
	changed.Status.Succeeded, changed.Status.Failed = 43, 3
	changed.Status.CompletedIndexes, changed.Status.FailedIndexes = "0-35,37-42,44", ptr.To("36,43")
	changed.Status.Ready = ptr.To[int32](9)
	return statusvalidate.Change{Old: old, New: changed}
}

// inSync changes nothing.
func inSync() statusvalidate.Change {
	c := typical()
	c.New = c.Old.DeepCopy()
	return c
}

// threeErrors is refused for three reasons.
func threeErrors() statusvalidate.Change {
	c := typical()
	c.New.Status.Failed = 0
	c.New.Status.StartTime = nil
	c.New.Status.Ready = ptr.To[int32](11)
	return c
}

// fragments is an Indexed Job with that many fragments in completedIndexes.
func fragments(n int) statusvalidate.Change {
	c := typical()
	c.Old.Spec.Completions = ptr.To(int32(2*n + 1))
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, ",%d", 2*i)
	}
	c.New.Status.CompletedIndexes = list.String()[1:]
	c.New.Status.FailedIndexes = ptr.To("1")
	return c
}

// pods is a Job with that many uncounted pods, half of them in each list.
func pods(n int) statusvalidate.Change {
	c := typical()
	u := &batchv1.UncountedTerminatedPods{}
	for i := range n / 2 {
		u.Succeeded = append(u.Succeeded, types.UID(fmt.Sprintf("a6c0b2e4-0000-4000-8000-%012x", i)))
		u.Failed = append(u.Failed, types.UID(fmt.Sprintf("b6c0b2e4-0000-4000-8000-%012x", i)))
	}
	c.New.Status.UncountedTerminatedPods = u
	return c
}

var benchmarks = []struct {
	name    string
	change  statusvalidate.Change
	allowed bool
}{
	{"case=typical", typical(), true},
	{"case=insync", inSync(), true},
	{"case=three-errors", threeErrors(), false},
	{"fragments=100", fragments(100), true},
	{"fragments=12000", fragments(12_000), true},
	{"fragments=100000", fragments(100_000), true},
	{"pods=10", pods(10), true},
	{"pods=1000", pods(1_000), true},
	{"pods=10000", pods(10_000), true},
}

func BenchmarkAllows(b *testing.B) {
	var v statusvalidate.Validator
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if v.Allows(bb.change) != bb.allowed {
					b.Fatal("wrong verdict")
				}
			}
		})
	}
}

func BenchmarkValidate(b *testing.B) {
	var v statusvalidate.Validator
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if (len(v.Validate(bb.change)) == 0) != bb.allowed {
					b.Fatal("wrong verdict")
				}
			}
		})
	}
}

func BenchmarkValidateMetadata(b *testing.B) {
	plain, refused := typical(), typical()
	plain.Old.ObjectMeta, plain.New.ObjectMeta = storedMetadata(), storedMetadata()
	refused.Old.ObjectMeta, refused.New.ObjectMeta = storedMetadata(), storedMetadata()
	refused.New.Labels["bad key"] = "value"
	for _, bb := range []struct {
		name   string
		change statusvalidate.Change
		errors int
	}{
		{"case=plain", plain, 0},
		{"case=refused", refused, 1},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if len(statusvalidate.ValidateMetadata(bb.change)) != bb.errors {
					b.Fatal("wrong verdict")
				}
			}
		})
	}
}

func BenchmarkForAll(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		statusvalidate.ForAll()
	}
}
