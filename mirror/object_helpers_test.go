// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// kindObject reads an object of jobmanagedby's testdata, and its kind.
func kindObject(t testing.TB, name string) (jobmanagedby.Kind, *unstructured.Unstructured) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "jobmanagedby", "testdata", "kinds", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	u := decodeObject(t, string(data))
	k, ok := jobmanagedby.ForVersionKind(u.GroupVersionKind())
	if !ok {
		t.Fatalf("%s is not known", u.GroupVersionKind())
	}
	return k, u
}

// kindObjects are the names of these objects.
func kindObjects(t testing.TB) (names []string) {
	t.Helper()
	paths, err := filepath.Glob("../jobmanagedby/testdata/kinds/*.yaml")
	if err != nil || len(paths) < 17 {
		t.Fatalf("%d objects, %v", len(paths), err)
	}
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".yaml"))
	}
	return names
}

func decodeObject(t testing.TB, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.ToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return u
}

// unfinished is an object of testdata before it has a status, and a Planner for the controller that it
// names.
func unfinished(t testing.TB, name string, change ...func(*mirror.Policy)) (jobmanagedby.Kind, *unstructured.Unstructured, *mirror.Planner) {
	t.Helper()
	k, u := kindObject(t, name)
	delete(u.Object, "status")
	controller, err := k.ManagedBy(u)
	if err != nil {
		t.Fatal(err)
	}
	return k, u, plannerFor(t, controller, change...)
}

// plannerFor returns a Planner of another controller with the usual keys.
func plannerFor(t testing.TB, controller string, change ...func(*mirror.Policy)) *mirror.Planner {
	t.Helper()
	usual := func(p *mirror.Policy) {
		p.Controller = controller
		p.Keys = mirror.Keys{Origin: originKey, Local: localKey, UID: uidKey, Generation: genKey, LastSent: sentKey}
	}
	return planner(t, append([]func(*mirror.Policy){usual}, change...)...)
}

func buildObject(t testing.TB, p *mirror.Planner, k jobmanagedby.Kind, local *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	m, err := p.BuildObject(k, local)
	if err != nil {
		t.Fatalf("BuildObject: %v", err)
	}
	return m
}

// differences lists, in order, what is different in two JSON values.
func differences(path string, a, b any) []string {
	objectA, isA := a.(map[string]any)
	objectB, isB := b.(map[string]any)
	if isA && isB {
		names := maps.Clone(objectA)
		maps.Copy(names, objectB)
		var all []string
		for _, name := range slices.Sorted(maps.Keys(names)) {
			all = append(all, differences(path+"."+name, objectA[name], objectB[name])...)
		}
		return all
	}
	listA, isA := a.([]any)
	listB, isB := b.([]any)
	if isA && isB && len(listA) == len(listB) {
		var all []string
		for i := range listA {
			all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), listA[i], listB[i])...)
		}
		return all
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	if b == nil {
		return []string{"-" + path}
	}
	return []string{fmt.Sprintf("%s=%v", path, b)}
}

// asObject is a Job as a client for any kind sees it.
func asObject(t testing.TB, job *batchv1.Job) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(job)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetAPIVersion("batch/v1")
	u.SetKind("Job")
	return u
}

// asJob is the typed form of a Job.
func asJob(t testing.TB, u *unstructured.Unstructured) *batchv1.Job {
	t.Helper()
	job := &batchv1.Job{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, job); err != nil {
		t.Fatal(err)
	}
	return job
}

func jobKind(t testing.TB) jobmanagedby.Kind {
	t.Helper()
	k, ok := jobmanagedby.ForKind(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind())
	if !ok {
		t.Fatal("Job is not known")
	}
	return k
}
