// SPDX-License-Identifier: Apache-2.0

package model

// checkCycles looks for a circle of fair steps in which the controller changes something: it would write for
// ever, although nobody else does anything new.
func (g *graph) checkCycles() {
	component := g.components()
	for from := range len(g.fairStart) - 1 {
		for e := g.fairStart[from]; e < g.fairStart[from+1]; e++ {
			to := g.fairTo[e]
			if g.fairHow[e].kind == acts && component[from] == component[to] && changes(&g.states[from], &g.states[to]) {
				g.violate("the controller writes for ever", uint32(from), g.fairHow[e], g.states[to])
				return
			}
		}
	}
}

// changes reports whether a step changes a Job.
func changes(before, after *state) bool {
	return before.local != after.local || before.sites[0].job != after.sites[0].job || before.sites[1].job != after.sites[1].job ||
		before.localFresh != after.localFresh || before.sites[0].fresh != after.sites[0].fresh || before.sites[1].fresh != after.sites[1].fresh
}

// components numbers the strongly connected components of the graph of fair steps, by Tarjan's algorithm
// without recursion.
func (g *graph) components() []uint32 {
	n := len(g.states)
	t := tarjan{g: g, index: make([]uint32, n), low: make([]uint32, n), component: make([]uint32, n), onStack: make([]bool, n)}
	for root := range len(g.fairStart) - 1 {
		if t.index[root] == 0 {
			t.visit(uint32(root))
		}
	}
	return t.component
}

type tarjan struct {
	g             *graph
	index, low    []uint32 // 0 is not visited
	component     []uint32 // 0 is not known
	onStack       []bool
	stack         []uint32
	next, counted uint32
	pending       []frame
}

// frame is a state that is being visited, and the next of its fair steps.
type frame struct{ at, edge uint32 }

func (t *tarjan) enter(n uint32) {
	t.next++
	t.index[n], t.low[n], t.onStack[n] = t.next, t.next, true
	t.stack = append(t.stack, n)
	f := frame{at: n}
	if int(n) < len(t.g.fairStart)-1 {
		f.edge = t.g.fairStart[n]
	}
	t.pending = append(t.pending, f)
}

func (t *tarjan) visit(root uint32) {
	t.enter(root)
	for len(t.pending) > 0 {
		f := &t.pending[len(t.pending)-1]
		if int(f.at) < len(t.g.fairStart)-1 && f.edge < t.g.fairStart[f.at+1] {
			to := t.g.fairTo[f.edge]
			f.edge++
			switch {
			case t.index[to] == 0:
				t.enter(to)
			case t.onStack[to]:
				t.low[f.at] = min(t.low[f.at], t.index[to])
			}
			continue
		}
		t.leave(f.at)
	}
}

func (t *tarjan) leave(n uint32) {
	t.pending = t.pending[:len(t.pending)-1]
	if len(t.pending) > 0 {
		parent := t.pending[len(t.pending)-1].at
		t.low[parent] = min(t.low[parent], t.low[n])
	}
	if t.low[n] != t.index[n] {
		return
	}
	t.counted++
	for {
		top := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.onStack[top], t.component[top] = false, t.counted
		if top == n {
			return
		}
	}
}
