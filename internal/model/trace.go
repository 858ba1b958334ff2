// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// trace prints how a state was reached, a line a step, and then one more step.
func (g *graph) trace(to uint32, how *label, next *state) string {
	var path []uint32
	for n := to; ; n = g.parent[n] {
		path = append(path, n)
		if g.how[n].kind == starts {
			break
		}
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\tstep\tlocal Job\tworker 1")
	if g.m.workers == 2 {
		fmt.Fprint(w, "\tworker 2")
	}
	fmt.Fprintln(w)
	var before *state
	for i := len(path) - 1; i >= 0; i-- {
		s := &g.states[path[i]]
		g.line(w, len(path)-1-i, g.how[path[i]], before, s)
		before = s
	}
	if how != nil {
		g.line(w, len(path), *how, before, next)
	}
	_ = w.Flush() // into memory
	return b.String()
}

func (g *graph) line(w *tabwriter.Writer, n int, how label, before, s *state) {
	fmt.Fprintf(w, "%d\t%s\t%s", n, g.describeStep(how, before, s), g.m.describe(s.local))
	for i := range g.m.workers {
		fmt.Fprintf(w, "\t%s", g.m.describeSite(&s.sites[i]))
	}
	fmt.Fprintln(w)
}

func (g *graph) describeStep(how label, before, s *state) string {
	text := how.kind.String()
	switch how.kind {
	case acts:
		text += ": " + string(g.m.plans[before.plan].step.Kind)
	case plans, plansLater:
		var kinds []string
		for id := s.plan; id != 0; id = g.m.plans[id].rest {
			kinds = append(kinds, string(g.m.plans[id].step.Kind))
		}
		text += ": " + strings.Join(kinds, ", ")
	case dispatcherMoves:
		text += fmt.Sprintf(": %d", s.wanted)
	}
	if how.worker > 0 && g.m.workers > 1 {
		text += fmt.Sprintf(" (%d)", how.worker)
	}
	return text
}

// describe prints a Job in a few words.
func (m *Model) describe(id objectID) string {
	o := &m.objects[id]
	if o.job == nil {
		return "-"
	}
	words := []string{string(o.uid)}
	for _, fact := range []struct {
		holds bool
		word  string
	}{
		{o.suspended, "suspended"}, {o.deleting, "deleting"}, {o.guarded, "cleanup"}, {o.held, "hold"}, {o.foreground, "foreground"},
		{o.job.Status.StartTime != nil, "started"}, {o.job.Status.Active > 0, "active"},
		{o.job.Status.Failed > 0, "failed=1"}, {o.promise != "", string(o.promise)}, {o.verdict != "", string(o.verdict)},
	} {
		if fact.holds {
			words = append(words, fact.word)
		}
	}
	if text := o.job.Annotations[m.keys.Dispatch]; text != "" {
		r := readRecord(text)
		words = append(words, fmt.Sprintf("record[%s %d %s]", r.Worker, r.Attempt, r.Mirror))
	}
	return strings.Join(words, " ")
}

func (m *Model) describeSite(at *site) string {
	text := m.describe(at.job)
	if at.pods != noPod {
		text += ", " + at.pods.String()
	}
	if at.litter != noLitter {
		text += ", pods without a Job"
	}
	if at.down {
		text += ", no answer"
	}
	return text
}
