// SPDX-License-Identifier: Apache-2.0

package jobgen

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

type mutation func(*Gen, *batchv1.JobSpec, *batchv1.JobStatus)

// mutations bend a status at one place.
var mutations = []weighted[mutation]{
	{14, addCondition},
	{5, dropCondition},
	{4, restateCondition},
	{3, finishNow},
	{1, decide},
	{5, setActive},
	{5, setReady},
	{5, setTerminating},
	{5, setSucceeded},
	{5, setFailed},
	{6, setStartTime},
	{8, setCompletionTime},
	{5, setCompletedIndexes},
	{5, setFailedIndexes},
	{2, overlapIndexes},
	{6, setUncounted},
}

var conditionTypes = []weighted[batchv1.JobConditionType]{
	{6, batchv1.JobComplete},
	{6, batchv1.JobFailed},
	{5, batchv1.JobFailureTarget},
	{6, batchv1.JobSuccessCriteriaMet},
	{4, batchv1.JobSuspended},
	{1, "acme.io/Mirrored"},
}

var conditionStatuses = []weighted[corev1.ConditionStatus]{
	{10, corev1.ConditionTrue},
	{2, corev1.ConditionFalse},
	{1, corev1.ConditionUnknown},
	{1, ""},
}

func (g *Gen) condition() batchv1.JobCondition {
	c := batchv1.JobCondition{Type: pick(g, conditionTypes), Status: pick(g, conditionStatuses), Reason: "Bent"}
	if !g.in(5) {
		c.LastTransitionTime = g.at(epoch + g.rand.Int64N(20))
	}
	return c
}

// addCondition adds an entry anywhere, also a second one of a type that is there.
func addCondition(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) {
	s.Conditions = slices.Insert(s.Conditions, g.rand.IntN(len(s.Conditions)+1), g.condition())
}

func dropCondition(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) {
	if n := len(s.Conditions); n > 0 {
		i := g.rand.IntN(n)
		s.Conditions = slices.Delete(s.Conditions, i, i+1)
	}
}

func restateCondition(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) {
	if n := len(s.Conditions); n > 0 {
		s.Conditions[g.rand.IntN(n)].Status = oneOf(g, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown)
	}
}

// finishNow adds a bare terminal condition, as controllers do that do not know the rules.
func finishNow(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) {
	t := oneOf(g, batchv1.JobComplete, batchv1.JobFailed)
	s.Conditions = append(s.Conditions, batchv1.JobCondition{Type: t, Status: corev1.ConditionTrue})
	if g.in(2) {
		s.CompletionTime = g.atPtr(epoch + 20)
	}
}

// decide adds one of the conditions that announce a terminal one.
func decide(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) {
	t := oneOf(g, batchv1.JobSuccessCriteriaMet, batchv1.JobFailureTarget)
	s.Conditions = append(s.Conditions, batchv1.JobCondition{Type: t, Status: corev1.ConditionTrue})
}

var counts = []weighted[int32]{{3, 0}, {4, 1}, {4, 2}, {2, 3}, {1, 7}, {2, -1}, {1, 1<<31 - 1}}

var optionalCounts = []weighted[func(*Gen) *int32]{
	{1, func(*Gen) *int32 { return nil }},
	{4, func(g *Gen) *int32 { return ptr.To(pick(g, counts)) }},
}

func setActive(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus)    { s.Active = pick(g, counts) }
func setSucceeded(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) { s.Succeeded = pick(g, counts) }
func setFailed(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus)    { s.Failed = pick(g, counts) }
func setReady(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus)     { s.Ready = pick(g, optionalCounts)(g) }
func setTerminating(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) {
	s.Terminating = pick(g, optionalCounts)(g)
}

// times replace a time of a status.
var times = []weighted[func(*Gen, *metav1.Time) *metav1.Time]{
	{3, func(*Gen, *metav1.Time) *metav1.Time { return nil }},
	{1, func(*Gen, *metav1.Time) *metav1.Time { return &metav1.Time{} }},
	{4, func(g *Gen, _ *metav1.Time) *metav1.Time { return g.atPtr(epoch + g.rand.Int64N(20)) }},
	{4, nearby},
}

// nearby returns a time up to a second away, or the same in another form.
func nearby(g *Gen, t *metav1.Time) *metav1.Time {
	if t == nil {
		return g.atPtr(epoch + 5)
	}
	return g.atPtr(t.Unix() + g.rand.Int64N(3) - 1)
}

func setStartTime(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) {
	s.StartTime = pick(g, times)(g, s.StartTime)
}

func setCompletionTime(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) {
	s.CompletionTime = pick(g, times)(g, s.CompletionTime)
}

// uncounteds are values of uncountedTerminatedPods.
var uncounteds = []weighted[func(*Gen) *batchv1.UncountedTerminatedPods]{
	{2, func(*Gen) *batchv1.UncountedTerminatedPods { return nil }},
	{1, func(*Gen) *batchv1.UncountedTerminatedPods { return &batchv1.UncountedTerminatedPods{} }},
	{1, func(*Gen) *batchv1.UncountedTerminatedPods {
		return &batchv1.UncountedTerminatedPods{Succeeded: []types.UID{}, Failed: []types.UID{}}
	}},
	{8, func(g *Gen) *batchv1.UncountedTerminatedPods {
		return &batchv1.UncountedTerminatedPods{Succeeded: g.podIDs(3, 12), Failed: g.podIDs(3, 12)}
	}},
	{1, func(g *Gen) *batchv1.UncountedTerminatedPods {
		return &batchv1.UncountedTerminatedPods{Succeeded: g.podIDs(60, 5_000), Failed: g.podIDs(60, 5_000)}
	}},
}

// podIDs returns at most as many ids, of the given number of pods; rarely one is empty.
func (g *Gen) podIDs(most, pods int) (ids []types.UID) {
	for range g.rand.IntN(most + 1) {
		id := types.UID(fmt.Sprintf("pod-%d", g.rand.IntN(pods)))
		if g.in(3 * most) {
			id = ""
		}
		ids = append(ids, id)
	}
	return ids
}

func setUncounted(g *Gen, _ *batchv1.JobSpec, s *batchv1.JobStatus) {
	s.UncountedTerminatedPods = pick(g, uncounteds)(g)
}
