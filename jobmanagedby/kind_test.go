// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// TestKindRows reads a real-looking object of each row as a client decodes it.
func TestKindRows(t *testing.T) {
	const own, queue = "acme.io/dispatcher", "kueue.x-k8s.io/multikueue"
	tests := []struct {
		file        string
		controller  string
		suspended   bool
		result      jobmanagedby.Result
		started     bool
		suspendedAs string // what the object says after SetSuspended(true)
	}{
		{"job", own, false, jobmanagedby.Succeeded, true, `"suspend":true`},
		{"cronjob", own, true, jobmanagedby.Unfinished, true, `"suspend":true`},
		{"jobset", own, false, jobmanagedby.Succeeded, true, `"suspend":true`},
		{"trainjob", queue, true, jobmanagedby.Unfinished, false, `"suspend":true`},
		{"pytorchjob", queue, false, jobmanagedby.Succeeded, true, `"suspend":true`},
		{"tfjob", queue, false, jobmanagedby.Failed, true, `"suspend":true`},
		{"xgboostjob", queue, false, jobmanagedby.Succeeded, true, `"suspend":true`},
		{"paddlejob", queue, false, jobmanagedby.Succeeded, true, `"suspend":true`},
		{"jaxjob", own, false, jobmanagedby.Unfinished, true, `"suspend":true`},
		{"mpijob-v1", own, false, jobmanagedby.Succeeded, true, `"suspend":true`},
		{"mpijob-v2beta1", own, false, jobmanagedby.Succeeded, true, `"suspend":true`},
		{"rayjob", queue, false, jobmanagedby.Succeeded, true, `"suspend":true`},
		{"raycluster", queue, false, jobmanagedby.Unfinished, true, `"suspend":true`},
		{"rayservice", queue, true, jobmanagedby.Unfinished, true, `"suspend":true`},
		{"appwrapper", own, false, jobmanagedby.Failed, true, `"suspend":true`},
		{"pipelinerun", own, true, jobmanagedby.Unfinished, false, `"status":"PipelineRunPending"`},
		{"taskrun", own, false, jobmanagedby.Failed, true, `"status":"TaskRunPending"`},
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			u := object(t, tt.file)
			before := u.DeepCopy()
			k := kindOf(t, u)
			seen[k.String()+"/"+k.Versions[0]] = true

			controller, err := k.ManagedBy(u)
			if err != nil || controller != tt.controller {
				t.Errorf("ManagedBy = %q, %v", controller, err)
			}
			if is, err := k.IsManagedBy(u, tt.controller); err != nil || !is {
				t.Errorf("IsManagedBy = %v, %v", is, err)
			}
			suspended, err := k.Suspended(u)
			if err != nil || suspended != tt.suspended {
				t.Errorf("Suspended = %v, %v", suspended, err)
			}
			result, err := k.Finished(u)
			if err != nil || result != tt.result {
				t.Errorf("Finished = %q, %v", result, err)
			}
			started, err := k.HasStarted(u)
			if err != nil || started != tt.started {
				t.Errorf("HasStarted = %v, %v", started, err)
			}
			if !reflect.DeepEqual(u, before) {
				t.Error("the object was changed")
			}
			checkSuspends(t, k, u.Object, tt.suspendedAs)

			u.Object["spec"] = map[string]any{}
			controller, err = k.ManagedBy(u)
			if err != nil || controller != k.Reserved {
				t.Errorf("without the field, ManagedBy = %q, %v, want %s", controller, err, k.Reserved)
			}
			delete(u.Object, "status")
			if result, err := k.Finished(u); err != nil || result != jobmanagedby.Unfinished {
				t.Errorf("without a status, Finished = %q, %v", result, err)
			}
		})
	}
	for _, k := range jobmanagedby.Kinds() {
		if k.NoField == "" && !seen[k.String()+"/"+k.Versions[0]] {
			t.Errorf("%s %s has no object in testdata", k, k.Versions[0])
		}
	}
	files, err := filepath.Glob("testdata/kinds/*.yaml")
	if err != nil || len(files) != len(tests) {
		t.Errorf("%d objects, %d tests, %v", len(files), len(tests), err)
	}
}

