// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// problem is what a program can rely on of a field error.
type problem struct {
	Field string
	Type  field.ErrorType
}

func problemsOf(errs field.ErrorList) []problem {
	var list []problem
	for _, err := range errs {
		list = append(list, problem{err.Field, err.Type})
	}
	return list
}

func TestNew(t *testing.T) {
	tests := []struct {
		name   string
		policy mirror.Policy
		want   []problem
		why    string
	}{{
		name:   "the least there can be",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin},
	}, {
		name:   "nothing",
		policy: mirror.Policy{},
		want:   []problem{{"Controller", field.ErrorTypeRequired}, {"Origin", field.ErrorTypeRequired}},
		why:    "both are required, and keys without a domain are not complained about",
	}, {
		name:   "controller without a path",
		policy: mirror.Policy{Controller: "acme.io", Origin: origin},
		want:   []problem{{"Controller", field.ErrorTypeInvalid}},
		why:    "the API server would refuse every Job that names it",
	}, {
		name:   "long controller",
		policy: mirror.Policy{Controller: "acme.io/" + strings.Repeat("x", 56), Origin: origin},
		want:   []problem{{"Controller", field.ErrorTypeTooLong}},
		why:    "64 bytes",
	}, {
		name:   "longest controller",
		policy: mirror.Policy{Controller: "acme.io/" + strings.Repeat("x", 55), Origin: origin},
	}, {
		name:   "longest domain",
		policy: mirror.Policy{Controller: strings.Repeat("a", 61) + "/x", Origin: origin},
		why:    "the default keys of the longest domain are valid",
	}, {
		name:   "the built-in controller",
		policy: mirror.Policy{Controller: "kubernetes.io/job-controller", Origin: origin},
		want:   []problem{{"Controller", field.ErrorTypeForbidden}},
		why:    "its Jobs are run where they are",
	}, {
		name:   "origin that is no label value",
		policy: mirror.Policy{Controller: dispatcher, Origin: "eu/west"},
		want:   []problem{{"Origin", field.ErrorTypeInvalid}},
	}, {
		name:   "longest origin",
		policy: mirror.Policy{Controller: dispatcher, Origin: strings.Repeat("o", 63)},
	}, {
		name:   "origin of 64 bytes",
		policy: mirror.Policy{Controller: dispatcher, Origin: strings.Repeat("o", 64)},
		want:   []problem{{"Origin", field.ErrorTypeInvalid}},
	}, {
		name: "bad keys",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin, Keys: mirror.Keys{
			Origin: "a b", Local: "acme.io/" + strings.Repeat("k", 64), UID: "x.io/same", Generation: "x.io/same", LastSent: "job-name",
		}},
		want: []problem{
			{"Keys.Origin", field.ErrorTypeInvalid}, {"Keys.Local", field.ErrorTypeInvalid},
			{"Keys.Generation", field.ErrorTypeDuplicate}, {"Keys.LastSent", field.ErrorTypeForbidden},
		},
		why: "all are reported",
	}, {
		name:   "a key that is the default of another",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin, Keys: mirror.Keys{Origin: uidKey}},
		want:   []problem{{"Keys.UID", field.ErrorTypeDuplicate}},
		why:    "one value would overwrite the other if both were annotations",
	}, {
		name:   "the tracking mark as a key",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin, Keys: mirror.Keys{UID: "batch.kubernetes.io/job-tracking"}},
		want:   []problem{{"Keys.UID", field.ErrorTypeForbidden}},
	}, {
		name:   "keys without a domain",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin, Keys: mirror.Keys{Origin: "origin"}},
		why:    "unusual but valid",
	}, {
		name:   "bad worker controller",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin, WorkerManagedBy: "none"},
		want:   []problem{{"WorkerManagedBy", field.ErrorTypeInvalid}},
	}, {
		name:   "mirrors managed by ourselves",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin, WorkerManagedBy: dispatcher},
		want:   []problem{{"WorkerManagedBy", field.ErrorTypeForbidden}},
		why:    "a controller that is on the worker too would hand them on for ever",
	}, {
		name: "worker that ignores managedBy",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin, WorkerManagedBy: "acme.io/batch-system",
			Worker: jobmanagedby.Release{Version: version.MajorMinor(1, 31)}},
		want: []problem{{"WorkerManagedBy", field.ErrorTypeForbidden}},
		why:  "the built-in controller would run the mirror as well",
	}, {
		name: "old worker without another controller",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin, WorkerManagedBy: "kubernetes.io/job-controller",
			Worker: jobmanagedby.Release{Version: version.MajorMinor(1, 29)}},
		why: "the built-in controller runs the mirror, by name or without",
	}, {
		name:   "keys to keep",
		policy: mirror.Policy{Controller: dispatcher, Origin: origin, KeepKeys: []string{"argocd.argoproj.io/", "app.kubernetes.io/instance", "plain", "", "/", "a/b/"}},
		want: []problem{
			{"KeepKeys[3]", field.ErrorTypeInvalid}, {"KeepKeys[3]", field.ErrorTypeInvalid},
			{"KeepKeys[4]", field.ErrorTypeInvalid}, {"KeepKeys[5]", field.ErrorTypeInvalid},
		},
		why: "a key, or a domain with its slash; an empty key has two things wrong with it",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := mirror.New(tt.policy)
			var bad *mirror.PolicyError
			var got []problem
			if errors.As(err, &bad) {
				got = problemsOf(bad.Errs)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("New (-want +got):\n%s%v: %s", diff, err, tt.why)
			}
			if (p == nil) != (err != nil) {
				t.Errorf("New returned %v and %v", p, err)
			}
			var one *field.Error
			if err != nil && !errors.As(err, &one) {
				t.Error("errors.As finds no *field.Error")
			}
		})
	}
}

func TestNewKeepsACopy(t *testing.T) {
	policy := mirror.Policy{
		Controller: dispatcher, Origin: origin,
		Management: []jobmanagedby.Release{{Version: version.MajorMinor(1, 34), Gate: ptr.To(true)}},
		KeepKeys:   []string{"kapp.k14s.io/"},
	}
	p, err := mirror.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	local := storedJob(func(j *batchv1.Job) { j.Labels = map[string]string{"kapp.k14s.io/app": "1"} })
	want := toJSON(t, build(t, p, local))

	policy.Controller, policy.Origin = "other.io/x", "other"
	policy.KeepKeys[0] = "other.io/"
	policy.Management[0] = jobmanagedby.Release{}
	policy.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Name: "other"} }
	if got := toJSON(t, build(t, p, local)); got != want {
		t.Errorf("a change to the Policy changed the Planner:\n%s", cmp.Diff(want, got))
	}
}
