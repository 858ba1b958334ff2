// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"time"
	"unicode/utf8"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// Observation is what the caller knows of one Job, or object of another kind. The zero Observation says that
// nothing is known: the read failed, the cache has not synced, the worker does not answer. Make others with
// [Live] and [Cached], and for [Planner.DecideObject] with [LiveObject] and [CachedObject], so that a field
// which was forgotten is never taken for a Job that is gone. To Decide an observation of an object is unknown, and
// to DecideObject one of a Job.
type Observation struct {
	job    *batchv1.Job
	object *unstructured.Unstructured
	of     form
	live   bool
}

// form is what an observation is of, whether it is there or not.
type form uint8

const (
	ofNothing form = iota // unknown
	ofJob
	ofObject
)

// LiveGet is [Live] of what a client's Get returned: NotFound is an answer, and any other error makes the Job
// unknown. The job is not looked at if there is an error. The client must not read from a cache, as that of a
// controller-runtime manager does: take its GetAPIReader.
func LiveGet(job *batchv1.Job, err error) Observation { return got(job, err, Live) }

// CachedGet is [Cached] of what Get returned of a client that reads from a cache which has synced.
func CachedGet(job *batchv1.Job, err error) Observation { return got(job, err, Cached) }

func got[T any](job *T, err error, how func(*T) Observation) Observation {
	switch {
	case apierrors.IsNotFound(err):
		return how(nil)
	case err != nil:
		return Observation{}
	default:
		return how(job)
	}
}

// Live is an observation read from the API server itself. A nil job says that the server answered
// NotFound; any other failure of the read is no observation. See [LiveGet].
func Live(job *batchv1.Job) Observation { return Observation{job: job, of: ofJob, live: true} }

// Cached is an observation from a cache that has synced, which may be behind the server. A nil job
// says that the cache has none.
func Cached(job *batchv1.Job) Observation { return Observation{job: job, of: ofJob} }

// Others is what is known of the mirror on all workers but one. The zero Others says that nothing
// is known.
type Others struct {
	seen  []Observation
	known bool
}

// OtherWorkers are the observations of the same name ([Planner.TargetOf]) on each of the other
// workers. Without arguments it says that there are no other workers. The slice is not copied.
func OtherWorkers(observations ...Observation) Others {
	return Others{seen: observations, known: true}
}

// State is what the caller saw, for one local Job and one worker. The zero State plans nothing.
//
// Read the workers first and the local Job last: a Job that is created and sent between the two reads is then
// not taken for one that is gone and has left a mirror behind.
type State struct {
	// Key is the namespace and name of the local Job. It is needed where there is none any more: without it
	// nobody can say whether a mirror on the worker is of that Job.
	Key types.NamespacedName

	// Local is the Job in the management cluster.
	Local Observation

	// Mirror is the Job on this worker of the name that [Planner.TargetOf] gives for the local one,
	// whoever made it. Where there is no local Job any more, it is the Job whose event led here:
	// [Planner.LocalOf] gives the name of the local one.
	Mirror Observation

	// Elsewhere is the same for all other workers that this Job may have been sent to: that which the dispatch
	// record names ([Planner.DispatchOf]), and those where a mirror of it was seen. A worker more that
	// does not answer makes the Job wait for it.
	Elsewhere Others

	// Worker is the name of this worker. It is written to the dispatch record, so it has to stay the
	// same across restarts.
	Worker string

	// Wanted says that the Job should run on this worker now. Who decides that is no concern of
	// this library. At most one worker may be wanted at a time. It has to be decided for the Job in Local, and
	// again when a live read has brought another: by a cache that does not know yet where the Job was sent, it
	// would be wanted somewhere else, and taken off the worker where it runs.
	Wanted bool

	// Now is the time of the plan.
	Now metav1.Time
}

// situation is a State with what it means for the Planner. It is passed by value, so that it stays
// on the stack.
type situation struct {
	p *Planner
	State
	kind workload

	local, mirror *batchv1.Job // nil unless present
	record        record
	recordErr     error

	localIs     localIs
	mirrorIs    mirrorIs
	elsewhereIs elsewhereIs
	othersLive  bool
}

// localIs, mirrorIs and elsewhereIs are the columns of the table of Decide. Values are bits, so that a
// row can name several.
type (
	localIs     uint16
	mirrorIs    uint16
	elsewhereIs uint16
)

const (
	localUnknown    localIs = 1 << iota
	localGone               // the server has none
	localOther              // not managed by Policy.Controller
	localIncomplete         // the State lacks Worker or Now, or the Job what the API server gives it
	localDeleting           // has a deletionTimestamp
	localFinished           // Complete or Failed
	localUnreadable         // unfinished, and its dispatch record cannot be read
	localFate               // unfinished, and promises a verdict: FailureTarget, SuccessCriteriaMet
	localUnfinished         // none of these
)

