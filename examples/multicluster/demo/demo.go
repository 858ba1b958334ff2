// Package demo runs a dozen Jobs on a management cluster and two workers, and shows what becomes of them.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
	"github.com/managedby-dev/managedby/mirror"
)

// Options of the demonstration.
type Options struct {
	Management, Worker string // releases
	Terminal           bool   // out is one
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
	screen := &screen{out: out, terminal: o.Terminal, started: time.Now()}
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
	fleet *fleet.Fleet
	admin client.Client

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

// play creates the Jobs, and lets happen to them what has to happen, until all have ended.
func (s *stage) play(ctx context.Context, screen *screen, stories []story) error {
	if err := s.takeName(ctx); err != nil {
		return err
	}
	for _, story := range stories {
		if err := s.admin.Create(ctx, story.job()); err != nil {
			return fmt.Errorf("%s: %w", story.name, err)
		}
	}
	turned := make([]bool, len(stories))
	rows := make([]row, len(stories))
	for {
		ended := 0
		for i, story := range stories {
			if err := s.look(ctx, story, &rows[i], &turned[i]); err != nil {
				return fmt.Errorf("%s: %w", story.name, err)
			}
			if rows[i].end() == story.ends {
				ended++
			}
		}
		screen.show(rows)
		if ended == len(stories) {
			return s.summary(ctx, screen)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d Jobs have not ended as they should: %w", len(stories)-ended, len(stories), ctx.Err())
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// look updates the row of a Job, and gives its story a turn when it is time.
func (s *stage) look(ctx context.Context, story story, r *row, turned *bool) error {
	job := story.job()
	key := client.ObjectKeyFromObject(job)
	if err := s.admin.Get(ctx, key, job); apierrors.IsNotFound(err) {
		r.gone = true
		return nil
	} else if err != nil {
		return err
	}
	s.mu.Lock()
	told := s.outcomes[key]
	s.mu.Unlock()
	*r = rowOf(job, told.worker, told.outcome, time.Now())
	if story.turn == nil || *turned || !story.when(*r) {
		return nil
	}
	err := story.turn(ctx, s.admin, job)
	*turned = err == nil
	if apierrors.IsConflict(err) {
		return nil // the dispatcher was faster; next time
	}
	return err
}

// takeName creates a Job on worker B that is nobody's mirror.
func (s *stage) takeName(ctx context.Context) error {
	worker, err := client.New(s.fleet.Workers[1].Config("admin"), client.Options{})
	if err != nil {
		return err
	}
	return worker.Create(ctx, jobs.New(takenName, jobs.Forever, jobs.Unmanaged))
}

// summary waits for the mirrors to be gone, and says so.
func (s *stage) summary(ctx context.Context, screen *screen) error {
	took := time.Since(screen.started)
	for _, w := range s.fleet.Workers {
		worker, err := client.New(w.Config("admin"), client.Options{})
		if err != nil {
			return err
		}
		for {
			mirrors := &batchv1.JobList{}
			if err := worker.List(ctx, mirrors, client.HasLabels{"dispatcher.example.com/mirror-origin"}); err != nil {
				return err
			}
			if len(mirrors.Items) == 0 {
				break
			}
			select {
			case <-ctx.Done():
				return errors.New(w.Name + " still has mirrors")
			case <-time.After(250 * time.Millisecond):
			}
		}
	}
	fmt.Fprintf(screen.out, "\nAll Jobs have ended as they should after %.1fs, and no worker has a mirror left. The Job %q waits in\n"+
		"Conflict, because a Job of its name on %s is somebody else's: it was not touched.\n", took.Seconds(), takenName, workerB)
	return nil
}
