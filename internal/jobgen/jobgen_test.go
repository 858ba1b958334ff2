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

const seed = 1

func TestSameSeedSameJobs(t *testing.T) {
	a, b, other := jobgen.New(seed), jobgen.New(seed), jobgen.New(seed+1)
	differs := false
	for i := range 1000 {
		for _, draw := range draws {
			old1, new1 := draw.jobs(a)
			old2, new2 := draw.jobs(b)
			old3, new3 := draw.jobs(other)
			if diff := cmp.Diff([]*batchv1.Job{old1, new1}, []*batchv1.Job{old2, new2}); diff != "" {
				t.Fatalf("%s %d: two generators with the same seed differ:\n%s", draw.name, i, diff)
			}
			differs = differs || !cmp.Equal([]*batchv1.Job{old1, new1}, []*batchv1.Job{old3, new3})
		}
	}
	if !differs {
		t.Error("another seed makes the same Jobs")
	}
}

var draws = []struct {
	name string
	jobs func(*jobgen.Gen) (*batchv1.Job, *batchv1.Job)
}{
	{"Change", (*jobgen.Gen).Change},
	{"Pair", (*jobgen.Gen).Pair},
	{"WildPair", (*jobgen.Gen).WildPair},
}

// TestPairIsWellFormed checks both sides of a Pair with the rules: the API servers of the
// management cluster accept the local status, and a worker's at least one of its own time the
// mirror's.
func TestPairIsWellFormed(t *testing.T) {
	t.Logf("seed %d", seed)
	strict, lax := statusvalidate.ForAll(), statusvalidate.For(jobmanagedby.Oldest())
	for g, i := jobgen.New(seed), 0; i < 20_000; i++ {
		local, remote := g.Pair()
		if vs := strict.Validate(from(local, batchv1.JobStatus{})); hardly(vs) != nil {
			t.Fatalf("pair %d: local: %v\n%+v", i, vs.Err(), local.Status)
		}
		for _, v := range lax.Validate(from(remote, batchv1.JobStatus{})) {
			switch v.Rule { // newer workers write SuccessCriteriaMet for every Job
			case statusvalidate.SuccessCriteriaMetOnNonIndexed, statusvalidate.SuccessCriteriaMetWithoutSuccessPolicy:
			default:
				t.Fatalf("pair %d: remote: %v\n%+v", i, v, remote.Status)
			}
		}
	}
}

// from is the update that writes the whole status of the Job at once.
func from(job *batchv1.Job, old batchv1.JobStatus) statusvalidate.Change {
	before := job.DeepCopy()
	before.Status = old
	return statusvalidate.Change{Old: before, New: job}
}

// hardly leaves out what can be so because the scale has changed since.
func hardly(vs statusvalidate.Violations) (left statusvalidate.Violations) {
	for _, v := range vs {
		if v.Rule != statusvalidate.CompletedIndexesMalformed && v.Rule != statusvalidate.FailedIndexesMalformed {
			left = append(left, v)
		}
	}
	return left
}
