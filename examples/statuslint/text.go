// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// page is the text of a report in the making.
type page struct{ cli.Page }

// writeText writes the report for people: what is clean is only counted.
func writeText(w io.Writer, r report, p *page) error {
	for _, s := range r.Subjects {
		if len(s.Findings) > 0 {
			p.subject(s, r.Releases)
		}
	}
	p.Prose("", cli.Text(cli.Bold, r.summary()))
	if slices.ContainsFunc(r.Subjects, func(s subject) bool { return s.Kind == aJob && s.refused() }) {
		p.Prose("", cli.Text(cli.Plain, storedNote))
	}
	if rules := r.always(); len(rules) > 0 {
		p.Prose("", cli.Text(cli.Yellow, fmt.Sprintf("Looked at always, until it is mended: %s.", strings.Join(rules, ", "))))
	}
	if p.Err != nil {
		return p.Err
	}
	_, err := p.WriteTo(w)
	return err
}

// storedNote is for those who read errors about Jobs that run.
const storedNote = "A finding about a stored Job does not mean that it is in danger: most rules are looked at only when a write changes what they are about."

// always are the rules by which every write to the status of one of the stored Jobs is refused.
func (r report) always() (rules []string) {
	for _, info := range statusvalidate.Rules() {
		broken := func(f finding) bool { return f.Rule == string(info.Rule) }
		if info.LookedAt == "always" && slices.ContainsFunc(r.Subjects, func(s subject) bool {
			return s.Kind == aJob && slices.ContainsFunc(s.Findings, broken)
		}) {
			rules = append(rules, string(info.Rule))
		}
	}
	return rules
}

