// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"encoding/json"
	"slices"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/model"
	"github.com/managedby-dev/managedby/mirror"
)

// wrap is a fault of a controller.
type wrap = func(model.Controller) model.Controller

// seeing is the fault to see what is not so.
func seeing(change func(*model.View)) wrap {
	return func(next model.Controller) model.Controller {
		return func(v model.View) model.Proposal {
			change(&v)
			return next(v)
		}
	}
}

// doing is the fault to do something else than was planned.
func doing(change func(model.View, *model.Proposal)) wrap {
	return func(next model.Controller) model.Controller {
		return func(v model.View) model.Proposal {
			p := next(v)
			change(v, &p)
			return p
		}
	}
}

// each changes the steps of one kind.
func each(kind mirror.ActionKind, change func(model.View, *model.Step)) wrap {
	return doing(func(v model.View, p *model.Proposal) {
		for i := range p.Steps {
			if p.Steps[i].Kind == kind {
				change(v, &p.Steps[i])
			}
		}
	})
}

// without leaves the steps of one kind out.
func without(kind mirror.ActionKind) wrap {
	return doing(func(_ model.View, p *model.Proposal) {
		p.Steps = slices.DeleteFunc(p.Steps, func(s model.Step) bool { return s.Kind == kind })
	})
}

// local changes what is seen of the local Job.
func local(change func(*batchv1.Job)) wrap {
	return seeing(func(v *model.View) { v.Local.Job = changed(v.Local.Job, change) })
}

func changed(job *batchv1.Job, change func(*batchv1.Job)) *batchv1.Job {
	if job == nil {
		return nil
	}
	job = job.DeepCopy()
	change(job)
	return job
}

func withoutConditions(types ...batchv1.JobConditionType) func(*batchv1.Job) {
	return func(job *batchv1.Job) {
		job.Status.Conditions = slices.DeleteFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool { return slices.Contains(types, c.Type) })
	}
}

// repatched changes the patch of a step.
func repatched(s *model.Step, change func(patch map[string]any)) {
	var patch map[string]any
	if err := json.Unmarshal(s.Patch, &patch); err != nil {
		panic(err)
	}
	change(patch)
	s.Patch, _ = json.Marshal(patch)
}

func withoutVersion(_ model.View, s *model.Step) {
	repatched(s, func(patch map[string]any) { delete(patch["metadata"].(map[string]any), "resourceVersion") })
}

// gone pretends that a Job was looked for and not found.
var gone = model.Sight{Known: true, Live: true}

// extra is a step on a Job that was seen.
func extra(kind mirror.ActionKind, job *batchv1.Job, patch string) model.Step {
	a := mirror.Action{Kind: kind, UID: job.UID, ResourceVersion: job.ResourceVersion}
	if patch != "" {
		a.Patch = []byte(patch)
	}
	return model.Step{Action: a, Delete: a.DeleteOptions()}
}

func finished(job *batchv1.Job) bool {
	return job != nil && slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed
	})
}

// toAndFro writes one value and then another, until some time has passed.
func toAndFro(next model.Controller) model.Controller {
	return func(v model.View) model.Proposal {
		p := next(v)
		if len(p.Steps) == 0 && v.Local.Job != nil && v.Local.Job.Annotations["clock"] != "over" {
			value := map[string]string{"": "tick", "tick": "tock", "tock": "tick"}[v.Local.Job.Annotations["clock"]]
			if v.Now.Day() > 1 {
				value = "over"
			}
			p.Steps = []model.Step{extra(mirror.Claim, v.Local.Job, `{"metadata":{"resourceVersion":"1","annotations":{"clock":"`+value+`"}}}`)}
		}
		return p
	}
}

// copyBlindly writes the status of the mirror, whatever the local one is.
func copyBlindly(v model.View, s *model.Step) {
	if v.Mirror.Job == nil {
		return
	}
	data, _ := json.Marshal(v.Mirror.Job.Status)
	var status map[string]any
	_ = json.Unmarshal(data, &status)
	repatched(s, func(patch map[string]any) { patch["status"] = status })
}
