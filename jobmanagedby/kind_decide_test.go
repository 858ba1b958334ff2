// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

func TestKindDecide(t *testing.T) {
	const (
		own   = "acme.io/dispatcher"
		queue = "kueue.x-k8s.io/multikueue"
	)
	tests := []struct {
		group, kind, version string
		value                any
		want                 jobmanagedby.Reason
		why                  string
	}{
		{"jobset.x-k8s.io", "JobSet", "", nil, jobmanagedby.ReasonUnset, ""},
		{"jobset.x-k8s.io", "JobSet", "v0.4.0", nil, jobmanagedby.ReasonUnset, "without the field the release does not matter"},
		{"jobset.x-k8s.io", "JobSet", "", "jobset.sigs.k8s.io/jobset-controller", jobmanagedby.ReasonReservedName, ""},
		{"jobset.x-k8s.io", "JobSet", "", "kubernetes.io/job-controller", jobmanagedby.ReasonDelegated, "another kind's reserved name is foreign"},
		{"jobset.x-k8s.io", "JobSet", "", own, jobmanagedby.ReasonDelegated, ""},
		{"jobset.x-k8s.io", "JobSet", "v0.5.0", own, jobmanagedby.ReasonDelegated, ""},
		{"jobset.x-k8s.io", "JobSet", "v0.10.1", own, jobmanagedby.ReasonDelegated, "numbers, not strings, are compared"},
		{"jobset.x-k8s.io", "JobSet", "v0.4.9", own, jobmanagedby.ReasonReleaseTooOld, "the field is dropped"},
		{"jobset.x-k8s.io", "JobSet", "", "", jobmanagedby.ReasonEmptyName, ""},
		{"trainer.kubeflow.org", "TrainJob", "v1.9.0", queue, jobmanagedby.ReasonReleaseTooOld, ""},
		{"trainer.kubeflow.org", "TrainJob", "v2.0.0", queue, jobmanagedby.ReasonIgnored, "kept, and run all the same"},
		{"trainer.kubeflow.org", "TrainJob", "v2.2.1", queue, jobmanagedby.ReasonIgnored, ""},
		{"trainer.kubeflow.org", "TrainJob", "v2.3.0", queue, jobmanagedby.ReasonDelegated, ""},
		{"trainer.kubeflow.org", "TrainJob", "", queue, jobmanagedby.ReasonDelegated, "the newest"},
		{"trainer.kubeflow.org", "TrainJob", "", own, jobmanagedby.ReasonNotAllowed, "a closed set"},
		{"trainer.kubeflow.org", "TrainJob", "v2.2.1", own, jobmanagedby.ReasonIgnored, "that two run it is worse than that it cannot be"},
		{"kubeflow.org", "PyTorchJob", "v1.9.4", queue, jobmanagedby.ReasonDelegated, ""},
		{"kubeflow.org", "PyTorchJob", "v1.8.1", queue, jobmanagedby.ReasonReleaseTooOld, ""},
		{"kubeflow.org", "PyTorchJob", "", own, jobmanagedby.ReasonNotAllowed, ""},
		{"kubeflow.org", "JAXJob", "", own, jobmanagedby.ReasonIgnored, "no release honours it"},
		{"kubeflow.org", "JAXJob", "v1.9.4", queue, jobmanagedby.ReasonIgnored, ""},
		{"kubeflow.org", "JAXJob", "v1.9.4", "kubeflow.org/training-operator", jobmanagedby.ReasonReservedName, ""},
		{"kubeflow.org", "MPIJob", "v0.6.0", own, jobmanagedby.ReasonDelegated, "outside the documented set, and nobody minds"},
		{"kubeflow.org", "MPIJob", "v0.6.0", "dispatcher", jobmanagedby.ReasonParked, "no name, and nobody minds"},
		{"kubeflow.org", "MPIJob", "v0.6.0", "", jobmanagedby.ReasonEmptyName, ""},
		{"ray.io", "RayJob", "v1.3.0", queue, jobmanagedby.ReasonDelegated, ""},
		{"ray.io", "RayService", "v1.5.1", queue, jobmanagedby.ReasonReleaseTooOld, "younger than that of the RayJob"},
		{"ray.io", "RayJob", "", own, jobmanagedby.ReasonNotAllowed, ""},
		{"workload.codeflare.dev", "AppWrapper", "", own, jobmanagedby.ReasonDelegated, ""},
		{"workload.codeflare.dev", "AppWrapper", "", "Acme.io/dispatcher", jobmanagedby.ReasonParked, ""},
		{"tekton.dev", "PipelineRun", "v1.4.0", own, jobmanagedby.ReasonReleaseTooOld, ""},
		{"tekton.dev", "PipelineRun", "v1.5.0", own, jobmanagedby.ReasonDelegated, ""},
		{"tekton.dev", "TaskRun", "v1.5.0", "", jobmanagedby.ReasonEmptyName, "present and empty is foreign, whatever the documentation says"},
	}
	for _, tt := range tests {
		k := kind(t, tt.group, tt.kind)
		var release jobmanagedby.Release
		if tt.version != "" {
			var err error
			if release, err = jobmanagedby.ParseOperator(tt.version); err != nil {
				t.Fatal(err)
			}
		}
		d, err := k.Decide(blank(t, k, tt.value), release)
		if err != nil || d.Reason != tt.want {
			t.Errorf("%s %v at %q: %s, %v, want %s: %s", k, tt.value, tt.version, d.Reason, err, tt.want, tt.why)
		}
		controller := k.Reserved
		if name, isSet := tt.value.(string); isSet {
			controller = name
		}
		if d.Controller != controller {
			t.Errorf("%s %v at %q: controller %q", k, tt.value, tt.version, d.Controller)
		}
		if strings.Contains(d.Message, "%!") || !strings.Contains(d.Message, k.Field) || !strings.Contains(d.Message, strings.TrimPrefix(tt.version, "v")) && d.Reason != jobmanagedby.ReasonNotAllowed {
			t.Errorf("message %q", d.Message)
		}
	}
}

