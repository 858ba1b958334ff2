// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// trainingSet is a JobSet that a dispatcher has to run, as an API server stores it.
func trainingSet() (jobmanagedby.Kind, *unstructured.Unstructured) {
	set := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
		"metadata": map[string]any{"namespace": "research", "name": "train", "uid": "u-1", "resourceVersion": "7", "generation": int64(1)},
		"spec": map[string]any{
			"managedBy": "acme.io/dispatcher", "ttlSecondsAfterFinished": int64(60),
			"replicatedJobs": []any{map[string]any{"name": "worker", "template": map[string]any{
				"spec": map[string]any{"managedBy": "acme.io/dispatcher", "parallelism": int64(8)},
			}}},
		},
	}}
	kind, _ := jobmanagedby.ForVersionKind(set.GroupVersionKind())
	return kind, set
}

// A JobSet is sent to a worker, and its result comes back.
func ExamplePlanner_BuildObject() {
	kind, local := trainingSet()
	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	remote, err := planner.BuildObject(kind, local)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(indentless(remote.Object["spec"]))

	// On the worker it runs, and completes.
	remote.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Completed", "status": "True"}}}
	plan, err := planner.PlanObjectStatus(kind, mirror.ObjectPair{Local: local, Remote: remote}, metav1.Unix(1_760_000_000, 0))
	fmt.Println(plan, err)
	fmt.Println(string(plan.Patch(local)))
	// Output:
	// {"replicatedJobs":[{"name":"worker","template":{"spec":{"parallelism":8}}}]}
	// Copied (the remote status has something new), write <nil>
	// {"metadata":{"resourceVersion":"7","uid":"u-1"},"status":{"conditions":[{"status":"True","type":"Completed"}]}}
}

// A result that is there is final.
func ExampleProjectObjectStatus() {
	kind, local := trainingSet()
	remote := local.DeepCopy()
	local.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Failed", "status": "True"}}}
	remote.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Completed", "status": "True"}}}
	plan, err := mirror.ProjectObjectStatus(kind, mirror.ObjectPair{Local: local, Remote: remote}, mirror.StatusOptions{})
	fmt.Println(plan.Outcome, plan.Status == nil, err)
	// Output: Conflict true <nil>
}

// A JobSet of the same name that somebody else made is no result.
func ExamplePlanner_PlanObjectStatus() {
	kind, local := trainingSet()
	planner, _ := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	plan, err := planner.PlanObjectStatus(kind, mirror.ObjectPair{Local: local, Remote: local.DeepCopy()}, metav1.Unix(1_760_000_000, 0))
	fmt.Println(plan, err)
	// Output: Conflict (the remote object is not the mirror of the local one: Foreign) <nil>
}

func ExamplePlanner_RelateObject() {
	kind, local := trainingSet()
	planner, _ := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	remote, _ := planner.BuildObject(kind, local)
	fmt.Println(planner.RelateObject(mirror.ObjectPair{Local: local, Remote: remote}))
	local.SetUID("u-2") // deleted, and created again
	fmt.Println(planner.RelateObject(mirror.ObjectPair{Local: local, Remote: remote}))
	// Output:
	// Ours
	// PreviousIncarnation
}

func ExamplePlanner_TargetOfObject() {
	_, local := trainingSet()
	planner, _ := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	fmt.Println(planner.TargetOfObject(local))
	// Output: research/train
}

func ExampleObjectStatusPlan_Patch() {
	kind, local := trainingSet()
	local.Object["status"] = map[string]any{"restarts": int64(1)}
	remote := local.DeepCopy()
	remote.Object["status"] = map[string]any{"terminalState": "Failed"}
	plan, _ := mirror.ProjectObjectStatus(kind, mirror.ObjectPair{Local: local, Remote: remote}, mirror.StatusOptions{})
	fmt.Println(string(plan.Patch(local)))
	// Output: {"metadata":{"resourceVersion":"7","uid":"u-1"},"status":{"restarts":null,"terminalState":"Failed"}}
}

