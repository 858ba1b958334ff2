// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// FROM-MULTIKUEUE: the adapter

const (
	multiKueue       = "kueue.x-k8s.io/multikueue"
	originLabel      = "kueue.x-k8s.io/multikueue-origin"
	prebuiltWorkload = "kueue.x-k8s.io/prebuilt-workload-name"
)

// Cluster is what the adapter needs of a client, which must not read from a cache.
type Cluster interface {
	Name() string // the same across restarts: it is written to the local Job
	Get(ctx context.Context, key types.NamespacedName) (*batchv1.Job, error)
	Create(ctx context.Context, job *batchv1.Job) error
	Patch(ctx context.Context, key types.NamespacedName, kind types.PatchType, data []byte, subresource string) error
	Delete(ctx context.Context, key types.NamespacedName, options metav1.DeleteOptions) error
}

// Adapter has the methods of jobframework.MultiKueueAdapter, with Cluster in place of client.Client.
type Adapter struct{ planner *mirror.Planner }

func NewAdapter(origin string) (*Adapter, error) {
	planner, err := mirror.New(mirror.Policy{
		Controller: multiKueue,
		Origin:     origin,
		Keys:       mirror.Keys{Origin: originLabel},
		Suspend:    mirror.SuspendAtCreation, // the Kueue of the worker suspends and resumes
	})
	return &Adapter{planner}, err
}

// errAgain makes MultiKueue call again where it does not look at deferred.
var errAgain = errors.New("not done yet")

// SyncJob takes one step. Deferred asks to be called again soon: there is more to do, or to wait for.
func (a *Adapter) SyncJob(ctx context.Context, local, remote Cluster, key types.NamespacedName, workloadName, _ string) (deferred bool, err error) {
	plan, err := a.step(ctx, local, remote, key, true, workloadName)
	if err == nil && plan.Outcome == mirror.Terminating {
		err = errAgain // the workload has finished, and pods are left
	}
	return !settled(plan), err
}

// DeleteRemoteObject takes the Job off a worker, with an error until its pods are gone and the local Job says so.
// What is not its mirror stays.
func (a *Adapter) DeleteRemoteObject(ctx context.Context, local, remote Cluster, key types.NamespacedName) error {
	plan, err := a.step(ctx, local, remote, key, false, "")
	if err == nil && !settled(plan) {
		err = errAgain
	}
	return err
}

func settled(plan mirror.Plan) bool { return len(plan.Actions) == 0 && plan.RequeueAfter == 0 }

func (a *Adapter) IsJobManagedByKueue(ctx context.Context, local Cluster, key types.NamespacedName) (bool, string, error) {
	job, err := local.Get(ctx, key)
	if err != nil {
		return false, "", err
	}
	if !jobmanagedby.IsManagedBy(job, multiKueue) {
		return false, fmt.Sprintf("spec.managedBy must be %q, not %q", multiKueue, jobmanagedby.ManagedBy(job)), nil
	}
	return true, "", nil
}

func (*Adapter) GVK() schema.GroupVersionKind { return batchv1.SchemeGroupVersion.WithKind("Job") }

func (a *Adapter) step(ctx context.Context, local, remote Cluster, key types.NamespacedName, wanted bool, workloadName string) (mirror.Plan, error) {
	state := mirror.State{
		Key: key, Worker: remote.Name(), Wanted: wanted, Now: metav1.Now(),
		Elsewhere: mirror.OtherWorkers(), // where the Job was sent before, the dispatch record says
	}
	state.Mirror = mirror.LiveGet(remote.Get(ctx, key)) // the worker first, the local Job last
	state.Local = mirror.LiveGet(local.Get(ctx, key))
	plan := a.planner.Decide(state)
	for _, action := range plan.Actions {
		cluster := local
		if action.OnWorker() {
			cluster = remote
		}
		err := carryOut(ctx, cluster, action, workloadName)
		if action.Tolerates(apierrors.ReasonForError(err)) {
			break // something has changed: look again
		} else if err != nil {
			return plan, err
		}
	}
	return plan, plan.Err
}

func carryOut(ctx context.Context, cluster Cluster, action mirror.Action, workloadName string) error {
	switch action.Kind {
	case mirror.CreateMirror:
		metav1.SetMetaDataAnnotation(&action.Job.ObjectMeta, prebuiltWorkload, workloadName)
		return cluster.Create(ctx, action.Job)
	case mirror.DeleteMirror:
		return cluster.Delete(ctx, action.Object, action.DeleteOptions())
	default:
		return cluster.Patch(ctx, action.Object, action.PatchType, action.Patch, action.Subresource)
	}
}

// FROM-MULTIKUEUE: end

