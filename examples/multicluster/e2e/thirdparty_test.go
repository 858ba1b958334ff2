// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

// A local Job with a TTL is deleted after its result has arrived, and its mirror with it.
func TestTTLAfterFinished(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	for _, hold := range []bool{false, true} {
		t.Run(fmt.Sprintf("hold=%v", hold), func(t *testing.T) {
			mark := auditMark(t, f.Workers[0])
			d := run(t, f, func(o *dispatcher.Options) { o.Policy.HoldMirror, o.Policy.KeepTTL = hold, true })
			management, h := admin(t, f.Management), &hand{t: t}
			name := fmt.Sprintf("ttl-%v", hold)
			createAll(t, management, jobs.New(name, jobs.TTL(3), jobs.On(workerA), jobs.Runs("500ms")))
			h.waitIs(management, name, batchv1.JobComplete)
			h.waitGone(management, name)
			waitMirrorsGone(t, admin(t, f.Workers[0]), d.Dispatcher, 10*time.Second)
			if n := creates(callsSince(t, f.Workers[0], mark))[name]; n != 1 {
				t.Errorf("it ran %d times", n)
			}
		})
	}
}

// What has happened while the dispatcher did not run is made up for: the mirror of a Job that is gone goes too.
func TestOrphanAtStart(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	management, worker, h := admin(t, f.Management), admin(t, f.Workers[0]), &hand{t: t}
	t.Run("before", func(t *testing.T) {
		run(t, f, nil)
		must(t, management.Create(t.Context(), jobs.New("orphan-at-start", jobs.On(workerA), jobs.Forever)))
		(&hand{t: t}).waitFor(management, "orphan-at-start", "runs", hasReady(1))
	})
	h.purge(management, "orphan-at-start")
	h.waitGone(management, "orphan-at-start")
	h.get(worker, "orphan-at-start")
	run(t, f, nil)
	h.waitGone(worker, "orphan-at-start")
}

// Somebody deletes every mirror on a worker as soon as it has finished. With HoldMirror each result arrives, and
// no Job runs twice. Without it a result may be lost, and then the Job runs again: this test says how many did.
func TestThirdPartyDeletesFinishedMirrors(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	const n = 20
	for _, hold := range []bool{true, false} {
		t.Run(fmt.Sprintf("hold=%v", hold), func(t *testing.T) {
			mark := auditMark(t, f.Workers[0])
			d := run(t, f, func(o *dispatcher.Options) {
				o.Policy.HoldMirror, o.Policy.KeepFinished, o.Policy.RetryDelay = hold, time.Hour, time.Second
			})
			management, worker, h := admin(t, f.Management), admin(t, f.Workers[0]), &hand{t: t}
			deletions := sweep(t, worker, d.Dispatcher, func(job *batchv1.Job) bool { return finished(job) })
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf("swept-%v-%d", hold, i))
				createAll(t, management, jobs.New(names[i], jobs.On(workerA), jobs.Runs("500ms")))
			}
			for _, name := range names {
				h.waitIs(management, name, batchv1.JobComplete)
			}
			runs := creates(callsSince(t, f.Workers[0], mark))
			twice := 0
			for _, name := range names {
				if runs[name] > 1 {
					twice++
				}
			}
			t.Logf("hold=%v: %d Jobs, %d deletions of finished mirrors, %d Jobs ran again", hold, n, deletions(), twice)
			if hold && twice > 0 {
				t.Errorf("%d Jobs ran again", twice)
			}
		})
	}
}

// Somebody deletes a mirror that runs, in the background: the Job runs again when its pods are gone, with or
// without HoldMirror, and never at the same time with HoldMirror.
func TestThirdPartyDeletesRunningMirrors(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	for _, hold := range []bool{true, false} {
		t.Run(fmt.Sprintf("hold=%v", hold), func(t *testing.T) {
			run(t, f, func(o *dispatcher.Options) { o.Policy.HoldMirror, o.Policy.RetryDelay = hold, time.Second })
			management, worker, h := admin(t, f.Management), admin(t, f.Workers[0]), &hand{t: t}
			name := fmt.Sprintf("interrupted-%v", hold)
			createAll(t, management, jobs.New(name, jobs.On(workerA), jobs.Runs("4s"), jobs.StopsIn("2s")))
			h.waitFor(management, name, "runs", hasReady(1))
			first := h.get(worker, name).UID
			most := watchPods(t, worker, name)
			h.delete(worker, name, background)
			h.waitFor(worker, name, "runs again", func(job *batchv1.Job) bool { return job.UID != first && hasReady(1)(job) })
			h.waitIs(management, name, batchv1.JobComplete)
			pods := most()
			t.Logf("hold=%v: at most %d pods at a time", hold, pods)
			if hold && pods > 1 {
				t.Errorf("%d pods of a Job of one pod at a time", pods)
			}
		})
	}
}

// creates counts the mirrors that were created, by name.
func creates(calls []call) map[string]int {
	count := map[string]int{}
	for _, c := range calls {
		if c.Verb == "create" && c.ObjectRef.Resource == "jobs" && c.ResponseStatus.Code == 201 {
			count[c.ObjectRef.Name]++
		}
	}
	return count
}

// sweep deletes mirrors in the background until the test ends. The answer says how many.
func sweep(t *testing.T, c client.Client, d *dispatcher.Dispatcher, which func(*batchv1.Job) bool) func() int {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var mu sync.Mutex
	n, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			mirrors := &batchv1.JobList{}
			_ = c.List(ctx, mirrors, client.MatchingLabelsSelector{Selector: d.Planner.Selector()})
			for i := range mirrors.Items {
				job := &mirrors.Items[i]
				if job.DeletionTimestamp == nil && which(job) && c.Delete(ctx, job, client.PropagationPolicy(background)) == nil {
					mu.Lock()
					n++
					mu.Unlock()
				}
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	return func() int { mu.Lock(); defer mu.Unlock(); return n }
}

// watchPods looks how many pods of a Job there are, and answers the most that it has seen.
func watchPods(t *testing.T, c client.Client, name string) func() int {
	t.Helper()
	stop, result := make(chan struct{}), make(chan int)
	go func() {
		most := 0
		for {
			select {
			case <-stop:
				result <- most
				return
			case <-time.After(20 * time.Millisecond):
				most = max(most, runningPods(c, name))
			}
		}
	}()
	return func() int { close(stop); return <-result }
}
