// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

// create makes Jobs of which some fail, and that take from one to six seconds.
func (w *faultWorld) create(c client.Client, prefix string, n int) {
	inParallel(n, 8, func(i int) {
		job := jobs.New(fmt.Sprintf("%s-%d", prefix, i), jobs.Runs(fmt.Sprintf("%dms", 1000+5000*i/n)), jobs.BackoffLimit(0))
		job.Labels = map[string]string{"round": prefix}
		if i%5 == 0 {
			jobs.Exits("1")(job)
		}
		if err := c.Create(w.t.Context(), job); err != nil {
			w.t.Error(err)
		}
	})
}

func (w *faultWorld) list(c client.Client, prefix string) []batchv1.Job {
	list := &batchv1.JobList{}
	if err := c.List(context.Background(), list, client.InNamespace(fleet.Namespace), client.MatchingLabels{"round": prefix}); err != nil {
		return nil
	}
	return list.Items
}

// unfinished takes all for unfinished while the cluster does not answer.
func (w *faultWorld) unfinished(c client.Client, prefix string) int {
	all := w.list(c, prefix)
	if all == nil {
		return 1 << 30
	}
	n := 0
	for i := range all {
		if !finished(&all[i]) {
			n++
		}
	}
	return n
}

// twice counts the Jobs that had more than one mirror, on any worker, and says what happened to one of them.
func (w *faultWorld) twice(marks map[*cluster.Cluster]int64, prefix string) int {
	mirrors, story := map[string]int{}, map[string][]string{}
	for c, mark := range marks {
		for _, call := range callsSince(w.t, c, mark) {
			name := call.ObjectRef.Name
			if !strings.HasPrefix(name, prefix+"-") || call.ObjectRef.Resource != "jobs" {
				continue
			}
			story[name] = append(story[name], fmt.Sprintf("%s %s: %s %d", call.RequestReceivedTimestamp, c.Name, call.name(), call.ResponseStatus.Code))
			if call.Verb == "create" && call.ResponseStatus.Code == 201 {
				mirrors[name]++
			}
		}
	}
	n := 0
	for name, count := range mirrors {
		if count < 2 {
			continue
		}
		if n++; n == 1 {
			slices.Sort(story[name])
			w.t.Logf("%s had %d mirrors:\n%s", name, count, strings.Join(story[name], "\n"))
		}
	}
	return n
}

// differing counts the Jobs whose verdict is not that of their mirror, or not the one that the pods had.
func (w *faultWorld) differing(management client.Client, prefix string, n int) int {
	mirrors := map[string]string{}
	for _, worker := range w.fleet.Workers {
		for _, job := range w.list(admin(w.t, worker), prefix) {
			mirrors[job.Name] = string(terminal(&job))
		}
	}
	lost := n
	for _, job := range w.list(management, prefix) {
		want := batchv1.JobComplete
		if job.Spec.Template.Annotations[cluster.ExitCode] != "" {
			want = batchv1.JobFailed
		}
		if got := terminal(&job); got == want && mirrors[job.Name] == string(want) {
			lost--
		} else {
			w.t.Logf("%s is %q, its mirror %q, want %q: %+v", job.Name, got, mirrors[job.Name], want, job.Status)
		}
	}
	return lost
}

func terminal(job *batchv1.Job) batchv1.JobConditionType {
	for _, c := range job.Status.Conditions {
		if c.Status == "True" && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
			return c.Type
		}
	}
	return ""
}

// left counts local Jobs and mirrors.
func (w *faultWorld) left(management client.Client, prefix string) int {
	n := len(w.list(management, prefix))
	for _, worker := range w.fleet.Workers {
		n += len(w.list(admin(w.t, worker), prefix))
	}
	return n
}

// inParallel calls do for each number below n.
func inParallel(n, at int, do func(int)) {
	var wait sync.WaitGroup
	next := make(chan int)
	for range at {
		wait.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}
