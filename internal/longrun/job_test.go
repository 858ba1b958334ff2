// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"encoding/json"
	"math/rand/v2"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

const (
	controllerName = "acme.io/dispatcher"
	cleanupKey     = "acme.io/mirror-cleanup"
	holdKey        = "acme.io/mirror-hold"
	dispatchKey    = "acme.io/mirror-dispatch"

	targetLabel = "target" // the worker where the Job is wanted
)

var jobKey = types.NamespacedName{Namespace: "research", Name: "train"}

// pick returns one of several values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// oneIn is true once in n times.
func oneIn(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// newLocal is a Job as a user creates it and the API server stores it.
func newLocal(r *rand.Rand, uid types.UID) *batchv1.Job {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name: jobKey.Name, Namespace: jobKey.Namespace, UID: uid, Generation: 1, Labels: map[string]string{targetLabel: "w0"},
		},
		Spec: batchv1.JobSpec{
			ManagedBy: ptr.To(controllerName), Parallelism: ptr.To[int32](2), Completions: ptr.To[int32](4), BackoffLimit: ptr.To[int32](6),
			TTLSecondsAfterFinished: ptr.To(pick[int32](r, 0, 0, 30, 3000)), CompletionMode: ptr.To(batchv1.NonIndexedCompletion),
			Suspend: ptr.To(oneIn(r, 3)), ManualSelector: ptr.To(false),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				Containers: []corev1.Container{{Name: "main", Image: "busybox"}}, RestartPolicy: corev1.RestartPolicyNever,
			}},
		},
	}
	generate(job)
	if oneIn(r, 2) {
		job.Spec.CompletionMode, job.Spec.Parallelism = ptr.To(batchv1.IndexedCompletion), ptr.To[int32](4)
		if oneIn(r, 2) {
			job.Spec.BackoffLimitPerIndex, job.Spec.MaxFailedIndexes = ptr.To[int32](1), ptr.To[int32](1)
		}
	}
	if oneIn(r, 3) {
		job.Spec.ActiveDeadlineSeconds = ptr.To[int64](100_000)
	}
	return job
}

// generate gives a Job the selector and the labels that an API server gives it.
func generate(job *batchv1.Job) {
	const uidLabel = "batch.kubernetes.io/controller-uid"
	if ptr.Deref(job.Spec.ManualSelector, false) {
		return
	}
	job.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{uidLabel: string(job.UID)}}
	if job.Spec.Template.Labels == nil {
		job.Spec.Template.Labels = map[string]string{}
	}
	for _, l := range []string{uidLabel, "controller-uid"} {
		job.Spec.Template.Labels[l] = string(job.UID)
	}
	for _, l := range []string{"batch.kubernetes.io/job-name", "job-name"} {
		job.Spec.Template.Labels[l] = job.Name
	}
}

// fill sets what an API server sets where a new mirror has nothing.
func fill(spec *batchv1.JobSpec) {
	for field, value := range map[**int32]int32{&spec.Parallelism: 1, &spec.BackoffLimit: 6} {
		if *field == nil {
			*field = ptr.To(value)
		}
	}
	for _, field := range []**bool{&spec.Suspend, &spec.ManualSelector} {
		if *field == nil {
			*field = ptr.To(false)
		}
	}
	if spec.CompletionMode == nil {
		spec.CompletionMode = ptr.To(batchv1.NonIndexedCompletion)
	}
}

// condition returns the condition of that type if it is True.
func condition(job *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range job.Status.Conditions {
		if c := &job.Status.Conditions[i]; c.Type == kind && c.Status == corev1.ConditionTrue {
			return c
		}
	}
	return nil
}

func has(job *batchv1.Job, kind batchv1.JobConditionType) bool { return condition(job, kind) != nil }

// verdict is the type of the terminal condition, empty if there is none.
func verdict(job *batchv1.Job) batchv1.JobConditionType {
	for _, kind := range []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed} {
		if has(job, kind) {
			return kind
		}
	}
	return ""
}

func suspends(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// sizeOfAnnotations is what an API server limits.
func sizeOfAnnotations(job *batchv1.Job) (n int) {
	for k, v := range job.Annotations {
		n += len(k) + len(v)
	}
	return n
}

// ownerOf is the UID of the local Job that a Job on a worker is a mirror of, empty for a foreign Job.
func ownerOf(p *mirror.Planner, job *batchv1.Job) types.UID {
	_, uid, ok := p.LocalOf(job)
	if !ok {
		return ""
	}
	return uid
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // everything here is JSON
	}
	return data
}

func decode(data []byte, to any) {
	if err := json.Unmarshal(data, to); err != nil {
		panic(err)
	}
}
