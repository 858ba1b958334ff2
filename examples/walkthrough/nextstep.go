// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/mirror"
)

// nextStep is what [mirror.Planner.Decide] says, for people and for -o json.
type nextStep struct {
	Outcome             mirror.Outcome `json:"outcome"`
	Why                 string         `json:"why"`
	Error               string         `json:"error,omitempty"`
	Actions             []action       `json:"actions"`
	Differences         []difference   `json:"differences"`
	RequeueAfterSeconds float64        `json:"requeueAfterSeconds"`
	RequeueWhy          string         `json:"requeueWhy,omitempty"`
}

type action struct {
	Kind        mirror.ActionKind `json:"kind"`
	Cluster     string            `json:"cluster"` // management or worker
	Subresource string            `json:"subresource,omitempty"`
	PatchType   string            `json:"patchType,omitempty"`
	Patch       json.RawMessage   `json:"patch,omitempty"`
}

type difference struct {
	Kind      mirror.DifferenceKind `json:"kind"`
	Field     string                `json:"field"`
	Rule      mirror.SpecRule       `json:"rule,omitempty"`
	Local     string                `json:"local,omitempty"`
	Mirror    string                `json:"mirror,omitempty"`
	Overrides bool                  `json:"overrides,omitempty"`
}

// decideNext asks for the whole next step, as if both Jobs had just been read from their servers, the Job
// were wanted on the worker of the remote one, and there were no other.
func (p pair) decideNext(planner *mirror.Planner, keys string, now metav1.Time) *nextStep {
	plan := planner.Decide(mirror.State{
		Local: mirror.Live(p.local.Job), Mirror: mirror.Live(p.remote.Job), Elsewhere: mirror.OtherWorkers(),
		Worker: p.worker(keys + "dispatch"), Wanted: true, Now: now,
	})
	next := &nextStep{
		Outcome: plan.Outcome, Why: plan.Why, Actions: []action{}, Differences: []difference{},
		RequeueAfterSeconds: plan.RequeueAfter.Seconds(), RequeueWhy: plan.RequeueWhy,
	}
	if plan.Err != nil {
		next.Error = plan.Err.Error()
	}
	for _, a := range plan.Actions {
		cluster := "management"
		if a.OnWorker() {
			cluster = "worker"
		}
		next.Actions = append(next.Actions, action{a.Kind, cluster, a.Subresource, string(a.PatchType), json.RawMessage(a.Patch)})
	}
	for _, d := range plan.Differences {
		if d.Kind != mirror.OnPurpose {
			next.Differences = append(next.Differences, difference{d.Kind, d.Field, d.Rule, d.Local, d.Mirror, d.Overrides})
		}
	}
	return next
}

// worker is the name in the dispatch record of the local Job.
func (p pair) worker(key string) string {
	var record struct{ Worker string }
	if err := json.Unmarshal([]byte(p.local.Job.Annotations[key]), &record); err != nil || record.Worker == "" {
		return "worker"
	}
	return record.Worker
}

// next writes the whole next step.
func (p *page) next(n nextStep) {
	p.Heading("The whole next step: " + string(n.Outcome))
	p.Prose(cli.Margin, cli.Text(cli.Plain, fmt.Sprintf("If the Job is wanted on that worker, and there is no other: %s.", n.Why)))
	if n.Error != "" {
		p.Prose(cli.Margin, cli.Text(cli.Red, n.Error))
	}
	for i, a := range n.Actions {
		what := fmt.Sprintf("%d. %s, on the %s cluster", i+1, a.Kind, a.Cluster)
		if a.Subresource != "" {
			what += ", subresource " + a.Subresource
		}
		p.Put(cli.Margin, p.Paint(cli.Bold, what))
		if a.Patch != nil {
			p.Put(cli.Margin, cli.Margin, p.Paint(cli.Dim, cli.Cut(cli.Visible(withoutPreconditions(a.Patch)), p.Width-2*len(cli.Margin))))
		}
	}
	if len(n.Actions) == 0 {
		p.Put(cli.Margin, "Nothing to do.")
	}
	for _, d := range n.Differences {
		p.Prose(cli.Margin, cli.Text(cli.Plain, fmt.Sprintf("%s is %s: %s", d.Field, d.Kind, describeSides(d))))
	}
	if n.RequeueAfterSeconds > 0 {
		wait := time.Duration(n.RequeueAfterSeconds * float64(time.Second))
		p.Prose(cli.Margin, cli.Text(cli.Plain, fmt.Sprintf("Look again in %v: %s.", wait, n.RequeueWhy)))
	}
}

// withoutPreconditions shortens a merge patch to what it changes.
func withoutPreconditions(patch []byte) string {
	var change map[string]any
	if json.Unmarshal(patch, &change) != nil {
		return string(patch) // a JSON patch, which is a list
	}
	if metadata, ok := change["metadata"].(map[string]any); ok {
		delete(metadata, "uid")
		delete(metadata, "resourceVersion")
		if len(metadata) == 0 {
			delete(change, "metadata")
		}
	}
	text, err := json.Marshal(change)
	if err != nil {
		return string(patch)
	}
	return string(text)
}

func describeSides(d difference) string {
	side := func(value string) string {
		if value == "" {
			return "nothing"
		}
		return value
	}
	text := fmt.Sprintf("%s here, %s on the worker", side(d.Local), side(d.Mirror))
	if d.Rule != "" {
		text += " (" + string(d.Rule) + ")"
	}
	return text
}
