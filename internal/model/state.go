// SPDX-License-Identifier: Apache-2.0

package model

// objectID names a version of a Job in the tables of a [Model]; 0 is that there is none.
type objectID uint32

// planID names what is left of a plan; 0 is that none is being carried out.
type planID uint32

// state is the whole world at one moment. It is comparable, and small, for there are millions.
type state struct {
	local, localSeen objectID // the local Job, and the version that the controller's cache has
	sites            [2]site
	plan             planID
	standby          standby
	wanted           uint8 // the number of the worker that the dispatcher wants, 0 for none
	by               uint8 // the worker that the plan is for
	localFresh       bool  // the cache has the current version of the local Job
	planLocal        bool  // the local Job is still the version that the plan was made for
	planMirror       bool  // and so is the mirror
	left             Budget
}

// standby is a second instance of the controller, which waits to take over with the caches that it has.
type standby struct {
	local objectID
	sites [2]objectID
	there bool
}

// site is a worker.
type site struct {
	job, seen objectID // the Job that has the mirror's name, and the version in the controller's cache
	fresh     bool     // the cache has the current version
	down      bool     // the worker does not answer the controller
	pods      phase    // of the Job
	litter    litter   // pods of a Job that is gone
	bereft    bool     // somebody else than the controller deletes the mirror
	hurried   bool     // and has done so in the background while it was deleted in the foreground
}

// phase is that of a Job's pod, of which there is one at a time.
type phase uint8

const (
	noPod phase = iota
	running
	terminating // deleted, and still running
	succeeded   // exited, and not counted yet
	failed
)

func (p phase) String() string {
	return [...]string{"no pod", "pod runs", "pod terminates", "pod succeeded", "pod failed"}[p]
}

// litter says whose doing it is that pods are left without their Job.
type litter uint8

const (
	noLitter litter = iota
	litterOfOthers
	litterOfController
)

// Budget bounds the steps that nothing else bounds: how often each may still be taken, and how many of them in
// all.
type Budget struct {
	Total     uint8 // 0 in a Config: as many as there are
	Suspends  uint8 // the user suspends or resumes the Job
	Scales    uint8 // the user changes the parallelism
	Deletes   uint8 // the user deletes the Job
	Recreates uint8 // and creates another of that name
	Moves     uint8 // the dispatcher wants another worker, or none
	Losses    uint8 // somebody on the worker deletes the mirror, in the background
	Expiries  uint8 // a TTL deletes the finished mirror, in the foreground
	Strangers uint8 // somebody on the worker creates a Job of the mirror's name
	Outages   uint8 // the worker does not answer for a time
	Failovers uint8 // another instance of the controller takes over, and its caches are behind
	Failures  uint8 // a pod fails, or the Job as a whole
}

// sum is how many incidents there are.
func (b Budget) sum() uint8 {
	return b.Suspends + b.Scales + b.Deletes + b.Recreates + b.Moves + b.Losses + b.Expiries + b.Strangers + b.Outages + b.Failovers + b.Failures
}

// allows reports whether one more incident of a kind may happen, of which that many are left.
func (b *Budget) allows(left uint8) bool { return left > 0 && b.Total > 0 }

// spend counts an incident.
func (b *Budget) spend(left *uint8) {
	*left--
	b.Total--
}

// setLocal stores a version of the local Job, which whoever saw the one before does not know.
func (s *state) setLocal(id objectID) {
	s.local, s.localFresh, s.planLocal = id, false, false
}

// setJob stores a version of the Job on a worker.
func (s *state) setJob(worker uint8, id objectID) {
	at := s.site(worker)
	at.job, at.fresh = id, false
	if s.by == worker {
		s.planMirror = false
	}
}

// dropPlan forgets what is left of the plan.
func (s *state) dropPlan() {
	s.plan, s.by, s.planLocal, s.planMirror = 0, 0, false, false
}

// site returns the worker of that number, from 1.
func (s *state) site(worker uint8) *site { return &s.sites[worker-1] }
