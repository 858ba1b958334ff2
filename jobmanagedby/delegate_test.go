// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

func TestDelegate(t *testing.T) {
	const other = "acme.io/other"
	key := types.NamespacedName{Namespace: "team", Name: "pi"}
	tests := []struct {
		name       string
		managedBy  *string
		uid        types.UID
		version    string
		controller string
		want       error // nil: delegated
		why        string
	}{
		{"unset", nil, "", "", dispatcher, nil, "the usual case"},
		{"reserved", ptr.To(jobmanagedby.JobController), "", "", dispatcher, nil, "spelt out, but the same as unset"},
		{"again", ptr.To(dispatcher), "", "", dispatcher, nil, "idempotent"},
		{"again, stored by now", ptr.To(dispatcher), "u", "7", dispatcher, nil, "nothing would change"},
		{"63 bytes", nil, "", "", "acme.io/" + strings.Repeat("x", 55), nil, "the longest name"},
		{"taken", ptr.To(other), "", "", dispatcher, &jobmanagedby.TakenError{Controller: dispatcher, Current: other}, "never from another"},
		{"taken, differs in case", ptr.To("acme.io/Dispatcher"), "", "", dispatcher,
			&jobmanagedby.TakenError{Controller: dispatcher, Current: "acme.io/Dispatcher"}, "another name"},
		{"taken and stored", ptr.To(other), "u", "7", dispatcher, &jobmanagedby.TakenError{Controller: dispatcher, Current: other}, "looked for first"},
		{"empty string in the field", ptr.To(""), "", "", dispatcher, &jobmanagedby.TakenError{Controller: dispatcher}, "not unset; the API server refuses it"},
		{"has a UID", nil, "u", "", dispatcher, &jobmanagedby.ExistsError{Job: key, UID: "u"}, "immutable"},
		{"has a resourceVersion", nil, "", "7", dispatcher, &jobmanagedby.ExistsError{Job: key, ResourceVersion: "7"}, "immutable"},
		{"stored, reserved", ptr.To(jobmanagedby.JobController), "u", "7", dispatcher,
			&jobmanagedby.ExistsError{Job: key, UID: "u", ResourceVersion: "7"}, "reserved to another is a change too"},
		{"to the reserved name", nil, "", "", jobmanagedby.JobController, &jobmanagedby.ReservedNameError{Name: jobmanagedby.JobController}, "not a delegation"},
		{"reserved to the reserved name", ptr.To(jobmanagedby.JobController), "", "", jobmanagedby.JobController,
			&jobmanagedby.ReservedNameError{Name: jobmanagedby.JobController}, "not a delegation either"},
		{"to a malformed name", nil, "", "", "dispatcher", &jobmanagedby.NameError{Name: "dispatcher"}, "refused at create"},
		{"to no name", nil, "", "", "", &jobmanagedby.NameError{}, "refused at create"},
		{"to 64 bytes", nil, "", "", "acme.io/" + strings.Repeat("x", 56), &jobmanagedby.NameError{Name: "acme.io/" + strings.Repeat("x", 56)}, "refused at create"},
		{"malformed before taken", ptr.To(other), "u", "", "dispatcher", &jobmanagedby.NameError{Name: "dispatcher"}, "looked for first"},
		{"malformed, and there already", ptr.To("dispatcher"), "", "", "dispatcher", &jobmanagedby.NameError{Name: "dispatcher"}, "still refused at create"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := jobFor(tt.managedBy)
			job.ObjectMeta = metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name, UID: tt.uid, ResourceVersion: tt.version}
			want := job.DeepCopy()
			if tt.want == nil {
				want.Spec.ManagedBy = &tt.controller
			}
			err := jobmanagedby.Delegate(job, tt.controller)
			if !sameRefusal(err, tt.want) {
				t.Errorf("Delegate = %v, want %T: %s", err, tt.want, tt.why)
			}
			if diff := cmp.Diff(want, job); diff != "" {
				t.Errorf("the Job (-want +got):\n%s", diff)
			}

			exists := errors.As(err, new(*jobmanagedby.ExistsError))
			template := &batchv1.JobTemplateSpec{ObjectMeta: job.ObjectMeta, Spec: batchv1.JobSpec{ManagedBy: tt.managedBy}}
			templateErr := jobmanagedby.DelegateTemplate(template, tt.controller)
			if !exists && !sameRefusal(templateErr, tt.want) || exists && templateErr != nil {
				t.Errorf("DelegateTemplate = %v, Delegate = %v", templateErr, err)
			}
			if templateErr == nil && jobmanagedby.TemplateManagedBy(template) != tt.controller {
				t.Errorf("the template says %q", jobmanagedby.TemplateManagedBy(template))
			}
			if templateErr != nil && template.Spec.ManagedBy != tt.managedBy {
				t.Error("the template was changed in spite of the error")
			}
		})
	}
}

// sameRefusal compares the errors as a caller sees them: by type through errors.As, and by content.
// What a NameError carries besides the name has a test of its own.
func sameRefusal(got, want error) bool {
	switch want := want.(type) {
	case nil:
		return got == nil
	case *jobmanagedby.NameError:
		var e *jobmanagedby.NameError
		return errors.As(got, &e) && e.Name == want.Name
	case *jobmanagedby.ReservedNameError:
		var e *jobmanagedby.ReservedNameError
		return errors.As(got, &e) && *e == *want
	case *jobmanagedby.TakenError:
		var e *jobmanagedby.TakenError
		return errors.As(got, &e) && *e == *want
	case *jobmanagedby.ExistsError:
		var e *jobmanagedby.ExistsError
		return errors.As(got, &e) && *e == *want
	}
	return false
}

