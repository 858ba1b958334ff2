// SPDX-License-Identifier: Apache-2.0

package kinds_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	mpiv2beta1 "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	trainerv1alpha1 "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	kubeflowv1 "github.com/kubeflow/training-operator/pkg/apis/kubeflow.org/v1"
	appwrapperv1beta2 "github.com/project-codeflare/appwrapper/api/v1beta2"
	rayv1 "github.com/ray-project/kuberay/ray-operator/apis/ray/v1"
	rayutils "github.com/ray-project/kuberay/ray-operator/controllers/ray/utils"
	"github.com/ray-project/kuberay/ray-operator/pkg/features"
	tektonv1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	jobsetv1alpha2 "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// build returns the mirror of an object of testdata.
func build(t *testing.T, name string, change func(spec map[string]any)) (jobmanagedby.Kind, *unstructured.Unstructured) {
	t.Helper()
	k, u := object(t, name)
	delete(u.Object, "status")
	if change != nil {
		change(u.Object["spec"].(map[string]any))
	}
	m, err := planner(t, k, u).BuildObject(k, u)
	if err != nil {
		t.Fatal(err)
	}
	return k, m
}

// planner is for the controller that an object names.
func planner(t *testing.T, k jobmanagedby.Kind, u *unstructured.Unstructured) *mirror.Planner {
	t.Helper()
	controller, err := k.ManagedBy(u)
	if err != nil || controller == k.Reserved {
		t.Fatalf("%s: nothing at %s: %v", k.Kind, k.Field, err)
	}
	p, err := mirror.New(mirror.Policy{Controller: controller, Origin: "mgmt-1", Keys: mirror.Keys{Origin: "acme.io/origin"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGoTypes decodes mirrors into the projects' own types: no field is unknown, and none is lost.
func TestGoTypes(t *testing.T) {
	tests := []struct {
		object string
		typed  any
		drop   string // of the spec: younger than this release of the types
	}{
		{"jobset", &jobsetv1alpha2.JobSet{}, ""},
		{"trainjob", &trainerv1alpha1.TrainJob{}, "runtimePatches"}, // the types of 2.3.0 need a newer Kubernetes than jobset's webhook
		{"rayjob", &rayv1.RayJob{}, ""},
		{"raycluster", &rayv1.RayCluster{}, ""},
		{"rayservice", &rayv1.RayService{}, ""},
		{"pytorchjob", &kubeflowv1.PyTorchJob{}, ""},
		{"tfjob", &kubeflowv1.TFJob{}, ""},
		{"xgboostjob", &kubeflowv1.XGBoostJob{}, ""},
		{"paddlejob", &kubeflowv1.PaddleJob{}, ""},
		{"jaxjob", &kubeflowv1.JAXJob{}, ""},
		{"mpijob-v1", &kubeflowv1.MPIJob{}, ""},
		{"mpijob-v2beta1", &mpiv2beta1.MPIJob{}, ""},
		{"appwrapper", &appwrapperv1beta2.AppWrapper{}, ""},
		{"pipelinerun", &tektonv1.PipelineRun{}, ""},
		{"taskrun", &tektonv1.TaskRun{}, ""},
	}
	for _, tt := range tests {
		_, m := build(t, tt.object, func(spec map[string]any) { delete(spec, tt.drop) })
		data, err := json.Marshal(m.Object)
		if err != nil {
			t.Fatal(err)
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(tt.typed); err != nil {
			t.Errorf("%s: %v", tt.object, err)
			continue
		}
		back, err := runtime.DefaultUnstructuredConverter.ToUnstructured(tt.typed)
		if err != nil {
			t.Fatal(err)
		}
		for _, lost := range missing("", m.Object, back) {
			t.Errorf("%s: %s is lost in the Go type", tt.object, lost)
		}
	}
}

// missing lists what is in a and not, or otherwise, in b.
func missing(path string, a, b any) (lost []string) {
	switch a := a.(type) {
	case map[string]any:
		inB, _ := b.(map[string]any)
		for name, value := range a {
			lost = append(lost, missing(path+"."+name, value, inB[name])...)
		}
	case []any:
		inB, _ := b.([]any)
		for i, value := range a {
			if i >= len(inB) {
				return append(lost, path)
			}
			lost = append(lost, missing(path, value, inB[i])...)
		}
	case nil:
	default:
		if a != b && (b != nil || a != any(false)) { // a false is left out of some types
			lost = append(lost, path)
		}
	}
	return lost
}

// TestKubeRayAccepts: the operator's own validation, of which a failure leaves a RayJob stuck, takes every
// mirror of a RayJob that it takes, suspended or not; and it leaves alone what Decide says it does.
func TestKubeRayAccepts(t *testing.T) {
	type members = map[string]any
	tests := map[string]members{
		"as it is":            {},
		"suspended":           {"suspend": true, "shutdownAfterJobFinishes": true, "ttlSecondsAfterFinished": int64(0)},
		"no shutdown, no TTL": {"shutdownAfterJobFinishes": false, "ttlSecondsAfterFinished": int64(0)},
		"shutdown with a TTL": {"shutdownAfterJobFinishes": true, "ttlSecondsAfterFinished": int64(60)},
		"rules": {"shutdownAfterJobFinishes": false, "ttlSecondsAfterFinished": int64(0), "deletionStrategy": members{"deletionRules": []any{
			members{"policy": "DeleteCluster", "condition": members{"jobStatus": "SUCCEEDED", "ttlSeconds": int64(5)}},
			members{"policy": "DeleteSelf", "condition": members{"jobStatus": "SUCCEEDED", "ttlSeconds": int64(9)}},
		}}},
		"the only rule": {"shutdownAfterJobFinishes": false, "ttlSecondsAfterFinished": int64(0), "deletionStrategy": members{"deletionRules": []any{
			members{"policy": "DeleteSelf", "condition": members{"jobStatus": "FAILED", "ttlSeconds": int64(5)}},
		}}},
		"legacy policies": {"shutdownAfterJobFinishes": true, "ttlSecondsAfterFinished": int64(5), "deletionStrategy": members{
			"onSuccess": members{"policy": "DeleteSelf"}, "onFailure": members{"policy": "DeleteWorkers"},
		}},
	}
	features.SetFeatureGateDuringTest(t, features.RayJobDeletionPolicy, true)
	c := schemaOf(t, newest(t, "rayjob"))
	for name, change := range tests {
		apply := func(spec members) {
			for member, value := range change {
				spec[member] = value
			}
		}
		k, local := object(t, "rayjob")
		apply(local.Object["spec"].(members))
		_, m := build(t, "rayjob", apply)
		for what, u := range map[string]*unstructured.Unstructured{"the object": local, "the mirror": m} {
			job := &rayv1.RayJob{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, job); err != nil {
				t.Fatal(err)
			}
			if err := rayutils.ValidateRayJobSpec(job); err != nil {
				t.Errorf("%s: the operator refuses %s: %v", name, what, err)
			}
			if _, dropped, errs := c.create(u); len(errs)+len(dropped) > 0 {
				t.Errorf("%s: the CRD refuses %s of a %s: %v, dropped %q", name, what, k.Kind, errs, dropped)
			}
		}
		if text := fmt.Sprint(m.Object["spec"]); strings.Contains(text, "DeleteSelf") {
			t.Errorf("%s: the mirror deletes itself: %s", name, text)
		}
	}
	k, _ := build(t, "rayjob", nil)
	for _, name := range []*string{nil, ptr.To(""), ptr.To(k.Reserved), ptr.To("kueue.x-k8s.io/multikueue"), ptr.To("acme.io/x")} {
		u := &unstructured.Unstructured{Object: members{"apiVersion": "ray.io/v1", "kind": "RayJob", "spec": members{}}}
		if name != nil {
			u.Object["spec"] = members{"managedBy": *name}
		}
		d, err := k.Decide(u, jobmanagedby.Release{})
		if skips := rayutils.ManagedByExternalController(name) != nil; err != nil || d.Skip != skips {
			t.Errorf("%v: the operator skips %v, Decide says %+v, %v", ptr.Deref(name, "nil"), skips, d, err)
		}
	}
}
