// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/mirror"
)

// newPlanner is a Planner whose Jobs run on workers that no other management cluster uses.
func newPlanner() *mirror.Planner {
	planner, err := mirror.New(mirror.Policy{
		Controller: "acme.io/dispatcher", Origin: "management-eu",
		ExclusiveOrigin: true, HoldMirror: true, KeepFinished: time.Hour,
	})
	if err != nil {
		panic(err)
	}
	return planner
}

// A new Job gets a finalizer first. With that, it is claimed and its mirror created.
func ExamplePlanner_Decide() {
	planner, local := newPlanner(), storedJob()
	state := mirror.State{
		Local:     mirror.Cached(local),
		Mirror:    mirror.Cached(nil),    // the cache of the worker has none
		Elsewhere: mirror.OtherWorkers(), // there are no other workers
		Worker:    "worker-1", Wanted: true, Now: at(0),
	}
	fmt.Println(planner.Decide(state))

	local.Finalizers = append(local.Finalizers, "acme.io/mirror-cleanup")
	plan := planner.Decide(state)
	fmt.Println(plan)
	fmt.Println(string(plan.Actions[0].Patch))
	// Output:
	// Dispatching (the mirror is to be created): AddFinalizer research/train
	// Dispatching (the mirror is to be created): Claim research/train, CreateMirror research/train
	// {"metadata":{"annotations":{"acme.io/mirror-dispatch":"{\"v\":1,\"job\":\"11111111-2222-3333-4444-555555555555\",\"worker\":\"worker-1\",\"attempt\":1,\"at\":\"2026-01-01T12:00:00Z\"}"},"resourceVersion":"7","uid":"11111111-2222-3333-4444-555555555555"}}
}

// What was not seen is unknown, and never taken for gone.
func ExampleObservation() {
	planner := newPlanner()
	state := mirror.State{Local: mirror.Cached(storedJob()), Worker: "worker-1", Wanted: true, Now: at(0)}
	fmt.Println(planner.Decide(state))
	// Output:
	// Unreachable (the worker does not answer); look again in 30s: the worker may answer
}

// A local Job is let go when the server itself says that there is no mirror: a cache is not enough.
func ExampleLive() {
	planner := newPlanner()
	state := mirror.State{
		Local:  mirror.Cached(withMods(storedJob(), deletedAt(50, "acme.io/mirror-cleanup"))),
		Mirror: mirror.Cached(nil), Elsewhere: mirror.OtherWorkers(), Worker: "worker-1", Now: at(60),
	}
	fmt.Println(planner.Decide(state))
	state.Mirror = mirror.Live(nil)
	fmt.Println(planner.Decide(state))
	// Output:
	// CleanedUp (the Job is being deleted, and has no mirror left): ReadLive mirror
	// CleanedUp (the Job is being deleted, and has no mirror left): RemoveFinalizer research/train
}

// What Get returned goes in as it is: NotFound is an answer, another error is not.
func ExampleLiveGet() {
	planner := newPlanner()
	notFound := apierrors.NewNotFound(schema.GroupResource{Group: "batch", Resource: "jobs"}, "train")
	for _, err := range []error{notFound, fmt.Errorf("connection refused")} {
		plan := planner.Decide(mirror.State{
			Local: mirror.Live(storedJob()), Mirror: mirror.LiveGet(nil, err), Elsewhere: mirror.OtherWorkers(),
			Worker: "worker-1", Wanted: true, Now: at(0),
		})
		fmt.Println(plan.Outcome)
	}
	// Output:
	// Dispatching
	// Unreachable
}

// With controller-runtime, whose Get fills in a Job of the caller's.
func ExampleCachedGet() {
	var job batchv1.Job
	get := func(into *batchv1.Job) error { *into = *storedJob(); return nil }
	err := get(&job)

	local := mirror.CachedGet(&job, err)
	fmt.Println(newPlanner().Decide(mirror.State{Local: local, Worker: "worker-1", Wanted: true, Now: at(0)}).Outcome)
	// Output:
	// Unreachable
}

// With several workers, Decide is asked once for each, and the others are Elsewhere. The Job is wanted on one of
// them at most: here it stays where it was sent.
func ExampleState() {
	planner, local := newPlanner(), storedJob(func(j *batchv1.Job) { j.Finalizers = []string{"acme.io/mirror-cleanup"} })
	seen := map[string]mirror.Observation{"worker-1": mirror.Cached(nil), "worker-2": mirror.Cached(nil)}

	wanted := "worker-2"
	if sent, err := planner.DispatchOf(local); err == nil && sent.Worker != "" {
		wanted = sent.Worker
	}
	for _, name := range []string{"worker-1", "worker-2"} {
		var others []mirror.Observation
		for other, observation := range seen {
			if other != name {
				others = append(others, observation)
			}
		}
		plan := planner.Decide(mirror.State{
			Local: mirror.Cached(local), Mirror: seen[name], Elsewhere: mirror.OtherWorkers(others...),
			Worker: name, Wanted: name == wanted, Now: at(0),
		})
		fmt.Println(name, plan)
	}
	// Output:
	// worker-1 Idle (the Job is not wanted on this worker)
	// worker-2 Dispatching (the mirror is to be created): Claim research/train, CreateMirror research/train
}

// A Job of the same name in the cache which is none of ours is a conflict, and nothing is done to it.
func ExampleCached() {
	planner, foreign := newPlanner(), storedJob()
	plan := planner.Decide(mirror.State{
		Local: mirror.Cached(storedJob()), Mirror: mirror.Cached(foreign), Elsewhere: mirror.OtherWorkers(),
		Worker: "worker-1", Wanted: true, Now: at(0),
	})
	fmt.Println(plan.Outcome, plan.Actions)
	// Output:
	// Conflict []
}