// A Job whose first run lost a pod is moved to another worker, where it runs from the start and to its end.
func ExampleAdapter() {
	management, eu, us := &cluster{job: newJob(multiKueue)}, &cluster{name: "eu"}, &cluster{name: "us"}

	// FROM-MULTIKUEUE: the run
	ctx := context.Background()
	adapter, err := NewAdapter("management-eu")
	sync := func(worker Cluster) {
		for range 3 { // MultiKueue calls again for as long as it is deferred
			_, err = adapter.SyncJob(ctx, management, worker, train, "job-train-1a2b3", "management-eu")
		}
	}

	sync(eu)
	eu.run(batchv1.JobStatus{StartTime: ptr.To(at(0)), Active: 1, Failed: 1})
	sync(eu)
	err = adapter.DeleteRemoteObject(ctx, management, eu, train) // Kueue has found a better place
	fmt.Println("deleted from eu:", err)
	sync(us)
	fmt.Println("is in us:", us.job != nil)
	for range 2 {
		err = adapter.DeleteRemoteObject(ctx, management, eu, train)
	}
	fmt.Println("deleted from eu:", err)
	sync(us)
	fmt.Println("is in us:", us.job != nil)

	us.run(batchv1.JobStatus{
		StartTime: ptr.To(at(60)), Succeeded: 4, CompletionTime: ptr.To(at(90)),
		Conditions: []batchv1.JobCondition{condition(batchv1.JobSuccessCriteriaMet, 90), condition(batchv1.JobComplete, 90)},
	})
	var apiServer statusvalidate.Validator // of the newest release
	for _, violation := range apiServer.Validate(statusvalidate.Change{Old: management.job, New: us.job}) {
		fmt.Println("copied as it is:", violation.Rule)
	}
	sync(us)
	fmt.Println("by the plan:", management.job.Status.Conditions[1].Type, "failed:", management.job.Status.Failed, err)
	// FROM-MULTIKUEUE: end

	// Output:
	// deleted from eu: not done yet
	// is in us: false
	// deleted from eu: <nil>
	// is in us: true
	// copied as it is: FailedDecreased
	// copied as it is: StartTimeChangedWhileRunning
	// by the plan: Complete failed: 1 <nil>
}

// TestAdapterMirror: the mirror carries what MultiKueue looks for.
func TestAdapterMirror(t *testing.T) {
	management, worker := &cluster{job: newJob(multiKueue)}, &cluster{name: "eu"}
	syncThrice(t, management, worker)
	if worker.job == nil || worker.job.Labels[originLabel] != "management-eu" || worker.job.Annotations[prebuiltWorkload] != "workload" {
		t.Errorf("the mirror is %+v", worker.job)
	}
	syncThrice(t, management, worker)
	if worker.version != 1 {
		t.Errorf("the mirror was written %d times", worker.version)
	}
}

// TestAdapterForeign: a Job of the same name is neither copied from nor deleted.
func TestAdapterForeign(t *testing.T) {
	management, worker := &cluster{job: newJob(multiKueue)}, &cluster{name: "eu", job: newJob("")}
	worker.job.UID = "2222"
	worker.run(batchv1.JobStatus{StartTime: ptr.To(at(0)), Active: 2})
	syncThrice(t, management, worker)
	adapter := must(NewAdapter("management-eu"))
	if err := adapter.DeleteRemoteObject(context.Background(), management, worker, train); err != nil {
		t.Error(err)
	}
	if worker.job == nil || worker.version != 1 || management.job.Status.Active != 0 {
		t.Errorf("the foreign Job: %+v; the local status: %+v", worker.job, management.job.Status)
	}
}

// TestAdapterLostWorker: a Job that was sent to a worker which does not answer waits, until the caller says that it is
// gone from there.
func TestAdapterLostWorker(t *testing.T) {
	management := &cluster{job: newJob(multiKueue)}
	syncThrice(t, management, &cluster{name: "eu"})
	us := &cluster{name: "us"}
	syncThrice(t, management, us)
	if us.job != nil {
		t.Fatal("it was not seen to be gone from eu")
	}
	state := mirror.State{
		Local: mirror.Live(management.job), Mirror: mirror.Live(nil), Elsewhere: mirror.OtherWorkers(mirror.Live(nil)),
		Worker: "us", Wanted: true, Now: metav1.Now(),
	}
	plan := must(NewAdapter("management-eu")).planner.Decide(state)
	if plan.Outcome != mirror.Dispatching {
		t.Errorf("it is gone from eu, and the plan is %v", plan)
	}
}

func TestAdapterIsJobManagedByKueue(t *testing.T) {
	adapter := must(NewAdapter("management-eu"))
	for controller, want := range map[string]bool{multiKueue: true, jobmanagedby.JobController: false, "acme.io/dispatcher": false} {
		managed, reason, err := adapter.IsJobManagedByKueue(context.Background(), &cluster{job: newJob(controller)}, train)
		if managed != want || (reason == "") != want || err != nil {
			t.Errorf("%s: %v, %q, %v", controller, managed, reason, err)
		}
	}
	if _, _, err := adapter.IsJobManagedByKueue(context.Background(), &cluster{}, train); err == nil {
		t.Error("a Job that is not there is managed by nobody")
	}
	if got := adapter.GVK().String(); got != "batch/v1, Kind=Job" {
		t.Error(got)
	}
}

func syncThrice(t *testing.T, management, worker *cluster) {
	t.Helper()
	for range 3 {
		if _, err := must(NewAdapter("management-eu")).SyncJob(context.Background(), management, worker, train, "workload", ""); err != nil {
			t.Fatal(err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
