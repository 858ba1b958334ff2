// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"reflect"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/managedby-dev/managedby/internal/kinds/published"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// strict makes the server refuse what it would drop.
const strict = metav1.FieldValidationStrict

func (f fixture) locals() dynamic.ResourceInterface {
	return f.local.Resource(f.resource).Namespace(localNamespace)
}

func (f fixture) mirrors() dynamic.ResourceInterface {
	return f.remote.Resource(f.resource).Namespace(mirrorNamespace)
}

// load returns the kind, and an object as a user would create it.
func (f fixture) load(t *testing.T, name string) (jobmanagedby.Kind, *unstructured.Unstructured) {
	t.Helper()
	kind, u, err := published.Load(f.object)
	must(t, err)
	delete(u.Object, "status")
	unstructured.RemoveNestedField(u.Object, "spec", "selector") // which the API server generates for a Job
	unstructured.RemoveNestedField(u.Object, "spec", "template", "metadata", "labels")
	u.Object["metadata"] = map[string]any{
		"namespace": localNamespace, "name": name, "labels": asAny(u.GetLabels()), "annotations": asAny(u.GetAnnotations()),
	}
	return kind, u
}

func asAny(m map[string]string) map[string]any {
	all := map[string]any{}
	for key, value := range m {
		all[key] = value
	}
	return all
}

// create creates an object and returns what is stored.
func create(t *testing.T, on dynamic.ResourceInterface, u *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	stored, err := on.Create(t.Context(), u, metav1.CreateOptions{FieldValidation: strict})
	must(t, err)
	return stored
}

func read(t *testing.T, on dynamic.ResourceInterface, name string) *unstructured.Unstructured {
	t.Helper()
	u, err := on.Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	return u
}

// operate writes the status of an object, as its operator does. Nothing may be dropped.
func operate(t *testing.T, on dynamic.ResourceInterface, name string, status map[string]any) *unstructured.Unstructured {
	t.Helper()
	u := read(t, on, name)
	u.Object["status"] = status
	stored, err := on.UpdateStatus(t.Context(), u, metav1.UpdateOptions{FieldValidation: strict})
	must(t, err)
	return stored
}

// patch sends a JSON merge patch.
func patch(t *testing.T, on dynamic.ResourceInterface, name string, data []byte, subresources ...string) *unstructured.Unstructured {
	t.Helper()
	stored, err := on.Patch(t.Context(), name, types.MergePatchType, data, metav1.PatchOptions{FieldValidation: strict}, subresources...)
	must(t, err)
	return stored
}

// planner is for the controller that the object names. The mirror is in a namespace of its own.
func planner(t *testing.T, kind jobmanagedby.Kind, u *unstructured.Unstructured, change ...func(*mirror.Policy)) *mirror.Planner {
	t.Helper()
	controller, err := kind.ManagedBy(u)
	must(t, err)
	if controller == kind.Reserved {
		t.Fatalf("%s has nothing at %s", kind.Kind, kind.Field)
	}
	policy := mirror.Policy{Controller: controller, Origin: "mgmt-1", Keys: mirror.Keys{Origin: "acme.io/origin"}, Target: target}
	for _, c := range change {
		c(&policy)
	}
	p, err := mirror.New(policy)
	must(t, err)
	return p
}

// statuses are those that the operator writes.
func (f fixture) statuses(t *testing.T) (running, later map[string]any) {
	t.Helper()
	running, later, err := published.Statuses(f.object)
	must(t, err)
	return running, later
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n%v, want\n%v", what, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// set sets the field, or takes it out for nil.
func set(t *testing.T, kind jobmanagedby.Kind, u *unstructured.Unstructured, name *string) {
	t.Helper()
	path := strings.Split(kind.Field, ".")
	if name == nil {
		unstructured.RemoveNestedField(u.Object, path...)
		return
	}
	must(t, unstructured.SetNestedField(u.Object, *name, path...))
}

// target is where the mirror of an object lives.
func target(local *batchv1.Job) types.NamespacedName {
	return types.NamespacedName{Namespace: mirrorNamespace, Name: local.Name}
}
