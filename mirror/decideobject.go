// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// LiveObject is [Live] for [Planner.DecideObject]. A nil object says that the server answered NotFound.
func LiveObject(object *unstructured.Unstructured) Observation {
	return Observation{object: object, of: ofObject, live: true}
}

// CachedObject is [Cached] for [Planner.DecideObject].
func CachedObject(object *unstructured.Unstructured) Observation {
	return Observation{object: object, of: ofObject}
}

// LiveGetObject is [LiveGet] for [Planner.DecideObject], with a client that does not cache.
func LiveGetObject(object *unstructured.Unstructured, err error) Observation {
	return got(object, err, LiveObject)
}

// CachedGetObject is [CachedGet] for [Planner.DecideObject].
func CachedGetObject(object *unstructured.Unstructured, err error) Observation {
	return got(object, err, CachedObject)
}

// DecideObject is [Planner.Decide] for an object of any kind, by the same table and with the same promises.
// Make its observations with [LiveObject], [CachedObject], [LiveGetObject] and [CachedGetObject]. What
// CreateMirror creates is in Action.Unstructured.
//
// For a Job the plan is the same, but for fields that this program's Go types do not know, which the mirror
// keeps. Of other kinds
//
//   - the mirror is that of [Planner.BuildObject], the status that of [Planner.PlanObjectStatus], and the changes
//     carried over are those of [Planner.PlanObjectSpec];
//   - there is no promise of a verdict, no live counter to clear, and no activeDeadlineSeconds that earlier attempts
//     have used up;
//   - a status and the dispatch record go in two requests, because the subresource "status" of a custom resource
//     ignores changes of the metadata: the record first, and the status with the next plan, unless it is a result;
//   - a mirror that is held (Policy.HoldMirror) and was deleted by somebody else is deleted in the foreground, and let
//     go when the garbage collector is done, without a look at pods;
//   - a failure of a mirror that is being deleted is a result only if its status says that it is older than the deletion;
//   - an object whose mirror is lost for good is concluded by the least that [jobmanagedby.Kind.Finished] reads as a
//     failure. One that has no such state is reported as [MirrorLost], and not created again;
//   - KeepFinished counts from [jobmanagedby.Kind.FinishedAt], and is taken for zero where the status does not say;
//   - Policy.Condition does nothing;
//   - nobody looks at the time to live of the local object (ttlSecondsAfterFinished): the operator leaves it alone,
//     and the mirror has none.
//
// Whether the operator of the management cluster leaves the object alone is another question: ask
// [jobmanagedby.Kind.Decide] for its release. A CronJob it never leaves alone.
//
// Where the local object or its mirror cannot be read the outcome is [Malformed], with the error in Plan.Err: nothing
// is planned. Of what is not read it does not matter: once the local object is being deleted the metadata will do, and
// always of an object on a worker that is no mirror.
func (p *Planner) DecideObject(kind jobmanagedby.Kind, s State) Plan {
	typed, err := p.typedState(kind, s)
	switch {
	case err != nil:
		return outcome(Malformed).failing(err)
	case isJob(kind):
		return p.decide(typed, objectJobWorkload{kind: kind, local: s.Local.object})
	default:
		return p.decide(typed, objectWorkload{kind: kind, pair: ObjectPair{Local: s.Local.object, Remote: s.Mirror.object}})
	}
}

// typedState is the State with a Job for every object. Of what is no mirror of ours only the metadata are read, and of
// what is on the workers where the local object is gone or being deleted: nothing else in them is to stand in the way.
func (p *Planner) typedState(kind jobmanagedby.Kind, s State) (State, error) {
	others := slices.Clone(s.Elsewhere.seen)
	s.Elsewhere.seen = others
	local := s.Local.object
	isEnding := local == nil || local.GetDeletionTimestamp() != nil
	readLocal, readRemote := typedJob, func(kind jobmanagedby.Kind, u *unstructured.Unstructured) (*batchv1.Job, error) {
		if _, _, ours := p.LocalOf(u); isEnding || !ours {
			return typedMetadata(kind, u)
		}
		return typedJob(kind, u)
	}
	if isEnding {
		readLocal = typedManaged
	}
	err := s.Local.typed(kind, readLocal)
	if err == nil {
		err = s.Mirror.typed(kind, readRemote)
	}
	for i := range others {
		if err == nil {
			err = others[i].typed(kind, readRemote)
		}
	}
	return s, err
}

// typed turns an observation of an object into that of a Job.
func (o *Observation) typed(kind jobmanagedby.Kind, read func(jobmanagedby.Kind, *unstructured.Unstructured) (*batchv1.Job, error)) (err error) {
	switch {
	case o.of != ofObject:
		*o = Observation{}
	case o.object == nil:
		o.of = ofJob
	default:
		o.of = ofJob
		o.job, err = read(kind, o.object)
	}
	return err
}

// typedJob returns a Job that stands for an object in the table: for a Job itself, for other kinds one with its
// metadata, its controller, its suspension and its result.
func typedJob(kind jobmanagedby.Kind, u *unstructured.Unstructured) (*batchv1.Job, error) {
	job, err := typedManaged(kind, u)
	if err != nil {
		return nil, err
	}
	if isJob(kind) {
		return jobOf(kind, u)
	}
	suspended, err := kind.Suspended(u)
	if err != nil {
		return nil, err
	}
	job.Spec.Suspend = &suspended
	job.Status.Conditions, err = resultCondition(kind, u)
	return job, err
}

