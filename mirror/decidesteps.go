package mirror

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	defaultRetryDelay = 10 * time.Second
	maxRetryDelay     = 10 * time.Minute
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

// mirrorDeleting copies what is a result in spite of the deletion, and lets the mirror go when no result can
// come any more.
func (t situation) mirrorDeleting() Plan {
	remote := t.withoutLateFailure()
	status := t.project(remote)
	p := outcome(MirrorDeleting).again(lookAgain, "the mirror has to be gone")
	p.Adjustments, p.Violations = status.Adjustments, status.Violations
	switch {
	case !t.p.holds(t.mirror):
	case status.Outcome == Conflict: // whatever comes is no result
		p = t.release(p)
	case fate(&remote.Status) == 0 && !hasPods(&t.mirror.Status):
		p = t.drain(p)
	}
	return t.write(p, status.Status, nil)
}

// drain lets a mirror go that we hold, without losing a result. That its status shows no pods is no evidence,
// because it may be behind. So the mirror is deleted in the foreground, and marked behind that; once it is
// marked, the garbage collector's finalizer is there until the pods are gone, and they are gone when they are
// counted.
func (t situation) drain(p Plan) Plan {
	switch {
	case t.mirror.Annotations[t.p.policy.Keys.Hold] != draining:
		return t.onMirror(p, on(DeleteMirror, t.mirror), t.p.markDraining(t.mirror))
	case slices.Contains(t.mirror.Finalizers, metav1.FinalizerDeleteDependents):
		return p
	default:
		return t.onMirror(p, t.p.releaseMirror(t.mirror))
	}
}

// withoutLateFailure returns the mirror without a failure that its own deletion may have caused: pods that
// the deletion kills count as failed. A failure that is older, or that the local Job has already
// promised, stays.
func (t situation) withoutLateFailure() *batchv1.Job {
	c := entry(t.mirror.Status.Conditions, batchv1.JobFailureTarget)
	if c == nil || c.Status != corev1.ConditionTrue {
		c = entry(t.mirror.Status.Conditions, batchv1.JobFailed)
	}
	if c == nil || c.Status != corev1.ConditionTrue || c.LastTransitionTime.Before(t.mirror.DeletionTimestamp) && !c.LastTransitionTime.IsZero() ||
		hasTrue(t.local.Status.Conditions, batchv1.JobFailureTarget) {
		return t.mirror
	}
	remote := *t.mirror
	remote.Status.Conditions = slices.DeleteFunc(slices.Clone(remote.Status.Conditions), func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobFailureTarget || c.Type == batchv1.JobFailed
	})
	return &remote
}

