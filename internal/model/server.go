// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// preconditions are what an API server checks before it does what a request says.
type preconditions struct {
	uid     types.UID
	version bool
}

func preconditionsOf(a Step) preconditions {
	if a.Kind == mirror.DeleteMirror {
		if p := a.Delete.Preconditions; p != nil {
			needs := preconditions{version: p.ResourceVersion != nil}
			if p.UID != nil {
				needs.uid = *p.UID
			}
			return needs
		}
		return preconditions{}
	}
	if a.Patch == nil {
		return preconditions{}
	}
	if a.PatchType == types.JSONPatchType {
		return preconditionsIn(operations(a.Patch))
	}
	var patch struct{ Metadata metav1.ObjectMeta }
	if err := json.Unmarshal(a.Patch, &patch); err != nil {
		panic(err)
	}
	return preconditions{uid: patch.Metadata.UID, version: patch.Metadata.ResourceVersion != ""}
}

// act carries out the next step of the plan. A refusal ends the plan.
func (m *Model) act(s state) state {
	p := &m.plans[s.plan]
	ok := m.request(&s, p)
	if !ok || p.rest == 0 {
		s.dropPlan()
		return s
	}
	s.plan = p.rest
	s.planLocal = s.planLocal && m.plans[p.rest].restLocal
	s.planMirror = s.planMirror && m.plans[p.rest].restMirror
	return s
}

// request sends one step to the API server that it is for, and reports whether that did it.
func (m *Model) request(s *state, p *plan) bool {
	if !p.step.OnWorker() {
		return m.writeLocal(s, p)
	}
	at := s.site(s.by)
	if at.down {
		return false
	}
	if p.step.Kind == mirror.CreateMirror {
		return m.create(s, p.step.Job)
	}
	if at.job == 0 || p.needs.uid != "" && p.needs.uid != m.objects[at.job].uid || p.needs.version && !s.planMirror {
		return false
	}
	m.checkTouch(s, at.job)
	if p.step.Kind == mirror.DeleteMirror {
		m.deleteJob(s, s.by, *p.step.Delete.PropagationPolicy)
		return true
	}
	to, refused := m.merge(s.plan, at.job, p.step)
	if refused != "" {
		return false
	}
	m.replaceJob(s, s.by, to.id, to.changed)
	return true
}

func (m *Model) writeLocal(s *state, p *plan) bool {
	if s.local == 0 || p.needs.uid != "" && p.needs.uid != m.objects[s.local].uid || p.needs.version && !s.planLocal {
		return false
	}
	to, refused := m.merge(s.plan, s.local, p.step)
	if refused != "" {
		m.violated("a write is refused: " + refused)
		return false
	}
	if p.step.Kind == mirror.RemoveFinalizer {
		m.checkLetGo(s)
	}
	m.checkWrite(s.local, to.id)
	m.replaceLocal(s, to.id, to.changed)
	return true
}

// replaceLocal stores a version of the local Job. One that is being deleted and that nothing holds back
// is gone.
func (m *Model) replaceLocal(s *state, to objectID, changed bool) {
	if o := &m.objects[to]; o.deleting && len(o.job.Finalizers) == 0 {
		to, changed = 0, true
	}
	if changed {
		m.checkVerdict(s.local, to)
		s.setLocal(to)
	}
}

// replaceJob does the same for the Job on a worker.
func (m *Model) replaceJob(s *state, worker uint8, to objectID, changed bool) {
	if o := &m.objects[to]; o.deleting && len(o.job.Finalizers) == 0 {
		m.removeJob(s, worker)
	} else if changed {
		s.setJob(worker, to)
	}
}

// removeJob takes a Job off a worker. Its pods are left, if it has some.
func (m *Model) removeJob(s *state, worker uint8) {
	at := s.site(worker)
	m.checkRead(s, worker)
	if at.pods == running || at.pods == terminating {
		left := litterOfController
		if at.bereft && !m.config.HoldMirror {
			left = litterOfOthers
		}
		at.litter = max(at.litter, left)
	}
	at.pods, at.bereft, at.hurried = noPod, false, false
	s.setJob(worker, 0)
}

// create stores a mirror under a UID that nothing refers to.
func (m *Model) create(s *state, job *batchv1.Job) bool {
	at := s.site(s.by)
	if at.job != 0 {
		return false
	}
	m.checkCreate(s, types.UID(job.Annotations[m.keys.UID]))
	stored := job.DeepCopy()
	stored.UID = mirrorUID(m.free(m.used(s).mirrors, maxMirrors))
	s.setJob(s.by, m.intern(stored))
	return true
}

// deleteJob is what DELETE does: at once, or as soon as no finalizer is left. The last one says whether the garbage
// collector's is one.
func (m *Model) deleteJob(s *state, worker uint8, how metav1.DeletionPropagation) {
	at := s.site(worker)
	to := m.edit(at.job, "delete "+string(how), 0, func(job *batchv1.Job) {
		job.DeletionTimestamp = deleteTime.DeepCopy()
		job.Finalizers = slices.DeleteFunc(job.Finalizers, func(f string) bool { return f == foregroundFinalizer })
		if how == metav1.DeletePropagationForeground {
			job.Finalizers = append(job.Finalizers, foregroundFinalizer)
		}
	})
	m.replaceJob(s, worker, to, to != at.job)
}

// merged is the result of a patch.
type merged struct {
	id      objectID
	changed bool // the API server gives it a new resourceVersion
}

type mergeKey struct {
	plan planID
	id   objectID
}

type mergeResult struct {
	merged
	refused string
}

// merge returns what the first step of a plan makes of a Job, and why the API server refuses it.
func (m *Model) merge(id planID, of objectID, step Step) (merged, string) {
	key := mergeKey{id, of}
	r, ok := m.merges[key]
	if !ok {
		r = m.patched(&m.objects[of], step)
		m.merges[key] = r
	}
	return r.merged, r.refused
}

func (m *Model) patched(old *object, step Step) mergeResult {
	job, ok := applyPatch(old.text, step)
	if !ok {
		return mergeResult{refused: "a test of the patch fails"}
	}
	for _, f := range job.Finalizers {
		if old.deleting && !slices.Contains(old.job.Finalizers, f) {
			return mergeResult{refused: "a new finalizer on a Job that is being deleted"}
		}
	}
	if step.Subresource == "status" {
		job.Spec = *old.job.Spec.DeepCopy()
		vs := statusvalidate.ForAll().Validate(statusvalidate.Change{Old: old.job, New: job})
		if len(vs) > 0 {
			return mergeResult{refused: string(vs[0].Rule)}
		}
	} else {
		job.Status = *old.job.Status.DeepCopy()
	}
	before, _ := json.Marshal(old.job)
	after, _ := json.Marshal(job)
	return mergeResult{merged: merged{id: m.intern(job), changed: string(before) != string(after)}}
}
