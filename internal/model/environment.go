// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// user is what the owner of the local Job does to it.
func (m *Model) user(s *state, emit func(stepKind, state)) {
	if s.local == 0 {
		if s.left.allows(s.left.Recreates) {
			next := *s
			next.left.spend(&next.left.Recreates)
			next.setLocal(m.newLocal(2, false))
			emit(userCreates, next)
		}
		return
	}
	o := &m.objects[s.local]
	change := func(kind stepKind, left func(*Budget) *uint8, edit func(*batchv1.Job)) {
		if !s.left.allows(*left(&s.left)) {
			return
		}
		next := *s
		next.left.spend(left(&next.left))
		to := m.edit(s.local, kind.String(), 0, edit)
		m.replaceLocal(&next, to, true)
		emit(kind, next)
	}
	if o.verdict == "" && !o.deleting {
		change(userSuspends, func(b *Budget) *uint8 { return &b.Suspends }, func(job *batchv1.Job) {
			job.Spec.Suspend = ptr.To(!ptr.Deref(job.Spec.Suspend, false))
			job.Generation++
		})
		change(userScales, func(b *Budget) *uint8 { return &b.Scales }, func(job *batchv1.Job) {
			job.Spec.Parallelism = ptr.To(*job.Spec.Parallelism + 1)
			job.Generation++
		})
	}
	if !o.deleting {
		change(userDeletes, func(b *Budget) *uint8 { return &b.Deletes }, func(job *batchv1.Job) {
			job.DeletionTimestamp = deleteTime.DeepCopy()
		})
	}
}

// dispatcher wants another worker, or none.
func (m *Model) dispatcher(s *state, emit func(stepKind, state)) {
	if !s.left.allows(s.left.Moves) {
		return
	}
	for wanted := uint8(0); wanted <= m.workers; wanted++ {
		if wanted == s.wanted {
			continue
		}
		next := *s
		next.wanted = wanted
		next.left.spend(&next.left.Moves)
		emit(dispatcherMoves, next)
	}
}

// accidents are what happens to a worker.
func (m *Model) accidents(s *state, worker uint8, emit func(stepKind, state)) {
	at := s.site(worker)
	o := &m.objects[at.job]
	if !at.down && s.left.allows(s.left.Outages) {
		next := *s
		next.site(worker).down = true
		next.left.spend(&next.left.Outages)
		emit(outage, next)
	}
	if at.pods == running && s.left.allows(s.left.Failures) {
		next := withPods(*s, worker, failed)
		next.left.spend(&next.left.Failures)
		emit(podFails, next)
	}
	if at.job == 0 && s.left.allows(s.left.Strangers) {
		for _, stranger := range m.strangers {
			next := *s
			next.left.spend(&next.left.Strangers)
			next.setJob(worker, stranger)
			emit(strangerCreates, next)
		}
	}
	if at.job != 0 && o.stranger {
		next := *s
		next.setJob(worker, 0)
		emit(strangerLeaves, next)
	}
	m.losses(s, worker, emit)
}

// losses are deletions of the mirror that are not the controller's. One in the background makes one in the foreground
// that is under way a background one.
func (m *Model) losses(s *state, worker uint8, emit func(stepKind, state)) {
	o := &m.objects[s.site(worker).job]
	if o.job == nil || o.stranger || o.deleting && !o.foreground {
		return
	}
	lose := func(kind stepKind, how metav1.DeletionPropagation, next state) {
		next.site(worker).bereft, next.site(worker).hurried = true, o.deleting
		m.deleteJob(&next, worker, how)
		emit(kind, next)
	}
	if s.left.allows(s.left.Losses) {
		next := *s
		next.left.spend(&next.left.Losses)
		lose(mirrorLost, metav1.DeletePropagationBackground, next)
	}
	if s.left.allows(s.left.Expiries) && o.verdict != "" {
		next := *s
		next.left.spend(&next.left.Expiries)
		lose(ttlExpires, metav1.DeletePropagationForeground, next)
	}
}

// releases reports whether the controller is about to let a mirror go, which it may just have deleted in the foreground.
func (m *Model) releases(s *state) bool { return m.plans[s.plan].step.Kind == mirror.ReleaseMirror }

// cluster is what a worker does by itself, beside the Job controller: pods end, and the garbage collector
// takes what is to be deleted, the pods first where the deletion is in the foreground.
func (m *Model) cluster(s *state, worker uint8, emit func(stepKind, state)) {
	at := s.site(worker)
	o := &m.objects[at.job]
	if at.down {
		next := *s
		next.site(worker).down = false
		emit(workerAnswers, next)
	}
	switch {
	case at.pods == running && o.foreground:
		emit(gcDeletesPod, withPods(*s, worker, terminating))
		emit(podSucceeds, withPods(*s, worker, succeeded))
	case at.pods == running:
		emit(podSucceeds, withPods(*s, worker, succeeded))
	case at.pods == terminating:
		emit(podGone, withPods(*s, worker, noPod))
	case at.pods == noPod && o.foreground && !m.releases(s):
		next := *s
		to := m.edit(at.job, "collect", 0, func(job *batchv1.Job) {
			job.Finalizers = slices.DeleteFunc(job.Finalizers, func(f string) bool { return f == foregroundFinalizer })
		})
		m.replaceJob(&next, worker, to, true)
		emit(gcDeletesJob, next)
	}
	if at.litter != noLitter {
		next := *s
		next.site(worker).litter = noLitter
		emit(gcDeletesLitter, next)
	}
}

// newLocal makes the local Job, for the first or the second time.
func (m *Model) newLocal(n int, suspend bool) objectID {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "job", UID: localUID(n), Generation: 1},
		Spec: batchv1.JobSpec{
			ManagedBy: ptr.To(controllerName), Suspend: ptr.To(suspend),
			Parallelism: ptr.To[int32](1), Completions: ptr.To[int32](1), BackoffLimit: ptr.To[int32](6),
		},
	}
	return m.intern(job)
}

// newStranger makes a Job of the mirror's name that is not the controller's. What it claims to be is
// the mirror of a local Job, or nothing.
func (m *Model) newStranger(of types.UID) objectID {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "job", UID: strangerUID, Generation: 1}}
	if of != "" {
		job.Labels = map[string]string{m.keys.Origin: origin}
		job.Annotations = map[string]string{m.keys.Local: "ns/job", m.keys.UID: string(of), m.keys.Generation: "1"}
	}
	return m.intern(job)
}
