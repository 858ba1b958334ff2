package mirror

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
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
		return t.write(outcome(Conflict).because("another worker has a mirror of this Job as well"), nil, nil)
	}
	if t.mayBeFormer() {
		return outcome(Unconfirmed).then(readLive(Read{Mirror: true}))
	}
	status, spec := t.project(t.mirror), SpecPlan{}
	if t.Wanted && t.mirrorIs == mirrorOurs {
		spec = t.p.PlanSpec(t.pair(t.mirror))
	}
	adopted := t.adoption(status.Status != nil || spec.Patch != nil)
	p := t.write(planFor(status), status.Status, adopted)
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

// project plans the status for a remote Job.
func (t situation) project(remote *batchv1.Job) StatusPlan {
	if kind := t.p.policy.Condition; kind != "" && find(remote.Status.Conditions, kind) >= 0 {
		bare := *remote // it speaks of another worker, below this one
		bare.Status.Conditions = slices.DeleteFunc(slices.Clone(remote.Status.Conditions), func(c batchv1.JobCondition) bool { return c.Type == kind })
		remote = &bare
	}
	pair := t.pair(remote)
	return ProjectStatus(pair, t.p.statusOptions(pair, t.Now))
}

// planFor is the plan of a status plan, without its write.
func planFor(s StatusPlan) Plan {
	p := Plan{Outcome: s.Outcome, Why: s.Why, Adjustments: s.Adjustments, Violations: s.Violations}
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
	r := t.adopt()
	return &r
}

// recordChange is the change of the metadata that writes a dispatch record.
func (t situation) recordChange(r *record) map[string]any {
	return map[string]any{"annotations": map[string]string{t.p.policy.Keys.Dispatch: r.String()}}
}

// write adds to a plan what is to be written to the local Job: the status, the dispatch record and the
// condition of the Policy, in one request. It adds nothing if there is nothing to write.
func (t situation) write(p Plan, status *batchv1.JobStatus, r *record) Plan {
	status = t.withCondition(p.Outcome, status)
	var metadata, change map[string]any
	kind := Claim
	if r != nil {
		metadata = t.recordChange(r)
	}
	if status != nil {
		kind, change = WriteStatus, statusDiff(&t.local.Status, status)
	}
	if metadata == nil && change == nil {
		return p
	}
	first := patch(kind, t.local, metadata, change)
	if len(p.Actions) > 0 && p.Actions[0].Kind == ReadLive {
		p.Actions = nil // that comes when this is written
	}
	p.Actions = append([]Action{first}, p.Actions...)
	return p
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