// TestKindReasons: what Decide says of any kind is in KindReasons, with the same Skip, and is a hazard there if
// and only if two controllers would run the object or nobody; and each of them occurs.
func TestKindReasons(t *testing.T) {
	hazard := map[jobmanagedby.Reason]bool{
		jobmanagedby.ReasonIgnored: true, jobmanagedby.ReasonNotAllowed: true, jobmanagedby.ReasonParked: true, jobmanagedby.ReasonNoField: false,
		jobmanagedby.ReasonUnset: false, jobmanagedby.ReasonReservedName: false, jobmanagedby.ReasonDelegated: false,
		jobmanagedby.ReasonEmptyName: true, jobmanagedby.ReasonReleaseTooOld: true, jobmanagedby.ReasonGateOff: true,
	}
	infos := map[jobmanagedby.Reason]jobmanagedby.ReasonInfo{}
	for _, info := range jobmanagedby.KindReasons() {
		if _, twice := infos[info.Reason]; twice || info.Summary == "" || info.Hazard != hazard[info.Reason] || info.Reason.Hazard() != info.Hazard {
			t.Errorf("%+v, twice %v", info, twice)
		}
		infos[info.Reason] = info
	}
	for _, info := range jobmanagedby.Reasons() {
		if infos[info.Reason] != info {
			t.Errorf("%+v of a Job is %+v here", info, infos[info.Reason])
		}
	}
	seen := map[jobmanagedby.Reason]bool{}
	for _, k := range jobmanagedby.Kinds() {
		for _, value := range []any{nil, k.Reserved, "", "kueue.x-k8s.io/multikueue", "acme.io/dispatcher", "no name"} {
			for _, v := range []string{"0.1", "1.20", "1.31", "1.40", "2.0", "3.0"} {
				release, err := jobmanagedby.ParseOperator(v)
				if err != nil {
					t.Fatal(err)
				}
				u := blank(t, k, nil)
				if k.Field != "" {
					u = blank(t, k, value)
				}
				d, err := k.Decide(u, release)
				if err != nil {
					t.Fatal(err)
				}
				seen[d.Reason] = true
				if info, ok := infos[d.Reason]; !ok || info.Skip != d.Skip {
					t.Fatalf("%s %v at %s: %+v, but KindReasons has %+v, %v", k, value, v, d, info, ok)
				}
			}
		}
	}
	if len(seen) != len(infos) || len(seen) != len(hazard) {
		t.Errorf("reasons seen: %v of %v", seen, infos)
	}
}

