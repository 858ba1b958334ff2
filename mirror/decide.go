// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// lookAgain is how long to wait for what brings an event in most cases, and unreachableAgain for a worker
// that does not answer.
const (
	lookAgain        = 10 * time.Second
	unreachableAgain = 30 * time.Second
)

// Decide says what to do next about one local Job and one worker: the whole next step of a controller,
// by a table whose first row that matches decides (see the package documentation). The caller sees,
// carries the actions out, and asks again whenever something changes or RequeueAfter has passed. With
// more than one worker it asks once for each that may have the mirror.
//
// These promises hold for a caller that observes preconditions and stops at the first failure, as
// [Plan] says, whatever crashes and stale caches come in between:
//
//   - a mirror is created only after the local Job has the finalizer Keys.Cleanup, and a Claim of this very
//     attempt was written with the resourceVersion of the Job that the plan was made for;
//   - what the dispatch record or the identity does not call ours is never changed, deleted or copied from;
//   - unknown is never taken for gone;
//   - a finished local Job stays as it is (but for Policy.Condition), and its mirror is not created again; nor is that of a Job
//     that promises a verdict;
//   - a mirror is deleted with UID and resourceVersion, so that a result which arrives in between is
//     not lost, and the finalizer of the local Job goes when live reads show no mirror of it.
//
// A create that the worker carries out long after it was given up is beyond them: what it makes has the
// identity of a mirror, and the dispatch record names another. It is reported as a Conflict, and left alone.
//
// Decide changes nothing that it is given, and the plan shares no memory with it. It allocates
// nothing for a Job that is in sync, unless the local Job has conditions that its mirror has not, as with
// Policy.Condition.
func (p *Planner) Decide(s State) Plan {
	return p.decide(s, jobWorkload{})
}

func (p *Planner) decide(s State, kind workload) Plan {
	t := p.look(s, kind)
	return t.row().plan(t)
}

// row returns the first row of the table that matches.
func (t *situation) row() *row {
	wanted := isNotWanted
	if t.Wanted {
		wanted = isWanted
	}
	last := len(table) - 1 // has no conditions
	for i := range table[:last] {
		if table[i].matches(t.localIs, t.mirrorIs, t.elsewhereIs, wanted) {
			return &table[i]
		}
	}
	return &table[last]
}

func nothing(situation) Plan { return Plan{} }

// just is a row that only reports.
func just(o Outcome) func(situation) Plan {
	return func(situation) Plan { return outcome(o) }
}

// waitFor is a row that waits for something to go away.
func waitFor(o Outcome) func(situation) Plan {
	return func(situation) Plan { return outcome(o).again(lookAgain, "the mirror has to be gone") }
}

func (t situation) elsewhere() Plan {
	return t.write(outcome(Elsewhere).again(lookAgain, "the other worker may have let go"), projection{}, nil)
}

// incomplete says what is missing. It is a mistake of the caller, or of a fake API server.
func (t situation) incomplete() Plan {
	err := &IncompleteError{Job: keyOf(t.local)}
	for _, part := range []struct {
		name string
		is   bool
	}{
		{"State.Worker", t.Worker != "" && utf8.ValidString(t.Worker)},
		{"State.Now", isUsual(t.Now.Time)},
		{"metadata.uid of the local Job", t.local.UID != ""},
		{"metadata.resourceVersion of the local Job", t.local.ResourceVersion != ""},
	} {
		if !part.is {
			err.Missing = append(err.Missing, part.name)
		}
	}
	return outcome(Incomplete).failing(err)
}

func (t situation) badRecord() Plan {
	return t.write(outcome(BadRecord).failing(t.recordErr), projection{}, nil)
}

func (t situation) unreachable() Plan {
	return t.write(outcome(Unreachable).again(unreachableAgain, "the worker may answer"), projection{}, nil)
}

func (t situation) foreign() Plan {
	p := outcome(Conflict).because("the worker has another Job of the mirror's name")
	return t.write(p.again(unreachableAgain, "the other Job may be gone"), projection{}, nil)
}

// previous makes room where the mirror of an earlier Job is in the way. From a cache that is behind, an
// earlier Job is not to be told from a later one.
func (t situation) previous() Plan {
	switch {
	case t.p.policy.ExclusiveOrigin:
		return t.orphan()
	case t.Wanted:
		p := outcome(Conflict).because("the worker has the mirror of an earlier Job of that name; it is deleted only with Policy.ExclusiveOrigin")
		return t.write(p.again(unreachableAgain, "the other Job may be gone"), projection{}, nil)
	default:
		return t.idle()
	}
}

func (t situation) orphan() Plan {
	p := outcome(Orphan)
	if t.local == nil && t.Key == (types.NamespacedName{}) {
		return p.because("the worker has a mirror of our origin without a Job; State.Key does not say whose")
	}
	if !t.p.policy.ExclusiveOrigin {
		return p.because("the worker has a mirror of our origin without a Job; it is deleted only with Policy.ExclusiveOrigin")
	}
	if !t.State.Local.live || !t.State.Mirror.live {
		return p.then(readLive(Read{Local: true, Mirror: true}))
	}
	return t.takeDown(p)
}

// takeDown deletes a mirror whose result is not wanted, and takes our finalizer off.
func (t situation) takeDown(p Plan) Plan {
	if t.p.holds(t.mirror) {
		p = t.release(p)
	} else if t.mirror.DeletionTimestamp == nil {
		p = t.onMirror(p, on(DeleteMirror, t.mirror))
	}
	return p.again(lookAgain, "the mirror has to be gone")
}

