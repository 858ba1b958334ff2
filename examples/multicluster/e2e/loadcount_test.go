// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

// countStatuses watches the workers, and answers how many different statuses each mirror had.
func countStatuses(t *testing.T, f *fleet.Fleet) func() map[string]int {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	var mu sync.Mutex
	seen := map[string]map[string]bool{}
	var done sync.WaitGroup
	for _, worker := range f.Workers {
		c, err := client.NewWithWatch(worker.Config("kubelet"), client.Options{})
		must(t, err)
		watch, err := c.Watch(ctx, &batchv1.JobList{}, client.InNamespace(fleet.Namespace))
		must(t, err)
		done.Go(func() {
			defer watch.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case event, ok := <-watch.ResultChan():
					job, isJob := event.Object.(*batchv1.Job)
					if !ok || !isJob {
						return
					}
					text, _ := json.Marshal(job.Status)
					mu.Lock()
					if seen[job.Name] == nil {
						seen[job.Name] = map[string]bool{}
					}
					seen[job.Name][string(text)] = true
					mu.Unlock()
				}
			}
		})
	}
	return func() map[string]int {
		cancel()
		done.Wait()
		count := map[string]int{}
		for name, texts := range seen {
			count[name] = len(texts)
		}
		return count
	}
}

// resident is the memory of a process on Linux, zero elsewhere.
func resident(t *testing.T, p *program) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	must(t, err)
	return kilobytes << 10
}

// bareCalls makes the calls that a dispatcher has to make for Jobs, with no Jobs that run: what the API servers
// take for them.
func bareCalls(t *testing.T, f *fleet.Fleet, prefix string, n, statusWrites int) time.Duration {
	t.Helper()
	management, worker, ctx := admin(t, f.Management), admin(t, f.Workers[0]), t.Context()
	merge := func(text string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(text)) }
	started := time.Now()
	inParallel(n, 8, func(i int) {
		name := fmt.Sprintf("bare-%s-%d", prefix, i)
		local, mirror := jobs.New(name, jobs.Suspend(true)), jobs.New(name, jobs.Unmanaged, jobs.Suspend(true))
		steps := []func() error{
			func() error { return management.Create(ctx, local) },
			func() error {
				return management.Patch(ctx, local, merge(`{"metadata":{"finalizers":["example.com/f"]}}`))
			},
			func() error { return management.Patch(ctx, local, merge(`{"metadata":{"annotations":{"a":"b"}}}`)) },
			func() error { return worker.Create(ctx, mirror) },
		}
		for k := range statusWrites {
			steps = append(steps, func() error {
				return management.Status().Patch(ctx, local, merge(fmt.Sprintf(`{"status":{"active":%d}}`, k+1)))
			})
		}
		steps = append(steps,
			func() error {
				return worker.Delete(ctx, mirror, client.PropagationPolicy(metav1.DeletePropagationBackground))
			},
			func() error { return management.Patch(ctx, local, merge(`{"metadata":{"finalizers":null}}`)) },
			func() error {
				return management.Delete(ctx, local, client.PropagationPolicy(metav1.DeletePropagationBackground))
			},
		)
		for _, step := range steps {
			if err := step(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	return time.Since(started)
}