const (
	mirrorUnknown      mirrorIs = 1 << iota
	mirrorGone                  // the worker has none
	mirrorForeign               // not a mirror of ours, or not the one in the dispatch record
	mirrorPrevious              // of an earlier Job of the same name
	mirrorOurs                  // running, or not started
	mirrorOursFinished          // Complete or Failed
	mirrorOursDeleting          // has a deletionTimestamp, finished or not
)

const (
	elsewhereUnknown elsewhereIs = 1 << iota
	elsewhereGone                // no other worker has a mirror of this Job
	elsewherePresent
)

// look classifies what was seen.
func (p *Planner) look(s State, kind workload) situation {
	t := situation{p: p, State: s, kind: kind, local: s.Local.job, mirror: s.Mirror.job}
	if t.local != nil {
		t.record, t.recordErr = parseRecord(t.local.Annotations[p.policy.Keys.Dispatch], t.local.UID)
	}
	t.localIs = t.classifyLocal()
	t.mirrorIs = t.classifyMirror(s.Mirror)
	t.elsewhereIs, t.othersLive = t.classifyOthers()
	if t.elsewhereIs != elsewherePresent && t.settlesOthers() {
		t.elsewhereIs, t.othersLive = elsewhereGone, true
	}
	return t
}

// settlesOthers reports whether the record alone says that no other worker has the mirror of a Job that ends. It was
// known of all of them when the Job was sent here, and nothing was sent since: so a worker that does not answer, and
// never had the Job, keeps nobody waiting.
func (t *situation) settlesOthers() bool {
	return t.localIs&(localDeleting|localFinished|localFate) != 0 && t.record.sent() && t.record.Worker == t.Worker
}

// isStray reports whether the Job on the worker has the identity of a mirror of the local Job, and the dispatch
// record names another: it was forged, or created by a request that arrived late.
func (t *situation) isStray() bool {
	return t.mirrorIs == mirrorForeign && t.p.relationOf(t.local, t.mirror) == Ours
}

func (t *situation) classifyLocal() localIs {
	switch local := t.local; {
	case t.Local.of != ofJob:
		return localUnknown
	case local == nil:
		return localGone
	case !jobmanagedby.IsManagedBy(local, t.p.policy.Controller):
		return localOther
	case t.Worker == "" || !utf8.ValidString(t.Worker) || !isUsual(t.Now.Time) || local.UID == "" || local.ResourceVersion == "":
		return localIncomplete
	case local.DeletionTimestamp != nil:
		return localDeleting
	case verdict(&local.Status) != 0:
		return localFinished
	case t.recordErr != nil:
		return localUnreadable
	case hasTrue(local.Status.Conditions, batchv1.JobFailureTarget), hasTrue(local.Status.Conditions, batchv1.JobSuccessCriteriaMet):
		return localFate
	default:
		return localUnfinished
	}
}

// isUsual reports whether a time can be written to a Job and be read again.
func isUsual(t time.Time) bool { return t.Unix() > 0 && t.Year() <= 9999 }

func (t *situation) classifyMirror(o Observation) mirrorIs {
	if o.of != ofJob {
		return mirrorUnknown
	}
	if o.job == nil {
		return mirrorGone
	}
	if o.job.UID == "" || o.job.ResourceVersion == "" {
		return mirrorUnknown // it was not read from an API server
	}
	switch relation := t.relate(o.job); {
	case relation == Foreign:
		return mirrorForeign
	case relation == PreviousIncarnation:
		return mirrorPrevious
	case o.job.DeletionTimestamp != nil:
		return mirrorOursDeleting
	case verdict(&o.job.Status) != 0:
		return mirrorOursFinished
	default:
		return mirrorOurs
	}
}

// relate is Relate in both directions: what calls itself the mirror of the local Job is Foreign if
// the dispatch record names another.
func (t *situation) relate(job *batchv1.Job) Relation {
	relation := t.p.relationOf(t.local, job)
	switch {
	case relation == Ours && t.record.Mirror != "" && t.record.Mirror != job.UID:
		return Foreign
	case t.local != nil && t.local.UID == job.UID:
		return Foreign // the local Job itself
	case t.local == nil && relation == PreviousIncarnation && t.Key != (types.NamespacedName{}):
		if named, _, _ := t.p.LocalOf(job); named != t.Key {
			return Foreign // the mirror of another Job
		}
	}
	return relation
}

// classifyOthers sums up the other workers: one mirror of this Job is enough to be present, one
// unknown to be unknown, and live means that all of them are. A Job that is none of ours is not
// there.
func (t *situation) classifyOthers() (elsewhereIs, bool) {
	unseen := len(t.Elsewhere.seen) == 0 && t.record.sent() && t.record.Worker != t.Worker
	if !t.Elsewhere.known || unseen {
		return elsewhereUnknown, false // the record names a worker that the caller does not
	}
	sum, live := elsewhereGone, true
	for _, o := range t.Elsewhere.seen {
		live = live && o.live
		switch t.classifyMirror(o) {
		case mirrorOurs, mirrorOursFinished, mirrorOursDeleting:
			return elsewherePresent, false
		case mirrorUnknown:
			sum = elsewhereUnknown
		}
	}
	return sum, live
}
