// SPDX-License-Identifier: Apache-2.0

// Package jobs makes Jobs for the demonstration and the tests.
package jobs

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
)

// Change is something about a Job that is not as [New] makes it.
type Change func(*batchv1.Job)

// New makes a Job of one pod that is the dispatcher's, and takes a second.
func New(name string, changes ...Change) *batchv1.Job {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: fleet.Namespace, Name: name, Annotations: map[string]string{}},
		Spec: batchv1.JobSpec{
			ManagedBy:   ptr.To(dispatcher.Controller),
			Parallelism: ptr.To[int32](1), Completions: ptr.To[int32](1),
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{}},
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers:    []corev1.Container{{Name: "main", Image: "registry.example.com/training:1"}},
				},
			},
		},
	}
	for _, change := range changes {
		change(job)
	}
	return job
}

// Unmanaged leaves the Job to the built-in controller.
func Unmanaged(job *batchv1.Job) { job.Spec.ManagedBy = nil }

// Indexed gives each pod an index.
func Indexed(job *batchv1.Job) { job.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion) }

// Runs is how long a pod takes.
func Runs(d string) Change {
	return func(job *batchv1.Job) { job.Spec.Template.Annotations[cluster.RunsFor] = d }
}

// Forever makes a pod run until it is deleted.
var Forever = Runs(cluster.Forever)

// Exits is what a pod ends with.
func Exits(code string) Change {
	return func(job *batchv1.Job) { job.Spec.Template.Annotations[cluster.ExitCode] = code }
}

// StopsIn is how long a pod takes to stop when it is deleted.
func StopsIn(d string) Change {
	return func(job *batchv1.Job) { job.Spec.Template.Annotations[cluster.StopsIn] = d }
}

// On pins the Job to a worker.
func On(worker string) Change {
	return func(job *batchv1.Job) {
		metav1.SetMetaDataAnnotation(&job.ObjectMeta, dispatcher.WorkerAnnotation, worker)
	}
}

// Pods sets how many run at a time, and how many have to succeed.
func Pods(parallelism, completions int32) Change {
	return func(job *batchv1.Job) { job.Spec.Parallelism, job.Spec.Completions = &parallelism, &completions }
}

// BackoffLimit is how many pods may fail.
func BackoffLimit(n int32) Change { return func(job *batchv1.Job) { job.Spec.BackoffLimit = &n } }

// Deadline is how many seconds the Job may take.
func Deadline(seconds int64) Change {
	return func(job *batchv1.Job) { job.Spec.ActiveDeadlineSeconds = &seconds }
}

// TTL is how many seconds after its end the Job is deleted.
func TTL(seconds int32) Change {
	return func(job *batchv1.Job) { job.Spec.TTLSecondsAfterFinished = &seconds }
}

// Suspend sets spec.suspend.
func Suspend(s bool) Change { return func(job *batchv1.Job) { job.Spec.Suspend = &s } }

// SucceedsWith makes the success of some indexes that of the Job.
func SucceedsWith(indexes string) Change {
	return func(job *batchv1.Job) {
		job.Spec.SuccessPolicy = &batchv1.SuccessPolicy{Rules: []batchv1.SuccessPolicyRule{{SucceededIndexes: &indexes}}}
	}
}

// OnlyIndex makes the pods of all other indexes run for ever.
func OnlyIndex(index string) Change {
	return func(job *batchv1.Job) { job.Spec.Template.Annotations[cluster.OnlyIndex] = index }
}
