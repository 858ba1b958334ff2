// SPDX-License-Identifier: Apache-2.0

package model

import "k8s.io/apimachinery/pkg/types"

// violated notes what is wrong with the step that is being taken. The first fault counts.
func (m *Model) violated(what string) {
	if m.violation == "" {
		m.violation = what
	}
}

// checkTouch: what is not the controller's is never changed or deleted.
func (m *Model) checkTouch(s *state, job objectID) {
	if o := &m.objects[job]; o.stranger && !m.mayTake(s, o) {
		m.violated("a Job that is not the controller's is touched")
	}
}

// mayTake reports whether a stranger has only itself to blame: it claims to be the mirror of a Job that is not
// there (any more), and the caller has said that nobody else does; or of the Job that is there, before the
// dispatch record named the true one.
func (m *Model) mayTake(s *state, o *object) bool {
	if o.incarnation == "" {
		return false
	}
	if s.local == 0 || m.objects[s.local].uid != o.incarnation {
		return m.config.ExclusiveOrigin
	}
	return readRecord(m.objects[s.local].job.Annotations[m.keys.Dispatch]).Mirror == ""
}

// deceived reports whether the dispatch record names a stranger: who forges an identity before the record
// names the true mirror gets away with it, and what follows is nobody's fault.
func (m *Model) deceived(s *state) bool { return m.objects[s.local].deceived }

// checkVerdict: a result never changes.
func (m *Model) checkVerdict(from, to objectID) {
	if before := m.objects[from].verdict; to != 0 && before != "" && before != m.objects[to].verdict {
		m.violated("the result changes")
	}
}

// checkWrite: a Job that is suspended gets no startTime before it has its result, for that freezes its pod
// template; and pods that a deletion kills are no failure.
func (m *Model) checkWrite(from, to objectID) {
	before, after := &m.objects[from], &m.objects[to]
	if after.suspended && after.verdict == "" && before.job.Status.StartTime == nil && after.job.Status.StartTime != nil {
		m.violated("a suspended Job is started")
	}
	if before.promise == "" && before.verdict == "" && after.failedLate {
		m.violated("a deletion becomes a failure")
	}
}

// checkCreate: a mirror is created for a Job that is there, unfinished, without a promise, and held by
// the finalizer.
func (m *Model) checkCreate(s *state, of types.UID) {
	switch o := &m.objects[s.local]; {
	case s.local == 0 || o.uid != of:
		m.violated("a mirror is created for a Job that is gone")
	case o.verdict != "":
		m.violated("a mirror is created for a Job that has finished")
	case o.promise != "":
		m.violated("a mirror is created for a Job that promises a verdict")
	case !o.guarded:
		m.violated("a mirror is created for a Job without the finalizer")
	}
}

// checkLetGo: the finalizer stays while there is a mirror.
func (m *Model) checkLetGo(s *state) {
	for w := range s.sites {
		if o := &m.objects[s.sites[w].job]; m.isMirror(o, m.objects[s.local].uid) {
			m.violated("the finalizer goes while there is a mirror")
		}
	}
}

func (m *Model) isMirror(o *object, of types.UID) bool {
	return o.job != nil && !o.stranger && o.incarnation == of
}

// checkRead: a mirror that goes has no result that the local Job lacks. It may have, without HoldMirror,
// where the result came after the deletion, or where the deletion is somebody else's; and a failure after the
// deletion is no result.
func (m *Model) checkRead(s *state, worker uint8) {
	at := s.site(worker)
	o, local := &m.objects[at.job], &m.objects[s.local]
	if o.stranger || o.verdict == "" || s.local == 0 || local.uid != o.incarnation || local.deleting || local.verdict != "" || local.promise != "" {
		return
	}
	if o.failedLate {
		return
	}
	if m.config.HoldMirror && !at.hurried || !o.ended.Equal(&late) && !at.bereft {
		m.violated("a result is lost")
	}
}

// checkPlan: a controller that waits for a time says so, and no plan is at fault in itself.
func (m *Model) checkPlan(soon, later *decision) {
	for _, d := range []*decision{soon, later} {
		if d.fault != "" {
			m.violated(d.fault)
		}
	}
	if soon.plan == 0 && later.plan != 0 && !soon.requeues {
		m.violated("the controller waits, and does not say how long")
	}
}

// checkState: no Job runs twice.
func (m *Model) checkState(s *state) {
	var runs []types.UID
	for w := range s.sites {
		at := &s.sites[w]
		o := &m.objects[at.job]
		if at.litter == litterOfController {
			runs = append(runs, "") // of whichever Job
		}
		alive := o.verdict == "" && !o.suspended && !o.deleting
		if at.job != 0 && !o.stranger && (alive || at.pods == running || at.pods == terminating) {
			runs = append(runs, o.incarnation)
		}
	}
	if len(runs) > 1 && (runs[0] == runs[1] || runs[0] == "" || runs[1] == "" || len(runs) > 2) {
		m.violated("a Job runs twice")
	}
}
