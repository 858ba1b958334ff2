// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

type dispatcherController struct {
	planner            *mirror.Planner
	management, worker *server // to write to
	cached, live       readers
}

// readers read Jobs from the two clusters.
type readers struct{ management, worker *server }

// README: the reconcile sketch

func (c *dispatcherController) Reconcile(ctx context.Context, key types.NamespacedName) (time.Duration, error) {
	plan, err := c.decide(ctx, key, c.cached, mirror.CachedGet) // what the informers have
	if err == nil && len(plan.Actions) > 0 && plan.Actions[0].Kind == mirror.ReadLive {
		plan, err = c.decide(ctx, key, c.live, mirror.LiveGet) // what the API servers have: no cache may answer here
	}
	if err != nil {
		return 0, err
	}
	c.report(key, plan) // plan.Outcome is fit for an event and a metric, plan.String() for a log
	for _, action := range plan.Actions {
		err := c.carryOut(ctx, action)
		if err != nil && action.Tolerates(apierrors.ReasonForError(err)) {
			return time.Second, nil // the world has moved on: do not go on with this plan, and look again
		} else if err != nil {
			return 0, err
		}
	}
	return plan.RequeueAfter, nil // what was written brings an event, and that brings the next step
}

func (c *dispatcherController) decide(ctx context.Context, key types.NamespacedName, from readers, see func(*batchv1.Job, error) mirror.Observation) (mirror.Plan, error) {
	remote := see(from.worker.Get(ctx, key)) // first; with a Policy.Target, of the name that planner.TargetOf gives
	local, err := from.management.Get(ctx, key)
	if err != nil && !apierrors.IsNotFound(err) {
		return mirror.Plan{}, err
	}
	return c.planner.Decide(mirror.State{
		Key: key, Local: see(local, err), Mirror: remote,
		Elsewhere: mirror.OtherWorkers(), // there are none
		Worker:    "worker-1", Wanted: true, Now: metav1.Now(),
	}), nil
}

func (c *dispatcherController) carryOut(ctx context.Context, action mirror.Action) error {
	cluster := c.management
	if action.OnWorker() {
		cluster = c.worker
	}
	switch action.Kind {
	case mirror.CreateMirror:
		return cluster.Create(ctx, action.Job)
	case mirror.DeleteMirror:
		return cluster.Delete(ctx, action.Object, action.DeleteOptions())
	default:
		return cluster.Patch(ctx, action.Object, action.PatchType, action.Patch, action.Subresource)
	}
}

// README: end

func (*dispatcherController) report(_ types.NamespacedName, plan mirror.Plan) { fmt.Println(plan) }

// A controller looks, asks what to do, does it, and looks again. Here the worker is an old one, which marks
// the Job as failed without saying FailureTarget first: the API server would refuse that status, and the
// plan adds it.
func Example() {
	ctx, key := context.Background(), types.NamespacedName{Namespace: "research", Name: "train"}
	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "management-eu"})
	if err != nil {
		panic(err)
	}
	management, worker := &server{job: storedJob()}, &server{}
	c := &dispatcherController{planner: planner, management: management, worker: worker, cached: readers{management, worker}, live: readers{management, worker}}
	reconcile := func(times int) {
		for range times {
			if _, err := c.Reconcile(ctx, key); err != nil {
				panic(err)
			}
			c.worker.collect() // as the garbage collector does
		}
	}

	reconcile(3)
	c.worker.touch(start(0), failed(7), is(batchv1.JobFailed, 9))
	reconcile(4)
	for _, condition := range c.management.job.Status.Conditions {
		fmt.Println("on the local Job:", condition.Type)
	}

	// Output:
	// Dispatching (the mirror is to be created): AddFinalizer research/train
	// Dispatching (the mirror is to be created): Claim research/train, CreateMirror research/train
	// InSync (the local status shows the remote one)
	// Copied (the remote status has something new): WriteStatus research/train
	// Finished (the Job has its result, and its mirror is not needed any more): DeleteMirror research/train; look again in 10s: the mirror has to be gone
	// Finished (the Job has its result, and no mirror): RemoveFinalizer research/train
	// Finished (the Job has its result, and no mirror)
	// on the local Job: Failed
	// on the local Job: FailureTarget
}

// The remote status is not always what the local Job can be given. The plan says what to write
// instead, and for each difference the rule of the API server that asks for it.
func ExampleProjectStatus() {
	local, remote := job(start(0), active(1), failed(1)), job(start(30), end(90), succeeded(5), is(batchv1.JobComplete, 90))

	plan := mirror.ProjectStatus(mirror.Pair{Local: local, Remote: remote}, mirror.StatusOptions{Now: at(100)})

	fmt.Println(plan.Outcome)
	for _, a := range plan.Adjustments {
		fmt.Println(a)
	}
	// Output:
	// Copied
	// status.conditions[SuccessCriteriaMet]: added to go with Complete (CompleteWithoutSuccessCriteriaMet)
	// status.failed: held at the local value (FailedDecreased)
	// status.startTime: held at the local value (StartTimeChangedWhileRunning)
}

// While the user keeps a Job suspended, what its mirror does is not shown: a startTime would freeze
// the pod template.
func ExamplePlanner_PlanStatus() {
	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "management-eu"})
	if err != nil {
		panic(err)
	}
	local := storedJob(suspend)
	remote, err := planner.Build(local)
	if err != nil {
		panic(err)
	}
	remote.Spec.Suspend = nil
	start(0)(remote)
	active(2)(remote)

	plan := planner.PlanStatus(mirror.Pair{Local: local, Remote: remote}, at(100))

	fmt.Println(plan.Outcome, plan.Status.StartTime, plan.Status.Conditions[0].Type, plan.RequeueAfter)
	// Output:
	// Deferred <nil> Suspended 10s
}

// A metric with the outcome as a label can be set to zero for each of them at the start.
func ExampleStatusOutcomes() {
	fmt.Println(mirror.StatusOutcomes())
	// Output:
	// [InSync Copied Deferred Evicted Resuming Terminating Finished Conflict Invalid NotManaged]
}

func ExampleAdjustment_String() {
	fmt.Println(mirror.Adjustment{Field: "status.ready", Rule: statusvalidate.MoreReadyThanActive, Why: "capped at active"})
	// Output:
	// status.ready: capped at active (MoreReadyThanActive)
}

func ExampleStatusPlan_String() {
	pair := mirror.Pair{Local: job(start(0), active(2)), Remote: job(start(0), active(2), ready(3))}
	fmt.Println(mirror.ProjectStatus(pair, mirror.StatusOptions{Now: at(100)}))
	// Output:
	// Copied (the remote status has something new), write: status.ready: capped at active (MoreReadyThanActive)
}
