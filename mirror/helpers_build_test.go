// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

const (
	dispatcher = "acme.io/dispatcher"
	origin     = "mgmt-1"
	originKey  = "acme.io/mirror-origin"
	localKey   = "acme.io/mirror-local"
	uidKey     = "acme.io/mirror-local-uid"
	genKey     = "acme.io/mirror-local-generation"
	sentKey    = "acme.io/mirror-last-sent"
)

// planner returns a Planner for the usual policy, changed by the functions.
func planner(t testing.TB, change ...func(*mirror.Policy)) *mirror.Planner {
	t.Helper()
	policy := mirror.Policy{Controller: dispatcher, Origin: origin}
	for _, f := range change {
		f(&policy)
	}
	p, err := mirror.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// storedJob returns a Job as an API server stores it, changed by the functions.
func storedJob(change ...func(*batchv1.Job)) *batchv1.Job {
	uid := "11111111-2222-3333-4444-555555555555"
	generated := map[string]string{
		"controller-uid":                     uid,
		"job-name":                           "train",
		"batch.kubernetes.io/controller-uid": uid,
		"batch.kubernetes.io/job-name":       "train",
	}
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name: "train", Namespace: "research", UID: "11111111-2222-3333-4444-555555555555",
			ResourceVersion: "7", Generation: 3,
		},
		Spec: batchv1.JobSpec{
			ManagedBy:               ptr.To(dispatcher),
			Parallelism:             ptr.To[int32](2),
			Completions:             ptr.To[int32](4),
			BackoffLimit:            ptr.To[int32](6),
			TTLSecondsAfterFinished: ptr.To[int32](60),
			CompletionMode:          ptr.To(batchv1.NonIndexedCompletion),
			Suspend:                 ptr.To(false),
			ManualSelector:          ptr.To(false),
			Selector:                &metav1.LabelSelector{MatchLabels: map[string]string{"batch.kubernetes.io/controller-uid": uid}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: generated},
				Spec: corev1.PodSpec{
					Containers:    []corev1.Container{{Name: "main", Image: "busybox"}},
					RestartPolicy: corev1.RestartPolicyNever,
				},
			},
		},
	}
	for _, f := range change {
		f(job)
	}
	return job
}

// build returns the mirror of a Job that must not be refused.
func build(t testing.TB, p *mirror.Planner, local *batchv1.Job) *batchv1.Job {
	t.Helper()
	m, err := p.Build(local)
	if err != nil {
		t.Fatalf("Build: %v", err)
	}
	return m
}

// fixture reads a Job of testdata/build.
func fixture(t testing.TB, name string) *batchv1.Job {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "build", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	job := &batchv1.Job{}
	if err := yaml.UnmarshalStrict(data, job); err != nil {
		t.Fatal(err)
	}
	return job
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
