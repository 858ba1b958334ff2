// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

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
	turned, rows := make([]bool, len(stories)), make([]row, len(stories))
	for {
		ended, err := s.lookAll(ctx, stories, rows, turned)
		if err != nil {
			return err
		}
		screen.show(rows)
		if ended == len(stories) {
			break
		}
		if err := sleep(ctx); err != nil {
			return fmt.Errorf("%d of %d Jobs have not ended as they should: %w", len(stories)-ended, len(stories), err)
		}
	}
	took := time.Since(screen.started)
	if err := s.waitMirrorsGone(ctx); err != nil {
		return err
	}
	if _, err := s.lookAll(ctx, stories, rows, turned); err != nil {
		return err
	}
	screen.show(rows)
	screen.end(fmt.Sprintf("All Jobs have ended as they should after %.1fs, and no worker has a mirror left. The Job %q waits in", took.Seconds(), takenName),
		fmt.Sprintf("Conflict, because a Job of its name on %s is somebody else's: it was not touched.", workerB))
	return nil
}

// lookAll counts the Jobs that have ended as they should.
func (s *stage) lookAll(ctx context.Context, stories []story, rows []row, turned []bool) (ended int, err error) {
	for i, story := range stories {
		if err := s.look(ctx, story, &rows[i], &turned[i]); err != nil {
			return ended, fmt.Errorf("%s: %w", story.name, err)
		}
		if rows[i].end() == story.ends {
			ended++
		}
	}
	return ended, nil
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

// waitMirrorsGone waits until no worker has a mirror.
func (s *stage) waitMirrorsGone(ctx context.Context) error {
	for _, w := range s.fleet.Workers {
		worker, err := client.New(w.Config("admin"), client.Options{})
		if err != nil {
			return err
		}
		for {
			mirrors := &batchv1.JobList{}
			if err := worker.List(ctx, mirrors, client.MatchingLabelsSelector{Selector: s.mirrors}); err != nil {
				return err
			}
			if len(mirrors.Items) == 0 {
				break
			}
			if err := sleep(ctx); err != nil {
				return fmt.Errorf("%s still has %d mirrors: %w", w.Name, len(mirrors.Items), err)
			}
		}
	}
	return nil
}

func sleep(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(250 * time.Millisecond):
		return nil
	}
}
