// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/mirror"
)

// View is what the controller sees when it plans.
type View struct {
	Local, Mirror, Elsewhere Sight
	Alone                    bool // there is no other worker
	Worker                   string
	Wanted                   bool
	Now                      metav1.Time
}

// Sight is an observation of one Job.
type Sight struct {
	Job         *batchv1.Job
	Known, Live bool
}

func (s Sight) observation() mirror.Observation {
	switch {
	case !s.Known:
		return mirror.Observation{}
	case s.Live:
		return mirror.Live(s.Job)
	default:
		return mirror.Cached(s.Job)
	}
}

// Step is an action with the options of its delete.
type Step struct {
	mirror.Action
	Delete metav1.DeleteOptions
}

// Proposal is a plan, as far as the model is concerned.
type Proposal struct {
	Outcome  mirror.Outcome
	Steps    []Step
	Requeues bool
}

// Controller is what is checked.
type Controller func(View) Proposal

// Honest is the controller that does what [mirror.Planner.Decide] says.
func Honest(p *mirror.Planner) Controller {
	return func(v View) Proposal {
		s := mirror.State{
			Key: types.NamespacedName{Namespace: "ns", Name: "job"}, Local: v.Local.observation(),
			Mirror: v.Mirror.observation(), Elsewhere: mirror.OtherWorkers(),
			Worker: v.Worker, Wanted: v.Wanted, Now: v.Now,
		}
		if !v.Alone {
			s.Elsewhere = mirror.OtherWorkers(v.Elsewhere.observation())
		}
		plan := p.Decide(s)
		proposal := Proposal{Outcome: plan.Outcome, Requeues: plan.RequeueAfter > 0}
		for _, a := range plan.Actions {
			proposal.Steps = append(proposal.Steps, Step{Action: a, Delete: a.DeleteOptions()})
		}
		return proposal
	}
}

// mode is how an object is observed.
type mode uint8

const (
	cached mode = iota
	live
	unseen
)

type viewKey struct {
	local, mirror, elsewhere             objectID
	localMode, mirrorMode, elsewhereMode mode
	worker                               uint8
	wanted, late                         bool
}

// decision is what the controller answers to a view.
type decision struct {
	outcome  mirror.Outcome
	plan     planID
	requeues bool
	read     mirror.Read // what the controller wants to see live
	fault    string
}

// plan is what is left of a plan: a list of steps.
type plan struct {
	step       Step
	rest       planID
	needs      preconditions
	restLocal  bool // a step asks for the version of the local Job
	restMirror bool
	names      names
}

// decide asks the controller, carrying out ReadLive at once: what the caches hold may be old anyway.
func (m *Model) decide(s *state, worker uint8, blind, isLate bool) (decision, viewKey) {
	key := viewKey{local: s.localSeen, mirror: s.site(worker).seen, worker: worker, wanted: s.wanted == worker, late: isLate}
	other := 3 - worker
	if m.workers == 2 {
		key.elsewhere = s.site(other).seen
	}
	if blind {
		key.look(s, worker, other, mirror.Read{})
		key.mirrorMode, key.mirror = unseen, 0
	}
	for range 4 {
		d := m.ask(key)
		if d.read == (mirror.Read{}) {
			return d, key
		}
		key.look(s, worker, other, d.read)
	}
	return decision{fault: "the controller asks for live reads for ever"}, key
}

// look replaces observations by live ones.
func (k *viewKey) look(s *state, worker, other uint8, r mirror.Read) {
	if r.Local {
		k.local, k.localMode = s.local, live
	}
	if r.Mirror {
		k.mirror, k.mirrorMode = s.site(worker).read()
	}
	if r.Elsewhere {
		k.elsewhere, k.elsewhereMode = s.site(other).read()
	}
}

func (at *site) read() (objectID, mode) {
	if at.down {
		return 0, unseen
	}
	return at.job, live
}

func (m *Model) ask(key viewKey) decision {
	if d, ok := m.decisions[key]; ok {
		return d
	}
	v := View{
		Local:     m.sight(key.local, key.localMode),
		Mirror:    m.sight(key.mirror, key.mirrorMode),
		Elsewhere: m.sight(key.elsewhere, key.elsewhereMode),
		Alone:     m.workers == 1, Worker: fmt.Sprintf("worker-%d", key.worker), Wanted: key.wanted, Now: now,
	}
	if key.late {
		v.Now = muchLater
	}
	p := m.controller(v)
	d := decision{outcome: p.Outcome, requeues: p.Requeues}
	if len(p.Steps) > 0 && p.Steps[0].Kind == mirror.ReadLive {
		d.read = p.Steps[0].Read
	} else {
		d.fault = twice(p.Steps)
		d.plan = m.internPlan(p.Steps)
	}
	m.decisions[key] = d
	return d
}

func (m *Model) sight(id objectID, how mode) Sight {
	return Sight{Job: m.objects[id].job, Known: how != unseen, Live: how == live}
}

// twice finds a plan whose second write of an object cannot succeed, because the first took the version away
// that it asks for.
func twice(steps []Step) string {
	written := map[bool]bool{}
	for _, a := range steps {
		if written[a.OnWorker()] && preconditionsOf(a).version {
			return "a plan spoils its own precondition"
		}
		written[a.OnWorker()] = true
	}
	return ""
}

// internPlan returns the ID of a list of steps. Lists with the same steps have the same.
func (m *Model) internPlan(steps []Step) planID {
	if len(steps) == 0 {
		return 0
	}
	rest := m.internPlan(steps[1:])
	data, err := json.Marshal(steps[0])
	if err != nil {
		panic(err)
	}
	key := fmt.Sprintf("%d %s", rest, data)
	if id, ok := m.planByText[key]; ok {
		return id
	}
	p := plan{step: steps[0], rest: rest, needs: preconditionsOf(steps[0]), names: namesIn(string(steps[0].Patch) + key).with(m.plans[rest].names)}
	p.restLocal = m.plans[rest].restLocal || !p.step.OnWorker() && p.needs.version
	p.restMirror = m.plans[rest].restMirror || p.step.OnWorker() && p.needs.version
	id := planID(len(m.plans))
	m.plans = append(m.plans, p)
	m.planByText[key] = id
	return id
}
