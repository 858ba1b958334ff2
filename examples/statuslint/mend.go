package main

import (
	"reflect"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// mends asks the planner what to write instead, for all releases at once, or for each where nothing
// suits all of them. It is nothing if there is nothing to change.
func mends(c statusvalidate.Change, releases []jobmanagedby.Release, now time.Time, refused bool) (list []mend) {
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
func mendsOfEach(c statusvalidate.Change, releases []jobmanagedby.Release, now time.Time) (list []mend) {
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

func mendFor(c statusvalidate.Change, releases []jobmanagedby.Release, now time.Time) mend {
	v := statusvalidate.ForAll(releases...)
	opts := mirror.StatusOptions{Validator: v, Now: metav1.NewTime(now)}
	plan := mirror.ProjectStatus(mirror.Pair{Local: c.Old, Remote: asSent(c)}, opts)
	m := mend{Releases: names(releases), Outcome: plan.Outcome, Why: plan.Why, Status: plan.Status, Changes: []change{}}
	for _, a := range plan.Adjustments {
		m.Changes = append(m.Changes, change{Field: a.Field, Rule: a.Rule, Why: a.Why})
	}
	if plan.Status != nil {
		for _, f := range v.Lint(&batchv1.Job{Spec: c.Old.Spec, Status: *plan.Status}) {
			m.Left = append(m.Left, string(f.Rule))
		}
		m.Left = slices.Compact(m.Left)
	}
	return m
}

// tooLate finds the rules by which a Job, as it is now, cannot be mended any more.
func (m mend) tooLate(job *batchv1.Job, releases []jobmanagedby.Release) (rules []statusvalidate.Rule) {
	if m.Status == nil {
		return nil
	}
	var asked []jobmanagedby.Release
	for _, r := range releases {
		if slices.Contains(m.Releases, r.String()) {
			asked = append(asked, r)
		}
	}
	return statusvalidate.ForAll(asked...).Broken(statusvalidate.Change{Old: job, New: &batchv1.Job{Status: *m.Status}})
}