// typedPair is typedJob for both.
func typedPair(kind jobmanagedby.Kind, pair ObjectPair) (typed Pair, err error) {
	if typed.Local, err = typedJob(kind, pair.Local); err == nil {
		typed.Remote, err = typedJob(kind, pair.Remote)
	}
	return typed, err
}

// typedManaged is typedJob without the suspension and the result.
func typedManaged(kind jobmanagedby.Kind, u *unstructured.Unstructured) (*batchv1.Job, error) {
	job, err := typedMetadata(kind, u)
	if err != nil {
		return nil, err
	}
	name, err := kind.ManagedBy(u)
	job.Spec.ManagedBy = &name
	return job, err
}

// typedMetadata is typedJob for the metadata alone.
func typedMetadata(kind jobmanagedby.Kind, u *unstructured.Unstructured) (*batchv1.Job, error) {
	if err := checkMetadata(kind, u); err != nil {
		return nil, err
	}
	job := metadataOf(u)
	job.DeletionTimestamp, job.Finalizers = u.GetDeletionTimestamp(), u.GetFinalizers()
	return job, nil
}

// resultCondition is the result of an object as that of a Job. A time that cannot be read is as good as none.
func resultCondition(kind jobmanagedby.Kind, u *unstructured.Unstructured) ([]batchv1.JobCondition, error) {
	result, err := kind.Finished(u)
	if err != nil || result == jobmanagedby.Unfinished {
		return nil, err
	}
	at, _ := kind.FinishedAt(u)
	c := batchv1.JobCondition{Type: batchv1.JobComplete, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(at)}
	if result == jobmanagedby.Failed {
		c.Type = batchv1.JobFailed
	}
	return []batchv1.JobCondition{c}, nil
}

// objectJobWorkload is a Job that was given as an object.
type objectJobWorkload struct {
	jobWorkload
	kind  jobmanagedby.Kind
	local *unstructured.Unstructured
}

func (w objectJobWorkload) build(t situation) (Action, error) {
	return buildAction(t, w.kind, w.local, t.spent())
}

func buildAction(t situation, kind jobmanagedby.Kind, local *unstructured.Unstructured, spent int64) (Action, error) {
	mirror, err := t.p.buildObject(kind, local, spent)
	if err != nil {
		return Action{}, err
	}
	return Action{Kind: CreateMirror, Object: keyOf(metadataOf(mirror)), Unstructured: mirror}, nil
}

// objectWorkload is an object of another kind than Job.
type objectWorkload struct {
	kind jobmanagedby.Kind
	pair ObjectPair
}

func (objectWorkload) isJob() bool { return false }

func (w objectWorkload) build(t situation) (Action, error) {
	return buildAction(t, w.kind, w.pair.Local, 0)
}

func (w objectWorkload) planSpec(t situation) SpecPlan {
	plan, _ := t.p.planObjectSpec(w.kind, w.pair, Pair{Local: t.local, Remote: t.mirror}) // both can be read
	return plan
}

func (w objectWorkload) project(t situation) projection {
	plan, err := ProjectObjectStatus(w.kind, w.pair, t.p.statusOptions(Pair{Local: t.local, Remote: t.mirror}, t.Now))
	if err != nil {
		return projection{StatusPlan: planOf(Invalid), err: err}
	}
	return w.writing(plan.Status, StatusPlan{Outcome: plan.Outcome, Why: plan.Why, Adjustments: plan.Adjustments, RequeueAfter: plan.RequeueAfter})
}

// writing is the plan for a whole status of the local object.
func (w objectWorkload) writing(status map[string]any, plan StatusPlan) projection {
	from, _ := w.pair.Local.Object["status"].(map[string]any)
	return projection{StatusPlan: plan, object: status, from: from}
}

func (w objectWorkload) projectDeleting(t situation) (projection, bool) {
	failed := entry(t.mirror.Status.Conditions, batchv1.JobFailed)
	atOnce := t.p.policy.KeepTTL && failed != nil && sameTime(&failed.LastTransitionTime, t.mirror.DeletionTimestamp)
	if failed != nil && !t.isBeforeDeletion(failed) && !atOnce { // a TTL may be 0
		return projection{StatusPlan: planOf(InSync)}, true
	}
	return w.project(t), verdict(&t.mirror.Status) == 0
}

// projectIdle leaves the status alone, but for a failure.
func (w objectWorkload) projectIdle(t situation, c *batchv1.JobCondition) projection {
	if c == nil || c.Type != batchv1.JobFailed {
		return projection{StatusPlan: planOf(InSync)}
	}
	status, err := failedStatus(w.kind, w.pair.Local, *c)
	if err != nil {
		const why = "the mirror has disappeared, and the kind has no state to say that it failed"
		return projection{StatusPlan: StatusPlan{Outcome: MirrorLost, Why: why}, err: err}
	}
	return w.writing(status, planOf(Copied))
}