func (r report) summary() string {
	what := "looked at 1 status"
	if n := len(r.Subjects); n != 1 {
		what = fmt.Sprintf("looked at %d statuses", n)
	}
	if r.Errors+r.Warnings == 0 {
		return what + ": nothing to report, by " + ranges(r.Releases, r.Releases)
	}
	return fmt.Sprintf("%s: %s, %s", what, counted(r.Errors, "error"), counted(r.Warnings, "warning"))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// ranges names a selection of the releases that were asked.
func ranges(selected, asked []string) string {
	return cli.Ranges(asked, func(i int) bool { return slices.Contains(selected, asked[i]) })
}

func (p *page) subject(s subject, asked []string) {
	title := s.Source
	if s.Name != "" {
		title = fmt.Sprintf("%s: %s", strings.TrimPrefix(s.Namespace+"/"+s.Name, "/"), s.Source)
	}
	p.Title(title)
	if s.About != "" {
		p.Prose("", cli.Text(cli.Plain, s.About))
	}
	p.findings(s.Findings, asked)
	for _, m := range s.Mends {
		p.mend(s, m, asked)
	}
	p.Put()
}

func (p *page) findings(list []finding, asked []string) {
	for i, f := range list {
		p.finding(f, asked, i > 0 && f.Rule != "" && f.Rule == list[i-1].Rule)
		if f.More > 0 {
			p.Put()
			p.Prose("", cli.Text(levels[f.Level], fmt.Sprintf("%s %s: %d more", f.Level, f.Rule, f.More)))
		}
	}
}

var levels = map[level]cli.Style{isError: cli.Red, isWarning: cli.Yellow}

// finding writes one, and for another one of the same rule no more than where it is.
func (p *page) finding(f finding, asked []string, likewise bool) {
	p.Put()
	p.Prose("", cli.Text(levels[f.Level], strings.Join(slices.DeleteFunc([]string{string(f.Level), f.Rule, f.Field}, func(s string) bool { return s == "" }), " ")))
	p.Prose(cli.Margin, cli.Text(cli.Plain, f.Message+shownValue(f.Value)))
	if likewise {
		return
	}
	if f.Harm != "" {
		p.Prose(cli.Margin, cli.Text(cli.Plain, "Why it matters: "+f.Harm+"."))
	}
	if f.Remedy != "" {
		p.Prose(cli.Margin, cli.Text(cli.Plain, "What to do: "+f.Remedy+"."))
	}
	p.Prose(cli.Margin, cli.Text(cli.Dim, f.where(asked)))
}

// shownValue is the value of a finding, shortened.
func shownValue(value any) string {
	text, err := json.Marshal(value)
	if value == nil || err != nil {
		return ""
	}
	return "; it is " + cli.Cut(string(text), 60)
}

func (f finding) where(asked []string) string {
	switch {
	case len(f.Candidates) > 0:
		return fmt.Sprintf("One of: %v. The answer does not tell.", f.Candidates)
	case f.Rule == "":
		return "Not one of the rules about a Job's status, or not to be told."
	case len(f.Releases) == 0:
		return fmt.Sprintf("In none of the releases that were asked. It is a rule of these: %s.", heldIn(f.Rule))
	case f.Level == isError:
		return "Refused by " + ranges(f.Releases, asked) + "."
	}
	return "On " + ranges(f.Releases, asked) + "."
}

// heldIn says in words which releases have a rule.
func heldIn(rule string) string {
	var ranges []string
	for _, info := range statusvalidate.Rules() {
		for _, v := range info.Versions {
			if string(info.Rule) == rule {
				ranges = append(ranges, v.Releases)
			}
		}
	}
	return strings.Join(ranges, "; ")
}

// results say what became of a mend that writes nothing.
var results = map[mirror.StatusOutcome]string{
	mirror.InSync:   "Write nothing: once mended, it is what is stored already.",
	mirror.Finished: "Leave the status as it is stored: the Job has finished, and that is final.",
	mirror.Conflict: "Nothing can be written.",
	mirror.Invalid:  "No mend is known: what to do stands with each finding.",
}

// sides are the planner's words for the two Jobs it has.
var sides = regexp.MustCompile(`\b(local|remote|mirror)\b`)

// roles say what the planner means by local and remote.
var roles = map[subjectKind]string{
	anUpdate: "Remote, or the mirror, is the status as it is sent; local is the Job as it is stored.",
	anEvent:  "Remote, or the mirror, is the status as it was sent; local is the Job as it was stored.",
}

func (p *page) mend(s subject, m mend, asked []string) {
	p.Put()
	title, about := m.heading(s, ranges(m.Releases, asked))
	p.Prose("", cli.Text(cli.Green, title))
	var said []string
	if about != "" {
		said = append(said, about)
	}
	for _, c := range m.Changes {
		said = append(said, c.String())
	}
	for _, text := range said {
		p.Prose(cli.Margin, cli.Text(cli.Plain, text))
	}
	if !s.alone && slices.ContainsFunc(said, sides.MatchString) {
		p.Prose(cli.Margin, cli.Text(cli.Dim, roles[s.Kind]))
	}
	if m.Status == nil {
		return
	}
	p.Diff(p.tree(s.status), p.tree(m.Status), false)
	if len(m.TooLate) > 0 {
		p.Prose(cli.Margin, cli.Text(cli.Yellow, m.late()))
	}
	if len(m.Left) > 0 {
		p.Prose(cli.Margin, cli.Text(cli.Plain, fmt.Sprintf("It leaves what only the controller can know: %s.", strings.Join(m.Left, ", "))))
	}
}

// heading says what a mend is, and what else there is to say of it. What the planner made of the two Jobs is
// nothing to those who have one.
func (m mend) heading(s subject, releases string) (title, about string) {
	title = "The least change that an API server takes, for " + releases
	switch {
	case s.alone && m.refuses():
		return "No change is known that mends it, for " + releases, strings.ToUpper(m.Why[:1]) + m.Why[1:] + "."
	case s.alone && m.Outcome == mirror.Terminating:
		return title, "It is what to write until all its pods are gone."
	case s.alone:
		return title, results[m.Outcome]
	case m.Outcome == mirror.Copied:
		return fmt.Sprintf("%s: %s", title, m.Outcome), ""
	}
	return fmt.Sprintf("%s: %s", title, m.Outcome), strings.TrimSpace(results[m.Outcome] + " The planner: " + m.Why + ".")
}

// late says that the mend comes too late, and what can be written now.
func (m mend) late() string {
	text := fmt.Sprintf("That is what should have been written. The Job as it is can no longer be changed to it: %v.", m.TooLate)
	if len(m.stuck) > 0 {
		return text + fmt.Sprintf(" Nor can it be written as it is: %v.", m.stuck)
	}
	return text + " A write that leaves the fields of the findings as they are is still taken."
}

func (c change) String() string {
	if c.Rule == "" {
		return c.Field + ": " + c.Why + " (no rule asks for it)"
	}
	return fmt.Sprintf("%s: %s (%s)", c.Field, c.Why, c.Rule)
}

func (p *page) tree(status *batchv1.JobStatus) cli.Tree {
	t, err := cli.TreeOf(status)
	p.Note(err)
	return t
}
