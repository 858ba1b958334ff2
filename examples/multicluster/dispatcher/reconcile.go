// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/managedby-dev/managedby/mirror"
)

// movedOn is when to look again after a write that was refused because the world has moved on.
const movedOn = time.Second

// Reconciler runs the Jobs of the management cluster on the workers.
type Reconciler struct {
	Management Cluster
	Workers    []*Worker
	Report     Report

	// AlwaysLive makes it read everything from the API servers, for a program without caches.
	AlwaysLive bool
}

// Cluster is how one cluster is read and written.
type Cluster struct {
	client.Writer
	Status client.SubResourceWriter
	Cached func(context.Context, types.NamespacedName) Sighting
	Live   func(context.Context, types.NamespacedName) Sighting
}

// Reconcile takes the next step for a Job, on each of the workers that have to do with it. A step that
// writes is the last one: what it wrote brings an event, and that the next step.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	seen := r.look(ctx, req.NamespacedName)
	if seen.noSuchWorker() {
		r.Report.NoSuchWorker(ctx, seen.local.Job, seen.wanted)
	}
	var result reconcile.Result
	for i := range r.Workers {
		if !seen.concerns(i) {
			continue
		}
		again, acted, err := r.step(ctx, req.NamespacedName, seen, i)
		if err != nil {
			return reconcile.Result{}, err
		}
		if again > 0 && (result.RequeueAfter == 0 || again < result.RequeueAfter) {
			result.RequeueAfter = again
		}
		if acted {
			break
		}
	}
	return result, nil
}

// step decides what to do on one worker, and does it.
func (r *Reconciler) step(ctx context.Context, key types.NamespacedName, seen view, i int) (again time.Duration, acted bool, err error) {
	worker := r.Workers[i]
	plan := worker.Planner().Decide(seen.state(i))
	for range 3 { // a live read may show something that asks for another
		if !asksLive(plan) {
			break
		}
		seen = r.lookLive(ctx, key, seen, i, plan.Actions[0].Read)
		plan = worker.Planner().Decide(seen.state(i))
	}
	if asksLive(plan) {
		return movedOn, true, nil
	}
	r.Report.Plan(ctx, seen.local.Job, worker.Name, plan)
	for _, action := range plan.Actions {
		err := r.carryOut(ctx, worker, action)
		r.Report.Action(ctx, seen.local.Job, worker.Name, action, err)
		if action.Tolerates(apierrors.ReasonForError(err)) {
			return movedOn, true, nil
		} else if err != nil {
			return 0, true, err
		}
	}
	again = plan.RequeueAfter
	if len(plan.Actions) > 0 && seen.others(i) {
		again = movedOn
	}
	return again, len(plan.Actions) > 0, nil
}

func asksLive(plan mirror.Plan) bool {
	return len(plan.Actions) > 0 && plan.Actions[0].Kind == mirror.ReadLive
}

func (r *Reconciler) carryOut(ctx context.Context, worker *Worker, action mirror.Action) error {
	cluster := r.Management
	if action.OnWorker() {
		cluster = worker.Cluster
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: action.Object.Namespace, Name: action.Object.Name}}
	switch action.Kind {
	case mirror.CreateMirror:
		created := action.Job.DeepCopy()
		if err := cluster.Create(ctx, created); err != nil {
			return err
		}
		r.Report.Lost(ctx, worker.Name, mirror.Lost(action.Job, created))
		return nil
	case mirror.DeleteMirror:
		options := action.DeleteOptions()
		return cluster.Delete(ctx, job, &client.DeleteOptions{
			Preconditions: options.Preconditions, PropagationPolicy: options.PropagationPolicy,
		})
	default:
		patch := client.RawPatch(action.PatchType, action.Patch)
		if action.Subresource == "status" {
			return cluster.Status.Patch(ctx, job, patch)
		}
		return cluster.Patch(ctx, job, patch)
	}
}
