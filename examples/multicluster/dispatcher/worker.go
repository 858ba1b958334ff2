// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/managedby-dev/managedby/mirror"
)

const (
	probeInterval = 3 * time.Second // how often a worker is asked whether it answers
	probeTimeout  = 3 * time.Second
	startPatience = 5 * time.Second // how long the start waits for a worker
)

// Worker is a cluster that runs mirrors. It need not answer when the program starts, nor later.
type Worker struct {
	Cluster
	Name string

	cluster   cluster.Cluster
	informer  cache.Informer
	discovery discovery.DiscoveryInterface
	policy    mirror.Policy
	unprobed  *mirror.Planner // by the policy without the worker's release
	planner   atomic.Pointer[mirror.Planner]
	up        atomic.Bool
	probed    bool // at least once
	load      atomic.Int64
	wake      chan struct{} // the worker can be seen, and could not before
}

// NewWorker does not talk to the worker.
func NewWorker(name string, config *rest.Config, policy mirror.Policy) (*Worker, error) {
	planner, err := mirror.New(policy)
	if err != nil {
		return nil, err
	}
	w := &Worker{Name: name, policy: policy, unprobed: planner, wake: make(chan struct{}, 1)}
	w.cluster, err = cluster.New(config, func(o *cluster.Options) {
		o.MapperProvider = jobMapper
		o.Cache = cache.Options{ByObject: map[client.Object]cache.ByObject{&batchv1.Job{}: {
			Label: planner.Selector(), Transform: cache.TransformStripManagedFields(),
		}}}
	})
	if err != nil {
		return nil, fmt.Errorf("worker %s: %w", name, err)
	}
	w.Cluster = NewCluster(w.cluster.GetClient(), w.cluster.GetClient(), w.cluster.GetAPIReader(), w.synced)
	probing := rest.CopyConfig(config)
	probing.Timeout = probeTimeout
	if w.discovery, err = discovery.NewDiscoveryClientForConfig(probing); err != nil {
		return nil, fmt.Errorf("worker %s: %w", name, err)
	}
	w.informer, err = w.cluster.GetCache().GetInformer(context.Background(), &batchv1.Job{}, cache.BlockUntilSynced(false))
	return w, err
}

// jobMapper knows Jobs without asking the API server, which may not answer yet.
func jobMapper(*rest.Config, *http.Client) (meta.RESTMapper, error) {
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{batchv1.SchemeGroupVersion})
	mapper.Add(batchv1.SchemeGroupVersion.WithKind("Job"), meta.RESTScopeNamespace)
	return mapper, nil
}

// NewCluster is a Cluster of controller-runtime's clients. The cache counts only while synced says so.
func NewCluster(writer client.Client, cached, live client.Reader, synced func() bool) Cluster {
	read := func(from client.Reader, isLive bool, known func() bool) func(context.Context, types.NamespacedName) Sighting {
		return func(ctx context.Context, key types.NamespacedName) Sighting {
			if !known() {
				return Sighting{}
			}
			job := &batchv1.Job{}
			switch err := from.Get(ctx, key, job); {
			case apierrors.IsNotFound(err):
				return Sighting{Known: true, Live: isLive}
			case err != nil:
				log.FromContext(ctx).Info("a Job cannot be read", "job", key, "error", err.Error())
				return Sighting{}
			}
			return Sighting{Job: job, Known: true, Live: isLive}
		}
	}
	always := func() bool { return true }
	return Cluster{Writer: writer, Status: writer.Status(), Cached: read(cached, false, synced), Live: read(live, true, always)}
}

// Planner is the one for the worker's release.
func (w *Worker) Planner() *mirror.Planner {
	if planner := w.planner.Load(); planner != nil {
		return planner
	}
	return w.unprobed
}

// Up reports whether the worker has answered the last time it was asked.
func (w *Worker) Up() bool { return w.up.Load() }

// Load is the number of mirrors on the worker, as far as the cache knows.
func (w *Worker) Load() int64 { return w.load.Load() }

func (w *Worker) synced() bool { return w.Up() && w.informer.HasSynced() }

// Start fills the cache and looks after the worker until the context ends.
func (w *Worker) Start(ctx context.Context) error {
	go func() {
		known := false
		for ctx.Err() == nil {
			w.Probe(ctx)
			if w.synced() && !known {
				select {
				case w.wake <- struct{}{}:
				default: // it was not looked at yet
				}
			}
			known = w.synced()
			select {
			case <-ctx.Done():
			case <-time.After(w.patience()):
			}
		}
	}()
	return w.cluster.Start(ctx)
}

// patience is short while the cache is being filled.
func (w *Worker) patience() time.Duration {
	if w.Up() && !w.informer.HasSynced() {
		return 100 * time.Millisecond
	}
	return probeInterval
}

// Probe asks the worker whether it is ready and, if it was not before, which release it is now.
func (w *Worker) Probe(ctx context.Context) {
	wasUp, isFirst := w.Up(), !w.probed
	w.probed = true
	err := w.discovery.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	if err == nil && !wasUp {
		err = w.learnRelease()
	}
	w.up.Store(err == nil)
	switch logger := log.FromContext(ctx); {
	case err == nil && !wasUp:
		logger.Info("the worker answers", "worker", w.Name)
	case err != nil && (wasUp || isFirst):
		logger.Info("the worker does not answer", "worker", w.Name, "error", err.Error())
	}
}

func (w *Worker) learnRelease() error {
	release, err := releaseOf(w.discovery)
	if err != nil {
		return err
	}
	policy := w.policy
	policy.Worker = release
	planner, err := mirror.New(policy)
	if err == nil {
		w.planner.Store(planner)
	}
	return err
}
