// SPDX-License-Identifier: Apache-2.0

// Package demo runs a dozen Jobs on a management cluster and two workers, and shows what becomes of them.
package demo

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/mirror"
)

// Options of the demonstration.
type Options struct {
	Management, Worker string // releases
	Width              int    // columns of the terminal that out is; 0: it is none
	SVG                string // a file for the picture
	Patience           time.Duration
}

// Run runs it. It leaves nothing running, however it ends.
func Run(ctx context.Context, out io.Writer, o Options) error {
	started := time.Now()
	f, err := fleet.Start(ctx, out, cluster.Options{Release: o.Management},
		cluster.Options{Name: workerA, Release: o.Worker}, cluster.Options{Name: workerB, Release: o.Worker})
	if err != nil {
		return err
	}
	defer f.Stop()
	fmt.Fprintf(out, "three control planes answer after %.1fs\n", time.Since(started).Seconds())

	ctx, cancel := context.WithTimeout(ctx, o.Patience)
	s := &stage{fleet: f, outcomes: map[client.ObjectKey]told{}}
	stop, err := s.startDispatcher(ctx)
	defer func() { cancel(); stop() }()
	if err != nil {
		return err
	}
	if s.admin, err = client.New(f.Management.Config("admin"), client.Options{}); err != nil {
		return err
	}
	screen := &screen{out: out, width: o.Width, started: time.Now()}
	if o.SVG != "" {
		screen.record = &recording{title: "$ go -C examples/multicluster run . demo"}
	}
	if err := s.play(ctx, screen, stories()); err != nil {
		return err
	}
	if o.SVG != "" {
		return screen.record.write(o.SVG)
	}
	return nil
}

// stage is where it plays.
type stage struct {
	fleet   *fleet.Fleet
	admin   client.Client
	mirrors labels.Selector // of the dispatcher

	mu       sync.Mutex
	outcomes map[client.ObjectKey]told
}

// told is what the dispatcher has last said of a Job.
type told struct{ worker, outcome string }

// startDispatcher returns when it works. Call stop in any case, after the context has ended.
func (s *stage) startDispatcher(ctx context.Context) (stop func(), err error) {
	stop = func() {}
	o := dispatcher.Options{
		Workers: map[string]*rest.Config{}, MetricsAddress: "0", HealthAddress: "0",
		Policy: mirror.Policy{ExclusiveOrigin: true, HoldMirror: true},
	}
	if o.Management, err = fleet.DispatcherConfig(ctx, s.fleet.Management); err != nil {
		return stop, err
	}
	for _, w := range s.fleet.Workers {
		if o.Workers[w.Name], err = fleet.DispatcherConfig(ctx, w); err != nil {
			return stop, err
		}
	}
	d, err := dispatcher.New(ctx, o)
	if err != nil {
		return stop, err
	}
	s.mirrors = d.Planner.Selector()
	d.Reconciler.Report.Listen = s.hear
	done := make(chan error, 1)
	go func() { done <- d.Start(ctx) }()
	return func() { <-done }, nil
}

// hear keeps what the dispatcher says, but not that a worker has nothing to do.
func (s *stage) hear(local *batchv1.Job, worker string, plan mirror.Plan) {
	if local == nil || plan.Outcome == mirror.Idle {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcomes[client.ObjectKeyFromObject(local)] = told{worker, string(plan.Outcome)}
}
