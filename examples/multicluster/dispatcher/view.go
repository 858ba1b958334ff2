package dispatcher

import (
	"context"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
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
	v.local = local(ctx, key) // behind the workers: see mirror.State
	if v.local.Job != nil && len(r.Workers) > 0 {
		dispatch, err := r.Workers[0].Planner().DispatchOf(v.local.Job)
		v.sent, v.lost = dispatch.Worker, err != nil
		v.wanted = place(v.local.Job, v.sent, r.Workers)
	}
	return v
}

// lookLive returns the view with what a plan for the worker asks to be read from the API servers. Which
// worker is wanted stays as it was.
func (r *Reconciler) lookLive(ctx context.Context, key types.NamespacedName, v view, i int, read mirror.Read) view {
	mirrors := slices.Clone(v.mirrors)
	for j, w := range r.Workers {
		if read.Mirror && i == j || read.Elsewhere && i != j && v.mayHave(j) {
			mirrors[j] = w.Live(ctx, key)
		}
	}
	v.mirrors = mirrors
	if read.Local {
		v.local = r.Management.Live(ctx, key)
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