// checkSuspends suspends and resumes a copy of an object, each twice.
func checkSuspends(t *testing.T, k jobmanagedby.Kind, content map[string]any, want string) {
	t.Helper()
	u := decode(t, []byte(asJSON(t, content)))
	for _, suspended := range []bool{true, false} {
		if err := k.SetSuspended(u, suspended); err != nil {
			t.Fatalf("SetSuspended(%v): %v", suspended, err)
		}
		after := asJSON(t, u.Object)
		if is, err := k.Suspended(u); err != nil || is != suspended {
			t.Errorf("after SetSuspended(%v), Suspended = %v, %v", suspended, is, err)
		}
		if strings.Contains(asJSON(t, u.Object["spec"]), want) != suspended {
			t.Errorf("SetSuspended(%v) made %s", suspended, after)
		}
		if err := k.SetSuspended(u, suspended); err != nil || asJSON(t, u.Object) != after {
			t.Errorf("the second SetSuspended(%v): %v, %s", suspended, err, asJSON(t, u.Object))
		}
	}
}

// TestKindsAreSound: every row passes CheckKind; keys are unique but for MPIJob; nothing is shared.
func TestKindsAreSound(t *testing.T) {
	count := map[schema.GroupVersionKind]int{}
	fieldless := false
	for _, k := range jobmanagedby.Kinds() {
		if err := jobmanagedby.CheckKind(k); err != nil {
			t.Errorf("%s: %v", k, err)
		}
		for _, v := range k.Versions {
			count[k.WithVersion(v)]++
		}
		if fieldless = fieldless || k.NoField != ""; fieldless != (k.NoField != "") {
			t.Errorf("%s stands behind the kinds without the field", k)
		}
		if k.NoField == "" && (k.Source == "" || k.Status == "" || k.Suspend.Path == "") {
			t.Errorf("%s has empty columns", k)
		}
		if k.NoField != "" && (k.Field != "" || k.Reserved != "" || k.Since != "") {
			t.Errorf("%s has the field and has not", k)
		}
	}
	for gvk, n := range count {
		if n != 1 {
			t.Errorf("%s is there %d times", gvk, n)
		}
	}
	scribbled := jobmanagedby.Kinds()
	for _, k := range scribbled {
		for _, list := range [][]string{k.Versions, k.Allowed, k.Nested, k.Embedded, k.JobTemplates} {
			for i := range list {
				list[i] = "scribbled"
			}
		}
		clear(k.Finish)
		clear(k.Started)
		clear(k.SelfDelete)
		clear(k.ServerSet)
	}
	if reflect.DeepEqual(scribbled, jobmanagedby.Kinds()) {
		t.Error("two calls of Kinds share memory")
	}
	if strings.Contains(asJSON(t, jobmanagedby.Kinds()), "scribbled") {
		t.Error("two calls of Kinds share memory")
	}
}

func TestForKind(t *testing.T) {
	tests := []struct {
		group, kind, version string
		known                bool
		field, reserved      string
		why                  string
	}{
		{"jobset.x-k8s.io", "JobSet", "v1alpha2", true, "spec.managedBy", "jobset.sigs.k8s.io/jobset-controller", "a kind that has it"},
		{"jobset.x-k8s.io", "JobSet", "v9", false, "", "", "of a version that is not known nobody knows where the field is"},
		{"kubeflow.org", "MPIJob", "v1", true, "spec.runPolicy.managedBy", "kubeflow.org/training-operator", "the training operator's MPIJob"},
		{"kubeflow.org", "MPIJob", "v2beta1", true, "spec.runPolicy.managedBy", "kubeflow.org/mpi-operator", "mpi-operator's MPIJob"},
		{"tekton.dev", "TaskRun", "v1beta1", true, "spec.managedBy", "tekton.dev/pipeline", "the second version"},
		{"argoproj.io", "Workflow", "v1alpha1", true, "", "", "known not to have it"},
		{"", "Pod", "v1", true, "", "", "the core group"},
		{"example.com", "Job", "v1", false, "", "", "a name is not enough"},
		{"batch", "job", "v1", false, "", "", "names are compared byte for byte"},
	}
	for _, tt := range tests {
		gk := schema.GroupKind{Group: tt.group, Kind: tt.kind}
		k, ok := jobmanagedby.ForVersionKind(gk.WithVersion(tt.version))
		if ok != tt.known || k.Field != tt.field || k.Reserved != tt.reserved {
			t.Errorf("ForVersionKind(%s %s) = %q %q, %v: %s", gk, tt.version, k.Field, k.Reserved, ok, tt.why)
		}
		if ok && (k.NoField == "") != (tt.field != "") {
			t.Errorf("%s: NoField %q", gk, k.NoField)
		}
	}
	if k := kind(t, "kubeflow.org", "MPIJob"); k.Versions[0] != "v2beta1" {
		t.Errorf("ForKind(MPIJob) is that of %s", k.Versions)
	}
}

