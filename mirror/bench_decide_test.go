// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/mirror"
)

// inSyncState is a Job that runs, of which nothing is to be done. The mods are for the local Job.
func inSyncState(t testing.TB, p *mirror.Planner, mods ...mod) mirror.State {
	labelled := func(j *batchv1.Job) {
		j.Labels = map[string]string{"app": "train", "team": "research", "kueue.x-k8s.io/queue-name": "gpu"}
		j.Annotations = map[string]string{"example.com/owner": "ada"}
	}
	local := withMods(storedJob(), labelled, finalizer(cleanupFinalizer), sentTo(worker, 1, mirrorUID), start(0), active(2))
	local = withMods(local, mods...)
	remote := mirrorOf(t, p, withMods(storedJob(), labelled), start(0), active(2))
	return mirror.State{
		Key: jobKey, Local: mirror.Cached(local), Mirror: mirror.Cached(remote), Elsewhere: mirror.OtherWorkers(),
		Worker: worker, Wanted: true, Now: at(100),
	}
}

// BenchmarkDecide plans for n Jobs in sync, one after the other. The cost of one must not depend on n. Of the n, as
// many are different as distinct says, each with the memory of its own: a hundred stay in the processor's cache, so
// that the work is measured; ten thousand do not, so that the memory is.
func BenchmarkDecide(b *testing.B) {
	for _, distinct := range []int{100, 10_000} {
		for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("distinct=%d/jobs=%d", distinct, n), func(b *testing.B) {
				p := planner(b)
				states, different := make([]mirror.State, n), make([]mirror.State, distinct)
				for i := range different {
					different[i] = inSyncState(b, p)
				}
				for i := range states {
					states[i] = different[i%distinct]
				}
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					if plan := p.Decide(states[i%n]); plan.Outcome != mirror.InSync || len(plan.Actions) > 0 {
						b.Fatal(plan)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
			})
		}
	}
}
