// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
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

// problem is what is stable of a field error: the sentence is not.
type problem struct {
	Type  field.ErrorType
	Field string
	Value any
}

func problems(errs field.ErrorList) []problem {
	var out []problem
	for _, err := range errs {
		out = append(out, problem{err.Type, err.Field, err.BadValue})
	}
	return out
}

func TestValidateName(t *testing.T) {
	const path = "spec.managedBy"
	invalid := func(value string) problem { return problem{field.ErrorTypeInvalid, path, value} }
	required := problem{field.ErrorTypeRequired, path, ""}
	tooLong := problem{field.ErrorTypeTooLong, path, "<value omitted>"}
	long := func(n int) string { return "acme.io/" + strings.Repeat("x", n-len("acme.io/")) }
	tests := []struct {
		name, value string
		want        []problem
	}{
		{"a name", "acme.io/dispatcher", nil},
		{"MultiKueue's", "kueue.x-k8s.io/multikueue", nil},
		{"the reserved name", jobmanagedby.JobController, nil},
		{"single-label domain", "acme/dispatcher", nil},
		{"digits", "1.2/3", nil},
		{"empty", "", []problem{required}},
		{"no slash", "dispatcher", []problem{invalid("dispatcher")}},
		{"leading slash", "/dispatcher", []problem{invalid("/dispatcher")}},
		{"trailing slash", "acme.io/", []problem{invalid("acme.io/")}},
		{"slash alone", "/", []problem{invalid("/")}},
		{"upper case in the domain", "Acme.io/dispatcher", []problem{invalid("Acme.io")}},
		{"upper case in the path", "acme.io/Dispatcher", nil},
		{"underscore in the domain", "acme_corp.io/dispatcher", []problem{invalid("acme_corp.io")}},
		{"underscore in the path", "acme.io/the_dispatcher", nil},
		{"63 bytes", long(63), nil},
		{"64 bytes", long(64), []problem{tooLong}},
		{"64 bytes without slash", strings.Repeat("x", 64), []problem{invalid(strings.Repeat("x", 64)), tooLong}},
		{"64 bytes, 39 characters", "acme.io/" + strings.Repeat("é", 25) + "xxxxxx", []problem{
			invalid(strings.Repeat("é", 25) + "xxxxxx"), tooLong}},
		{"domain above 253 bytes", strings.Repeat("a.", 127) + "a/x", []problem{invalid(strings.Repeat("a.", 127) + "a"), tooLong}},
		{"domain above 253 bytes and malformed", strings.Repeat("A.", 127) + "A/x", []problem{
			invalid(strings.Repeat("A.", 127) + "A"), invalid(strings.Repeat("A.", 127) + "A"), tooLong}},
		{"multi-byte in the domain", "acmé.io/dispatcher", []problem{invalid("acmé.io")}},
		{"multi-byte in the path", "acme.io/dispätcher", []problem{invalid("dispätcher")}},
		{"not UTF-8", "acme.io/\xff", []problem{invalid("\xff")}},
		{"space in the domain", "acme io/dispatcher", []problem{invalid("acme io")}},
		{"space in the path", "acme.io/dis patcher", []problem{invalid("dis patcher")}},
		{"leading space", " acme.io/dispatcher", []problem{invalid(" acme.io")}},
		{"trailing space", "acme.io/dispatcher ", []problem{invalid("dispatcher ")}},
		{"trailing newline", "acme.io/dispatcher\n", []problem{invalid("dispatcher\n")}},
		{"bad in both parts", "Acme.io/dis patcher", []problem{invalid("Acme.io"), invalid("dis patcher")}},
		{"bad in both parts and long", "Acme.io/" + strings.Repeat(" ", 64), []problem{
			invalid("Acme.io"), invalid(strings.Repeat(" ", 64)), tooLong}},
		{"several slashes", "acme.io/team/dispatcher", nil},
		{"doubled slash", "acme.io//dispatcher", nil},
		{"slashes only after the domain", "acme.io////", nil},
		{"percent-encoded", "acme.io/a%20b", nil},
		{"percent sign alone", "acme.io/100%", nil},
		{"percent-encoded domain", "acme%2eio/dispatcher", []problem{invalid("acme%2eio")}},
		{"sub-delimiters", "acme.io/~!$&'()*+,;=:", nil},
		{"question mark", "acme.io/a?b", []problem{invalid("a?b")}},
		{"fragment", "acme.io/a#b", []problem{invalid("a#b")}},
		{"at sign", "acme.io/a@b", []problem{invalid("a@b")}},
		{"URL", "https://acme.io/dispatcher", []problem{invalid("https:")}},
		{"port", "acme.io:443/dispatcher", []problem{invalid("acme.io:443")}},
		{"domain ends in a dot", "acme.io./dispatcher", []problem{invalid("acme.io.")}},
		{"domain starts with a dash", "-acme.io/dispatcher", []problem{invalid("-acme.io")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := jobmanagedby.ValidateName(tt.value, field.NewPath("spec", "managedBy"))
			if diff := cmp.Diff(tt.want, problems(got)); diff != "" {
				t.Errorf("ValidateName(%q) (-want +got):\n%s", tt.value, diff)
			}
		})
	}
}

