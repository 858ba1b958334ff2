// SPDX-License-Identifier: Apache-2.0

package main

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// plan is for a management cluster of the one release in the policy.
func (p pair) plan(policy mirror.Policy, known mirror.Relation, now metav1.Time) (releaseReport, error) {
	planner, err := mirror.New(policy)
	if err != nil {
		return releaseReport{}, err
	}
	release := policy.Management[0]
	jobs, apiServer := mirror.Pair{Local: p.local.Job, Remote: p.remote.Job}, statusvalidate.For(release)
	next := planner.PlanStatus(jobs, now)
	if known == notChecked && jobmanagedby.IsManagedBy(jobs.Local, policy.Controller) {
		next = mirror.ProjectStatus(jobs, mirror.StatusOptions{Validator: apiServer, Now: now})
	}
	return releaseReport{
		Release:   release.String(),
		BuiltIn:   decide(jobs.Local, release),
		BlindCopy: ask(apiServer, jobs.Local, &jobs.Remote.Status),
		Plan:      describe(next, apiServer, jobs.Local),
	}, nil
}

func decide(job *batchv1.Job, r jobmanagedby.Release) builtInController {
	d := jobmanagedby.Decide(job, r)
	return builtInController{Skips: d.Skip, Hazard: d.Reason.Hazard(), Reason: d.Reason, Message: d.Message}
}

// ask returns what the API server would answer to the status.
func ask(apiServer statusvalidate.Validator, local *batchv1.Job, status *batchv1.JobStatus) answer {
	if status == nil {
		return answer{Verdict: nothingToWrite, Violations: []violation{}}
	}
	vs := apiServer.Validate(statusvalidate.Change{Old: local, New: &batchv1.Job{Status: *status}})
	if len(vs) > 0 {
		return answer{Verdict: refused, Violations: listed(vs)}
	}
	return answer{Verdict: accepted, Violations: []violation{}}
}

func listed(vs statusvalidate.Violations) []violation {
	list := []violation{}
	for _, v := range vs {
		list = append(list, violation{v.Rule, string(v.Err.Type), v.Err.Field, v.Err.ErrorBody(), v.Remedy()})
	}
	return list
}

// describe puts a plan into the report, with what the API server makes of it.
func describe(p mirror.StatusPlan, apiServer statusvalidate.Validator, local *batchv1.Job) plan {
	d := plan{
		answer: ask(apiServer, local, p.Status), Outcome: p.Outcome, Status: p.Status,
		Adjustments: []adjustment{}, RequeueAfterSeconds: p.RequeueAfter.Seconds(),
	}
	for _, a := range p.Adjustments {
		d.Adjustments = append(d.Adjustments, adjustment{Field: a.Field, Rule: a.Rule, Why: a.Why})
	}
	if len(p.Violations) > 0 {
		d.Violations = listed(p.Violations)
	}
	return d
}
