// SPDX-License-Identifier: Apache-2.0

package model

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/mirror"
)

const (
	controllerName = "acme.io/dispatcher"
	origin         = "management"
)

// Config is one of the worlds that are searched.
type Config struct {
	Workers         uint8 // one or two
	HoldMirror      bool
	ExclusiveOrigin bool
	FailWhenLost    bool // Policy.OnMirrorLost
	OldWorker       bool // a release before 1.31
	Forged          bool // a stranger claims to be the mirror
	Budget          Budget

	// Fault wraps the controller, to see that the search finds what is wrong with it.
	Fault func(Controller) Controller
}

// Model is the world of a Config, with the tables that states refer to.
type Model struct {
	config     Config
	workers    uint8
	keys       mirror.Keys
	controller Controller
	strangers  []objectID

	objects    []object
	byText     map[string]objectID
	edits      map[editKey]objectID
	merges     map[mergeKey]mergeResult
	decisions  map[viewKey]decision
	plans      []plan
	planByText map[string]planID

	violation string // by the step that is being taken
}

// Keys are those of the controller's policy.
func Keys() mirror.Keys {
	return mirror.Keys{
		Origin: "m/origin", Local: "m/local", UID: "m/uid", Generation: "m/gen",
		LastSent: "m/sent", Hold: "m/hold", Dispatch: "m/dispatch", Cleanup: "m/cleanup",
	}
}

// New makes the world of a Config.
func New(c Config) (*Model, error) {
	keys := Keys()
	policy := mirror.Policy{
		Controller: controllerName, Origin: origin, Keys: keys,
		ExclusiveOrigin: c.ExclusiveOrigin, HoldMirror: c.HoldMirror,
	}
	if c.FailWhenLost {
		policy.OnMirrorLost = mirror.FailJob
	}
	planner, err := mirror.New(policy)
	if err != nil {
		return nil, err
	}
	if c.Budget.Total == 0 {
		c.Budget.Total = c.Budget.sum()
	}
	m := &Model{
		config: c, workers: c.Workers, keys: keys, controller: Honest(planner),
		objects: make([]object, 1), byText: map[string]objectID{}, edits: map[editKey]objectID{}, merges: map[mergeKey]mergeResult{},
		decisions: map[viewKey]decision{}, plans: make([]plan, 1), planByText: map[string]planID{},
	}
	if c.Fault != nil {
		m.controller = c.Fault(m.controller)
	}
	m.strangers = m.makeStrangers()
	return m, nil
}

func (m *Model) makeStrangers() []objectID {
	claims := []types.UID{""}
	if !m.config.ExclusiveOrigin {
		claims = append(claims, "of-another-cluster")
	}
	if m.config.Forged {
		claims = append(claims, localUID(1))
	}
	var all []objectID
	for _, of := range claims {
		all = append(all, m.newStranger(of))
	}
	return all
}

// initial are the states to start from.
func (m *Model) initial() []state {
	var all []state
	for _, suspend := range []bool{false, true} {
		s := state{local: m.newLocal(1, suspend), wanted: 1, left: m.config.Budget}
		s.localSeen, s.localFresh = s.local, true
		for w := range m.workers {
			s.sites[w].fresh = true
		}
		all = append(all, s)
	}
	return all
}

// used are the names that something in a state refers to.
func (m *Model) used(s *state) names {
	n := m.objects[s.local].names.with(m.objects[s.localSeen].names).with(m.objects[s.standby.local].names).with(m.plans[s.plan].names)
	for i := range s.sites {
		n = n.with(m.objects[s.sites[i].job].names).with(m.objects[s.sites[i].seen].names).with(m.objects[s.standby.sites[i]].names)
	}
	return n
}

// freshRun is a start time that no Job has.
func (m *Model) freshRun(s *state) int { return m.free(m.used(s).runs, maxRuns) }

// expand takes every step that is possible in a state.
func (m *Model) expand(s *state, emit func(kind stepKind, worker uint8, next state)) {
	here := func(worker uint8) func(stepKind, state) {
		return func(kind stepKind, next state) { emit(kind, worker, next) }
	}
	if s.plan != 0 {
		by := s.by
		emit(acts, by, m.act(*s))
		next := *s
		next.dropPlan()
		emit(crashes, by, next)
	}
	m.failover(s, here(0))
	if !s.localFresh {
		next := *s
		next.localSeen, next.localFresh = s.local, true
		emit(localCacheCatchesUp, 0, next)
	}
	m.user(s, here(0))
	m.dispatcher(s, here(0))
	for w := uint8(1); w <= m.workers; w++ {
		if at := s.site(w); !at.fresh && !at.down {
			next := *s
			next.site(w).seen, next.site(w).fresh = at.job, true
			emit(cacheCatchesUp, w, next)
		}
		if s.plan == 0 {
			m.plan(s, w, here(w))
		}
		m.jobController(s, w, here(w))
		m.cluster(s, w, here(w))
		m.accidents(s, w, here(w))
	}
}

// failover hands over to another instance of the controller, once the one before has stopped. Its caches are
// those of some moment before.
func (m *Model) failover(s *state, emit func(stepKind, state)) {
	switch {
	case !s.left.allows(s.left.Failovers):
	case !s.standby.there:
		next := *s
		next.standby = standby{local: s.local, sites: [2]objectID{s.sites[0].job, s.sites[1].job}, there: true}
		emit(standbyFallsBehind, next)
	case s.plan == 0:
		next := *s
		next.left.spend(&next.left.Failovers)
		next.standby = standby{}
		next.localSeen, next.localFresh = s.standby.local, false
		for w := range m.workers {
			next.sites[w].seen, next.sites[w].fresh = s.standby.sites[w], false
		}
		emit(standbyTakesOver, next)
	}
}

// plan lets the controller plan for one worker, by what its caches hold or by no answer of the worker, before
// or after what it waits for has passed.
func (m *Model) plan(s *state, worker uint8, emit func(stepKind, state)) {
	for _, blind := range []bool{false, true} {
		if blind && !s.site(worker).down {
			continue
		}
		soon, key := m.decide(s, worker, blind, false)
		then, keyLate := m.decide(s, worker, blind, true)
		m.checkPlan(&soon, &then)
		if soon.plan != 0 {
			emit(plans, m.begin(*s, worker, soon, key))
		}
		if then.plan != 0 && then.plan != soon.plan {
			emit(plansLater, m.begin(*s, worker, then, keyLate))
		}
	}
}

// begin starts to carry a plan out.
func (m *Model) begin(s state, worker uint8, d decision, key viewKey) state {
	p := &m.plans[d.plan]
	s.plan, s.by = d.plan, worker
	s.planLocal = p.restLocal && (key.localMode == live || s.localFresh)
	s.planMirror = p.restMirror && (key.mirrorMode == live || s.site(worker).fresh)
	return s
}
