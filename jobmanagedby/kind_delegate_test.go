// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

func TestKindDelegate(t *testing.T) {
	const own, queue = "acme.io/dispatcher", "kueue.x-k8s.io/multikueue"
	var (
		reserved  *jobmanagedby.ReservedNameError
		unhonored *jobmanagedby.NotHonoredError
		closed    *jobmanagedby.NotAllowedError
		name      *jobmanagedby.NameError
		taken     *jobmanagedby.TakenError
		exists    *jobmanagedby.ExistsError
	)
	tests := []struct {
		group, kind string
		value       any
		exists      bool
		controller  string
		want        any // a pointer for errors.As, nil for no error
		why         string
	}{
		{"jobset.x-k8s.io", "JobSet", nil, false, own, nil, ""},
		{"jobset.x-k8s.io", "JobSet", "jobset.sigs.k8s.io/jobset-controller", false, own, nil, "the reserved name is as good as none"},
		{"jobset.x-k8s.io", "JobSet", own, true, own, nil, "there is nothing to do"},
		{"jobset.x-k8s.io", "JobSet", nil, true, own, &exists, ""},
		{"jobset.x-k8s.io", "JobSet", queue, false, own, &taken, ""},
		{"jobset.x-k8s.io", "JobSet", "", false, own, &taken, ""},
		{"jobset.x-k8s.io", "JobSet", nil, false, "jobset.sigs.k8s.io/jobset-controller", &reserved, ""},
		{"jobset.x-k8s.io", "JobSet", nil, false, "kubernetes.io/job-controller", nil, "another kind's reserved name is like any other"},
		{"jobset.x-k8s.io", "JobSet", nil, false, "dispatcher", &name, ""},
		{"batch", "CronJob", nil, true, own, nil, "the field of a template is mutable"},
		{"trainer.kubeflow.org", "TrainJob", nil, false, own, &closed, ""},
		{"trainer.kubeflow.org", "TrainJob", "trainer.kubeflow.org/trainjob-controller", false, queue, nil, "as the default leaves it"},
		{"kubeflow.org", "PyTorchJob", nil, false, own, &closed, ""},
		{"kubeflow.org", "PyTorchJob", nil, false, queue, nil, ""},
		{"kubeflow.org", "PyTorchJob", nil, true, queue, &exists, "that nobody sees to it makes it no better"},
		{"kubeflow.org", "JAXJob", nil, false, queue, &unhonored, "two would run it"},
		{"kubeflow.org", "MPIJob", nil, false, own, nil, "nobody holds it to the documented set"},
		{"kubeflow.org", "MPIJob", nil, false, "dispatcher", &name, "it would wait for ever"},
		{"ray.io", "RayCluster", nil, true, queue, &exists, "although the CRD would take it"},
		{"workload.codeflare.dev", "AppWrapper", nil, false, "", &name, "it would wait for ever"},
		{"tekton.dev", "TaskRun", nil, false, own, nil, ""},
	}
	for _, tt := range tests {
		k := kind(t, tt.group, tt.kind)
		u := blank(t, k, tt.value)
		if tt.exists {
			u.SetUID("u")
		}
		before := u.DeepCopy()
		err := k.Delegate(u, tt.controller)
		if (err == nil) != (tt.want == nil) || err != nil && (!errors.As(err, tt.want) || !errors.As(err, new(*jobmanagedby.DelegateError))) {
			t.Errorf("%s %v to %q: %v, want %T: %s", k, tt.value, tt.controller, err, tt.want, tt.why)
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), k.Field) || strings.Contains(err.Error(), "Job without spec.managedBy") {
				t.Errorf("%s: text %q", k, err)
			}
			if !reflect.DeepEqual(u, before) {
				t.Errorf("%s %v to %q: changed with an error", k, tt.value, tt.controller)
			}
		} else if is, err := k.IsManagedBy(u, tt.controller); err != nil || !is {
			t.Errorf("%s is not managed by %q, %v", k, tt.controller, err)
		}
		checkDefault(t, k, before.Object, tt.controller, tt.value, tt.want)
	}
}

// checkDefault: Default sets what Delegate would set, but for an object that has only a UID, and never fails.
func checkDefault(t *testing.T, k jobmanagedby.Kind, content map[string]any, controller string, value, refused any) {
	t.Helper()
	u := decode(t, []byte(asJSON(t, content)))
	_, forExisting := refused.(**jobmanagedby.ExistsError)
	want := (refused == nil || forExisting) && value != controller
	if did, err := k.Default(u, controller); err != nil || did != want {
		t.Errorf("%s %v: Default(%q) = %v, %v, want %v", k, value, controller, did, err, want)
	}
	u = decode(t, []byte(asJSON(t, content)))
	u.SetResourceVersion("7")
	if did, err := k.Default(u, controller); err != nil || did && k.Change != jobmanagedby.ChangeAllowed {
		t.Errorf("%s %v: Default(%q) of what exists = %v, %v", k, value, controller, did, err)
	}
}

