// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

func planSpecBenches(t testing.TB) map[string]mirror.Pair {
	p := planner(t)
	local := fixture(t, "applied")
	remote := storedMirror(build(t, p, local))
	byQueue := remote.DeepCopy()
	byQueue.Labels["queue"], byQueue.Annotations["queue"], byQueue.Annotations["more"] = "q", "q", "q"
	scaled := byUser(local, func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](99) })
	plain := storedJob(func(j *batchv1.Job) { j.Labels = map[string]string{"queue": "a"} })
	return map[string]mirror.Pair{
		"told,plain":          {Local: plain, Remote: storedMirror(build(t, p, plain))},
		"told":                {Local: local, Remote: remote},
		"told,worker-adds":    {Local: local, Remote: byQueue},
		"scaled":              {Local: scaled, Remote: remote},
		"scaled,worker-drift": {Local: scaled, Remote: byQueue},
	}
}

// BenchmarkPlanSpec: when the mirror was told everything, nothing is allocated.
func BenchmarkPlanSpec(b *testing.B) {
	p := planner(b)
	for name, pair := range planSpecBenches(b) {
		b.Run("pair="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.PlanSpec(pair)
			}
		})
	}
}

// TestPlanSpecAllocatesNothing when there is nothing to send.
func TestPlanSpecAllocatesNothing(t *testing.T) {
	p, pairs := planner(t), planSpecBenches(t)
	for _, name := range []string{"told", "told,plain", "told,worker-adds"} {
		pair := pairs[name]
		if n := testing.AllocsPerRun(100, func() { p.PlanSpec(pair) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