func TestValidateNamePath(t *testing.T) {
	path := field.NewPath("spec", "jobTemplate", "spec", "managedBy")
	for _, name := range []string{"", "dispatcher", "Acme.io/ ", strings.Repeat("x", 64)} {
		for _, err := range jobmanagedby.ValidateName(name, path) {
			if err.Field != "spec.jobTemplate.spec.managedBy" {
				t.Errorf("%q: error on %s", name, err.Field)
			}
		}
	}
	if errs := jobmanagedby.ValidateName("", nil); len(errs) != 1 {
		t.Errorf("without a path: %v", errs)
	}
}

func TestValidateUpdate(t *testing.T) {
	tests := []struct {
		name     string
		old, new *string
		refused  bool
	}{
		{"unset stays unset", nil, nil, false},
		{"reserved stays", ptr.To(jobmanagedby.JobController), ptr.To(jobmanagedby.JobController), false},
		{"delegated stays", ptr.To(dispatcher), ptr.To(dispatcher), false},
		{"added", nil, ptr.To(dispatcher), true},
		{"removed", ptr.To(dispatcher), nil, true},
		{"changed", ptr.To(dispatcher), ptr.To("acme.io/other"), true},
		{"given back", ptr.To(dispatcher), ptr.To(jobmanagedby.JobController), true},
		{"unset to reserved", nil, ptr.To(jobmanagedby.JobController), true},
		{"reserved to unset", ptr.To(jobmanagedby.JobController), nil, true},
		{"unset to empty", nil, ptr.To(""), true},
		{"to a malformed name", nil, ptr.To("dispatcher"), true},
	}
	states := map[string]func(*batchv1.Job){
		"running":   func(*batchv1.Job) {},
		"suspended": func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) },
		"finished": func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: "True"}}
		},
	}
	for _, tt := range tests {
		for state, set := range states {
			t.Run(tt.name+"/"+state, func(t *testing.T) {
				oldJob, newJob := jobFor(tt.old), jobFor(tt.new)
				set(oldJob)
				set(newJob)
				got := jobmanagedby.ValidateUpdate(newJob, oldJob)
				var want []problem
				if tt.refused {
					want = []problem{{field.ErrorTypeInvalid, "spec.managedBy", tt.new}}
				}
				if diff := cmp.Diff(want, problems(got)); diff != "" {
					t.Errorf("ValidateUpdate (-want +got):\n%s", diff)
				}
				if !tt.refused && got != nil {
					t.Error("want nil where nothing changed")
				}
			})
		}
	}
}

// The bad value is not the Job's own pointer.
func TestValidateUpdateSharesNothing(t *testing.T) {
	newJob := jobFor(ptr.To(dispatcher))
	errs := jobmanagedby.ValidateUpdate(newJob, jobFor(nil))
	*errs[0].BadValue.(*string) = "changed"
	if got := jobmanagedby.ManagedBy(newJob); got != dispatcher {
		t.Errorf("the Job now says %q", got)
	}
}

func TestDropped(t *testing.T) {
	tests := []struct {
		name         string
		sent, stored *string
		want         bool
		why          string
	}{
		{"kept", ptr.To(dispatcher), ptr.To(dispatcher), false, "stored as sent"},
		{"dropped", ptr.To(dispatcher), nil, true, "gate off in the API server"},
		{"malformed and dropped", ptr.To("dispatcher"), nil, true, "dropped before it is looked at"},
		{"empty and dropped", ptr.To(""), nil, true, "dropped before it is looked at"},
		{"reserved and dropped", ptr.To(jobmanagedby.JobController), nil, true, "dropped is dropped"},
		{"never sent", nil, nil, false, "nothing to drop"},
		{"set by a webhook", nil, ptr.To(dispatcher), false, "nothing was sent"},
		{"changed by a webhook", ptr.To(dispatcher), ptr.To("acme.io/other"), false, "the field is there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := jobmanagedby.Dropped(jobFor(tt.sent), jobFor(tt.stored)); got != tt.want {
				t.Errorf("Dropped = %v, want %v: %s", got, tt.want, tt.why)
			}
		})
	}
}

// Only Delegate, Default and their Template forms may change an argument.
func TestNothingElseChangesTheJob(t *testing.T) {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "pi", UID: types.UID("u"), ResourceVersion: "1"},
		Spec:       batchv1.JobSpec{ManagedBy: ptr.To(dispatcher), Suspend: ptr.To(true)},
	}
	other := jobFor(nil)
	before, otherBefore := job.DeepCopy(), other.DeepCopy()
	jobmanagedby.ManagedBy(job)
	jobmanagedby.TemplateManagedBy(&batchv1.JobTemplateSpec{Spec: job.Spec})
	jobmanagedby.IsManagedBy(job, "x")
	jobmanagedby.BuiltInSkips(job)
	jobmanagedby.Decide(job, jobmanagedby.Release{})
	jobmanagedby.ValidateUpdate(other, job)
	jobmanagedby.ValidateUpdate(job, other)
	jobmanagedby.Dropped(job, other)
	_ = jobmanagedby.CheckKnown(job, "acme.io/other")
	if diff := cmp.Diff(before, job) + cmp.Diff(otherBefore, other); diff != "" {
		t.Errorf("changed:\n%s", diff)
	}
}
