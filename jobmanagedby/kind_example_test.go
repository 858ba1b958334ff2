// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// newObject is an object of a kind as a user creates it.
func newObject(apiVersion, kind string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec}}
}

// known is a row of the table.
func known(group, kind string) jobmanagedby.Kind {
	k, _ := jobmanagedby.ForKind(schema.GroupKind{Group: group, Kind: kind})
	return k
}

// A dispatcher takes JobSets: may it, who has this one, and what becomes of it?
func ExampleKind() {
	train := newObject("jobset.x-k8s.io/v1alpha2", "JobSet", map[string]any{"replicatedJobs": []any{}})

	kind, ok := jobmanagedby.ForVersionKind(train.GroupVersionKind())
	if !ok || kind.NoField != "" {
		fmt.Println("cannot be delegated:", kind.NoField)
		return
	}
	if err := kind.Delegate(train, "acme.io/dispatcher"); err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range []string{"v0.4.0", "v0.10.1"} {
		operator, _ := jobmanagedby.ParseOperator(v)
		d, err := kind.Decide(train, operator)
		fmt.Println(d.Reason, "skipped:", d.Skip, "hazard:", d.Reason.Hazard(), err)
	}
	// Output:
	// ReleaseTooOld skipped: false hazard: true <nil>
	// Delegated skipped: true hazard: false <nil>
}

func ExampleKinds() {
	for _, k := range jobmanagedby.Kinds() {
		if k.Group == "kubeflow.org" {
			fmt.Println(k.Kind, k.Versions, k.Field, len(k.Hazards()))
		}
	}
	// Output:
	// PyTorchJob [v1] spec.runPolicy.managedBy 2
	// TFJob [v1] spec.runPolicy.managedBy 1
	// XGBoostJob [v1] spec.runPolicy.managedBy 1
	// PaddleJob [v1] spec.runPolicy.managedBy 1
	// JAXJob [v1] spec.runPolicy.managedBy 2
	// MPIJob [v2beta1] spec.runPolicy.managedBy 2
	// MPIJob [v1] spec.runPolicy.managedBy 2
}

// Known not to have the field is not the same as unknown.
func ExampleForKind() {
	for _, gk := range []schema.GroupKind{{Group: "ray.io", Kind: "RayJob"}, {Group: "apps", Kind: "DaemonSet"}, {Group: "example.com", Kind: "Sweep"}} {
		k, ok := jobmanagedby.ForKind(gk)
		switch {
		case !ok:
			fmt.Println(gk.Kind, "is not known")
		case k.NoField != "":
			fmt.Println(gk.Kind, "has no such field:", k.NoField)
		default:
			fmt.Println(gk.Kind, "has", k.Field)
		}
	}
	// Output:
	// RayJob has spec.managedBy
	// DaemonSet has no such field: belongs to the nodes of its cluster
	// Sweep is not known
}

func ExampleForVersionKind() {
	for _, version := range []string{"v1", "v2beta1", "v3"} {
		k, ok := jobmanagedby.ForVersionKind(schema.GroupVersionKind{Group: "kubeflow.org", Version: version, Kind: "MPIJob"})
		fmt.Println(version, ok, k.Operator)
	}
	// Output:
	// v1 true the Kubeflow training operator
	// v2beta1 true mpi-operator
	// v3 false
}

// A kind of one's own is a value.
func ExampleCheckKind() {
	sweep := jobmanagedby.Kind{
		GroupKind: schema.GroupKind{Group: "example.com", Kind: "Sweep"}, Versions: []string{"v1"},
		Operator: "sweeper", Field: "spec.managedBy", Reserved: "example.com/sweeper",
		Form: jobmanagedby.FormDomainPath, Checked: jobmanagedby.CheckedByCRD, Change: jobmanagedby.ChangeNever,
		Since: "1.0.0", HonoredSince: "1.0.0",
		Suspend: jobmanagedby.Suspend{Path: "spec.paused"}, Status: "status",
		Finish: []jobmanagedby.FinishRule{{
			If: []jobmanagedby.Test{{Path: "status.phase", Is: "Done"}}, Result: jobmanagedby.Succeeded,
		}},
	}
	fmt.Println(jobmanagedby.CheckKind(sweep))

	sweep.Suspend.Path = "spec.runs[].paused"
	fmt.Println(jobmanagedby.CheckKind(sweep))
	// Output:
	// <nil>
	// bad Kind: Suspend.Path: Invalid value: "spec.runs[].paused": must name one place
}

