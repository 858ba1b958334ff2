// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// where names the releases for which something holds.
func (p pairReport) where(holds func(releaseReport) bool) string {
	var names []string
	for _, r := range p.Releases {
		names = append(names, r.Release)
	}
	return cli.Ranges(names, func(i int) bool { return holds(p.Releases[i]) })
}

// manager writes who manages the Job, and what the built-in controllers of the releases that were asked do with it.
func (p *page) manager(pair pairReport) {
	p.Heading("Who manages it: " + pair.ManagedBy)
	var rows [][]cli.Cell
	seen := map[jobmanagedby.Reason]bool{}
	for _, r := range slices.Backward(pair.Releases) {
		why := r.BuiltIn.Reason
		if !seen[why] {
			rows = append(rows, reason(pair.where(func(o releaseReport) bool { return o.BuiltIn.Reason == why }), r.BuiltIn))
		}
		seen[why] = true
	}
	p.Table(rows)
}

func reason(releases string, b builtInController) []cli.Cell {
	text := cli.Text(cli.Plain, summaries()[b.Reason])
	if b.Hazard {
		text = cli.Text(cli.Yellow, "HAZARD: "+text.Text)
	}
	return []cli.Cell{cli.Text(cli.Plain, releases), text}
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
	p.Heading("Would the API server take it? (With its gates at their defaults)")
	rows := [][]cli.Cell{{cli.Text(cli.Dim, "release"), cli.Text(cli.Dim, "blind copy"), cli.Text(cli.Dim, "plan"), cli.Text(cli.Dim, "")}}
	var above releaseReport
	for _, r := range pair.Releases {
		blind := r.blindCopy()
		likewise := sameRules(r.BlindCopy, above.BlindCopy)
		if likewise && r.BlindCopy.Verdict == refused {
			blind.Text += ", likewise"
		}
		rows = append(rows, []cli.Cell{cli.Text(cli.Plain, r.Release), blind, cli.Text(colours[r.Plan.Verdict], string(r.Plan.Verdict)), cli.Text(cli.Plain, r.Plan.summary())})
		if !likewise {
			rows = append(rows, remarks("", r.BlindCopy)...)
		}
		if !sameRules(r.Plan.answer, above.Plan.answer) && !sameRules(r.Plan.answer, pair.last().Plan.answer) {
			rows = append(rows, remarks("plan: ", r.Plan.answer)...)
		}
		above = r
	}
	p.Table(rows)
}

var colours = map[verdict]cli.Style{accepted: cli.Green, refused: cli.Red}

func (r releaseReport) blindCopy() cli.Cell {
	if r.BlindCopy.Verdict == accepted && r.Plan.guarded() {
		return cli.Text(cli.Yellow, "accepted, unwise")
	}
	return cli.Text(colours[r.BlindCopy.Verdict], string(r.BlindCopy.Verdict))
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
func remarks(prefix string, a answer) [][]cli.Cell {
	var rows [][]cli.Cell
	broken := a.rules()
	for _, info := range statusvalidate.Rules() {
		if slices.Contains(broken, info.Rule) {
			rows = append(rows, []cli.Cell{cli.Text(cli.Dim, fmt.Sprintf("%s%s: %s", prefix, info.Rule, info.Summary))})
		}
	}
	return rows
}

// summary writes one line a pair, if there are several.
func (p *page) summary(r report) {
	if len(r.Pairs) < 2 {
		return
	}
	p.Title("summary")
	rows := [][]cli.Cell{{cli.Text(cli.Dim, "Job"), cli.Text(cli.Dim, "plan"), cli.Text(cli.Dim, "blind copy")}}
	for _, pair := range r.Pairs {
		last := pair.last()
		how := cli.Plain
		if last.Plan.refuses() {
			how = cli.Red
		}
		rows = append(rows, []cli.Cell{cli.Text(cli.Plain, pair.Namespace+"/"+pair.Name), cli.Text(how, last.Plan.summary()), pair.blindCopy()})
	}
	p.Table(rows)
}

// blindCopy sums the releases up.
func (p pairReport) blindCopy() cli.Cell {
	count := 0
	for _, r := range p.Releases {
		if r.BlindCopy.Verdict == refused {
			count++
		}
	}
	if count == 0 {
		return p.last().blindCopy()
	}
	return cli.Text(cli.Red, fmt.Sprintf("refused by %d of %d", count, len(p.Releases)))
}