// A NameError carries everything that the API server would have said, and errors.As reaches it.
func TestNameErrorUnwraps(t *testing.T) {
	const name = "Acme.io/dis patcher"
	err := jobmanagedby.Delegate(jobFor(nil), name)
	var nameErr *jobmanagedby.NameError
	if !errors.As(err, &nameErr) {
		t.Fatalf("Delegate = %v", err)
	}
	want := jobmanagedby.ValidateName(name, field.NewPath("spec", "managedBy"))
	if diff := cmp.Diff(problems(want), problems(nameErr.Errs)); diff != "" || len(want) != 2 {
		t.Errorf("Errs (-want +got):\n%s", diff)
	}
	var fieldErr *field.Error
	if !errors.As(err, &fieldErr) || fieldErr.Field != "spec.managedBy" || fieldErr.BadValue != "Acme.io" {
		t.Errorf("errors.As found %v", fieldErr)
	}
}

func TestRefusalsSayWhatTheyMean(t *testing.T) {
	tests := []struct {
		err  error
		want []string
	}{
		{jobmanagedby.Delegate(jobFor(nil), "dispatcher"), []string{`"dispatcher"`, "acme.io/dispatcher", "spec.managedBy"}},
		{jobmanagedby.Delegate(jobFor(nil), jobmanagedby.JobController), []string{jobmanagedby.JobController, "leave the field out"}},
		{jobmanagedby.Delegate(jobFor(ptr.To("acme.io/other")), dispatcher), []string{dispatcher, "acme.io/other"}},
		{&jobmanagedby.ExistsError{Job: types.NamespacedName{Namespace: "team", Name: "pi"}, UID: "u", ResourceVersion: "7"},
			[]string{"team/pi", `"u"`, `"7"`, "immutable", "new Job"}},
	}
	for _, tt := range tests {
		for _, want := range tt.want {
			if !strings.Contains(tt.err.Error(), want) {
				t.Errorf("%T %q does not say %q", tt.err, tt.err, want)
			}
		}
	}
}

func TestDefault(t *testing.T) {
	tests := []struct {
		name       string
		managedBy  *string
		controller string
		want       bool
		why        string
	}{
		{"unset", nil, dispatcher, true, "filled"},
		{"reserved", ptr.To(jobmanagedby.JobController), dispatcher, true, "the same as unset"},
		{"own", ptr.To(dispatcher), dispatcher, false, "nothing to do"},
		{"another", ptr.To("acme.io/other"), dispatcher, false, "never overwritten"},
		{"empty", ptr.To(""), dispatcher, false, "the API server tells the user"},
		{"malformed", ptr.To("dispatcher"), dispatcher, false, "the API server tells the user"},
		{"controller is malformed", nil, "dispatcher", false, "every Job would be refused"},
		{"controller is empty", nil, "", false, "every Job would be refused"},
		{"controller is the reserved one", nil, jobmanagedby.JobController, false, "unset says the same"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := jobFor(tt.managedBy)
			job.UID = "left-over" // a client may send one with a create
			want := job.DeepCopy()
			if tt.want {
				want.Spec.ManagedBy = &tt.controller
			}
			template := &batchv1.JobTemplateSpec{Spec: *job.Spec.DeepCopy()}
			for range 2 { // the second call, on what it made itself, changes nothing
				tt.want = tt.want && !jobmanagedby.IsManagedBy(job, tt.controller)
				if got := jobmanagedby.Default(job, tt.controller); got != tt.want {
					t.Errorf("Default = %v, want %v: %s", got, tt.want, tt.why)
				}
				if got := jobmanagedby.DefaultTemplate(template, tt.controller); got != tt.want {
					t.Errorf("DefaultTemplate = %v, want %v: %s", got, tt.want, tt.why)
				}
				if diff := cmp.Diff(want, job) + cmp.Diff(want.Spec, template.Spec); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

// A stored Job is left alone, because the API server would refuse the change.
func TestDefaultLeavesStoredJobs(t *testing.T) {
	for _, name := range []*string{nil, ptr.To(jobmanagedby.JobController)} {
		job := jobFor(name)
		job.ResourceVersion = "7"
		before := job.DeepCopy()
		if jobmanagedby.Default(job, dispatcher) || jobmanagedby.ValidateUpdate(job, before) != nil {
			t.Errorf("a stored Job went from %v to %q", name, jobmanagedby.ManagedBy(job))
		}
	}
}

// Two Jobs delegated with one string do not share it, and neither shares it with the caller.
func TestDelegateSharesNothing(t *testing.T) {
	controller := dispatcher
	first, second := jobFor(nil), jobFor(nil)
	template := &batchv1.JobTemplateSpec{}
	if err := errors.Join(jobmanagedby.Delegate(first, controller), jobmanagedby.DelegateTemplate(template, controller)); err != nil {
		t.Fatal(err)
	}
	jobmanagedby.Default(second, controller)
	*first.Spec.ManagedBy = "acme.io/changed"
	*template.Spec.ManagedBy = "acme.io/changed"
	if got := jobmanagedby.ManagedBy(second); got != dispatcher || controller != dispatcher {
		t.Errorf("the second Job says %q, the caller's string %q", got, controller)
	}
}