func ExampleParseOperator() {
	r, err := jobmanagedby.ParseOperator("v0.6.0")
	fmt.Println(r.Version, err)
	// Output: 0.6.0 <nil>
}

func ExampleKindReasons() {
	for _, info := range jobmanagedby.KindReasons() {
		if info.Hazard {
			fmt.Println(info.Reason, "skipped:", info.Skip)
		}
	}
	// Output:
	// EmptyName skipped: true
	// GateOff skipped: false
	// ReleaseTooOld skipped: false
	// Ignored skipped: false
	// NotAllowed skipped: true
	// Parked skipped: true
}

// What cannot be read is an error with its place, and never "not managed".
func ExampleKind_ManagedBy() {
	jobs := known("kubeflow.org", "MPIJob")
	for _, value := range []any{"acme.io/dispatcher", nil, 7.0} {
		mpi := newObject("kubeflow.org/v2beta1", "MPIJob", map[string]any{"runPolicy": map[string]any{"managedBy": value}})
		fmt.Println(jobs.ManagedBy(mpi))
	}
	// Output:
	// acme.io/dispatcher <nil>
	// kubeflow.org/mpi-operator <nil>
	//  MPIJob.kubeflow.org: spec.runPolicy.managedBy is not of type string
}

func ExampleKind_IsManagedBy() {
	run := newObject("tekton.dev/v1", "PipelineRun", map[string]any{"managedBy": "acme.io/dispatcher"})
	fmt.Println(known("tekton.dev", "PipelineRun").IsManagedBy(run, "acme.io/dispatcher"))
	// Output: true <nil>
}

// A hazard: two controllers run the TrainJob.
func ExampleKind_Decide() {
	train := newObject("trainer.kubeflow.org/v1alpha1", "TrainJob", map[string]any{"managedBy": "kueue.x-k8s.io/multikueue"})
	operator, _ := jobmanagedby.ParseOperator("v2.1.0")
	d, err := known("trainer.kubeflow.org", "TrainJob").Decide(train, operator)
	fmt.Println(d.Reason, d.Reason.Hazard(), err)
	fmt.Println(d.Message)
	// Output:
	// Ignored true <nil>
	// spec.managedBy is "kueue.x-k8s.io/multikueue", but Kubeflow Trainer 2.1.0 runs the TrainJob all the same; upgrade to 2.3.0 or later, and keep other controllers away until then
}

func ExampleKind_ValidateName() {
	path := field.NewPath("spec", "managedBy")
	for _, kind := range []jobmanagedby.Kind{known("jobset.x-k8s.io", "JobSet"), known("ray.io", "RayJob")} {
		fmt.Println(kind.Kind, len(kind.ValidateName("acme.io/dispatcher", path)) == 0)
	}
	// Output:
	// JobSet true
	// RayJob false
}

// KubeRay lets the field be set on a RayCluster that runs.
func ExampleKind_Allows() {
	name := ptr.To("kueue.x-k8s.io/multikueue")
	fmt.Println(known("ray.io", "RayCluster").Allows(nil, name))
	fmt.Println(known("jobset.x-k8s.io", "JobSet").Allows(nil, name))
	// Output:
	// true
	// false
}

func ExampleKind_Delegate() {
	err := known("ray.io", "RayJob").Delegate(newObject("ray.io/v1", "RayJob", map[string]any{}), "acme.io/dispatcher")
	var closed *jobmanagedby.NotAllowedError
	fmt.Println(errors.As(err, &closed), closed.Allowed)
	// Output: true [kueue.x-k8s.io/multikueue]
}

// In a mutating webhook, at CREATE.
func ExampleKind_Default() {
	wrapper := newObject("workload.codeflare.dev/v1beta2", "AppWrapper", map[string]any{})
	changed, err := known("workload.codeflare.dev", "AppWrapper").Default(wrapper, "acme.io/dispatcher")
	fmt.Println(changed, err, wrapper.Object["spec"])
	// Output: true <nil> map[managedBy:acme.io/dispatcher]
}

func ExampleKind_Suspended() {
	run := newObject("tekton.dev/v1", "TaskRun", map[string]any{"status": "TaskRunPending"})
	fmt.Println(known("tekton.dev", "TaskRun").Suspended(run))
	// Output: true <nil>
}

