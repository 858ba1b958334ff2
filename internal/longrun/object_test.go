// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// checkAsObjects sees that DecideObject plans the same for the same Jobs.
func (l *life) checkAsObjects(v view, s mirror.State, plan mirror.Plan) {
	kind, ok := jobmanagedby.ForVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
	if !ok {
		panic("Jobs are a kind")
	}
	s.Local, s.Mirror, s.Elsewhere = v.local.asObject(), v.here.asObject(), mirror.OtherWorkers(observations(v.elsewhere, seen.asObject)...)
	other := l.planner.DecideObject(kind, s)
	if other.String() != plan.String() {
		l.violate("DecideObject: %s; Decide: %s", other, plan)
		return
	}
	for i, a := range other.Actions {
		if string(a.Patch) != string(plan.Actions[i].Patch) {
			l.violate("DecideObject patches %s; Decide %s", a.Patch, plan.Actions[i].Patch)
		}
	}
}

// observations are what is seen of several workers.
func observations(all []seen, as func(seen) mirror.Observation) []mirror.Observation {
	list := make([]mirror.Observation, 0, len(all))
	for _, s := range all {
		list = append(list, as(s))
	}
	return list
}

// asObject is the observation of the same Job for DecideObject.
func (s seen) asObject() mirror.Observation {
	switch {
	case !s.known:
		return mirror.Observation{}
	case s.live:
		return mirror.LiveObject(unstructuredOf(s.job))
	default:
		return mirror.CachedObject(unstructuredOf(s.job))
	}
}

func unstructuredOf(job *batchv1.Job) *unstructured.Unstructured {
	if job == nil {
		return nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(job)
	if err != nil {
		panic(err) // it is a Job
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(batchv1.SchemeGroupVersion.WithKind("Job"))
	return u
}