func TestKindValidateName(t *testing.T) {
	const own, queue = "acme.io/dispatcher", "kueue.x-k8s.io/multikueue"
	tests := []struct {
		group, kind, name string
		want              field.ErrorType
		why               string
	}{
		{"jobset.x-k8s.io", "JobSet", own, "", ""},
		{"jobset.x-k8s.io", "JobSet", "", field.ErrorTypeRequired, "as for a Job"},
		{"jobset.x-k8s.io", "JobSet", "a.io/" + strings.Repeat("x", 59), field.ErrorTypeTooLong, "as for a Job"},
		{"trainer.kubeflow.org", "TrainJob", queue, "", ""},
		{"trainer.kubeflow.org", "TrainJob", "trainer.kubeflow.org/trainjob-controller", "", "the reserved name is in the set"},
		{"trainer.kubeflow.org", "TrainJob", own, field.ErrorTypeInvalid, "a rule of the CRD"},
		{"ray.io", "RayJob", "", field.ErrorTypeInvalid, "a rule of the CRD"},
		{"kubeflow.org", "TFJob", own, field.ErrorTypeNotSupported, "a webhook"},
		{"kubeflow.org", "MPIJob", "anything at all", "", "nobody looks"},
		{"kubeflow.org", "JAXJob", "anything at all", "", "nobody looks"},
		{"workload.codeflare.dev", "AppWrapper", "", "", "nobody looks"},
	}
	for _, tt := range tests {
		k := kind(t, tt.group, tt.kind)
		path := field.NewPath("spec", "managedBy")
		errs := k.ValidateName(tt.name, path)
		if (len(errs) == 0) != (tt.want == "") || len(errs) > 0 && (errs[0].Type != tt.want || errs[0].Field != "spec.managedBy") {
			t.Errorf("%s %q: %v, want %q: %s", k, tt.name, errs, tt.want, tt.why)
		}
	}
	short := kind(t, "ray.io", "RayJob")
	short.MaxLength = 30
	if errs := short.ValidateName(queue+strings.Repeat("x", 10), nil); len(errs) != 1 || errs[0].Type != field.ErrorTypeTooLong {
		t.Errorf("too long a name: %v", errs)
	}
}

func TestKindAllows(t *testing.T) {
	const trainer = "trainer.kubeflow.org/trainjob-controller"
	none, a, b := (*string)(nil), ptr.To("a.io/a"), ptr.To("b.io/b")
	tests := []struct {
		group, kind string
		from, to    *string
		want        bool
		why         string
	}{
		{"batch", "Job", none, none, true, ""},
		{"batch", "Job", a, ptr.To("a.io/a"), true, "compared by value"},
		{"batch", "Job", a, b, false, ""},
		{"batch", "Job", none, a, false, ""},
		{"batch", "Job", a, none, false, ""},
		{"batch", "Job", none, ptr.To(jobmanagedby.JobController), false, "a change too"},
		{"batch", "CronJob", a, b, true, "a template"},
		{"trainer.kubeflow.org", "TrainJob", none, ptr.To(trainer), true, "the default is that"},
		{"trainer.kubeflow.org", "TrainJob", ptr.To(trainer), none, true, "the default brings it back"},
		{"trainer.kubeflow.org", "TrainJob", a, none, false, "the default is another value"},
		{"ray.io", "RayJob", none, a, true, "added later"},
		{"ray.io", "RayJob", a, none, true, "removed"},
		{"ray.io", "RayJob", a, b, false, ""},
		{"kubeflow.org", "PyTorchJob", a, b, true, "broken"},
		{"kubeflow.org", "TFJob", a, none, false, ""},
		{"kubeflow.org", "MPIJob", a, b, true, "nobody looks"},
		{"tekton.dev", "TaskRun", none, a, false, ""},
	}
	for _, tt := range tests {
		if got := kind(t, tt.group, tt.kind).Allows(tt.from, tt.to); got != tt.want {
			t.Errorf("%s: from %v to %v: %v: %s", tt.kind, ptr.Deref(tt.from, "nil"), ptr.Deref(tt.to, "nil"), got, tt.why)
		}
	}
}

