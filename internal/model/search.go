// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"hash/maphash"

	"github.com/managedby-dev/managedby/mirror"
)

// Limits bound a search. Zero means no bound.
type Limits struct{ States, Depth int }

// Result is what a search has seen.
type Result struct {
	States, Transitions int
	Depth               int  // of the state that is farthest from the start
	Exhausted           bool // nothing was left out because of the Limits

	Outcomes map[mirror.Outcome]bool // of the controller's plans

	// Violation says what is wrong, and Trace how it comes about, by as few steps as possible; both are empty
	// if nothing is.
	Violation string
	Trace     string
	Length    int // in steps
}

// String says how far the search went.
func (r Result) String() string {
	if r.Exhausted {
		return fmt.Sprintf("%d states, %d transitions, depth %d: all there are", r.States, r.Transitions, r.Depth)
	}
	return fmt.Sprintf("%d states, %d transitions, depth %d: more are left", r.States, r.Transitions, r.Depth)
}

// Search visits every state within the limits, nearest first, and stops at the first violation. Once all
// states are known, it looks for some from which the world cannot get where it should.
func Search(c Config, limits Limits) (Result, error) {
	m, err := New(c)
	if err != nil {
		return Result{}, err
	}
	g := newGraph(m)
	g.explore(limits)
	if g.result.Violation == "" {
		g.checkFairness()
	}
	g.result.Outcomes = map[mirror.Outcome]bool{}
	for _, d := range m.decisions {
		g.result.Outcomes[d.outcome] = true
	}
	return g.result, nil
}

// graph is what has been visited so far.
type graph struct {
	m      *Model
	result Result

	states []state
	depth  []uint16
	parent []uint32
	how    []label // by which step the state was reached
	table  []uint32
	seed   maphash.Seed

	fairTo    []uint32 // the fair steps of all states, in their order
	fairStart []uint32 // where those of a state start; one more than there are expanded states
	fairHow   []label
}

type label struct {
	kind   stepKind
	worker uint8
}

func newGraph(m *Model) *graph {
	return &graph{m: m, table: make([]uint32, 1<<16), seed: maphash.MakeSeed(), fairStart: []uint32{0}}
}

// explore is a breadth-first search.
func (g *graph) explore(limits Limits) {
	for _, s := range g.m.initial() {
		g.add(s, 0, label{})
	}
	from := 0
	for ; from < len(g.states); from++ {
		depth := int(g.depth[from])
		if limits.States > 0 && len(g.states) >= limits.States || limits.Depth > 0 && depth >= limits.Depth {
			break
		}
		if !g.expand(uint32(from)) {
			return
		}
	}
	last := len(g.states) - 1
	g.result.States, g.result.Depth, g.result.Exhausted = len(g.states), int(g.depth[last]), from == len(g.states)
}

// expand visits what can follow a state, and reports whether all is well.
func (g *graph) expand(from uint32) bool {
	s := g.states[from]
	if g.m.deceived(&s) {
		g.fairStart = append(g.fairStart, uint32(len(g.fairTo)))
		return true
	}
	g.m.expand(&s, func(kind stepKind, worker uint8, next state) {
		if g.result.Violation != "" {
			return
		}
		how := label{kind, worker}
		to := g.add(next, from, how)
		g.result.Transitions++
		if stepKinds[kind].fair {
			g.fairTo = append(g.fairTo, to)
			g.fairHow = append(g.fairHow, how)
		}
		g.m.checkState(&next)
		if g.m.violation != "" {
			g.violate(g.m.violation, from, how, next)
		}
	})
	g.fairStart = append(g.fairStart, uint32(len(g.fairTo)))
	return g.result.Violation == ""
}

// violate reports a violation by a step from a state.
func (g *graph) violate(what string, from uint32, how label, next state) {
	g.result.States = len(g.states)
	g.result.Violation = what
	g.result.Length = int(g.depth[from]) + 1
	g.result.Depth = g.result.Length
	g.result.Trace = g.trace(from, &how, &next)
}

// add returns the number of a state, and remembers how it was first reached.
func (g *graph) add(s state, parent uint32, how label) uint32 {
	slot := g.find(&s)
	if n := g.table[slot]; n != 0 {
		return n - 1
	}
	n := uint32(len(g.states))
	g.states = append(g.states, s)
	g.parent = append(g.parent, parent)
	g.how = append(g.how, how)
	depth := uint16(0)
	if how.kind != starts {
		depth = g.depth[parent] + 1
	}
	g.depth = append(g.depth, depth)
	g.table[slot] = n + 1
	if 2*len(g.states) > len(g.table) {
		g.grow()
	}
	return n
}

// find returns the place of a state in the table, or the free place where it belongs.
func (g *graph) find(s *state) uint64 {
	mask := uint64(len(g.table) - 1)
	slot := maphash.Comparable(g.seed, *s) & mask
	for g.table[slot] != 0 && g.states[g.table[slot]-1] != *s {
		slot = (slot + 1) & mask
	}
	return slot
}

func (g *graph) grow() {
	g.table = make([]uint32, 2*len(g.table))
	for n := range g.states {
		g.table[g.find(&g.states[n])] = uint32(n) + 1
	}
}