// A run that was cancelled is not to be made pending again.
func ExampleKind_SetSuspended() {
	kind := known("tekton.dev", "TaskRun")
	run := newObject("tekton.dev/v1", "TaskRun", map[string]any{})
	fmt.Println(kind.SetSuspended(run, true), run.Object["spec"])
	run.Object["spec"] = map[string]any{"status": "TaskRunCancelled"}
	fmt.Println(kind.SetSuspended(run, true))
	// Output:
	// <nil> map[status:TaskRunPending]
	// TaskRun.tekton.dev: not suspended: spec.status is "TaskRunCancelled" already
}

func ExampleKind_Finished() {
	job := newObject("ray.io/v1", "RayJob", map[string]any{})
	job.Object["status"] = map[string]any{"jobDeploymentStatus": "Complete", "jobStatus": "STOPPED"}
	fmt.Println(known("ray.io", "RayJob").Finished(job))
	// Output: Failed <nil>
}

func ExampleKind_FinishedAt() {
	job := newObject("ray.io/v1", "RayJob", map[string]any{})
	job.Object["status"] = map[string]any{"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED", "endTime": "2026-03-02T09:30:00Z"}
	fmt.Println(known("ray.io", "RayJob").FinishedAt(job))
	// Output: 2026-03-02 09:30:00 +0000 UTC <nil>
}

func ExampleKind_HasStarted() {
	train := newObject("jobset.x-k8s.io/v1alpha2", "JobSet", map[string]any{})
	train.Object["status"] = map[string]any{"replicatedJobsStatus": []any{map[string]any{"name": "w", "active": int64(2)}}}
	fmt.Println(known("jobset.x-k8s.io", "JobSet").HasStarted(train))
	// Output: true <nil>
}

func ExampleKind_Hazards() {
	for _, h := range known("kubeflow.org", "PyTorchJob").Hazards() {
		fmt.Println(h.Hazard + ": " + jobmanagedby.Hazard(h.Summary))
	}
	// Output:
	// ClosedSet: a controller of your own cannot be named
	// NotImmutable: said to be immutable, and every change is taken
}

// The field is in a RayJob twice; a copy with one of them left would never get its cluster.
func ExampleKind_ClearAll() {
	job := newObject("ray.io/v1", "RayJob", map[string]any{
		"managedBy":      "kueue.x-k8s.io/multikueue",
		"rayClusterSpec": map[string]any{"managedBy": "kueue.x-k8s.io/multikueue", "rayVersion": "2.46.0"},
	})
	fmt.Println(known("ray.io", "RayJob").ClearAll(job), job.Object["spec"])
	// Output: <nil> map[rayClusterSpec:map[rayVersion:2.46.0]]
}

func ExampleKind_EachEmbedded() {
	wrapper := newObject("workload.codeflare.dev/v1beta2", "AppWrapper", map[string]any{"components": []any{
		map[string]any{"template": map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}},
		map[string]any{"template": map[string]any{"apiVersion": "batch/v1", "kind": "Job"}},
	}})
	err := known("workload.codeflare.dev", "AppWrapper").EachEmbedded(wrapper, func(k jobmanagedby.Kind, _ *unstructured.Unstructured) error {
		fmt.Println(k.Kind)
		return nil
	})
	fmt.Println(err)
	// Output:
	// Job
	// <nil>
}

func ExampleTest_Holds() {
	test := jobmanagedby.Test{Path: "status.conditions[type=Ready].status", Is: "True"}
	service := newObject("ray.io/v1", "RayService", map[string]any{})
	service.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}}
	fmt.Println(test.Holds(service))
	// Output: true <nil>
}

func ExampleEdit_Apply() {
	edit := jobmanagedby.Edit{Path: "spec.runtimePatches[manager=kueue.x-k8s.io/manager]", Why: "put in for another cluster"}
	train := newObject("trainer.kubeflow.org/v1alpha1", "TrainJob", map[string]any{"runtimePatches": []any{
		map[string]any{"manager": "kueue.x-k8s.io/manager"}, map[string]any{"manager": "acme.io/defaults"},
	}})
	fmt.Println(edit.Apply(train), train.Object["spec"])
	// Output: <nil> map[runtimePatches:[map[manager:acme.io/defaults]]]
}
