// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/mirror"
)

// replica is one of two controllers that are at work at the same time, each with caches and a clock of its own.
type replica struct {
	life   *life
	name   string
	skew   time.Duration
	caches map[*cluster]int // positions in cluster.versions
}

func newReplica(l *life, name string, skew time.Duration) *replica {
	return &replica{life: l, name: name, skew: skew, caches: map[*cluster]int{}}
}

// catchUp brings a cache up to date.
func (r *replica) catchUp(clusters ...*cluster) {
	for _, c := range clusters {
		if !c.down {
			r.caches[c] = len(c.versions) - 1
		}
	}
}

// trail brings some caches forward, by a part of what they have missed.
func (r *replica) trail() {
	for _, c := range r.life.clusters() {
		if missed := len(c.versions) - r.caches[c]; !c.down && oneIn(r.life.rand, 2) {
			r.caches[c] += r.life.rand.IntN(missed)
		}
	}
}

// seen is what a controller sees of one Job.
type seen struct {
	job         *batchv1.Job
	known, live bool
}

func (s seen) observation() mirror.Observation {
	switch {
	case !s.known:
		return mirror.Observation{}
	case s.live:
		return mirror.Live(s.job)
	default:
		return mirror.Cached(s.job)
	}
}

// view is what a controller plans by.
type view struct {
	local, here seen
	elsewhere   []seen
	wanted      bool
	worker      *cluster
}

func (r *replica) see(c *cluster, live bool) seen {
	switch {
	case c.down && (live || oneIn(r.life.rand, 2)):
		return seen{}
	case live:
		return seen{job: c.job(), known: true, live: true}
	default:
		return seen{job: c.versions[r.caches[c]], known: true}
	}
}

func (r *replica) look(worker *cluster, live mirror.Read) view {
	v := view{worker: worker, here: r.see(worker, live.Mirror)}
	for _, c := range r.life.workers {
		if c != worker {
			v.elsewhere = append(v.elsewhere, r.see(c, live.Elsewhere))
		}
	}
	v.local = r.see(r.life.management, live.Local)
	v.wanted = v.local.job != nil && v.local.job.Labels[targetLabel] == worker.name
	return v
}

// plan asks the Planner, and reads live what it asks for.
func (r *replica) plan(worker *cluster) (view, mirror.Plan) {
	l := r.life
	var live mirror.Read
	if oneIn(l.rand, 8) {
		live = mirror.Read{Local: true, Mirror: true, Elsewhere: true}
	}
	for range 5 {
		v := r.look(worker, live)
		if l.fault.see != nil {
			l.fault.see(&v)
		}
		plan := r.decide(v)
		i := slices.IndexFunc(plan.Actions, func(a mirror.Action) bool { return a.Kind == mirror.ReadLive })
		if i < 0 {
			return v, plan
		}
		l.count("live reads")
		more := plan.Actions[i].Read
		live = mirror.Read{Local: live.Local || more.Local, Mirror: live.Mirror || more.Mirror, Elsewhere: live.Elsewhere || more.Elsewhere}
	}
	if !l.anyDown() {
		l.violate("the controller asks for live reads for ever")
	}
	return view{}, mirror.Plan{}
}

func (r *replica) decide(v view) mirror.Plan {
	l := r.life
	s := mirror.State{
		Key: jobKey, Local: v.local.observation(), Mirror: v.here.observation(), Elsewhere: mirror.OtherWorkers(observations(v.elsewhere, seen.observation)...),
		Worker: v.worker.name, Wanted: v.wanted, Now: metav1.NewTime(l.now.Add(r.skew)),
	}
	plan := l.planner.Decide(s)
	if oneIn(l.rand, 10) {
		l.checkAsObjects(v, s, plan)
	}
	return plan
}

// reconcile plans for one worker and carries the plan out. It reports whether anything was done, and when to look again.
func (r *replica) reconcile(worker *cluster) (acted bool, again time.Duration) {
	l := r.life
	v, plan := r.plan(worker)
	if l.fault.plan != nil {
		l.fault.plan(v, &plan)
	}
	l.logf("%s, %s: %s", r.name, worker.name, plan)
	l.count("outcome " + string(plan.Outcome))
	l.checkPlan(r, plan)
	acted, whole := r.carryOut(worker, plan)
	if whole {
		l.notePlan(v, plan)
	} else {
		l.noteGivenUp(plan)
	}
	return acted, plan.RequeueAfter
}

// carryOut sends the requests of a plan one by one. It reports whether some, and whether all of them were done.
func (r *replica) carryOut(worker *cluster, plan mirror.Plan) (some, all bool) {
	l := r.life
	for i, a := range plan.Actions {
		if l.mishap("crashes", 20) {
			return some, false
		}
		if i > 0 && a.Kind != mirror.CreateMirror {
			l.meanwhile()
		}
		if !r.request(worker, a) {
			return some, false
		}
		some = true
		if l.mishap("lost replies", 25) {
			return some, false
		}
	}
	return some, true
}

// request sends one request and reports whether it was carried out.
func (r *replica) request(worker *cluster, a mirror.Action) bool {
	l, to := r.life, r.life.management
	if a.OnWorker() {
		to = worker
	}
	if to.down {
		return false
	}
	q := request{Action: a}
	if a.Kind == mirror.DeleteMirror {
		q.options = a.DeleteOptions()
		if l.fault.deletion != nil {
			l.fault.deletion(&q.options)
		}
	}
	reason := to.send(q)
	if reason != "" {
		l.logf("  %s: %s", a, reason)
		l.count("refused: " + string(reason))
		if !a.Tolerates(reason) {
			l.violate("a refusal is no news: %s, %s", a, reason)
		}
		return false
	}
	l.count("action " + string(a.Kind))
	l.noteRequest(a)
	return true
}
