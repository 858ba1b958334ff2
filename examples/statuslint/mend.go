// SPDX-License-Identifier: Apache-2.0

package main

import (
	"reflect"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// toMend is what the planner is asked about.
type toMend struct {
	statusvalidate.Change
	alone bool // the status of one Job, and no write to another
}

// pair is how the planner sees it. One Job alone has no mirror that has to stop while it is suspended, so that
// the planner is asked as if neither were. What the API server takes for such a Job it takes for a suspended
// one. For one that has finished it is the other way round, but the planner does not ask whether it is suspended.
func (c toMend) pair() mirror.Pair {
	pair := mirror.Pair{Local: c.Old, Remote: asSent(c.Change)}
	if c.alone && !finished(&c.New.Status) {
		pair.Local = &batchv1.Job{Spec: c.Old.Spec}
		pair.Local.Spec.Suspend, pair.Remote.Spec.Suspend = nil, nil
	}
	return pair
}

func finished(status *batchv1.JobStatus) bool {
	return slices.ContainsFunc(status.Conditions, func(c batchv1.JobCondition) bool {
		return (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue
	})
}

// mends asks the planner what to write instead, for all releases at once, or for each where nothing
// suits all of them. It is nothing if there is nothing to change.
func mends(c toMend, releases []jobmanagedby.Release, now time.Time, refused bool) (list []mend) {
	m := mendFor(c, releases, now)
	if m.refuses() && len(releases) > 1 {
		list = mendsOfEach(c, releases, now)
	} else {
		list = []mend{m}
	}
	return slices.DeleteFunc(list, func(m mend) bool { return m.isCopy() || !refused && !m.improves() })
}

// refuses reports whether nothing can be written.
func (m mend) refuses() bool { return m.Outcome == mirror.Invalid || m.Outcome == mirror.Conflict }

// isCopy reports whether there is nothing to mend.
func (m mend) isCopy() bool { return m.Status != nil && len(m.Changes) == 0 }

// improves reports whether the status is shown, and not quite as it is.
func (m mend) improves() bool {
	return m.Status != nil && !m.isCopy() && m.Outcome != mirror.Deferred
}

// mendsOfEach puts neighbours for which the plan is the same together.
func mendsOfEach(c toMend, releases []jobmanagedby.Release, now time.Time) (list []mend) {
	for _, r := range releases {
		m := mendFor(c, []jobmanagedby.Release{r}, now)
		if last := len(list) - 1; last >= 0 && sameMend(list[last], m) {
			list[last].Releases = append(list[last].Releases, m.Releases...)
			continue
		}
		list = append(list, m)
	}
	return list
}

func sameMend(a, b mend) bool {
	a.Releases, b.Releases = nil, nil
	return reflect.DeepEqual(a, b)
}

func mendFor(c toMend, releases []jobmanagedby.Release, now time.Time) mend {
	v := statusvalidate.ForAll(releases...)
	opts := mirror.StatusOptions{Validator: v, Now: metav1.NewTime(now)}
	plan := mirror.ProjectStatus(c.pair(), opts)
	m := mend{Releases: names(releases), Outcome: plan.Outcome, Why: plan.Why, Status: plan.Status, Changes: []change{}}
	if c.alone && (plan.Outcome != mirror.Invalid || len(plan.Violations) > 0) {
		m.Why = alone[plan.Outcome]
		if plan.Outcome == mirror.InSync && len(plan.Adjustments) > 0 {
			m.Outcome, m.Why, m.Status = mirror.Copied, alone[mirror.Copied], &batchv1.JobStatus{} // nothing is left of it
		}
	}
	for _, a := range plan.Adjustments {
		m.Changes = append(m.Changes, change{Field: a.Field, Rule: a.Rule, Why: c.words(a.Why)})
	}
	if m.Status != nil {
		for _, f := range v.Lint(&batchv1.Job{Spec: c.Old.Spec, Status: *m.Status}) {
			m.Left = append(m.Left, string(f.Rule))
		}
		m.Left = slices.Compact(m.Left)
	}
	return m
}

// alone says for one Job by itself what the planner says of two.
var alone = map[mirror.StatusOutcome]string{
	mirror.Copied:      "the status is written with these changes",
	mirror.InSync:      "there is nothing to change",
	mirror.Terminating: "the Job has finished, but not all its pods are gone",
	mirror.Invalid:     "what to do stands with each finding",
}

// words says what a change of one Job by itself is, without the second Job that the planner sees, in which
// nothing is set.
func (c toMend) words(why string) string {
	if c.alone {
		why = strings.NewReplacer("held at the local value", "left out", "the mirror", "the Job").Replace(why)
	}
	return why
}

// meet compares a mend with the Job as it is now: by which rules it cannot be mended any more, and whether
// the Job can still be written as it is.
func (m *mend) meet(job *batchv1.Job, releases []jobmanagedby.Release) {
	if m.Status == nil {
		return
	}
	var asked []jobmanagedby.Release
	for _, r := range releases {
		if slices.Contains(m.Releases, r.String()) {
			asked = append(asked, r)
		}
	}
	v := statusvalidate.ForAll(asked...)
	m.TooLate = v.Broken(statusvalidate.Change{Old: job, New: &batchv1.Job{Status: *m.Status}})
	m.stuck = v.Broken(statusvalidate.Change{Old: job, New: job})
}
