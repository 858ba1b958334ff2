// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/mirror"
)

// releasePair is a management cluster and its workers.
type releasePair struct{ management, worker string }

// releasePairs are those that the suite uses.
func releasePairs() []releasePair {
	pairs := []releasePair{{cluster.Newest, cluster.Newest}, {cluster.Newest, "1.30.14"}}
	if testing.Short() {
		return pairs
	}
	return append(pairs, releasePair{"1.32.13", cluster.Newest})
}

// running is a dispatcher that works until the test ends.
type running struct {
	*dispatcher.Dispatcher
	mu    sync.Mutex
	plans map[string]int // by outcome and actions
}

func run(t *testing.T, f *fleet.Fleet, change func(*dispatcher.Options), prepare ...func(*dispatcher.Dispatcher)) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	o := dispatcher.Options{
		Workers: map[string]*rest.Config{}, MetricsAddress: "0", HealthAddress: "0", Registry: prometheus.NewRegistry(),
		Policy: mirror.Policy{ExclusiveOrigin: true},
	}
	var err error
	o.Management, err = fleet.DispatcherConfig(ctx, f.Management)
	must(t, err)
	for _, w := range f.Workers {
		o.Workers[w.Name], err = fleet.DispatcherConfig(ctx, w)
		must(t, err)
	}
	if change != nil {
		change(&o)
	}
	d, err := dispatcher.New(ctx, o)
	must(t, err)
	r := &running{Dispatcher: d, plans: map[string]int{}}
	d.Reconciler.Report.Listen = func(_ *batchv1.Job, _ string, plan mirror.Plan) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.plans[short(plan)]++
	}
	for _, p := range prepare {
		p(d)
	}
	done := make(chan error, 1)
	go func() { done <- d.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the dispatcher ended: %v", err)
		}
	})
	return r
}

// createAll creates Jobs that are removed when the test ends.
func createAll(t *testing.T, c client.Client, all ...*batchv1.Job) {
	t.Helper()
	h := &hand{t: t}
	for _, job := range all {
		h.create(c, job)
	}
}

func finished(job *batchv1.Job) bool {
	return is(batchv1.JobComplete)(job) || is(batchv1.JobFailed)(job)
}

// waitMirrorsGone waits until a worker has no mirrors of an origin.
func waitMirrorsGone(t *testing.T, c client.Client, d *dispatcher.Dispatcher, patience time.Duration) {
	t.Helper()
	eventually(t, patience, "no mirrors are left", func() bool {
		mirrors := &batchv1.JobList{}
		must(t, c.List(t.Context(), mirrors, client.MatchingLabelsSelector{Selector: d.Planner.Selector()}))
		return len(mirrors.Items) == 0
	})
}
