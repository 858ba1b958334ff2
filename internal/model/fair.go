// SPDX-License-Identifier: Apache-2.0

package model

// goal is something that the world has to be able to reach, from every state where it is asked for, by fair
// steps alone.
type goal struct {
	name  string
	asked func(*Model, *state) bool
	good  func(*Model, *state) bool
}

var goals = []goal{
	{"a result on a worker does not reach the local Job", (*Model).hasResult, (*Model).concluded},
	{"a mirror or a finalizer of a deleted Job is left", (*Model).anything, (*Model).clean},
	{"plans do not settle", (*Model).anything, (*Model).settled},
}

// checkFairness looks for a state from which a goal cannot be reached.
func (g *graph) checkFairness() {
	back := g.reverse()
	expanded := uint32(len(g.fairStart) - 1)
	for _, goal := range goals {
		reached := make([]bool, len(g.states))
		var queue []uint32
		for n := range g.states {
			// What lies beyond the bound is not known, and not held against anybody.
			if uint32(n) >= expanded || g.m.deceived(&g.states[n]) || goal.good(g.m, &g.states[n]) {
				reached[n] = true
				queue = append(queue, uint32(n))
			}
		}
		for len(queue) > 0 {
			to := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			for _, from := range back.to(to) {
				if !reached[from] {
					reached[from] = true
					queue = append(queue, from)
				}
			}
		}
		for n := range g.states {
			if !reached[n] && goal.asked(g.m, &g.states[n]) {
				g.result.Violation, g.result.Trace, g.result.Length = goal.name, g.trace(uint32(n), nil, nil), int(g.depth[n])
				return
			}
		}
	}
	g.checkSettled()
	if g.result.Violation == "" {
		g.checkCycles()
	}
}

// checkSettled looks for a state in which nothing happens any more and the Job is not where it should be.
func (g *graph) checkSettled() {
	for n := range len(g.fairStart) - 1 {
		if s := &g.states[n]; !g.m.deceived(s) && g.m.settled(s) && !g.m.atRest(s) {
			g.result.Violation, g.result.Trace, g.result.Length = "the Job is stuck", g.trace(uint32(n), nil, nil), int(g.depth[n])
			return
		}
	}
}

// edges are the fair steps by where they lead.
type edges struct{ start, from []uint32 }

func (e *edges) to(n uint32) []uint32 { return e.from[e.start[n]:e.start[n+1]] }

func (g *graph) reverse() edges {
	e := edges{start: make([]uint32, len(g.states)+2), from: make([]uint32, len(g.fairTo))}
	for _, to := range g.fairTo {
		e.start[to+2]++
	}
	for n := 2; n < len(e.start); n++ {
		e.start[n] += e.start[n-1]
	}
	for from := range len(g.fairStart) - 1 {
		for _, to := range g.fairTo[g.fairStart[from]:g.fairStart[from+1]] {
			e.from[e.start[to+1]] = uint32(from)
			e.start[to+1]++
		}
	}
	return e
}

func (m *Model) anything(*state) bool { return true }

// hasResult: a mirror of the local Job has a result that counts.
func (m *Model) hasResult(s *state) bool {
	local := &m.objects[s.local]
	for w := range s.sites {
		o := &m.objects[s.sites[w].job]
		if s.local == 0 || local.deleting || o.verdict == "" || !m.isMirror(o, local.uid) {
			continue
		}
		if !o.deleting || m.config.HoldMirror && !o.failedLate {
			return true
		}
	}
	return false
}

func (m *Model) concluded(s *state) bool { return m.objects[s.local].verdict != "" }

// clean: no mirror is there but that of the local Job, and the local Job is not being deleted.
func (m *Model) clean(s *state) bool {
	local := &m.objects[s.local]
	for w := range s.sites {
		o := &m.objects[s.sites[w].job]
		if o.job != nil && !o.stranger && (s.local == 0 || o.incarnation != local.uid) {
			return false
		}
	}
	return !local.deleting
}

// settled: caches are current, workers answer, nothing is going on there, and there is nothing to do for the
// controller, now or later.
func (m *Model) settled(s *state) bool {
	if s.plan != 0 || !s.localFresh {
		return false
	}
	for w := uint8(1); w <= m.workers; w++ {
		if at := s.site(w); !at.fresh || at.down {
			return false
		}
		busy := false
		note := func(kind stepKind, _ state) { busy = busy || stepKinds[kind].fair }
		m.jobController(s, w, note)
		m.cluster(s, w, note)
		m.plan(s, w, note)
		if busy {
			return false
		}
	}
	return true
}

// atRest: the Job is finished and nothing is held for it, or it is suspended or not wanted anywhere, or
// somebody else has the name.
func (m *Model) atRest(s *state) bool {
	local := &m.objects[s.local]
	mirrors, strangers := 0, 0
	for w := range s.sites {
		switch o := &m.objects[s.sites[w].job]; {
		case o.stranger:
			strangers++
		case o.job != nil:
			mirrors++
		}
	}
	switch {
	case s.local == 0:
		return mirrors == 0
	case local.verdict != "":
		return mirrors == 0 && !local.guarded
	case s.wanted == 0:
		return mirrors == 0
	case strangers > 0:
		return true
	default:
		return local.suspended
	}
}
