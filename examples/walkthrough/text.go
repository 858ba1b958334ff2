// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/mirror"
)

// writeText writes the report for people. An introduction, if there is one, comes first.
func writeText(w io.Writer, r report, introduction string, p *page) error {
	if introduction != "" {
		p.Prose("", cli.Text(cli.Plain, introduction))
		p.Put()
	}
	for i, pair := range r.Pairs {
		p.Title(fmt.Sprintf("%d of %d: %s/%s", i+1, len(r.Pairs), pair.Namespace, pair.Name))
		p.Prose("", cli.Text(cli.Plain, pair.About))
		p.manager(pair)
		p.mirror(pair)
		p.status(pair)
		p.adjustments(pair)
		p.verdicts(pair)
		if pair.Next != nil {
			p.next(*pair.Next)
		}
		p.Put()
	}
	p.summary(r)
	if p.Err != nil {
		return p.Err
	}
	_, err := p.WriteTo(w)
	return err
}

func (p *page) mirror(pair pairReport) {
	p.Heading("The mirror, as it would be created on the worker now")
	if pair.Mirror == nil {
		p.Prose(cli.Margin, cli.Text(cli.Plain, "None. "+strings.TrimPrefix(pair.MirrorRefused, "mirror: ")))
		return
	}
	p.DiffHeader("local Job", fmt.Sprintf("mirror, of origin %s (lines that are the same are left out)", pair.Origin))
	p.Diff(p.written(pair.local), p.written(pair.Mirror), false)
}

// written returns the parts of a Job that a client writes when it creates one.
func (p *page) written(job any) cli.Tree {
	t, err := cli.TreeOf(job)
	p.Note(err)
	for _, key := range []string{"apiVersion", "kind", "status"} {
		delete(t, key)
	}
	return t
}

func (p *page) status(pair pairReport) {
	last := pair.last()
	p.Heading(fmt.Sprintf("The status to write on %s: %s", last.Release, last.Plan.Outcome))
	for _, text := range pair.meaning() {
		p.Prose(cli.Margin, cli.Text(cli.Plain, text))
	}
	if last.Plan.Status != nil {
		p.DiffHeader("local status", "status to write")
		p.Diff(p.written(&pair.local.Status), p.written(last.Plan.Status), true)
		return
	}
	for _, v := range last.Plan.Violations {
		p.Prose(cli.Margin, cli.Text(cli.Red, fmt.Sprintf("%s: %s: %s", v.Rule, v.Field, v.Message)))
		p.Prose(cli.Margin+cli.Margin, cli.Text(cli.Dim, v.Remedy))
	}
}

// meanings says in a sentence what an outcome is.
var meanings = map[mirror.StatusOutcome]string{
	mirror.InSync:      "The local status shows all that it can show of the remote one.",
	mirror.Copied:      "The remote status is copied, but for the adjustments below.",
	mirror.Deferred:    "The local Job is suspended and its mirror has not stopped yet: nothing of the run is copied, for a startTime would freeze the pod template.",
	mirror.Evicted:     "The worker has suspended the mirror of a Job that is to run. That is no progress.",
	mirror.Resuming:    "The mirror has not been told yet that the local Job is no longer suspended.",
	mirror.Terminating: "The mirror has finished, but the local Job cannot be told before all pods are gone: the verdict is written now, the terminal condition later.",
	mirror.Finished:    "Both Jobs have the same verdict. It is final.",
	mirror.Conflict:    "Nothing may be written: the local Job has a verdict, or the promise of one, and the remote Job says otherwise.",
	mirror.Invalid:     "No form of the remote status was found that the API server would accept.",
	mirror.NotManaged:  "Another controller writes the status of this Job.",
}

// meaning explains the plan that is shown in detail.
func (p pairReport) meaning() []string {
	plan := p.last().Plan
	what, who := meanings[plan.Outcome], identities[p.Identity]
	switch {
	case plan.Outcome == mirror.NotManaged:
		return []string{what}
	case p.Identity == mirror.Foreign || p.Identity == mirror.PreviousIncarnation:
		return []string{"Nothing may be written. " + who}
	case plan.Outcome == mirror.Copied && len(plan.Adjustments) == 0:
		what = "The remote status is copied, field for field."
	}
	if plan.RequeueAfterSeconds > 0 {
		what += fmt.Sprintf(" Look again in %v.", time.Duration(plan.RequeueAfterSeconds*float64(time.Second)))
	}
	return []string{what, who}
}

var identities = map[mirror.Relation]string{
	mirror.Ours:                "The remote Job carries the identity of this local Job, down to its UID.",
	mirror.PreviousIncarnation: "The remote Job is the mirror of an earlier Job of this name: its identity has another UID.",
	mirror.Foreign:             "The remote Job carries an identity, but not that of this local Job: another origin, or another Job.",
	notChecked:                 "The remote Job carries no identity of ours, so another tool has made it. Whether it is the mirror of this Job was not checked.",
}

// adjustments writes where the plans for all releases differ from the remote status.
func (p *page) adjustments(pair pairReport) {
	var all []adjustment
	for _, r := range pair.Releases {
		for _, a := range r.Plan.Adjustments {
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	p.Heading("Adjustments: where the plan differs from the remote status")
	for _, a := range all {
		because := "because of " + string(a.Rule)
		if a.Rule == "" {
			because = "a guard, where the API server would not object"
		}
		where := pair.where(func(r releaseReport) bool { return slices.Contains(r.Plan.Adjustments, a) })
		p.Prose(cli.Margin, cli.Text(cli.Plain, a.Field+": "+a.Why))
		p.Prose(cli.Margin+cli.Margin, cli.Text(cli.Dim, because+", on "+where))
	}
}
