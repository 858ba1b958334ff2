// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"cmp"
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/mirror"
)

// Sighting is what was seen of a Job: a nil Job that is Known is not there.
type Sighting struct {
	Job         *batchv1.Job
	Known, Live bool
}

func (s Sighting) observation() mirror.Observation {
	switch {
	case !s.Known:
		return mirror.Observation{}
	case s.Live:
		return mirror.Live(s.Job)
	default:
		return mirror.Cached(s.Job)
	}
}

// view is what was seen of a Job in all clusters.
type view struct {
	key     types.NamespacedName
	local   Sighting
	mirrors []Sighting // of the Reconciler's Workers
	names   []string
	sent    string // the worker in the dispatch record
	lost    bool   // the record cannot be read, so that every worker may have the mirror
	wanted  string
}

// noSuchWorker reports whether the Job is to run on a worker that is not there, so that nothing is done for it.
func (v view) noSuchWorker() bool {
	return v.wanted != "" && !slices.Contains(v.names, v.wanted) && !isFinished(v.local.Job)
}

func isFinished(job *batchv1.Job) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue
	})
}

func (r *Reconciler) look(ctx context.Context, key types.NamespacedName) view {
	local := r.Management.Cached
	if r.AlwaysLive {
		local = r.Management.Live
	}
	v := view{key: key}
	for _, w := range r.Workers {
		read := w.Cached
		if r.AlwaysLive {
			read = w.Live
		}
		v.names = append(v.names, w.Name)
		v.mirrors = append(v.mirrors, read(ctx, key)) // Policy.Target is not used, so the mirror has the same name
	}
	return r.withLocal(v, local(ctx, key)) // behind the workers: see mirror.State
}

// withLocal returns the view with what was seen of the local Job, and with what follows from it. A worker that was
// chosen before stays the choice as long as the Job does not say otherwise.
func (r *Reconciler) withLocal(v view, local Sighting) view {
	v.local = local
	if local.Job == nil || len(r.Workers) == 0 {
		return v
	}
	dispatch, err := r.Workers[0].Planner().DispatchOf(local.Job)
	v.sent, v.lost = dispatch.Worker, err != nil
	v.wanted = place(local.Job, cmp.Or(v.sent, v.wanted), r.Workers)
	return v
}

// lookLive returns the view with what a plan for the worker asks to be read from the API servers. A cache that is
// behind may not know where the Job was sent.
func (r *Reconciler) lookLive(ctx context.Context, key types.NamespacedName, v view, i int, read mirror.Read) view {
	mirrors := slices.Clone(v.mirrors)
	for j, w := range r.Workers {
		if read.Mirror && i == j || read.Elsewhere && i != j && v.mayHave(j) {
			mirrors[j] = w.Live(ctx, key)
		}
	}
	v.mirrors = mirrors
	if read.Local {
		v = r.withLocal(v, r.Management.Live(ctx, key))
	}
	return v
}

// mayHave reports whether the Job may have been sent to a worker. Before every create the dispatch record
// names the worker, and it is another only after the mirror was seen to be gone.
func (v view) mayHave(i int) bool {
	return v.lost || v.sent == v.names[i] || v.mirrors[i].Job != nil
}

// concerns reports whether a plan is to be made for a worker. For a Job that is nowhere and not to be
// anywhere the first one does.
func (v view) concerns(i int) bool {
	if v.mayHave(i) || v.wanted == v.names[i] {
		return true
	}
	return i == 0 && v.local.Job != nil && !v.others(0)
}

func (v view) others(i int) bool {
	for j := range v.names {
		if j != i && (v.mayHave(j) || v.wanted == v.names[j]) {
			return true
		}
	}
	return false
}

func (v view) state(i int) mirror.State {
	return mirror.State{
		Key: v.key, Local: v.local.observation(), Mirror: v.mirrors[i].observation(), Elsewhere: v.elsewhere(i),
		Worker: v.names[i], Wanted: v.wanted == v.names[i], Now: metav1.Now(),
	}
}

func (v view) elsewhere(i int) mirror.Others {
	var others []mirror.Observation
	known := v.sent == ""
	for j, name := range v.names {
		known = known || v.sent == name
		if j != i && v.mayHave(j) {
			others = append(others, v.mirrors[j].observation())
		}
	}
	if !known {
		return mirror.Others{} // it was sent to a worker that is not there any more
	}
	return mirror.OtherWorkers(others...)
}