// TestKindAgreesWithTyped: for Job and CronJob, everything is as the typed functions have it, of random
// objects.
func TestKindAgreesWithTyped(t *testing.T) {
	const seed = 6
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, seed))
	job, cron := kind(t, "batch", "Job"), kind(t, "batch", "CronJob")
	for range 4000 {
		typed := randomJob(r)
		u := toUnstructured(t, typed, "Job")
		release, controller := randomRelease(r), oneName(r)

		name, err := job.ManagedBy(u)
		if err != nil || name != jobmanagedby.ManagedBy(typed) {
			t.Fatalf("ManagedBy = %q, %v, want %q", name, err, jobmanagedby.ManagedBy(typed))
		}
		if is, err := job.IsManagedBy(u, controller); err != nil || is != jobmanagedby.IsManagedBy(typed, controller) {
			t.Fatalf("IsManagedBy = %v, %v", is, err)
		}
		if d, err := job.Decide(u, release); err != nil || d != jobmanagedby.Decide(typed, release) {
			t.Fatalf("Decide = %+v, %v, want %+v", d, err, jobmanagedby.Decide(typed, release))
		}
		path := field.NewPath("spec", "managedBy")
		if a, b := job.ValidateName(controller, path), jobmanagedby.ValidateName(controller, path); asJSON(t, a) != asJSON(t, b) {
			t.Fatalf("ValidateName(%q) = %v, want %v", controller, a, b)
		}
		other := typed.DeepCopy()
		other.Spec.ManagedBy = randomName(r)
		if allows := len(jobmanagedby.ValidateUpdate(other, typed)) == 0; job.Allows(typed.Spec.ManagedBy, other.Spec.ManagedBy) != allows {
			t.Fatalf("Allows(%v, %v) = %v", typed.Spec.ManagedBy, other.Spec.ManagedBy, !allows)
		}

		defaulted, wantDefaulted := u.DeepCopy(), typed.DeepCopy()
		did, err := job.Default(defaulted, controller)
		if want := jobmanagedby.Default(wantDefaulted, controller); err != nil || did != want {
			t.Fatalf("Default = %v, %v, want %v", did, err, want)
		}
		sameJob(t, "Default", defaulted, wantDefaulted)

		wantErr := jobmanagedby.Delegate(typed, controller)
		err = job.Delegate(u, controller)
		if !sameReason(err, wantErr) {
			t.Fatalf("Delegate(%q) = %v, want %v", controller, err, wantErr)
		}
		sameJob(t, "Delegate", u, typed)

		template := &batchv1.CronJob{}
		template.Spec.JobTemplate.Spec = randomJob(r).Spec
		template.UID, template.ResourceVersion = "u", "7"
		u = toUnstructured(t, template, "CronJob")
		if name, err := cron.ManagedBy(u); err != nil || name != jobmanagedby.TemplateManagedBy(&template.Spec.JobTemplate) {
			t.Fatalf("CronJob: ManagedBy = %q, %v", name, err)
		}
		want := jobmanagedby.Decide(&batchv1.Job{Spec: template.Spec.JobTemplate.Spec}, release)
		if d, err := cron.Decide(u, release); err != nil || d.Reason != want.Reason || d.Skip != want.Skip || d.Controller != want.Controller {
			t.Fatalf("CronJob: Decide = %+v, %v, want %+v", d, err, want)
		}
		defaulted = u.DeepCopy()
		defaultedTemplate := template.DeepCopy()
		did, err = cron.Default(defaulted, controller)
		if want := jobmanagedby.DefaultTemplate(&defaultedTemplate.Spec.JobTemplate, controller); err != nil || did != want {
			t.Fatalf("CronJob: Default = %v, %v, want %v", did, err, want)
		}
		wantErr = jobmanagedby.DelegateTemplate(&template.Spec.JobTemplate, controller)
		if err := cron.Delegate(u, controller); !sameReason(err, wantErr) {
			t.Fatalf("CronJob: Delegate(%q) = %v, want %v", controller, err, wantErr)
		}
		if name, err := cron.ManagedBy(u); err != nil || name != jobmanagedby.TemplateManagedBy(&template.Spec.JobTemplate) {
			t.Fatalf("CronJob: after Delegate, ManagedBy = %q, %v", name, err)
		}
	}
}

var names = []string{"acme.io/dispatcher", "", jobmanagedby.JobController, "dispatcher", "Acme.io/x", "b.io/" + strings.Repeat("x", 59), "acme.io/a/b"}

func oneName(r *rand.Rand) string { return names[r.IntN(len(names))] }

func randomName(r *rand.Rand) *string {
	if r.IntN(3) == 0 {
		return nil
	}
	return ptr.To(oneName(r))
}

func randomJob(r *rand.Rand) *batchv1.Job {
	job := &batchv1.Job{}
	job.Namespace, job.Name = "research", "train"
	job.Spec.ManagedBy = randomName(r)
	if r.IntN(3) == 0 {
		job.UID = "u"
	}
	if r.IntN(3) == 0 {
		job.ResourceVersion = "7"
	}
	return job
}

