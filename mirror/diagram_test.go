// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// TestDecideDocument holds DECIDE.md to the table: the table itself, and diagrams of what it does to a
// Job in a small world. go generate writes it anew.
func TestDecideDocument(t *testing.T) {
	edges := rowDiagram(t)
	text := "# What Decide does\n\n" +
		"Generated from the table in decidetable.go by `go generate ./mirror`; do not edit.\n\n" +
		"The first row that matches decides; an empty cell stands for everything. *Ours* is a mirror of this very Job;\n" +
		"*elsewhere* is what is known of all the other workers.\n\n" +
		decisionTable() +
		"\nWith `Policy.Condition`, rows of an unfinished or finished Job write that condition too, in the same request or, where there is none, in one of its\n" +
		"own. Every row may ask for `ReadLive` first.\n" +
		"\n## A life\n\nWhat goes over the wire for a Job that runs to its end, with `HoldMirror`.\n\n" + mermaid(lifeSequence(t)) +
		"\n## From row to row\n\nHow a Job moves through the rows: by what the plan does (the names of its actions), or by what happens meanwhile.\n" +
		"One worker, which can be reached; every order of events to a depth of " + fmt.Sprint(explorationDepth) + ", so that what comes later is not drawn.\n\n" +
		mermaid(drawStates(edges)) + "\nRows that such a world does not get to: " + notDrawn(edges) + ".\n"
	golden(t, "../DECIDE.md", text)
}

func mermaid(text string) string { return "```mermaid\n" + text + "```\n" }

func decisionTable() string {
	text := "| row | local Job | mirror here | elsewhere | wanted here | plan |\n|---|---|---|---|---|---|\n"
	for _, r := range mirror.Rows() {
		text += "| " + strings.Join(r, " | ") + " |\n"
	}
	return text
}

// lifeSequence records what a Job's life brings about.
func lifeSequence(t *testing.T) string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n    actor U as user\n    participant M as management\n    participant C as controller\n    participant W as worker\n")
	w := newWorld(t, hold)
	act := func() {
		for {
			plan := w.step()
			if len(plan.Actions) == 0 {
				return
			}
			for _, a := range plan.Actions {
				to := "M"
				if a.OnWorker() {
					to = "W"
				}
				fmt.Fprintf(&b, "    C->>%s: %s\n", to, a.Kind)
			}
		}
	}
	b.WriteString("    U->>M: create Job, managedBy\n    M-->>C: watch\n")
	act()
	b.WriteString("    W-->>C: watch: pods run\n")
	w.worker.touch(start(1), active(2))
	act()
	b.WriteString("    W-->>C: watch: Complete\n")
	w.worker.touch(active(0), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
	act()
	return b.String()
}

const explorationDepth = 7

// happening is something that others do to the world.
type happening struct {
	name string
	can  func(*world) bool
	do   func(*world)
}

func mirrorRuns(w *world) bool {
	return w.worker.job != nil && w.worker.job.DeletionTimestamp == nil && !hasAny(w.worker.job, complete, failedJob)
}

func localLives(w *world) bool {
	return w.management.job != nil && w.management.job.DeletionTimestamp == nil
}

var happenings = []happening{
	{"pods run", func(w *world) bool { return mirrorRuns(w) && w.worker.job.Status.StartTime == nil }, func(w *world) { w.worker.touch(start(1), active(2)) }},
	{"completes", func(w *world) bool { return mirrorRuns(w) && w.worker.job.Status.Active > 0 }, func(w *world) {
		w.worker.touch(active(0), end(20), succeeded(4), is(complete, 20), is(criteriaMet, 20))
	}},
	{"promises failure", func(w *world) bool { return mirrorRuns(w) && w.worker.job.Status.Active > 0 }, func(w *world) { w.worker.touch(is(failureTarget, 20)) }},
	{"mirror deleted by others", func(w *world) bool { return mirrorRuns(w) }, func(w *world) { w.worker.delete(metav1.DeletePropagationForeground) }},
	{"deletion done", func(w *world) bool { return w.worker.job != nil && w.worker.job.DeletionTimestamp != nil }, func(w *world) { w.worker.podsGone() }},
	{"not wanted", func(w *world) bool { return w.wanted && localLives(w) }, func(w *world) { w.wanted = false }},
	{"wanted", func(w *world) bool { return !w.wanted && localLives(w) }, func(w *world) { w.wanted = true }},
	{"Job deleted", localLives, func(w *world) { w.management.delete(metav1.DeletePropagationBackground) }},
	{"foreign Job", func(w *world) bool { return w.worker.job == nil && localLives(w) }, func(w *world) { w.worker.job = storedJob() }},
}

// rowDiagram explores the world breadth first and draws how rows follow each other.
func rowDiagram(t *testing.T) map[[2]string][]string {
	edges := map[[2]string][]string{}
	add := func(from, to, label string) {
		if from != to && !slices.Contains(edges[[2]string{from, to}], label) {
			edges[[2]string{from, to}] = append(edges[[2]string{from, to}], label)
		}
	}
	layer, seen := []*world{newWorld(t)}, map[string]bool{}
	for range explorationDepth {
		var next []*world
		for _, w := range layer {
			for _, n := range successors(w, add) {
				if key := n.key(); !seen[key] {
					seen[key] = true
					next = append(next, n)
				}
			}
		}
		layer = next
	}
	return edges
}

// notDrawn are the rows that no edge leads to.
func notDrawn(edges map[[2]string][]string) string {
	drawn := map[string]bool{}
	for ends := range edges {
		drawn[ends[0]], drawn[ends[1]] = true, true
	}
	rest := slices.DeleteFunc(mirror.RowNames(), func(name string) bool { return drawn[name] })
	return strings.Join(rest, ", ")
}

// successors carries out the plan and everything that can happen, each in a world of its own.
func successors(w *world, edge func(from, to, label string)) (all []*world) {
	from := mirror.RowOf(w.planner, w.state())
	acted := w.fork()
	plan := acted.step()
	if len(plan.Actions) > 0 {
		var kinds []string
		for _, a := range plan.Actions {
			kinds = append(kinds, string(a.Kind))
		}
		edge(from, mirror.RowOf(acted.planner, acted.state()), strings.Join(kinds, ", "))
		all = append(all, acted)
	}
	for _, h := range happenings {
		if h.can(w) {
			n := w.fork()
			h.do(n)
			edge(from, mirror.RowOf(n.planner, n.state()), h.name)
			all = append(all, n)
		}
	}
	return all
}

func (w *world) fork() *world {
	n := *w
	n.management, n.worker = ptr.To(*w.management), ptr.To(*w.worker)
	n.management.job, n.worker.job = w.management.job.DeepCopy(), w.worker.job.DeepCopy()
	n.pass(time.Minute)
	return &n
}

// key tells worlds apart, but for the time and the versions of objects.
func (w *world) key() string {
	strip := func(job *batchv1.Job) *batchv1.Job {
		if job = job.DeepCopy(); job != nil {
			job.ResourceVersion = ""
			delete(job.Annotations, dispatchKey)
		}
		return job
	}
	return toJSON(w.t, []any{strip(w.management.job), strip(w.worker.job), w.wanted})
}

func drawStates(edges map[[2]string][]string) string {
	var lines []string
	for ends, labels := range edges {
		slices.Sort(labels)
		lines = append(lines, fmt.Sprintf("    %s --> %s: %s\n", ends[0], ends[1], strings.Join(labels, " / ")))
	}
	slices.Sort(lines)
	return "stateDiagram-v2\n    [*] --> Dispatch: Job created\n" + strings.Join(lines, "")
}
