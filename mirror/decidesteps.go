// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// sync copies the status back and carries the spec over. The record names the mirror before anything is
// written to it.
func (t situation) sync() Plan {
	if !t.p.cleansUp(t.local) {
		return outcome(Dispatching).because("the Job gets the finalizer by which its mirror is deleted").then(t.p.addFinalizer(t.local))
	}
	if t.Wanted && t.record.Mirror != t.mirror.UID && t.elsewhereIs == elsewherePresent {
		return t.write(outcome(Conflict).because("another worker has a mirror of this Job as well"), projection{}, nil)
	}
	if t.mayBeFormer() {
		return outcome(Unconfirmed).then(readLive(Read{Mirror: true}))
	}
	status, spec := t.kind.project(t), SpecPlan{}
	if t.Wanted && t.mirrorIs == mirrorOurs {
		spec = t.kind.planSpec(t)
	}
	adopted := t.adoption(status.writes() || spec.Patch != nil)
	p := t.write(planFor(status), status, adopted)
	p.Differences = spec.Differences
	if spec.Stale {
		p = p.again(lookAgain, "the local Job that was seen is older than what its mirror was sent")
	}
	if spec.Patch != nil {
		a := on(PatchMirror, t.mirror)
		a.Patch, a.PatchType = spec.Patch, types.MergePatchType
		if adopted != nil {
			return p.then(a)
		}
		p = t.onMirror(p, a)
	}
	return p
}

// mayBeFormer reports whether a cache that is behind may show the mirror of an earlier attempt. What the
// record names is right, and a Job that was sent once, and not taken off its worker, has had no other.
func (t situation) mayBeFormer() bool {
	first := t.record.Attempt == 0 || t.record.Attempt == 1 && t.record.sent()
	return !first && t.record.Mirror == "" && !t.State.Mirror.live
}

// planFor is the plan of a status plan, without its write.
func planFor(s projection) Plan {
	p := Plan{Outcome: s.Outcome, Why: s.Why, Adjustments: s.Adjustments, Violations: s.Violations, Err: s.err}
	return p.again(s.RequeueAfter, s.Why)
}

// adoption is the dispatch record to write because it does not name the mirror yet; nil if it does. A UID
// alone is no reason for a request, unless a mirror that disappears counts: else it waits until something
// else is written.
func (t situation) adoption(writing bool) *record {
	named := t.record.Mirror == t.mirror.UID && !t.record.Evicting
	settled := t.Wanted && t.elsewhereIs == elsewhereGone
	elsewhere := t.record.sent() && t.record.Worker != t.Worker && !settled || t.elsewhereIs == elsewherePresent
	if t.record.Worker == t.Worker && (named || !writing && !t.p.countsLosses()) || elsewhere && !named {
		return nil
	}
	return t.ifRoom(t.adopt())
}

// ifRoom is a record to write, nil where the annotations have grown and leave no room for it: a status matters more.
func (t situation) ifRoom(r record) *record {
	if t.room(r.String()) != nil {
		return nil
	}
	return &r
}

// recordChange is the change of the metadata that writes a dispatch record.
func (t situation) recordChange(r *record) map[string]any {
	return map[string]any{"annotations": map[string]string{t.p.policy.Keys.Dispatch: r.String()}}
}

// write adds to a plan what is to be written to the local Job: the status, the dispatch record and the
// condition of the Policy, in one request. It adds nothing if there is nothing to write.
func (t situation) write(p Plan, s projection, r *record) Plan {
	var metadata map[string]any
	if r != nil {
		metadata = t.recordChange(r)
	}
	change := t.withCondition(p.Outcome, s).change(t.local)
	if metadata == nil && change == nil {
		return p
	}
	first := t.writing(metadata, change)
	if len(p.Actions) > 0 && p.Actions[0].Kind == ReadLive {
		p.Actions = nil // that comes when this is written
	}
	p.Actions = append([]Action{first}, p.Actions...)
	return p
}

// writing is the action that changes metadata and status of the local object. The subresource "status" of a custom
// resource ignores metadata, so there the metadata goes first, and the status with the next plan; but a result goes
// first, for the mirror that has it may disappear.
//
// Source: statusStrategy.PrepareForUpdate in k8s.io/apiextensions-apiserver/pkg/registry/customresource, 1.30 to 1.37.
func (t situation) writing(metadata, status map[string]any) Action {
	split := metadata != nil && status != nil && !t.kind.isJob()
	isResult := t.mirror != nil && verdict(&t.mirror.Status) != 0
	switch {
	case split && isResult:
		return patch(WriteStatus, t.local, nil, status)
	case split || status == nil:
		return patch(Claim, t.local, metadata, nil)
	default:
		return patch(WriteStatus, t.local, metadata, status)
	}
}

// statusOptions are those of [Planner.PlanStatus].
func (p *Planner) statusOptions(pair Pair, now metav1.Time) StatusOptions {
	return StatusOptions{
		Validator:     p.validator,
		Now:           now,
		StampTerminal: p.policy.StampTerminal,
		Untold:        p.untold(pair),
	}
}
