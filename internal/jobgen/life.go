// SPDX-License-Identifier: Apache-2.0

package jobgen

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

// Life returns a delegated Job as it is when its mirror is created, and the mirror as a watch shows
// it from then on: every status it gets, in order, each a Job of its own. Both are well-formed, as
// in a [Gen.Pair].
//
// A quarter of the mirrors are lost on the way and created again, so that the statuses begin anew.
// A controller that is slow, or whose cache is stale, sees fewer of them, or some twice.
func (g *Gen) Life() (local *batchv1.Job, mirrors []*batchv1.Job) {
	local = g.job()
	local.Spec.ManagedBy = ptr.To(Controller)
	local.Status = pick(g, untilMirrored)(g, local, nil)
	begin, habit := epoch+g.rand.Int64N(11)-5, pick(g, remoteHabits)
	if g.in(4) {
		lost := g.attempt(local, begin, habit)
		mirrors = lost[:1+g.rand.IntN(len(lost))]
	}
	return local, append(mirrors, g.attempt(local, begin+10, habit)...)
}

// untilMirrored are statuses of a local Job before there is anything to copy.
var untilMirrored = []weighted[func(g *Gen, local *batchv1.Job, seen []batchv1.JobStatus) batchv1.JobStatus]{
	{4, func(*Gen, *batchv1.Job, []batchv1.JobStatus) batchv1.JobStatus { return batchv1.JobStatus{} }},
	{1, onlySuspended},
	{2, earlierAttempt},
}

// attempt returns a mirror in all states it gets to.
func (g *Gen) attempt(local *batchv1.Job, begin int64, habit func(*Gen, *batchv1.Job)) (states []*batchv1.Job) {
	mirror := mirrorOf(local)
	if g.in(4) { // the worker's own queue, or one that has not been told
		mirror.Spec.Suspend = ptr.To(!*local.Spec.Suspend)
	}
	for _, status := range g.life(&mirror.Spec, pick(g, controllers), begin) {
		state := mirror.DeepCopy()
		state.Status = status
		habit(g, state)
		states = append(states, state)
	}
	return states
}
