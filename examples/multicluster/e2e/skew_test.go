// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

// A worker's clock may be wrong by any amount, in either direction: no status is refused, all Jobs end as they
// should, and with StampTerminal a local TTL counts by the management cluster's clock.
func TestClockSkew(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	var report strings.Builder
	table := tabwriter.NewWriter(&report, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "worker's clock\tJobs\tended as they should\tstatus writes\trefused\tTTL of 5s took")
	skews := []time.Duration{0, time.Minute, -time.Minute, 24 * time.Hour, -24 * time.Hour, 10 * 365 * 24 * time.Hour}
	if testing.Short() {
		skews = []time.Duration{time.Hour}
	}
	for _, skew := range skews {
		t.Run(skew.String(), func(t *testing.T) {
			mark := auditMark(t, f.Management)
			run(t, f, func(o *dispatcher.Options) { o.Policy.StampTerminal = true }, func(d *dispatcher.Dispatcher) {
				for _, w := range d.Reconciler.Workers {
					w.Cached, w.Live = skewed(w.Cached, skew), skewed(w.Live, skew)
				}
			})
			management, h := admin(t, f.Management), &hand{t: t}
			good := 0
			playKinds(t, management, func(kind, want, got string) {
				if got == want {
					good++
				} else {
					t.Errorf("%s ended as %s, want %s", kind, got, want)
				}
			})
			createAll(t, management, jobs.New("skew-ttl", jobs.TTL(5), jobs.Runs("500ms")))
			h.waitIs(management, "skew-ttl", batchv1.JobComplete)
			completed := time.Now()
			h.waitGone(management, "skew-ttl")
			ttl := time.Since(completed)
			if ttl < 3*time.Second {
				t.Errorf("a TTL of 5s took %v", ttl)
			}
			calls := callsSince(t, f.Management, mark)
			refused := len(refusedStatuses(calls))
			if refused > 0 {
				t.Errorf("%d status writes were refused", refused)
			}
			fmt.Fprintf(table, "%+.0fs\t%d\t%d\t%d\t%d\t%.1fs\n", skew.Seconds(), len(kinds), good, statusWrites(calls), refused, ttl.Seconds())
		})
	}
	must(t, table.Flush())
	t.Logf("\n%s", &report)
}

// skewed shows Jobs as a cluster would whose clock is wrong.
func skewed(read func(context.Context, types.NamespacedName) dispatcher.Sighting, by time.Duration) func(context.Context, types.NamespacedName) dispatcher.Sighting {
	return func(ctx context.Context, key types.NamespacedName) dispatcher.Sighting {
		seen := read(ctx, key)
		if seen.Job != nil {
			shift(seen.Job, by)
		}
		return seen
	}
}

// shift moves all times in a Job.
func shift(job *batchv1.Job, by time.Duration) {
	move := func(at *metav1.Time) {
		if !at.IsZero() {
			*at = metav1.NewTime(at.Add(by))
		}
	}
	for _, at := range []*metav1.Time{&job.CreationTimestamp, job.DeletionTimestamp, job.Status.StartTime, job.Status.CompletionTime} {
		move(at)
	}
	for i := range job.Status.Conditions {
		move(&job.Status.Conditions[i].LastTransitionTime)
		move(&job.Status.Conditions[i].LastProbeTime)
	}
}

// statusWrites counts those that were accepted.
func statusWrites(calls []call) int {
	n := 0
	for _, c := range calls {
		if c.ObjectRef.Resource == "jobs" && c.ObjectRef.Subresource == "status" && c.ResponseStatus.Code < 300 {
			n++
		}
	}
	return n
}
