// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mirrorDeleting copies what is a result in spite of the deletion, and lets the mirror go when no result can
// come any more.
func (t situation) mirrorDeleting() Plan {
	if t.isUnrecorded() && t.mayBeFormer() {
		return outcome(MirrorDeleting).then(readLive(Read{Mirror: true}))
	}
	status, isOver := t.kind.projectDeleting(t)
	p := outcome(MirrorDeleting).again(lookAgain, "the mirror has to be gone")
	p.Adjustments, p.Violations, p.Err = status.Adjustments, status.Violations, status.err
	switch {
	case !t.p.holds(t.mirror):
	case status.Outcome == Conflict: // whatever comes is no result
		p = t.release(p)
	case isOver:
		p = t.drain(p)
	}
	return t.write(p, status, t.lossToCount())
}

// isUnrecorded reports whether the record does not name the mirror of this worker, and it matters that it was there.
func (t situation) isUnrecorded() bool {
	return t.p.countsLosses() && t.record.Worker == t.Worker && t.record.Mirror == ""
}

// lossToCount is the record that names a mirror which somebody has deleted before it was recorded.
func (t situation) lossToCount() *record {
	if !t.isUnrecorded() {
		return nil
	}
	return t.ifRoom(t.adopt())
}

// drain lets a mirror go that we hold, without losing a result. That its status shows no pods is no evidence,
// because it may be behind. So the mirror is deleted in the foreground, and marked behind that; once it is
// marked, the garbage collector's finalizer is there until the pods are gone, and they are gone when they are
// counted. But a deletion in the background takes that finalizer off, so the mirror is let go behind one more in the
// foreground.
func (t situation) drain(p Plan) Plan {
	switch {
	case t.mirror.Annotations[t.p.policy.Keys.Hold] != draining:
		return t.onMirror(p, on(DeleteMirror, t.mirror), t.p.markDraining(t.mirror))
	case slices.Contains(t.mirror.Finalizers, metav1.FinalizerDeleteDependents):
		return p
	default:
		return t.release(p)
	}
}