// TestKindMalformed: what is malformed is a typed error with its path from every method that reads it, and
// no method changes the object.
func TestKindMalformed(t *testing.T) {
	type object = map[string]any
	list := []any{}
	var malformed *jobmanagedby.MalformedError
	var wrong *jobmanagedby.KindError
	check := func(t *testing.T, k jobmanagedby.Kind, name, path, want string, methods []method, content object) {
		t.Helper()
		u := blank(t, k, nil)
		for key, value := range content {
			u.Object[key] = value
		}
		before := u.DeepCopy()
		for _, m := range methods {
			err := m.call(k, u)
			if !errors.As(err, &malformed) {
				t.Errorf("%s, %s: %s: %v", k, name, m.name, err)
			} else if malformed.Path != path || malformed.Want != want || malformed.GroupKind != k.GroupKind || malformed.Error() == "" {
				t.Errorf("%s, %s: %s: %+v, want path %s", k, name, m.name, malformed, path)
			}
		}
		if !reflect.DeepEqual(u, before) {
			t.Errorf("%s, %s: the object was changed to %s", k, name, asJSON(t, u.Object))
		}
	}
	for _, k := range jobmanagedby.Kinds() {
		if k.NoField != "" {
			continue
		}
		check(t, k, "no spec", "spec", "object", fieldMethods, object{"spec": nil})
		check(t, k, "the spec is a list", "spec", "object", fieldMethods, object{"spec": list})
		for _, value := range []any{int64(7), true, object{}, list, 1.5} {
			u := blank(t, k, value)
			check(t, k, "the field is no string", k.Field, "string", fieldMethods, u.Object)
		}
		if parent := k.Field[:strings.LastIndexByte(k.Field, '.')]; parent != "spec" {
			u := blank(t, k, nil)
			setAt(u, "text", parent)
			check(t, k, "the parent is a string", parent, "object", fieldMethods, u.Object)
		}
		want, bad := "boolean", any("true")
		if k.Suspend.Value != "" {
			want, bad = "string", true
		}
		u := blank(t, k, nil)
		setAt(u, bad, k.Suspend.Path)
		check(t, k, "suspend of the wrong type", k.Suspend.Path, want, suspendMethods, u.Object)
		if len(k.Finish) > 0 {
			check(t, k, "the status is a string", "status", "object", finishMethods, object{"status": "done"})
		}
		if len(k.Finish) > 0 && strings.Contains(k.Finish[0].If[0].Path, "conditions") {
			check(t, k, "conditions are an object", "status.conditions", "list", finishMethods, object{"status": object{"conditions": object{}}})
			check(t, k, "a condition is a string", "status.conditions[0]", "object", finishMethods, object{"status": object{"conditions": []any{"Failed"}}})
		}
		u = blank(t, k, nil)
		u.Object["metadata"] = object{"uid": int64(1)}
		if k.HonoredSince != "" {
			check(t, k, "the uid is a number", "metadata.uid", "string", []method{delegate(allowed(k))}, u.Object)
		}

		for _, other := range []string{"v0", "example.com/v1"} {
			u := blank(t, k, nil)
			u.SetAPIVersion(other)
			for _, m := range slices.Concat(fieldMethods, suspendMethods, finishMethods) {
				if err := m.call(k, u); !errors.As(err, &wrong) || wrong.Object != u.GroupVersionKind() || wrong.Kind != k.GroupKind {
					t.Errorf("%s of an object of %s: %s: %v", k, other, m.name, err)
				}
			}
		}
	}
}

// allowed returns a name that a kind takes.
func allowed(k jobmanagedby.Kind) string {
	if len(k.Allowed) > 0 {
		return k.Allowed[0]
	}
	return "acme.io/dispatcher"
}
