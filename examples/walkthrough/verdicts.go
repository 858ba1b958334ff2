package main

import (
	"fmt"
	"slices"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// where names the releases for which something holds.
func (p pairReport) where(holds func(releaseReport) bool) string {
	var names []string
	for _, r := range p.Releases {
		names = append(names, r.Release)
	}
	return ranges(names, func(i int) bool { return holds(p.Releases[i]) })
}

// manager writes who manages the Job, and what the built-in controllers of the releases do with it.
func (p *page) manager(pair pairReport) {
	p.heading("Who manages it: " + pair.ManagedBy)
	var rows [][]cell
	seen := map[jobmanagedby.Reason]bool{}
	for _, r := range slices.Backward(pair.Releases) {
		why := r.BuiltIn.Reason
		if !seen[why] {
			rows = append(rows, reason(pair.where(func(o releaseReport) bool { return o.BuiltIn.Reason == why }), r.BuiltIn))
		}
		seen[why] = true
	}
	if !slices.ContainsFunc(pair.Releases, func(r releaseReport) bool { return r.BuiltIn.Hazard }) {
		if old := decide(pair.local, jobmanagedby.Oldest()); old.Hazard {
			rows = append(rows, reason(jobmanagedby.Oldest().String(), old))
		}
	}
	p.table(rows)
}

func reason(releases string, b builtInController) []cell {
	text := cell{plain, summaries()[b.Reason]}
	if b.Hazard {
		text = cell{yellow, "HAZARD: " + text.text}
	}
	return []cell{{plain, releases}, text}
}

func summaries() map[jobmanagedby.Reason]string {
	m := map[jobmanagedby.Reason]string{}
	for _, info := range jobmanagedby.Reasons() {
		m[info.Reason] = info.Summary
	}
	return m
}

// verdicts writes what API servers of all releases make of a blind copy and of the plan. The rules
// that are broken are named where they are not those of the row above.
func (p *page) verdicts(pair pairReport) {
	p.heading("Would the API server take it? (With its gates at their defaults)")
	rows := [][]cell{{{dim, "release"}, {dim, "blind copy"}, {dim, "plan"}, {dim, ""}}}
	var above releaseReport
	for _, r := range pair.Releases {
		blind := r.blindCopy()
		likewise := sameRules(r.BlindCopy, above.BlindCopy)
		if likewise && r.BlindCopy.Verdict == refused {
			blind.text += ", likewise"
		}
		rows = append(rows, []cell{{plain, r.Release}, blind, {colours[r.Plan.Verdict], string(r.Plan.Verdict)}, {plain, r.Plan.summary()}})
		if !likewise {
			rows = append(rows, remarks("", r.BlindCopy)...)
		}
		if !sameRules(r.Plan.answer, above.Plan.answer) && !sameRules(r.Plan.answer, pair.last().Plan.answer) {
			rows = append(rows, remarks("plan: ", r.Plan.answer)...)
		}
		above = r
	}
	p.table(rows)
}

var colours = map[verdict]style{accepted: green, refused: red}

func (r releaseReport) blindCopy() cell {
	if r.BlindCopy.Verdict == accepted && r.Plan.guarded() {
		return cell{yellow, "accepted, unwise"}
	}
	return cell{colours[r.BlindCopy.Verdict], string(r.BlindCopy.Verdict)}
}

// guarded reports whether a guard made the plan differ from a copy.
func (p plan) guarded() bool {
	return slices.ContainsFunc(p.Adjustments, func(a adjustment) bool { return a.Rule == "" })
}

func (p plan) summary() string {
	if n := len(p.Adjustments); n > 0 {
		return fmt.Sprintf("%s, %d adjusted", p.Outcome, n)
	}
	return string(p.Outcome)
}

func sameRules(a, b answer) bool { return slices.Equal(a.rules(), b.rules()) }

func (a answer) rules() []statusvalidate.Rule {
	var rules []statusvalidate.Rule
	for _, v := range a.Violations {
		rules = append(rules, v.Rule)
	}
	return slices.Compact(rules)
}

// remarks says which rules are broken.
func remarks(prefix string, a answer) [][]cell {
	var rows [][]cell
	broken := a.rules()
	for _, info := range statusvalidate.Rules() {
		if slices.Contains(broken, info.Rule) {
			rows = append(rows, []cell{{dim, fmt.Sprintf("%s%s: %s", prefix, info.Rule, info.Summary)}})
		}
	}
	return rows
}

// summary writes one line a pair, if there are several.
func (p *page) summary(r report) {
	if len(r.Pairs) < 2 {
		return
	}
	p.title("summary")
	rows := [][]cell{{{dim, "Job"}, {dim, "plan"}, {dim, "blind copy"}}}
	for _, pair := range r.Pairs {
		last := pair.last()
		how := plain
		if last.Plan.refuses() {
			how = red
		}
		rows = append(rows, []cell{{plain, pair.Namespace + "/" + pair.Name}, {how, last.Plan.summary()}, pair.blindCopy()})
	}
	p.table(rows)
}

// blindCopy sums the releases up.
func (p pairReport) blindCopy() cell {
	count := 0
	for _, r := range p.Releases {
		if r.BlindCopy.Verdict == refused {
			count++
		}
	}
	if count == 0 {
		return p.last().blindCopy()
	}
	return cell{red, fmt.Sprintf("refused by %d of %d", count, len(p.Releases))}
}