// With three workers, the mirror is created on one when it is known of both others that they have none.
func ExampleOtherWorkers() {
	planner := newPlanner()
	for _, third := range []mirror.Observation{{}, mirror.Cached(nil)} {
		plan := planner.Decide(mirror.State{
			Local: mirror.Cached(storedJob()), Mirror: mirror.Cached(nil),
			Elsewhere: mirror.OtherWorkers(mirror.Cached(nil), third),
			Worker:    "worker-1", Wanted: true, Now: at(0),
		})
		fmt.Println(plan.Outcome)
	}
	// Output:
	// Elsewhere
	// Dispatching
}

func ExamplePlan_String() {
	fmt.Println(mirror.Plan{})
	fmt.Println(mirror.Plan{Outcome: mirror.Unreachable, Why: "the worker does not answer", RequeueAfter: time.Minute, RequeueWhy: "it may answer"})
	// Output:
	// nothing
	// Unreachable (the worker does not answer); look again in 1m0s: it may answer
}

func ExampleAction_String() {
	fmt.Println(mirror.Action{Kind: mirror.DeleteMirror, Object: types.NamespacedName{Namespace: "research", Name: "train"}})
	fmt.Println(mirror.Action{Kind: mirror.ReadLive, Read: mirror.Read{Local: true, Mirror: true, Elsewhere: true}})
	// Output:
	// DeleteMirror research/train
	// ReadLive local, mirror, elsewhere
}

func ExampleAction_OnWorker() {
	for _, kind := range []mirror.ActionKind{mirror.Claim, mirror.CreateMirror} {
		fmt.Println(kind, mirror.Action{Kind: kind}.OnWorker())
	}
	// Output:
	// Claim false
	// CreateMirror true
}

// Somebody else was faster: that is no error, but the rest of the plan is void.
func ExampleAction_Tolerates() {
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	conflict := apierrors.NewConflict(jobs, "train", fmt.Errorf("the object has been modified"))
	forbidden := apierrors.NewForbidden(jobs, "train", fmt.Errorf("not allowed"))

	action := mirror.Action{Kind: mirror.Claim}
	fmt.Println(action.Tolerates(apierrors.ReasonForError(conflict)), action.Tolerates(apierrors.ReasonForError(forbidden)))
	// Output:
	// true false
}

func ExampleAction_DeleteOptions() {
	action := mirror.Action{Kind: mirror.DeleteMirror, UID: "u-1", ResourceVersion: "12"}
	options := action.DeleteOptions()
	fmt.Println(*options.PropagationPolicy, *options.Preconditions.UID, *options.Preconditions.ResourceVersion)
	// Output:
	// Foreground u-1 12
}

// A metric with the outcome as a label can be set to zero for each of them at the start.
func ExampleOutcomes() {
	for _, o := range mirror.Outcomes()[10:13] {
		fmt.Println(o)
	}
	// Output:
	// Incomplete
	// Malformed
	// Gone
}

// The patch has what changes, and the preconditions.
func ExampleStatusPlan_Patch() {
	local, remote := withMods(storedJob(), start(0), active(2), ready(2)), job(start(0), active(1), succeeded(1))
	plan := mirror.ProjectStatus(mirror.Pair{Local: local, Remote: remote}, mirror.StatusOptions{Now: at(100)})
	fmt.Println(string(plan.Patch(local)))
	// Output:
	// {"metadata":{"resourceVersion":"7","uid":"11111111-2222-3333-4444-555555555555"},"status":{"active":1,"ready":null,"succeeded":1}}
}

// The record cannot be read, so nobody knows which mirror is this Job's.
func ExampleRecordError() {
	local := storedJob()
	metav1.SetMetaDataAnnotation(&local.ObjectMeta, "acme.io/mirror-dispatch", `{"v":2}`)
	plan := newPlanner().Decide(mirror.State{
		Local: mirror.Cached(local), Mirror: mirror.Cached(nil), Elsewhere: mirror.OtherWorkers(),
		Worker: "worker-1", Wanted: true, Now: at(0),
	})
	fmt.Println(plan.Outcome, len(plan.Actions))
	fmt.Println(plan.Err)
	// Output:
	// BadRecord 0
	// mirror: dispatch record "{\"v\":2}": its version is 2, and only 1 is known
}

// The keys are needed for a ValidatingAdmissionPolicy that keeps everybody else from writing them.
func ExamplePlanner_Keys() {
	keys := newPlanner().Keys()
	fmt.Println(keys.Origin, keys.Dispatch, keys.Cleanup)
	// Output:
	// acme.io/mirror-origin acme.io/mirror-dispatch acme.io/mirror-cleanup
}

// A Job stays where it was sent, unless there is a reason to run it again from the start.
func ExamplePlanner_DispatchOf() {
	planner, local := newPlanner(), storedJob()
	metav1.SetMetaDataAnnotation(&local.ObjectMeta, "acme.io/mirror-dispatch",
		`{"v":1,"job":"11111111-2222-3333-4444-555555555555","worker":"worker-2","attempt":3,"at":"2026-01-01T12:00:00Z"}`)
	sent, err := planner.DispatchOf(local)
	fmt.Println(sent.Worker, sent.Attempt, err)
	// Output:
	// worker-2 3 <nil>
}
