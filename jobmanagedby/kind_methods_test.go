// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// method is a method of a Kind, of which only the error is looked at.
type method struct {
	name string
	call func(jobmanagedby.Kind, *unstructured.Unstructured) error
}

func delegate(controller string) method {
	return method{"Delegate", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error { return k.Delegate(u, controller) }}
}

// fieldMethods read the field.
var fieldMethods = []method{
	{"ManagedBy", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error { _, err := k.ManagedBy(u); return err }},
	{"IsManagedBy", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error {
		is, err := k.IsManagedBy(u, "")
		if is {
			return errors.New("true with an error")
		}
		return err
	}},
	{"Decide", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error {
		d, err := k.Decide(u, jobmanagedby.Release{})
		if err != nil && d != (jobmanagedby.Decision{}) {
			return errors.New("a decision with an error")
		}
		return err
	}},
	{"Default", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error {
		_, err := k.Default(u, "acme.io/dispatcher")
		return err
	}},
	delegate("acme.io/dispatcher"),
}

var suspendMethods = []method{
	{"Suspended", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error { _, err := k.Suspended(u); return err }},
	{"SetSuspended(true)", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error { return k.SetSuspended(u, true) }},
	{"SetSuspended(false)", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error { return k.SetSuspended(u, false) }},
}

var finishMethods = []method{
	{"Finished", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error { _, err := k.Finished(u); return err }},
	{"FinishedAt", func(k jobmanagedby.Kind, u *unstructured.Unstructured) error { _, err := k.FinishedAt(u); return err }},
}

// TestKindWithoutField: a kind that is known not to have the field says so.
func TestKindWithoutField(t *testing.T) {
	n := 0
	for _, k := range jobmanagedby.Kinds() {
		if k.NoField == "" {
			continue
		}
		n++
		u := blank(t, k, nil)
		var without *jobmanagedby.NoFieldError
		for _, m := range fieldMethods {
			if m.name == "Decide" {
				continue
			}
			if err := m.call(k, u); !errors.As(err, &without) || without.GroupKind != k.GroupKind || without.Why != k.NoField {
				t.Errorf("%s: %s: %v", k, m.name, err)
			}
		}
		d, err := k.Decide(u, jobmanagedby.Release{})
		if err != nil || d.Reason != jobmanagedby.ReasonNoField || d.Skip || d.Message == "" {
			t.Errorf("%s: %+v, %v", k, d, err)
		}
		name := "acme.io/dispatcher"
		if k.Allows(nil, &name) || k.Allows(&name, nil) || len(k.ValidateName("", nil)) > 0 || len(k.Hazards()) > 0 {
			t.Errorf("%s has something to say about the field", k)
		}
	}
	if n < 10 {
		t.Errorf("%d kinds without the field", n)
	}
}

// TestSetSuspended: what a field says that is in use for something else is never overwritten.
func TestSetSuspended(t *testing.T) {
	run := kind(t, "tekton.dev", "PipelineRun")
	var refused *jobmanagedby.SuspendError
	for _, current := range []string{"Cancelled", "CancelledRunFinally", "StoppedRunFinally", "TaskRunPending"} {
		u := blank(t, run, nil)
		setAt(u, current, "spec.status")
		before := asJSON(t, u.Object)
		if err := run.SetSuspended(u, true); !errors.As(err, &refused) || refused.Current != current || refused.Path != "spec.status" || refused.Error() == "" {
			t.Errorf("a run that is %s was suspended: %v", current, err)
		}
		if err := run.SetSuspended(u, false); err != nil || asJSON(t, u.Object) != before {
			t.Errorf("a run that is %s was resumed: %v, %s", current, err, asJSON(t, u.Object))
		}
	}
	never := run
	never.Suspend = jobmanagedby.Suspend{}
	u := blank(t, never, nil)
	if err := never.SetSuspended(u, true); !errors.As(err, &refused) || refused.Error() == "" {
		t.Errorf("a kind that cannot be suspended: %v", err)
	}
	if err := never.SetSuspended(u, false); err != nil {
		t.Errorf("a kind that cannot be suspended is not: %v", err)
	}
	job := kind(t, "batch", "Job")
	u = blank(t, job, nil)
	if err := job.SetSuspended(u, false); err != nil || asJSON(t, u.Object["spec"]) != "{}" {
		t.Errorf("a false was written where nothing was: %s, %v", asJSON(t, u.Object), err)
	}
}