// release lets a mirror go that we hold. It is deleted in the foreground first, also where somebody else has
// deleted it in the background already: so its pods go before it does, whatever its status shows.
func (t situation) release(p Plan) Plan {
	if slices.Contains(t.mirror.Finalizers, metav1.FinalizerDeleteDependents) {
		return t.onMirror(p, t.p.releaseMirror(t.mirror, t.mirror.Finalizers))
	}
	return t.onMirror(p, on(DeleteMirror, t.mirror), t.p.releaseMirror(t.mirror, deletedInForeground(t.mirror.Finalizers)))
}

// onMirror adds actions on the mirror, if it is certain that it is ours. While the record that was seen does
// not name it, a record that a cache has not seen yet may name another.
func (t situation) onMirror(p Plan, actions ...Action) Plan {
	if t.record.Mirror != t.mirror.UID && !t.State.Local.live {
		return p.then(readLive(Read{Local: true}))
	}
	p.Actions = append(p.Actions, actions...)
	return p
}

func readLive(r Read) Action { return Action{Kind: ReadLive, Read: r} }

// confirm returns what is not known from live reads of the workers, and whether that is anything.
func (t situation) confirm() (Read, bool) {
	r := Read{Mirror: !t.State.Mirror.live, Elsewhere: !t.othersLive}
	return r, r.Mirror || r.Elsewhere
}

func (t situation) cleanUp() Plan { return t.takeDown(outcome(CleaningUp)) }

func (t situation) cleanupPending() Plan {
	p := outcome(CleanupPending).again(unreachableAgain, "the worker may answer")
	if t.p.policy.AbandonAfter == 0 {
		return p
	}
	left := t.local.DeletionTimestamp.Add(t.p.policy.AbandonAfter).Sub(t.Now.Time)
	if left > 0 {
		return p.again(left, "the worker is given up then")
	}
	if t.mirrorIs != mirrorUnknown && !t.State.Mirror.live {
		return p.then(readLive(Read{Mirror: true})) // this one does answer
	}
	return t.unfinalize(outcome(Abandoned))
}

// letGo takes the finalizer off a Job of which no worker has a mirror any more.
func (t situation) letGo() Plan {
	p := outcome(CleanedUp)
	if t.localIs == localFinished {
		p = outcome(Finished).because("the Job has its result, and no mirror")
	}
	if !t.p.cleansUp(t.local) {
		return p
	}
	if read, open := t.confirm(); open {
		return p.then(readLive(read))
	}
	return t.unfinalize(p)
}

func (t situation) unfinalize(p Plan) Plan {
	if t.p.cleansUp(t.local) {
		p = p.then(t.p.removeFinalizer(t.local))
	}
	return p
}

// finishedPending leaves the finalizer where a worker may have the mirror of a finished Job.
func (t situation) finishedPending() Plan {
	p := outcome(Finished).because("the Job has its result; a worker has the mirror, or may have it")
	if t.p.cleansUp(t.local) {
		p = p.again(unreachableAgain, "the mirror is to be deleted")
	}
	return p
}

// retire deletes the mirror of a finished Job. One that runs nevertheless is deleted at once.
func (t situation) retire() Plan {
	p := outcome(Finished).because("the Job has its result, and its mirror is not needed any more")
	left := t.keepFor()
	switch {
	case t.mirrorIs != mirrorOursFinished, left <= 0 && t.p.policy.KeepFinished >= 0:
		p = t.takeDown(p)
	case t.p.holds(t.mirror):
		p = t.onMirror(p, t.p.releaseMirror(t.mirror, t.mirror.Finalizers))
	case t.p.policy.KeepFinished > 0:
		p = p.again(left, "the mirror is to be deleted then")
	}
	return t.write(p, projection{}, nil)
}

// keepFor is how much longer the mirror of a finished Job is kept. A result of the future, by a clock that is
// ahead, makes it longer by KeepFinished or an hour at most.
func (t situation) keepFor() time.Duration {
	for _, kind := range terminalConditions {
		c := entry(t.local.Status.Conditions, kind.terminal)
		if c != nil && c.Status == "True" && !c.LastTransitionTime.IsZero() {
			keep := t.p.policy.KeepFinished
			return soon(c.LastTransitionTime.Add(keep).Sub(t.Now.Time), keep, max(keep, time.Hour))
		}
	}
	return 0
}

// evict writes to the dispatch record first, so that the mirror is not taken for lost when it is gone. A mirror
// that promises a verdict is waited for: it is about to be a result.
func (t situation) evict() Plan {
	if fate(&t.mirror.Status) != 0 && t.record.Worker == t.Worker {
		return t.sync().again(lookAgain, "the mirror is about to finish")
	}
	p := outcome(Evicting).again(lookAgain, "the mirror has to be gone")
	if t.p.holds(t.mirror) {
		p = t.drain(p)
	} else {
		p = t.onMirror(p, on(DeleteMirror, t.mirror))
	}
	if t.record.Evicting || t.record.Mirror == "" && !t.isUnrecorded() {
		return t.write(p, projection{}, nil)
	}
	r := t.record
	r.Mirror, r.Evicting = t.mirror.UID, true
	switch err := t.room(r.String()); {
	case err == nil:
		return t.write(p, projection{}, &r)
	case t.p.countsLosses():
		p = outcome(Refused).because("the annotations of the Job leave no room to record that its mirror is to be deleted").failing(err)
	}
	return t.write(p, projection{}, nil)
}
