// SPDX-License-Identifier: Apache-2.0

package jobgen_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

func TestSameSeedSameLife(t *testing.T) {
	a, b := jobgen.New(seed), jobgen.New(seed)
	for i := range 1000 {
		local1, mirrors1 := a.Life()
		local2, mirrors2 := b.Life()
		if diff := cmp.Diff(append(mirrors1, local1), append(mirrors2, local2)); diff != "" {
			t.Fatalf("life %d: two generators with the same seed differ:\n%s", i, diff)
		}
	}
}

// TestLifeIsWellFormed checks the local Job as TestPairIsWellFormed does, and that each state of the
// mirror is an update of the one before that an API server with the fewest rules takes, or the
// first of a mirror.
func TestLifeIsWellFormed(t *testing.T) {
	t.Logf("seed %d", seed)
	strict, lax := statusvalidate.ForAll(), statusvalidate.For(jobmanagedby.Oldest())
	finished, again := 0, 0
	for g, i := jobgen.New(seed), 0; i < 5_000; i++ {
		local, mirrors := g.Life()
		if vs := strict.Validate(from(local, batchv1.JobStatus{})); hardly(vs) != nil {
			t.Fatalf("life %d: local: %v\n%+v", i, vs.Err(), local.Status)
		}
		before := batchv1.JobStatus{}
		for j, mirror := range mirrors {
			if j > 0 && cmp.Equal(mirror.Status, mirrors[0].Status) {
				before = batchv1.JobStatus{}
				again++
			}
			for _, v := range lax.Validate(from(mirror, before)) {
				switch v.Rule { // newer workers write SuccessCriteriaMet for every Job
				case statusvalidate.SuccessCriteriaMetOnNonIndexed, statusvalidate.SuccessCriteriaMetWithoutSuccessPolicy:
				default:
					t.Fatalf("life %d, state %d: %v\n%+v", i, j, v, mirror.Status)
				}
			}
			before = mirror.Status
		}
		for _, c := range before.Conditions {
			if c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed {
				finished++
			}
		}
	}
	if finished < 2_000 || finished > 4_500 || again < 1_000 || again > 2_500 {
		t.Errorf("%d of 5000 mirrors finish and %d begin anew", finished, again)
	}
}
