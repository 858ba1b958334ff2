// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// sameStatus reports whether two statuses are the same on the wire. It allocates nothing.
func sameStatus(a, b *batchv1.JobStatus) bool {
	return a.Active == b.Active && a.Succeeded == b.Succeeded && a.Failed == b.Failed &&
		ptr.Equal(a.Ready, b.Ready) && ptr.Equal(a.Terminating, b.Terminating) &&
		sameTime(a.StartTime, b.StartTime) && sameTime(a.CompletionTime, b.CompletionTime) &&
		a.CompletedIndexes == b.CompletedIndexes && ptr.Equal(a.FailedIndexes, b.FailedIndexes) &&
		samePods(a.UncountedTerminatedPods, b.UncountedTerminatedPods) &&
		slices.EqualFunc(a.Conditions, b.Conditions, sameCondition)
}

// sameTime compares what a typed client sends: whole seconds, and nothing for a zero time.
func sameTime(a, b *metav1.Time) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() == b.IsZero()
	}
	return a.Unix() == b.Unix()
}

// onTheWire reports whether there is a form of a time that can be read again: RFC 3339 has years of four digits.
func onTheWire(t *metav1.Time) bool {
	const first, last = -62_167_219_200, 253_402_300_799 // 0000-01-01T00:00:00Z, 9999-12-31T23:59:59Z
	return t.IsZero() || t.Unix() >= first && t.Unix() <= last
}

// timesOnTheWire reports it of all times of a status.
func timesOnTheWire(s *batchv1.JobStatus) bool {
	return onTheWire(s.StartTime) && onTheWire(s.CompletionTime) && !slices.ContainsFunc(s.Conditions, func(c batchv1.JobCondition) bool {
		return !onTheWire(&c.LastTransitionTime) || !onTheWire(&c.LastProbeTime)
	})
}

func samePods(a, b *batchv1.UncountedTerminatedPods) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Succeeded, b.Succeeded) && slices.Equal(a.Failed, b.Failed)
}

func sameCondition(a, b batchv1.JobCondition) bool {
	return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason && a.Message == b.Message &&
		sameTime(&a.LastTransitionTime, &b.LastTransitionTime) && sameTime(&a.LastProbeTime, &b.LastProbeTime)
}