// indentless prints a value as JSON.
func indentless(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// A JobSet is decided about as a Job is; what is created is unstructured, and the record goes before the status.
func ExamplePlanner_DecideObject() {
	kind, local := trainingSet()
	planner := newPlanner()
	state := mirror.State{
		Local: mirror.CachedObject(local), Mirror: mirror.CachedObject(nil), Elsewhere: mirror.OtherWorkers(),
		Worker: "worker-1", Wanted: true, Now: at(0),
	}
	fmt.Println(planner.DecideObject(kind, state))
	local.SetFinalizers([]string{"acme.io/mirror-cleanup"})
	plan := planner.DecideObject(kind, state)
	fmt.Println(plan)
	fmt.Println(plan.Actions[1].Unstructured.GetKind(), plan.Actions[1].Unstructured.GetFinalizers())
	// Output:
	// Dispatching (the mirror is to be created): AddFinalizer research/train
	// Dispatching (the mirror is to be created): Claim research/train, CreateMirror research/train
	// JobSet [acme.io/mirror-hold]
}

// Only the suspension, labels and annotations of other kinds are carried over.
func ExamplePlanner_PlanObjectSpec() {
	kind, local := trainingSet()
	planner := newPlanner()
	remote, _ := planner.BuildObject(kind, local)
	remote.SetUID("m-1")
	remote.SetResourceVersion("70")

	_ = kind.SetSuspended(local, true)
	local.SetGeneration(2)
	plan, err := planner.PlanObjectSpec(kind, mirror.ObjectPair{Local: local, Remote: remote})
	fmt.Println(plan, err)
	// Output: send: spec.suspend: ToSend, local true, mirror false <nil>
}

// What an informer has may be behind; what the API server says is not.
func ExampleCachedObject() {
	kind, local := trainingSet()
	local.SetFinalizers([]string{"acme.io/mirror-cleanup"})
	local.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Completed", "status": "True"}}}
	state := mirror.State{
		Local: mirror.CachedObject(local), Mirror: mirror.CachedObject(nil), Elsewhere: mirror.OtherWorkers(), Worker: "worker-1", Now: at(0),
	}
	fmt.Println(newPlanner().DecideObject(kind, state))
	state.Mirror = mirror.LiveObject(nil)
	fmt.Println(newPlanner().DecideObject(kind, state))
	// Output:
	// Finished (the Job has its result, and no mirror): ReadLive mirror
	// Finished (the Job has its result, and no mirror): RemoveFinalizer research/train
}

// A nil object says that there is none.
func ExampleLiveObject() {
	kind, local := trainingSet()
	state := mirror.State{Local: mirror.LiveObject(nil), Mirror: mirror.LiveObject(nil), Elsewhere: mirror.OtherWorkers(), Now: at(0)}
	fmt.Println(newPlanner().DecideObject(kind, state))
	state.Local = mirror.LiveObject(local)
	fmt.Println(newPlanner().DecideObject(kind, state))
	// Output:
	// Gone (there is no such Job)
	// Incomplete (something is missing that a plan needs): mirror: Job research/train: missing: State.Worker
}

// The cache of a worker that does not answer is not asked.
func ExampleCachedGetObject() {
	kind, local := trainingSet()
	state := mirror.State{
		Local: mirror.CachedGetObject(local, nil), Elsewhere: mirror.OtherWorkers(), Worker: "worker-1", Wanted: true, Now: at(0),
	}
	fmt.Println(newPlanner().DecideObject(kind, state).Outcome)
	// Output: Unreachable
}

func ExampleObjectStatusPlan_String() {
	kind, local := trainingSet()
	remote := local.DeepCopy()
	remote.Object["status"] = map[string]any{"restarts": int64(1)}
	plan, _ := mirror.ProjectObjectStatus(kind, mirror.ObjectPair{Local: local, Remote: remote}, mirror.StatusOptions{})
	fmt.Println(plan)
	// Output: Copied (the remote status has something new), write
}

// NotFound is an answer, and every other error none.
func ExampleLiveGetObject() {
	kind, local := trainingSet()
	gone := apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: "jobsets"}, "train")
	state := mirror.State{Local: mirror.LiveGetObject(nil, gone), Mirror: mirror.CachedGetObject(local, nil), Elsewhere: mirror.OtherWorkers(), Now: at(0)}
	fmt.Println(newPlanner().DecideObject(kind, state))
	state.Local = mirror.LiveObject(local)
	state.Worker, state.Mirror = "worker-1", mirror.LiveGetObject(nil, apierrors.NewTimeoutError("etcd", 1))
	fmt.Println(newPlanner().DecideObject(kind, state))
	// Output:
	// Gone (there is no such Job)
	// Unreachable (the worker does not answer); look again in 30s: the worker may answer
}