// TestFinished has the results that the objects in testdata do not show.
func TestFinished(t *testing.T) {
	const unfinished, succeeded, failed = jobmanagedby.Unfinished, jobmanagedby.Succeeded, jobmanagedby.Failed
	condition := func(kind, status string) string { return `{"type":"` + kind + `","status":"` + status + `"}` }
	conditions := func(list string) string { return `{"conditions":[` + list + `]}` }
	tests := []struct {
		group, kind, status string
		want                jobmanagedby.Result
		why                 string
	}{
		{"batch", "Job", conditions(condition("Complete", "False") + "," + condition("Complete", "True")), succeeded, "any entry of the type counts"},
		{"batch", "Job", conditions(condition("Complete", "True") + "," + condition("Failed", "True")), failed, "what shows both is no success"},
		{"batch", "Job", conditions(condition("SuccessCriteriaMet", "True")), unfinished, "a promise is no result"},
		{"batch", "Job", conditions(condition("FailureTarget", "True")), unfinished, "a promise is no result"},
		{"jobset.x-k8s.io", "JobSet", conditions(condition("Failed", "True")), failed, ""},
		{"jobset.x-k8s.io", "JobSet", conditions(condition("Complete", "True")), unfinished, "a JobSet is Completed, not Complete"},
		{"trainer.kubeflow.org", "TrainJob", conditions(condition("Complete", "True")), succeeded, ""},
		{"trainer.kubeflow.org", "TrainJob", conditions(condition("Failed", "True")), failed, ""},
		{"ray.io", "RayJob", `{"jobDeploymentStatus":"Running","jobStatus":"SUCCEEDED"}`, unfinished, "the deployment has to end too"},
		{"ray.io", "RayJob", `{"jobDeploymentStatus":"Complete","jobStatus":"STOPPED"}`, failed, "stopped is no success"},
		{"ray.io", "RayJob", `{"jobDeploymentStatus":"Complete"}`, failed, ""},
		{"ray.io", "RayJob", `{"jobDeploymentStatus":"Failed","jobStatus":"FAILED"}`, failed, ""},
		{"ray.io", "RayJob", `{"jobDeploymentStatus":"Failed","jobStatus":"SUCCEEDED"}`, succeeded, "success is read from jobStatus alone"},
		{"ray.io", "RayJob", `{"jobDeploymentStatus":"ValidationFailed"}`, unfinished, "a changed spec is tried again"},
		{"ray.io", "RayCluster", `{"state":"failed"}`, unfinished, "never finishes"},
		{"workload.codeflare.dev", "AppWrapper", `{"phase":"Succeeded"}`, succeeded, ""},
		{"workload.codeflare.dev", "AppWrapper", `{"phase":"Failed"}`, failed, "no condition is not True"},
		{"workload.codeflare.dev", "AppWrapper", `{"phase":"Failed","conditions":[` + condition("ResourcesDeployed", "True") + `]}`, unfinished, "still deleting"},
		{"workload.codeflare.dev", "AppWrapper", `{"phase":"Running"}`, unfinished, ""},
		{"tekton.dev", "PipelineRun", conditions(condition("Succeeded", "True")), succeeded, ""},
		{"tekton.dev", "PipelineRun", conditions(condition("Succeeded", "False")), failed, ""},
		{"tekton.dev", "PipelineRun", conditions(condition("Succeeded", "Unknown")), unfinished, "still running"},
		{"tekton.dev", "PipelineRun", conditions(`{"type":"Succeeded"}`), unfinished, "a condition without a status"},
		{"tekton.dev", "PipelineRun", conditions(condition("Ready", "False")), unfinished, ""},
	}
	for _, tt := range tests {
		k := kind(t, tt.group, tt.kind)
		u := blank(t, k, nil)
		u.Object["status"] = decode(t, []byte(`{"apiVersion":"v1","kind":"x","status":`+tt.status+`}`)).Object["status"]
		if got, err := k.Finished(u); err != nil || got != tt.want {
			t.Errorf("%s with %s: %q, %v, want %q: %s", k, tt.status, got, err, tt.want, tt.why)
		}
	}
}

// TestFinishedAt: every kind that finishes says when, in its object in testdata; without the time nobody knows, and
// what is no time is an error.
func TestFinishedAt(t *testing.T) {
	files, err := filepath.Glob("testdata/kinds/*.yaml")
	if err != nil || len(files) < 17 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		u := object(t, name)
		k := kindOf(t, u)
		result, err := k.Finished(u)
		if err != nil || result == jobmanagedby.Unfinished {
			if at, err := k.FinishedAt(u); !at.IsZero() || err != nil {
				t.Errorf("%s: unfinished since %v, %v", name, at, err)
			}
			continue
		}
		want := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
		if at, err := k.FinishedAt(u); err != nil || !at.Equal(want) {
			t.Errorf("%s: since %v, %v", name, at, err)
		}
		spoilTimes(u.Object["status"], "noon")
		var malformed *jobmanagedby.MalformedError
		if at, err := k.FinishedAt(u); !errors.As(err, &malformed) || malformed.Want != "time" || !at.IsZero() {
			t.Errorf("%s: since noon: %v, %v", name, at, err)
		}
		spoilTimes(u.Object["status"], nil)
		if at, err := k.FinishedAt(u); err != nil || !at.IsZero() {
			t.Errorf("%s: without a time: %v, %v", name, at, err)
		}
	}
}

// spoilTimes replaces every time in a status.
func spoilTimes(value, by any) {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if name == "lastTransitionTime" || name == "endTime" {
				value[name] = by
			}
			spoilTimes(v, by)
		}
	case []any:
		for _, v := range value {
			spoilTimes(v, by)
		}
	}
}