func randomRelease(r *rand.Rand) jobmanagedby.Release {
	versions := []string{"v1.29.0", "v1.30.3", "v1.31.14", "v1.32.2", "v1.35.4", "v1.38.0"}
	release, _ := jobmanagedby.ParseRelease(versions[r.IntN(len(versions))])
	switch r.IntN(4) {
	case 0:
		release.Gate = ptr.To(r.IntN(2) == 0)
	case 1:
		release = jobmanagedby.Release{}
	}
	return release
}

func toUnstructured(t *testing.T, typed any, kind string) *unstructured.Unstructured {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetAPIVersion("batch/v1")
	u.SetKind(kind)
	return u
}

func sameJob(t *testing.T, what string, u *unstructured.Unstructured, typed *batchv1.Job) {
	t.Helper()
	if want := toUnstructured(t, typed, "Job"); asJSON(t, u.Object) != asJSON(t, want.Object) {
		t.Fatalf("%s made %s, want %s", what, asJSON(t, u.Object), asJSON(t, want.Object))
	}
}

// sameReason reports whether an error of a Kind is around the typed one.
func sameReason(err, typed error) bool {
	var outer *jobmanagedby.DelegateError
	if err == nil || typed == nil {
		return err == nil && typed == nil
	}
	return errors.As(err, &outer) && outer.Error() != "" && strings.ReplaceAll(outer.Err.Error(), outer.Field, "spec.managedBy") == typed.Error()
}

func TestParseOperator(t *testing.T) {
	for v, want := range map[string]string{"v0.6.0": "0.6.0", "2.3.0": "2.3.0", " v1.4.0-rc.1\n": "1.4.0-rc.1"} {
		r, err := jobmanagedby.ParseOperator(v)
		if err != nil || r.Version.String() != want {
			t.Errorf("ParseOperator(%q) = %v, %v", v, r.Version, err)
		}
	}
	var bad *jobmanagedby.ParseError
	if r, err := jobmanagedby.ParseOperator("main"); !errors.As(err, &bad) || bad.Value != "main" || r != (jobmanagedby.Release{}) {
		t.Errorf("ParseOperator(main) = %v, %v", r, err)
	}
}

func TestKindHazards(t *testing.T) {
	tests := []struct {
		group, kind string
		want        []jobmanagedby.Hazard
	}{
		{"batch", "Job", []jobmanagedby.Hazard{jobmanagedby.HazardHonoredLate}},
		{"jobset.x-k8s.io", "JobSet", []jobmanagedby.Hazard{jobmanagedby.HazardNestedManager}},
		{"trainer.kubeflow.org", "TrainJob", []jobmanagedby.Hazard{jobmanagedby.HazardHonoredLate, jobmanagedby.HazardClosedSet}},
		{"kubeflow.org", "TFJob", []jobmanagedby.Hazard{jobmanagedby.HazardClosedSet}},
		{"kubeflow.org", "PyTorchJob", []jobmanagedby.Hazard{jobmanagedby.HazardClosedSet, jobmanagedby.HazardNotImmutable}},
		{"kubeflow.org", "JAXJob", []jobmanagedby.Hazard{jobmanagedby.HazardNeverHonored, jobmanagedby.HazardNotImmutable}},
		{"kubeflow.org", "MPIJob", []jobmanagedby.Hazard{jobmanagedby.HazardAnyString, jobmanagedby.HazardNotImmutable}},
		{"ray.io", "RayCluster", []jobmanagedby.Hazard{jobmanagedby.HazardClosedSet, jobmanagedby.HazardSetLater}},
		{"ray.io", "RayJob", []jobmanagedby.Hazard{jobmanagedby.HazardClosedSet, jobmanagedby.HazardSetLater, jobmanagedby.HazardNestedManager}},
		{"workload.codeflare.dev", "AppWrapper", []jobmanagedby.Hazard{jobmanagedby.HazardAnyString, jobmanagedby.HazardNestedManager}},
		{"tekton.dev", "TaskRun", []jobmanagedby.Hazard{jobmanagedby.HazardAnyString}},
	}
	for _, tt := range tests {
		var got []jobmanagedby.Hazard
		for _, h := range kind(t, tt.group, tt.kind).Hazards() {
			got = append(got, h.Hazard)
			if h.Summary == "" {
				t.Errorf("%s has no summary", h.Hazard)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.kind, got, tt.want)
		}
	}
}
