// SPDX-License-Identifier: Apache-2.0

package jobgen

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

// mutationCounts says how many places of a status are bent.
var mutationCounts = []weighted[int]{{4, 0}, {6, 1}, {4, 2}, {2, 3}, {1, 4}}

// Change returns an update of a Job's status: two statuses of one life, or of two, of which the
// new one is bent at up to four places, and sometimes the old one too, as a Job has it that was
// stored before the rules were there. In a small share the new spec, which does not count, differs
// from the old one, and completions and parallelism are left undefaulted.
func (g *Gen) Change() (old, new *batchv1.Job) {
	old = g.job()
	if g.in(12) {
		undefault(g, &old.Spec)
	}
	new = old.DeepCopy()
	old.Status, new.Status = pick(g, updates)(g, &old.Spec)
	if g.in(6) {
		g.bend(&old.Spec, &old.Status)
	}
	g.bend(&old.Spec, &new.Status)
	if g.in(10) {
		pick(g, specChanges)(g, &new.Spec)
	}
	return old, new
}

// updates make the status before and after an update of a Job with this spec.
var updates = []weighted[func(*Gen, *batchv1.JobSpec) (before, after batchv1.JobStatus)]{
	{14, onward},
	{2, otherRun},
	{1, lateAnnouncement},
}

// onward takes two statuses of one life, the second as late as the first or later.
func onward(g *Gen, spec *batchv1.JobSpec) (before, after batchv1.JobStatus) {
	statuses := g.life(spec, pick(g, controllers), epoch)
	j := g.rand.IntN(len(statuses))
	return *statuses[g.rand.IntN(j+1)].DeepCopy(), statuses[j]
}

// otherRun goes from one life to another one of the same Job.
func otherRun(g *Gen, spec *batchv1.JobSpec) (before, after batchv1.JobStatus) {
	one := g.life(spec, pick(g, controllers), epoch)
	other := g.life(spec, pick(g, controllers), epoch+g.rand.Int64N(3))
	return one[g.rand.IntN(len(one))], other[g.rand.IntN(len(other))]
}

// lateAnnouncement adds what ought to come before a terminal condition to the last status of a
// controller that did not know it, as a controller may after an upgrade.
func lateAnnouncement(g *Gen, spec *batchv1.JobSpec) (before, after batchv1.JobStatus) {
	statuses := g.life(spec, controller{bare: true}, epoch)
	before = statuses[len(statuses)-1]
	after = *before.DeepCopy()
	after.Conditions = announced(after.Conditions)
	return before, after
}

func (g *Gen) bend(spec *batchv1.JobSpec, status *batchv1.JobStatus) {
	for range pick(g, mutationCounts) {
		pick(g, mutations)(g, spec, status)
	}
}

// specChanges are changes of the spec that a write to the status subresource cannot make.
var specChanges = []weighted[func(*Gen, *batchv1.JobSpec)]{
	{2, func(_ *Gen, s *batchv1.JobSpec) { s.Suspend = ptr.To(!ptr.Deref(s.Suspend, false)) }},
	{2, func(g *Gen, s *batchv1.JobSpec) { s.Completions = oneOf(g, nil, ptr.To[int32](0), ptr.To[int32](2)) }},
	{1, func(g *Gen, s *batchv1.JobSpec) { s.Parallelism = oneOf(g, nil, ptr.To[int32](0), ptr.To[int32](2)) }},
	{1, makeIndexed},
	{1, func(_ *Gen, s *batchv1.JobSpec) { s.CompletionMode = nil }},
	{1, func(_ *Gen, s *batchv1.JobSpec) { s.SuccessPolicy, s.BackoffLimitPerIndex = nil, nil }},
	{1, func(_ *Gen, s *batchv1.JobSpec) { *s = batchv1.JobSpec{} }},
}
