package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

type dispatcherController struct {
	planner            *mirror.Planner
	management, worker cluster
}

// README: the reconcile sketch

func (c *dispatcherController) Reconcile(ctx context.Context, key types.NamespacedName) (time.Duration, error) {
	local, err := c.management.Get(ctx, key)
	if err != nil || local == nil || !jobmanagedby.IsManagedBy(local, "acme.io/dispatcher") {
		return 0, err // the name may have been taken by a Job that is not ours: ask every time
	}
	remote, err := c.worker.Get(ctx, c.planner.TargetOf(local))
	if err != nil {
		return 0, err // not knowing is not the same as there being none
	}
	if remote == nil {
		remote, err = c.planner.Build(local)
		if finished := (*mirror.FinishedError)(nil); errors.As(err, &finished) {
			return 0, nil // it has its result, and must not run again
		} else if err != nil {
			return 0, err
		}
		return 0, c.worker.Create(ctx, remote)
	}
	plan := c.planner.PlanStatus(mirror.Pair{Local: local, Remote: remote}, metav1.Now())
	c.report(key, plan) // Conflict and Invalid are for a person to see
	if plan.Status != nil {
		local.Status = *plan.Status
		err = c.management.UpdateStatus(ctx, local) // carries UID and resourceVersion of what was read
	}
	return plan.RequeueAfter, err
}

// README: end

func (*dispatcherController) report(types.NamespacedName, mirror.StatusPlan) {}

// cluster is the little that the sketch needs of a client. Get returns nil if there is no such Job.
type cluster map[types.NamespacedName]*batchv1.Job

func (c cluster) Get(_ context.Context, key types.NamespacedName) (*batchv1.Job, error) {
	return c[key].DeepCopy(), nil
}

func (c cluster) Create(_ context.Context, job *batchv1.Job) error {
	c[types.NamespacedName{Namespace: job.Namespace, Name: job.Name}] = job.DeepCopy()
	return nil
}

func (c cluster) UpdateStatus(ctx context.Context, job *batchv1.Job) error {
	return c.Create(ctx, job)
}

// A controller creates the mirror of a Job that names it, and copies back what becomes of it. Here
// the worker is an old one, which marks the Job as failed without saying FailureTarget first. The
// API server would refuse that status.
func Example() {
	ctx, key := context.Background(), types.NamespacedName{Namespace: "research", Name: "train"}
	planner, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "management-eu"})
	if err != nil {
		panic(err)
	}
	c := &dispatcherController{planner: planner, worker: cluster{}, management: cluster{key: storedJob()}}

	_, err = c.Reconcile(ctx, key)
	fmt.Println("created on the worker:", c.worker[key] != nil, err)

	c.worker[key].Status = batchv1.JobStatus{
		StartTime: ptr.To(at(0)), Failed: 7,
		Conditions: []batchv1.JobCondition{{
			Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", LastTransitionTime: at(9),
		}},
	}
	_, err = c.Reconcile(ctx, key)
	for _, condition := range c.management[key].Status.Conditions {
		fmt.Println("on the local Job:", condition.Type, condition.Reason, err)
	}

	// Output:
	// created on the worker: true <nil>
	// on the local Job: Failed BackoffLimitExceeded <nil>
	// on the local Job: FailureTarget BackoffLimitExceeded <nil>
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
