// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// Controller is the spec.managedBy of the Jobs that are ours by default.
const Controller = "dispatcher.example.com/multicluster"

// Lease is the name of the lease that the copies of the program compete for.
const Lease = "dispatcher.example.com"

// Options say what to serve, and how.
type Options struct {
	Management *rest.Config
	Workers    map[string]*rest.Config // by name, which the dispatch records keep

	// Policy is that of the library. Controller, Origin, Management and Worker are filled in where
	// they are empty.
	Policy mirror.Policy

	// ManagementGate is how the management cluster sets the JobManagedBy gate, nil for its default.
	ManagementGate *bool

	MetricsAddress, HealthAddress string // "0": none
	LeaderElection                bool
	LeaderElectionNamespace       string
	LeaseDuration                 time.Duration // zero: 15 s
	Concurrency                   int           // zero: 4

	// Registry is for the metrics; nil is the one that MetricsAddress serves.
	Registry prometheus.Registerer
}

// Dispatcher is a program that is ready to start.
type Dispatcher struct {
	Reconciler *Reconciler
	Planner    *mirror.Planner // knows no worker's release
	manager    manager.Manager
}

// New checks the clusters and prepares everything. Nothing is changed in any of them.
func New(ctx context.Context, o Options) (*Dispatcher, error) {
	if _, err := mirror.New(withDefaults(o.Policy, management{uid: "any"})); err != nil {
		return nil, err // whatever the clusters are
	}
	needed := managementRights
	if o.LeaderElection {
		needed = append(slices.Clone(needed), leaseRights(o.LeaderElectionNamespace)...)
	}
	found, err := checkManagement(ctx, o.Management, o.ManagementGate, needed)
	if err != nil {
		return nil, err
	}
	policy := withDefaults(o.Policy, found)
	planner, err := mirror.New(policy)
	if err != nil {
		return nil, err
	}
	mgr, err := newManager(o)
	if err != nil {
		return nil, err
	}
	r := &Reconciler{Management: NewCluster(mgr.GetClient(), mgr.GetClient(), mgr.GetAPIReader(), func() bool { return true })}
	for _, name := range slices.Sorted(maps.Keys(o.Workers)) {
		if err := checkWorker(ctx, name, o.Workers[name]); err != nil {
			return nil, err
		}
		worker, err := NewWorker(name, o.Workers[name], policy)
		if err != nil {
			return nil, err
		}
		r.Workers = append(r.Workers, worker)
	}
	registry := o.Registry
	if registry == nil {
		registry = metrics.Registry
	}
	if r.Report, err = NewReport(registry, slices.Sorted(maps.Keys(o.Workers))); err != nil {
		return nil, err
	}
	r.Report.Events = mgr.GetEventRecorder("dispatcher")
	return &Dispatcher{Reconciler: r, Planner: planner, manager: mgr}, addController(mgr, r, policy.Controller, o.Concurrency)
}

func leaseRights(namespace string) []right {
	all := rights("coordination.k8s.io", "leases", "", "get", "create", "update")
	for i := range all {
		all[i].namespace = namespace
	}
	return all
}

func withDefaults(policy mirror.Policy, found management) mirror.Policy {
	if policy.Controller == "" {
		policy.Controller = Controller
	}
	if policy.Origin == "" {
		policy.Origin = found.uid
	}
	if policy.DropKey == nil {
		policy.DropKey = func(key, _ string) bool { return key == WorkerAnnotation } // nobody's business but ours
	}
	if len(policy.Management) == 0 {
		policy.Management = []jobmanagedby.Release{found.release}
	}
	return policy
}

func newManager(o Options) (manager.Manager, error) {
	lease := cmp.Or(o.LeaseDuration, 15*time.Second)
	mgr, err := ctrl.NewManager(o.Management, ctrl.Options{
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&batchv1.Job{}: {Transform: cache.TransformStripManagedFields()},
		}},
		Metrics:                       metricsserver.Options{BindAddress: o.MetricsAddress},
		HealthProbeBindAddress:        o.HealthAddress,
		LeaderElection:                o.LeaderElection,
		LeaderElectionID:              Lease,
		LeaderElectionNamespace:       o.LeaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &lease,
		RenewDeadline:                 ptr.To(lease * 2 / 3),
		RetryPeriod:                   ptr.To(lease / 8),
	})
	if err != nil {
		return nil, err
	}
	return mgr, errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping))
}

// addController watches the Jobs that are ours, and the mirrors on each worker by our label. A worker is no
// part of the manager's caches, whose start would wait for it.
func addController(mgr manager.Manager, r *Reconciler, name string, concurrency int) error {
	isOurs := func(object client.Object) bool {
		job, ok := object.(*batchv1.Job)
		return ok && jobmanagedby.IsManagedBy(job, name)
	}
	locals := func(ctx context.Context) []reconcile.Request { return requests(ctx, mgr.GetClient(), isOurs) }
	b := ctrl.NewControllerManagedBy(mgr).
		For(&batchv1.Job{}, builder.WithPredicates(predicate.NewPredicateFuncs(isOurs))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: cmp.Or(concurrency, 4), SkipNameValidation: ptr.To(true), // one process may have several
		})
	for _, worker := range r.Workers {
		b = b.WatchesRawSource(worker.Source(locals))
		if err := mgr.Add(manager.RunnableFunc(worker.Start)); err != nil {
			return err
		}
	}
	return b.Complete(r)
}

// requests are for the Jobs that are ours.
func requests(ctx context.Context, from client.Reader, isOurs func(client.Object) bool) []reconcile.Request {
	jobs := &batchv1.JobList{}
	if err := from.List(ctx, jobs); err != nil {
		return nil
	}
	var all []reconcile.Request
	for i := range jobs.Items {
		if isOurs(&jobs.Items[i]) {
			all = append(all, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&jobs.Items[i])})
		}
	}
	return all
}

// Start runs until the context ends.
func (d *Dispatcher) Start(ctx context.Context) error { return d.manager.Start(ctx) }

// Once takes one step for every Job there is, and for every mirror, reading from the API servers. What fails for
// one does not stop the others.
func (d *Dispatcher) Once(ctx context.Context) error {
	d.Reconciler.AlwaysLive = true
	keys, err := d.everything(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for key := range keys {
		if _, err := d.Reconciler.Reconcile(ctx, key); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
	}
	return errors.Join(errs...)
}

func (d *Dispatcher) everything(ctx context.Context) (map[reconcile.Request]bool, error) {
	keys := map[reconcile.Request]bool{}
	jobs := &batchv1.JobList{}
	if err := d.manager.GetAPIReader().List(ctx, jobs); err != nil {
		return nil, err
	}
	for i := range jobs.Items {
		if job := &jobs.Items[i]; jobmanagedby.IsManagedBy(job, d.Reconciler.Workers[0].policy.Controller) {
			keys[reconcile.Request{NamespacedName: client.ObjectKeyFromObject(job)}] = true
		}
	}
	for _, worker := range d.Reconciler.Workers {
		worker.Probe(ctx)
		mirrors := &batchv1.JobList{}
		if err := worker.cluster.GetAPIReader().List(ctx, mirrors, client.MatchingLabelsSelector{Selector: d.Planner.Selector()}); err != nil {
			continue // a worker that is down does not stop the others
		}
		for i := range mirrors.Items {
			if key, _, ok := d.Planner.LocalOf(&mirrors.Items[i]); ok {
				keys[reconcile.Request{NamespacedName: key}] = true
			}
		}
	}
	return keys, nil
}
