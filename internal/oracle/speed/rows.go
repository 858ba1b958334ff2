// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"log"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

const controller = "acme.io/dispatcher"

func rows() []row {
	accepted, refused, long := typical(), threeErrors(), fragments(12_000)
	in, inRefused, inLong := internalOf(accepted), internalOf(refused), internalOf(long)
	strategy, statusOnly := "strategy.ValidateUpdate", "its status part alone"
	return append([]row{
		{"typical update, Allows", strategy, allows(accepted), errors(in.strategy, 0), 20, true},
		{"typical update, Validate", strategy, validate(accepted, 0), errors(in.strategy, 0), 20, true},
		{"typical update, Allows", statusOnly, allows(accepted), errors(in.statusOnly, 0), 0, true},
		{"typical update, Validate", statusOnly, validate(accepted, 0), errors(in.statusOnly, 0), 0, true},
		{"typical update with metadata", "all the registry checks", withMetadata(accepted), errors(in.everything, 0), 20, true},
		{"update refused with 3 errors", strategy, validate(refused, 3), errors(inRefused.strategy, 3), 3, false},
		{"update refused with 3 errors", statusOnly, validate(refused, 3), errors(inRefused.statusOnly, 3), 0, false},
		{"12,000 fragments, Allows", strategy, allows(long), errors(inLong.strategy, 0), 20, true},
		{"12,000 fragments, Validate", strategy, validate(long, 0), errors(inLong.strategy, 0), 20, true},
		inSync(),
	}, builds()...)
}

var newest statusvalidate.Validator

func allows(c statusvalidate.Change) func() {
	return func() {
		if !newest.Allows(c) {
			log.Fatal("Allows refuses what it measures")
		}
	}
}

func validate(c statusvalidate.Change, want int) func() {
	return func() {
		if vs := newest.Validate(c); len(vs) != want {
			log.Fatalf("%d violations, want %d: %v", len(vs), want, vs.Err())
		}
	}
}

func withMetadata(c statusvalidate.Change) func() {
	return func() {
		if errs := statusvalidate.ValidateMetadata(c); len(errs) > 0 || !newest.Allows(c) {
			log.Fatal(errs)
		}
	}
}

func errors(check func() field.ErrorList, want int) func() {
	return func() {
		if errs := check(); len(errs) != want {
			log.Fatalf("%d errors, want %d: %v", len(errs), want, errs)
		}
	}
}

func inSync() row {
	local := typical().New
	remote := local.DeepCopy()
	pair := mirror.Pair{Local: local, Remote: remote}
	return row{"ProjectStatus in sync", "equality.Semantic.DeepEqual", func() {
		if mirror.ProjectStatus(pair, mirror.StatusOptions{}).Outcome != mirror.InSync {
			log.Fatal("ProjectStatus does not find the Jobs in sync")
		}
	}, func() {
		if !equality.Semantic.DeepEqual(local.Status, remote.Status) {
			log.Fatal("DeepEqual does not find the statuses equal")
		}
	}, 20, true}
}

func builds() (all []row) {
	planner, err := mirror.New(mirror.Policy{Controller: controller, Origin: "management"})
	if err != nil {
		log.Fatal(err)
	}
	for _, size := range []struct{ containers, variables int }{{1, 0}, {1, 10}, {2, 40}, {5, 100}} {
		local := sample(size.containers, size.variables)
		name := fmt.Sprintf("Build, %d containers of %d variables", size.containers, size.variables)
		all = append(all, row{name, "DeepCopy", func() {
			if _, err := planner.Build(local); err != nil {
				log.Fatal(err)
			}
		}, func() { copyOf(local) }, 1 / 1.3, false})
	}
	return all
}

// copyOf cannot be left out by the compiler, although nobody uses the copy.
//
//go:noinline
func copyOf(job *batchv1.Job) *batchv1.Job { return job.DeepCopy() }

// growth shows that the cost of an index list is linear.
func growth(rounds int) {
	fmt.Println("\nAllows by the length of completedIndexes:")
	for _, n := range []int{12_000, 24_000, 48_000, 96_000, 160_000} {
		c := fragments(n)
		var times []float64
		for range rounds {
			times = append(times, cost(allows(c)))
		}
		slices.Sort(times)
		bytes := len(c.New.Status.CompletedIndexes)
		fmt.Printf("%8d bytes  %9.0f ns  %.3f ns/byte\n", bytes, median(times), median(times)/float64(bytes))
	}
}
