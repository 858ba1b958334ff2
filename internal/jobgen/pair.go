// SPDX-License-Identifier: Apache-2.0

package jobgen

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Pair returns a delegated Job and its mirror, both well-formed: the status of local is one that it
// can have got through updates that an API server of 1.32 or later accepted, that of remote one
// that a built-in controller of some release writes.
//
// The specs are the same but for managedBy and selector, and in a share of the pairs for what has
// been changed on one side only: suspend, and the scale of an elastic Job.
func (g *Gen) Pair() (local, remote *batchv1.Job) {
	local = g.job()
	local.Spec.ManagedBy = ptr.To(Controller)
	remote = mirrorOf(local)
	if g.in(4) {
		remote.Spec.Suspend = ptr.To(!*local.Spec.Suspend)
	}
	if isElastic(&local.Spec) && g.in(4) {
		scale := ptr.To(max(1, *local.Spec.Completions+oneOf[int32](g, -2, -1, 1, 2)))
		remote.Spec.Completions, remote.Spec.Parallelism = scale, scale
	}
	skew := g.rand.Int64N(11) - 5
	statuses := g.life(&remote.Spec, pick(g, controllers), epoch+skew)
	reached := g.rand.IntN(len(statuses))
	remote.Status = *statuses[reached].DeepCopy()
	local.Status = pick(g, localStatuses)(g, local, statuses[:reached+1])
	pick(g, remoteHabits)(g, remote)
	return local, remote
}

// WildPair returns a Pair of which one side, or both, is bent at a few places, in its status or in
// the fields of its spec that rules about the status read.
func (g *Gen) WildPair() (local, remote *batchv1.Job) {
	local, remote = g.Pair()
	sides := oneOf(g, []*batchv1.Job{local}, []*batchv1.Job{remote}, []*batchv1.Job{local, remote})
	for _, job := range sides {
		pick(g, mutations)(g, &job.Spec, &job.Status)
		g.bend(&job.Spec, &job.Status)
		if g.in(10) {
			pick(g, specChanges)(g, &job.Spec)
		}
	}
	return local, remote
}

func isElastic(s *batchv1.JobSpec) bool {
	return *s.CompletionMode == batchv1.IndexedCompletion && ptr.Equal(s.Completions, s.Parallelism)
}

// mirrorOf returns the Job as the worker's API server stores it after a controller has sent it.
func mirrorOf(local *batchv1.Job) *batchv1.Job {
	remote := local.DeepCopy()
	remote.UID = "11111111-" + types.UID(local.UID[9:])
	remote.Spec.ManagedBy = nil
	giveSelector(remote)
	return remote
}

// localStatuses make the status of the local Job, given the local Job and the statuses of the
// mirror up to now.
var localStatuses = []weighted[func(g *Gen, local *batchv1.Job, seen []batchv1.JobStatus) batchv1.JobStatus]{
	{2, func(*Gen, *batchv1.Job, []batchv1.JobStatus) batchv1.JobStatus { return batchv1.JobStatus{} }},
	{2, onlySuspended},
	{8, earlierProjection},
	{3, earlierAttempt},
	{1, anyEnd},
}

func onlySuspended(g *Gen, local *batchv1.Job, _ []batchv1.JobStatus) batchv1.JobStatus {
	r := &run{g: g, spec: &local.Spec, now: epoch}
	suspend(r)
	r.status.Ready, r.status.Terminating = nil, nil
	return r.status
}

// earlierProjection is a status of this mirror as it was copied some time ago.
func earlierProjection(g *Gen, local *batchv1.Job, seen []batchv1.JobStatus) batchv1.JobStatus {
	return projected(g, local, seen[g.rand.IntN(len(seen))])
}

// earlierAttempt is what is left of a run on another worker: the mirror may have started from zero.
func earlierAttempt(g *Gen, local *batchv1.Job, _ []batchv1.JobStatus) batchv1.JobStatus {
	running := []step{start, work, work}
	r := &run{g: g, spec: &local.Spec, now: epoch - 100}
	for _, s := range running[:1+g.rand.IntN(len(running))] {
		s(r)
	}
	if *local.Spec.Suspend || g.in(3) {
		suspend(r)
		drain(r)
	}
	return projected(g, local, r.status)
}

// anyEnd is a status from a life of its own, often a finished one, which need not agree with the
// mirror's.
func anyEnd(g *Gen, local *batchv1.Job, _ []batchv1.JobStatus) batchv1.JobStatus {
	statuses := g.life(&local.Spec, controller{}, epoch-50)
	return projected(g, local, statuses[max(len(statuses)-1-g.rand.IntN(2), 0)])
}

// projected returns the status as a careful controller would have written it to the local Job.
func projected(g *Gen, local *batchv1.Job, seen batchv1.JobStatus) batchv1.JobStatus {
	s := *seen.DeepCopy()
	s.Ready = capped(s.Ready, s.Active)
	s.UncountedTerminatedPods = nil
	if isFinished(s) {
		s.Conditions = announced(s.Conditions)
		s.Terminating = nil
	}
	if isFinished(s) && s.StartTime == nil {
		s.StartTime = g.atPtr(epoch - 60)
	}
	if g.in(8) { // its own condition
		s.Conditions = append(s.Conditions, batchv1.JobCondition{
			Type: "acme.io/Mirrored", Status: corev1.ConditionTrue, LastTransitionTime: metav1.Unix(epoch, 0),
		})
	}
	return s
}

func isFinished(s batchv1.JobStatus) bool {
	return find(s.Conditions, batchv1.JobComplete) != nil || find(s.Conditions, batchv1.JobFailed) != nil
}

func capped(ready *int32, active int32) *int32 {
	if ready == nil {
		return nil
	}
	return ptr.To(min(*ready, active))
}

// find returns a condition that is True.
func find(conditions []batchv1.JobCondition, t batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range conditions {
		if conditions[i].Type == t && conditions[i].Status == corev1.ConditionTrue {
			return &conditions[i]
		}
	}
	return nil
}

// announced adds the condition that must be under each terminal one, where it is not there.
func announced(conditions []batchv1.JobCondition) []batchv1.JobCondition {
	announces := []struct{ terminal, fate batchv1.JobConditionType }{
		{batchv1.JobFailed, batchv1.JobFailureTarget},
		{batchv1.JobComplete, batchv1.JobSuccessCriteriaMet},
	}
	for _, a := range announces {
		terminal := find(conditions, a.terminal)
		if terminal == nil || find(conditions, a.fate) != nil {
			continue
		}
		fate := *terminal
		fate.Type = a.fate
		conditions = append(slices.Clone(conditions), fate)
	}
	return conditions
}

// remoteHabits are what a worker's status may have besides.
var remoteHabits = []weighted[func(*Gen, *batchv1.Job)]{
	{12, func(*Gen, *batchv1.Job) {}},
	{1, func(_ *Gen, remote *batchv1.Job) { // a count that runs behind, as to 1.30
		remote.Status.Ready = ptr.To(remote.Status.Active + 1)
	}},
	{1, func(_ *Gen, remote *batchv1.Job) { // conditions without times
		for i := range remote.Status.Conditions {
			remote.Status.Conditions[i].LastTransitionTime = metav1.Time{}
		}
	}},
	{1, func(g *Gen, remote *batchv1.Job) { // a condition that the Job API does not know
		remote.Status.Conditions = append(remote.Status.Conditions, batchv1.JobCondition{
			Type: "queue.example.com/Admitted", Status: corev1.ConditionTrue, LastTransitionTime: g.at(epoch),
		})
	}},
}
