// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// specExample returns a Planner, and a Job with its mirror as the worker stored it.
func specExample() (*mirror.Planner, mirror.Pair) {
	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	if err != nil {
		panic(err)
	}
	local := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "train", UID: "1111", Generation: 1},
		Spec: batchv1.JobSpec{
			ManagedBy: ptr.To("acme.io/dispatcher"), ManualSelector: ptr.To(true),
			Suspend: ptr.To(false), Parallelism: ptr.To[int32](2), Completions: ptr.To[int32](10),
		},
	}
	remote, err := planner.Build(local)
	if err != nil {
		panic(err)
	}
	remote.UID, remote.ResourceVersion = "2222", "7"
	return planner, mirror.Pair{Local: local, Remote: remote}
}

// The user asks for more pods, while the worker's queue has suspended the mirror.
func ExamplePlanner_PlanSpec() {
	planner, pair := specExample()
	pair.Remote.Spec.Suspend = ptr.To(true)
	pair.Local.Spec.Parallelism = ptr.To[int32](5)
	pair.Local.Generation++

	plan := planner.PlanSpec(pair)
	fmt.Println(plan)
	fmt.Println(string(plan.Patch))
	// Output:
	// send: spec.parallelism: ToSend, local 5, mirror 2; spec.suspend: SetByWorker, local false, mirror true
	// {"metadata":{"annotations":{"acme.io/mirror-last-sent":"{\"v\":1,\"spec\":{\"parallelism\":5,\"completions\":10,\"suspend\":false}}","acme.io/mirror-local-generation":"2"},"resourceVersion":"7","uid":"2222"},"spec":{"parallelism":5}}
}

// What a webhook of the worker did is found without a reason to send anything.
func ExamplePlanner_Differences() {
	planner, pair := specExample()
	pair.Remote.Spec.Template.Spec.PriorityClassName = "batch"

	for _, d := range planner.Differences(pair) {
		if d.Kind == mirror.SetByWorker {
			fmt.Println(d.Field, d.Mirror)
		}
	}
	// Output: spec.template.spec.priorityClassName "batch"
}

func ExampleSpecPlan_Of() {
	planner, pair := specExample()
	pair.Local.Spec.Completions = ptr.To[int32](20) // no API server takes that of a NonIndexed Job
	pair.Local.Generation++

	for _, d := range planner.PlanSpec(pair).Of(mirror.Immutable) {
		fmt.Println(d.Rule, "-", d.Why)
	}
	// Output: CompletionsImmutable - completions may change on an Indexed Job alone, and only to the value that parallelism has
}

func ExampleSpecPlan_String() {
	planner, pair := specExample()
	fmt.Println(planner.PlanSpec(pair))
	// Output: nothing to send
}

func ExampleDifference_String() {
	d := mirror.Difference{Field: "spec.suspend", Kind: mirror.ToSend, Local: "true", Mirror: "false", Overrides: true}
	fmt.Println(d)
	// Output: spec.suspend: ToSend, local true, mirror false, overrides the worker
}

func ExampleDifferenceKinds() {
	fmt.Println(mirror.DifferenceKinds())
	// Output: [ToSend NotYet Immutable SetByWorker Undecided Ours]
}

func ExampleSpecRules() {
	fmt.Println(mirror.SpecRules()[3])
	// Output: TemplateStarted
}