// hasPods reports whether a status shows pods that are not gone, or not counted.
func hasPods(s *batchv1.JobStatus) bool {
	uncounted := ptr.Deref(s.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	return s.Active > 0 || ptr.Deref(s.Terminating, 0) > 0 || len(uncounted.Succeeded)+len(uncounted.Failed) > 0
}

// dispatch creates the mirror. Where the Job was sent before, it goes by live reads only.
func (t situation) dispatch() Plan {
	if t.record.sent() {
		if read, open := t.confirm(); open {
			return outcome(Dispatching).then(readLive(read))
		}
		if t.gaveUp() {
			return t.lost()
		}
	}
	next := t.claim()
	job, err := t.p.build(t.local, t.spent())
	if err == nil {
		err = t.room(next.String())
	}
	if err != nil {
		return t.write(outcome(Refused).failing(err), nil, nil)
	}
	if !t.p.cleansUp(t.local) {
		return outcome(Dispatching).then(t.p.addFinalizer(t.local))
	}
	if wait := t.retryIn(); wait > 0 {
		return t.write(outcome(BackingOff).again(wait, "the next attempt is due"), nil, nil)
	}
	return outcome(Dispatching).
		then(patch(Claim, t.local, t.recordChange(&next), t.idleChange())).
		then(Action{Kind: CreateMirror, Object: keyOf(job), Job: job})
}

// room refuses a Job whose annotations leave no room for the dispatch record.
func (t situation) room(record string) error {
	key := t.p.policy.Keys.Dispatch
	size := sizeOf(t.local.Annotations) + len(key) + len(record)
	if old, there := t.local.Annotations[key]; there {
		size -= len(key) + len(old)
	}
	if size <= apivalidation.TotalAnnotationSizeLimitB {
		return nil
	}
	return &TooLargeError{Job: keyOf(t.local), Size: size, Limit: apivalidation.TotalAnnotationSizeLimitB}
}

// spent is how much of activeDeadlineSeconds earlier attempts have used, in seconds.
func (t situation) spent() int64 {
	start := t.local.Status.StartTime
	if start.IsZero() || suspends(t.local) || t.record.Attempt == 0 {
		return 0
	}
	return max(0, int64(t.Now.Sub(start.Time)/time.Second))
}

// countsLosses reports whether it matters that a mirror was there before it disappeared.
func (p *Planner) countsLosses() bool {
	return p.policy.OnMirrorLost == FailJob || p.policy.MaxAttempts > 0
}

// gaveUp reports whether the mirror was lost and is not replaced any more.
func (t situation) gaveUp() bool {
	limit := t.p.policy.MaxAttempts
	return t.hasLost() && (t.p.policy.OnMirrorLost == FailJob || limit > 0 && t.record.Lost >= limit-1)
}

// retryIn is how long to wait before the next attempt on this worker. A claim of the future was made by a clock
// that is ahead; it does not make the wait longer.
func (t situation) retryIn() time.Duration {
	if t.record.Worker != t.Worker {
		return 0
	}
	delay := t.p.policy.RetryDelay
	if delay == 0 {
		delay = defaultRetryDelay
	}
	for range min(t.record.Attempt-1, 30) {
		if delay < maxRetryDelay {
			delay = min(2*delay, maxRetryDelay)
		}
	}
	return min(t.record.At.Add(delay).Sub(t.Now.Time), delay)
}

// lost concludes a Job whose mirror has disappeared.
func (t situation) lost() Plan {
	return t.conclude(MirrorLost, batchv1.JobCondition{
		Type: batchv1.JobFailed, Status: corev1.ConditionTrue, LastTransitionTime: t.Now, Reason: "MirrorLost",
		Message: fmt.Sprintf("The mirror on worker %q has disappeared in attempt %d", t.record.Worker, t.record.Attempt),
	})
}

// concludeFate keeps the promise of a verdict whose mirror has disappeared.
func (t situation) concludeFate() Plan {
	if read, open := t.confirm(); open {
		return outcome(Concluded).then(readLive(read))
	}
	for _, kind := range terminalConditions {
		if promised := entry(t.local.Status.Conditions, kind.promise); promised != nil && promised.Status == corev1.ConditionTrue {
			return t.conclude(Concluded, batchv1.JobCondition{
				Type: kind.terminal, Status: corev1.ConditionTrue, LastTransitionTime: t.Now,
				Reason: promised.Reason, Message: promised.Message,
			})
		}
	}
	panic("mirror: a fate without a condition") // classifyLocal looks for the same
}

// conclude gives the local Job a terminal condition, as if a mirror without pods showed it.
func (t situation) conclude(o Outcome, verdict batchv1.JobCondition) Plan {
	remote := t.idleJob()
	remote.Status.Conditions = append(remote.Status.Conditions, verdict)
	status := t.project(remote)
	if status.Status == nil {
		return planFor(status)
	}
	p := outcome(o)
	p.Adjustments = status.Adjustments
	return t.write(p, status.Status, nil)
}

// idleJob is the local Job with live counters of zero.
func (t situation) idleJob() *batchv1.Job {
	idle := &batchv1.Job{Spec: t.local.Spec, Status: *t.local.Status.DeepCopy()}
	idle.Status.Active, idle.Status.UncountedTerminatedPods = 0, nil
	for _, counter := range []**int32{&idle.Status.Ready, &idle.Status.Terminating} {
		if *counter != nil {
			*counter = ptr.To[int32](0)
		}
	}
	return idle
}

// idleChange is the change of the status that sets live counters to zero, nil if they are.
func (t situation) idleChange() map[string]any {
	if status := t.project(t.idleJob()).Status; status != nil {
		return statusDiff(&t.local.Status, status)
	}
	return nil
}

// idle is for a Job that is not on this worker and not to be. What the record says of this worker is undone
// by a live read only.
func (t situation) idle() Plan {
	p := outcome(Idle)
	if t.isStray() {
		p = outcome(Conflict).because("a Job on the worker calls itself the mirror of this one, and the dispatch record names another")
	}
	remote := t.idleJob()
	var released *record
	switch {
	case t.record.sent() && t.record.Worker != t.Worker:
		return p
	case t.record.sent():
		if !t.State.Mirror.live {
			return p.then(readLive(Read{Mirror: true}))
		}
		if !t.isStray() { // which the record has to go on denying
			r := t.released()
			released = &r
		}
	}
	if suspends(t.local) && !hasTrue(remote.Status.Conditions, batchv1.JobSuspended) {
		remote.Status.Conditions = set(remote.Status.Conditions, suspended(t.Now))
	}
	status := t.project(remote)
	p.Adjustments, p.Violations = status.Adjustments, status.Violations
	return t.write(p, status.Status, released)
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
