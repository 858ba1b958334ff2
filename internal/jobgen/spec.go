// SPDX-License-Identifier: Apache-2.0

package jobgen

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Controller is the spec.managedBy of the Jobs that are delegated.
const Controller = "acme.io/dispatcher"

// modes are the kinds of Job that the rules tell apart.
var modes = []weighted[func(*Gen, *batchv1.JobSpec)]{
	{5, nonIndexed},
	{5, indexed},
	{3, elastic},
	{2, workQueue},
	{1, noCompletions},
}

var completions = []weighted[int32]{
	{2, 1}, {3, 2}, {4, 3}, {4, 5}, {2, 10}, {1, 100}, {1, 100_000},
}

func nonIndexed(g *Gen, s *batchv1.JobSpec) {
	s.CompletionMode = ptr.To(batchv1.NonIndexedCompletion)
	s.Completions = ptr.To(pick(g, completions))
	s.Parallelism = ptr.To(oneOf[int32](g, 1, 2, 3, 5))
}

func indexed(g *Gen, s *batchv1.JobSpec) {
	nonIndexed(g, s)
	makeIndexed(g, s)
}

func elastic(g *Gen, s *batchv1.JobSpec) {
	indexed(g, s)
	s.Parallelism = ptr.To(*s.Completions)
}

// workQueue is a Job without a number of completions: NonIndexed by rule.
func workQueue(g *Gen, s *batchv1.JobSpec) {
	nonIndexed(g, s)
	s.Completions = nil
}

func noCompletions(g *Gen, s *batchv1.JobSpec) {
	if g.in(2) {
		indexed(g, s)
	} else {
		nonIndexed(g, s)
	}
	s.SuccessPolicy = nil // it needs an index that can succeed
	s.Completions = ptr.To[int32](0)
}

// makeIndexed adds what only Indexed Jobs have.
func makeIndexed(g *Gen, s *batchv1.JobSpec) {
	s.CompletionMode = ptr.To(batchv1.IndexedCompletion)
	if g.in(2) {
		s.BackoffLimitPerIndex = ptr.To[int32](1)
	}
	if g.in(3) {
		s.SuccessPolicy = &batchv1.SuccessPolicy{
			Rules: []batchv1.SuccessPolicyRule{{SucceededCount: ptr.To[int32](1)}},
		}
	}
}

// job returns a Job without a status, as an API server stores it.
func (g *Gen) job() *batchv1.Job {
	name := fmt.Sprintf("sample-%d", g.rand.IntN(1000))
	uid := types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012x", g.rand.Uint64()&(1<<48-1)))
	job := &batchv1.Job{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "team-a", UID: uid, ResourceVersion: "1", Generation: 1,
			CreationTimestamp: metav1.Unix(epoch-10, 0), Labels: map[string]string{"app": "sample"},
		},
	}
	s := &job.Spec
	pick(g, modes)(g, s)
	s.Suspend = ptr.To(g.in(3))
	s.BackoffLimit = ptr.To[int32](6)
	s.PodReplacementPolicy = ptr.To(batchv1.TerminatingOrFailed)
	s.Template.Spec = podSpec()
	if g.in(2) {
		s.ManagedBy = ptr.To(oneOf(g, Controller, batchv1.JobControllerName))
	}
	giveSelector(job)
	return job
}

// podSpec has what an API server fills in.
func podSpec() corev1.PodSpec {
	return corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, DNSPolicy: corev1.DNSClusterFirst,
		SchedulerName: corev1.DefaultSchedulerName, SecurityContext: &corev1.PodSecurityContext{},
		TerminationGracePeriodSeconds: ptr.To[int64](30),
		Containers: []corev1.Container{{
			Name: "main", Image: "registry.example/sample:1", ImagePullPolicy: corev1.PullIfNotPresent,
			TerminationMessagePath:   corev1.TerminationMessagePathDefault,
			TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		}},
	}
}

// giveSelector generates selector and labels as an API server does.
func giveSelector(job *batchv1.Job) {
	job.Spec.Selector = &metav1.LabelSelector{
		MatchLabels: map[string]string{batchv1.ControllerUidLabel: string(job.UID)},
	}
	job.Spec.Template.Labels = map[string]string{
		"app": "sample", "controller-uid": string(job.UID), "job-name": job.Name,
		batchv1.ControllerUidLabel: string(job.UID), batchv1.JobNameLabel: job.Name,
	}
}

// undefault takes back what an API server fills in, as in a manifest from a file.
func undefault(g *Gen, s *batchv1.JobSpec) {
	if !ptr.Deref(s.Suspend, false) {
		s.Suspend = nil
	}
	if ptr.Equal(s.CompletionMode, ptr.To(batchv1.NonIndexedCompletion)) {
		s.CompletionMode = nil
	}
	if s.Completions != nil && g.in(2) {
		s.Parallelism = nil
	}
	if g.in(3) && s.SuccessPolicy == nil && s.CompletionMode == nil {
		s.Completions, s.Parallelism = nil, nil
	}
	s.BackoffLimit, s.PodReplacementPolicy = nil, nil
}
