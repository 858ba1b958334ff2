// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"flag"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

var loadJobs = flag.Int("load-jobs", 2000, "how many Jobs the load test runs, after a tenth of them; -short takes a tenth")

// What one Job may cost in writes, beside those of its status: the finalizer on and off, the claim, the create
// and the delete. The other limits stand where they are looked at.
const otherWrites = 5

// liveReads is how often one Job is read beside the caches: before its mirror is deleted, and before its finalizer
// is removed.
const liveReads = 2

// The calls per Job do not depend on how many Jobs there are.
func TestLoad(t *testing.T) {
	f := ownFleet(t, cluster.Newest, cluster.Newest)
	n := *loadJobs
	if testing.Short() {
		n /= 10
	}
	var report strings.Builder
	table := tabwriter.NewWriter(&report, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "Jobs\twall time\tbare calls\tstatus writes/Job\tremote statuses/Job\tother writes/Job\tgets/Job\tlists\tconflicts\trefused\tdispatcher RSS")
	var perJob []float64
	for _, jobs := range []int{n / 10, n} {
		r := load(t, f, fmt.Sprintf("load-%d", jobs), jobs)
		per := func(count int) float64 { return float64(count) / float64(jobs) }
		perJob = append(perJob, per(r.statusWrites+r.otherWrites+r.gets))
		fmt.Fprintf(table, "%d\t%.1fs\t%.1fs\t%.2f\t%.2f\t%.2f\t%.2f\t%d\t%d\t%d\t%.0f MiB\n", jobs, r.wall.Seconds(), r.bare.Seconds(),
			per(r.statusWrites), per(r.remoteStatuses), per(r.otherWrites), per(r.gets), r.lists, r.conflicts, r.refused, float64(r.memory)/(1<<20))
		for name, count := range r.tooMany {
			t.Errorf("%s: %s", name, count)
		}
		if r.refused > 0 {
			t.Errorf("%d calls were refused for another reason than a conflict", r.refused)
		}
		if r.lists > 10 || per(r.gets) > liveReads {
			t.Errorf("%d lists, and %d gets for %d Jobs", r.lists, r.gets, jobs)
		}
	}
	must(t, table.Flush())
	t.Logf("\n%s", &report)
	if perJob[1] > perJob[0]*1.1 {
		t.Errorf("%.2f calls per Job with %d Jobs, and %.2f with %d", perJob[0], n/10, perJob[1], n)
	}
}

// loaded is what a run cost.
type loaded struct {
	wall, bare                      time.Duration
	statusWrites, otherWrites, gets int
	lists, conflicts, refused       int
	remoteStatuses                  int
	memory                          int64 // bytes, resident
	tooMany                         map[string]string
}

func load(t *testing.T, f *fleet.Fleet, prefix string, n int) loaded {
	t.Helper()
	marks := marksOf(t, f)
	statuses := countStatuses(t, f)
	p := launch(t, append(quiet, "-management", kubeconfig(t, f.Management, nil), "-leader-elect=false", "-exclusive-origin", "-concurrency", "8",
		"-worker", workerA+"="+kubeconfig(t, f.Workers[0], nil), "-worker", workerB+"="+kubeconfig(t, f.Workers[1], nil))...)
	management := admin(t, f.Management)
	w := &faultWorld{whole: t, t: t, fleet: f}
	started := time.Now()
	inParallel(n, 8, func(i int) {
		job := jobs.New(fmt.Sprintf("%s-%d", prefix, i), jobs.Runs("2s"))
		job.Labels = map[string]string{"round": prefix}
		if err := management.Create(t.Context(), job); err != nil {
			t.Error(err)
		}
	})
	eventually(t, 10*time.Minute, "all Jobs have finished, and their mirrors are gone", func() bool {
		return w.unfinished(management, prefix) == 0 && w.withFinalizers(management, prefix) == 0
	})
	r := loaded{wall: time.Since(started), memory: resident(t, p), tooMany: map[string]string{}}
	p.end(syscall.SIGTERM)
	r.count(t, f, marks, statuses(), prefix)
	r.bare = bareCalls(t, f, prefix, n, r.statusWrites/n)
	must(t, management.DeleteAllOf(t.Context(), &batchv1.Job{}, client.InNamespace(fleet.Namespace), client.MatchingLabels{"round": prefix},
		client.PropagationPolicy(background)))
	return r
}

func marksOf(t *testing.T, f *fleet.Fleet) map[*cluster.Cluster]int64 {
	t.Helper()
	marks := map[*cluster.Cluster]int64{}
	for _, c := range append([]*cluster.Cluster{f.Management}, f.Workers...) {
		marks[c] = auditMark(t, c)
	}
	return marks
}

func (w *faultWorld) withFinalizers(c client.Client, prefix string) int {
	n := 0
	for _, job := range w.list(c, prefix) {
		n += len(job.Finalizers)
	}
	return n
}

// count sorts the dispatcher's calls for Jobs, and looks at the limits of each Job.
func (r *loaded) count(t *testing.T, f *fleet.Fleet, marks map[*cluster.Cluster]int64, statuses map[string]int, prefix string) {
	t.Helper()
	status, other := map[string]int{}, map[string]int{}
	for c, mark := range marks {
		for _, call := range callsSince(t, c, mark) {
			name := call.ObjectRef.Name
			switch {
			case call.ObjectRef.Resource != "jobs":
			case call.ResponseStatus.Code == 409:
				r.conflicts++
			case call.ResponseStatus.Code >= 400 && call.ResponseStatus.Code != 404:
				r.refused++
			case call.Verb == "get":
				r.gets++
			case call.Verb == "list":
				r.lists++
			case call.Verb == "watch":
			case call.ObjectRef.Subresource == "status":
				r.statusWrites++
				status[name]++
			default:
				r.otherWrites++
				other[name]++
			}
		}
	}
	for name, count := range status {
		if seen := statuses[name]; count > seen+2 {
			r.tooMany[name] = fmt.Sprintf("%d status writes for %d remote statuses", count, seen)
		}
	}
	for name, count := range other {
		if count > otherWrites {
			r.tooMany[name] = fmt.Sprintf("%d writes beside those of the status, want at most %d", count, otherWrites)
		}
	}
	for name, seen := range statuses {
		if strings.HasPrefix(name, prefix+"-") {
			r.remoteStatuses += seen
		}
	}
}