// TestCheckKind breaks a good Kind in each way that CheckKind knows.
func TestCheckKind(t *testing.T) {
	good := kind(t, "jobset.x-k8s.io", "JobSet")
	good.Group, good.Kind = "example.com", "Sweep"
	if err := jobmanagedby.CheckKind(good); err != nil {
		t.Fatal(err)
	}
	bad := jobmanagedby.Test{Path: "status.conditions[type=x"}
	tests := []struct {
		fields string
		change func(*jobmanagedby.Kind)
	}{
		{"Kind", func(k *jobmanagedby.Kind) { k.Kind = "" }},
		{"Versions", func(k *jobmanagedby.Kind) { k.Versions = nil }},
		{"Field", func(k *jobmanagedby.Kind) { k.Field = "" }},
		{"Field", func(k *jobmanagedby.Kind) { k.Field = "spec..managedBy" }},
		{"Field", func(k *jobmanagedby.Kind) { k.Field = "spec.templates[].managedBy" }},
		{"Field", func(k *jobmanagedby.Kind) { k.Field = "metadata.labels" }},
		{"Reserved", func(k *jobmanagedby.Kind) { k.Reserved = "" }},
		{"Form", func(k *jobmanagedby.Kind) { k.Form = "" }},
		{"Checked", func(k *jobmanagedby.Kind) { k.Checked = "Somebody" }},
		{"Change", func(k *jobmanagedby.Kind) { k.Change = "" }},
		{"Since", func(k *jobmanagedby.Kind) { k.Since = "" }},
		{"HonoredSince", func(k *jobmanagedby.Kind) { k.HonoredSince = "soon" }},
		{"Suspend.Path", func(k *jobmanagedby.Kind) { k.Suspend.Path = "spec.suspend." }},
		{"Status", func(k *jobmanagedby.Kind) { k.Status = "status[]" }},
		{"Status", func(k *jobmanagedby.Kind) { k.Status = "status.run" }},
		{"Suspend.Path", func(k *jobmanagedby.Kind) { k.Suspend.Path = "suspended" }},
		{"SelfDelete[0].Set", func(k *jobmanagedby.Kind) { k.SelfDelete = []jobmanagedby.Edit{{Path: "spec.x", Set: 100}} }},
		{"StatusNeeds[0]", func(k *jobmanagedby.Kind) { k.StatusNeeds = []string{"status.pods[]"} }},
		{"Finish[0].Result", func(k *jobmanagedby.Kind) { k.Finish = []jobmanagedby.FinishRule{{If: k.Finish[0].If}} }},
		{"Finish[0].If", func(k *jobmanagedby.Kind) { k.Finish = []jobmanagedby.FinishRule{{Result: jobmanagedby.Failed}} }},
		{"Finish[0].If[0]", func(k *jobmanagedby.Kind) {
			k.Finish = []jobmanagedby.FinishRule{{If: []jobmanagedby.Test{bad}, Result: jobmanagedby.Failed}}
		}},
		{"Started[0]", func(k *jobmanagedby.Kind) { k.Started = []jobmanagedby.Test{{}} }},
		{"Nested[0]", func(k *jobmanagedby.Kind) { k.Nested = []string{".x"} }},
		{"Embedded[0]", func(k *jobmanagedby.Kind) { k.Embedded = []string{"a]b["} }},
		{"JobTemplates[0]", func(k *jobmanagedby.Kind) { k.JobTemplates = []string{"a[]b"} }},
		{"SelfDelete[0].Path", func(k *jobmanagedby.Kind) { k.SelfDelete = []jobmanagedby.Edit{{Path: "status.x"}} }},
		{"ServerSet[0].If[0]", func(k *jobmanagedby.Kind) {
			k.ServerSet = []jobmanagedby.Edit{{Path: "spec.x", If: []jobmanagedby.Test{bad}}}
		}},
	}
	for _, tt := range tests {
		k := good
		tt.change(&k)
		var invalid *jobmanagedby.InvalidKindError
		err := jobmanagedby.CheckKind(k)
		if !errors.As(err, &invalid) || len(invalid.Errs) != 1 || invalid.Errs[0].Field != tt.fields {
			t.Errorf("%s: %v", tt.fields, err)
			continue
		}
		var one *field.Error
		if !errors.As(err, &one) || one != invalid.Errs[0] {
			t.Errorf("%s: errors.As does not see through", tt.fields)
		}
		u := blank(t, good, nil)
		for _, m := range fieldMethods { // they may fail, but not panic
			_ = m.call(k, u)
		}
		_, _ = k.Finished(u)
		_, _ = k.HasStarted(u)
		_ = k.SetSuspended(u, true)
	}
}

// TestOwnKind: a kind of one's own is a value.
func TestOwnKind(t *testing.T) {
	sweep := jobmanagedby.Kind{
		Versions: []string{"v1"}, Status: "status", Field: "spec.run.managedBy", Reserved: "example.com/sweeper",
		Form: jobmanagedby.FormDomainPath, Checked: jobmanagedby.CheckedByCRD, Change: jobmanagedby.ChangeNever, Since: "1.0", HonoredSince: "1.0",
	}
	sweep.Group, sweep.Kind = "example.com", "Sweep"
	if err := jobmanagedby.CheckKind(sweep); err != nil {
		t.Fatal(err)
	}
	u := decode(t, []byte("apiVersion: example.com/v1\nkind: Sweep\nspec: {}\n"))
	if err := sweep.Delegate(u, "acme.io/dispatcher"); err != nil || asJSON(t, u.Object["spec"]) != `{"run":{"managedBy":"acme.io/dispatcher"}}` {
		t.Errorf("%v, %s", err, asJSON(t, u.Object))
	}
	if d, err := sweep.Decide(u, jobmanagedby.Release{}); err != nil || !d.Skip {
		t.Errorf("%+v, %v", d, err)
	}
	if r, err := sweep.Finished(u); err != nil || r != jobmanagedby.Unfinished {
		t.Errorf("%q, %v", r, err)
	}
}
