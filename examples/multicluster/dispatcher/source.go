// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Source brings an event on a mirror to its local Job. When the worker can be seen, and could not before, all local
// Jobs and all mirrors are looked at: what their events said was not to be believed then.
func (w *Worker) Source(locals func(context.Context) []reconcile.Request) source.Source {
	return &workerSource{worker: w, locals: locals}
}

type workerSource struct {
	worker *Worker
	locals func(context.Context) []reconcile.Request
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Start does not wait for the cache.
func (s *workerSource) Start(ctx context.Context, q queue) error {
	w := s.worker
	_, err := w.informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { w.load.Add(1); w.enqueue(q, object) },
		UpdateFunc: func(_, object any) { w.enqueue(q, object) },
		DeleteFunc: func(object any) { w.load.Add(-1); w.enqueue(q, object) },
	})
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-w.wake:
				for _, request := range s.locals(ctx) {
					q.Add(request)
				}
				w.enqueueMirrors(ctx, q)
			}
		}
	}()
	return err
}

// WaitForSync gives the worker a little time, so that a start looks at most Jobs once. One that is down does not
// stop the others.
func (s *workerSource) WaitForSync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for ctx.Err() == nil && !s.worker.synced() {
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

func (w *Worker) enqueueMirrors(ctx context.Context, q queue) {
	mirrors := &batchv1.JobList{}
	if err := w.cluster.GetCache().List(ctx, mirrors); err != nil {
		return // the context has ended
	}
	for i := range mirrors.Items {
		w.enqueue(q, &mirrors.Items[i])
	}
}

func (w *Worker) enqueue(q queue, object any) {
	if gone, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = gone.Obj
	}
	if job, ok := object.(metav1.Object); ok {
		if key, _, ok := w.unprobed.LocalOf(job); ok {
			q.Add(reconcile.Request{NamespacedName: key})
		}
	}
}
