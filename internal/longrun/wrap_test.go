// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/mirror"
)

// fault is what is wrong with a controller. The zero fault is nothing.
type fault struct {
	policy   func(*mirror.Policy)        // it goes by another Policy than it should
	see      func(*view)                 // it sees what is not so
	plan     func(view, *mirror.Plan)    // it does something else than was planned
	deletion func(*metav1.DeleteOptions) // it deletes in another way
}

// seeingLocal changes what is seen of the local Job.
func seeingLocal(change func(*batchv1.Job)) fault {
	return fault{see: func(v *view) { v.local = changed(v.local, change) }}
}

// dispatching changes it where a mirror may be created.
func dispatching(change func(*batchv1.Job)) fault {
	return fault{see: func(v *view) {
		if v.here.known && v.here.job == nil && v.local.job != nil && !suspends(v.local.job) {
			v.local = changed(v.local, change)
		}
	}}
}

// changed is what was seen with something that is not so.
func changed(s seen, change func(*batchv1.Job)) seen {
	if s.job != nil {
		s.job = s.job.DeepCopy()
		change(s.job)
	}
	return s
}

// orGone takes what is unknown for gone.
func orGone(s seen) seen {
	if !s.known {
		return seen{known: true, live: true}
	}
	return s
}

// without leaves the actions of one kind out.
func without(kind mirror.ActionKind) fault {
	return fault{plan: func(_ view, p *mirror.Plan) {
		p.Actions = slices.DeleteFunc(p.Actions, func(a mirror.Action) bool { return a.Kind == kind })
	}}
}

// each changes the actions of one kind.
func each(kind mirror.ActionKind, change func(view, *mirror.Action)) fault {
	return fault{plan: func(v view, p *mirror.Plan) {
		for i := range p.Actions {
			if p.Actions[i].Kind == kind {
				change(v, &p.Actions[i])
			}
		}
	}}
}

// by is another Policy.
func by(change func(*mirror.Policy)) fault { return fault{policy: change} }

// withoutVersion takes the precondition out of a patch.
func withoutVersion(_ view, a *mirror.Action) {
	var patch map[string]any
	decode(a.Patch, &patch)
	delete(patch["metadata"].(map[string]any), "resourceVersion")
	a.Patch = encode(patch)
}

// copyBlindly writes the remote status as it is.
func copyBlindly(v view, a *mirror.Action) {
	if v.here.job == nil {
		return
	}
	var patch map[string]any
	decode(a.Patch, &patch)
	patch["status"] = v.here.job.Status
	a.Patch = encode(patch)
}
