// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

var begin = metav1.NewTime(time.Unix(1_760_000_000, 0))

// typical is an accepted update: an Indexed Job of 100 completions with three conditions, of which some more
// pods have ended.
func typical() statusvalidate.Change {
	old := sample(1, 0)
	s := &old.Status
	for _, t := range []batchv1.JobConditionType{batchv1.JobSuspended, "example.com/Admitted", "example.com/Mirrored"} {
		s.Conditions = append(s.Conditions, batchv1.JobCondition{
			Type: t, Status: corev1.ConditionFalse, Reason: "Reason", Message: "A message.",
			LastProbeTime: begin, LastTransitionTime: begin,
		})
	}
	s.StartTime = begin.DeepCopy()
	s.Active, s.Ready, s.Terminating = 10, ptr.To[int32](8), ptr.To[int32](0)
	s.Succeeded, s.Failed = 40, 2
	s.CompletedIndexes, s.FailedIndexes = "0-35,37-40", ptr.To("36")
	s.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}

	updated := old.DeepCopy()
	s = &updated.Status
	s.Succeeded, s.Failed, s.Ready = 43, 3, ptr.To[int32](9)
	s.CompletedIndexes, s.FailedIndexes = "0-35,37-42,44", ptr.To("36,43")
	return statusvalidate.Change{Old: old, New: updated}
}

// threeErrors is refused: the failed counter decreases, startTime changes, and too many pods are ready.
func threeErrors() statusvalidate.Change {
	c := typical()
	c.New.Status.Failed, c.New.Status.StartTime, c.New.Status.Ready = 0, nil, ptr.To[int32](11)
	return c
}

// fragments is an accepted update to completedIndexes of that many fragments.
func fragments(n int) statusvalidate.Change {
	c := typical()
	c.Old.Spec.Completions = ptr.To(int32(2*n + 2))
	c.New.Spec.Completions = c.Old.Spec.Completions
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, ",%d", 2*i)
	}
	c.New.Status.CompletedIndexes, c.New.Status.FailedIndexes = list.String()[1:], ptr.To("1")
	return c
}

// sample is an Indexed Job as an API server stores it, with that many containers and variables in each.
func sample(containers, variables int) *batchv1.Job {
	const uid = "a6c0b2e4-0000-4000-8000-000000000000"
	labels := map[string]string{
		"app": "sample", batchv1.ControllerUidLabel: uid, batchv1.JobNameLabel: "sample", "controller-uid": uid, "job-name": "sample",
	}
	j := &batchv1.Job{}
	j.ObjectMeta = metav1.ObjectMeta{
		Name: "sample", Namespace: "team-a", UID: uid, ResourceVersion: "1", Generation: 1, CreationTimestamp: begin,
		Labels: map[string]string{"app": "sample", "team": "a"}, Annotations: map[string]string{"example.com/note": "a note"},
	}
	j.Spec = batchv1.JobSpec{
		ManagedBy: ptr.To(controller), CompletionMode: ptr.To(batchv1.IndexedCompletion), Suspend: ptr.To(false),
		Completions: ptr.To[int32](100), Parallelism: ptr.To[int32](10), BackoffLimit: ptr.To[int32](6),
		BackoffLimitPerIndex: ptr.To[int32](1), PodReplacementPolicy: ptr.To(batchv1.Failed),
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{batchv1.ControllerUidLabel: uid}},
	}
	j.Spec.Template.Labels = labels
	pod := &j.Spec.Template.Spec
	pod.RestartPolicy, pod.DNSPolicy, pod.SchedulerName = corev1.RestartPolicyNever, corev1.DNSClusterFirst, corev1.DefaultSchedulerName
	pod.SecurityContext, pod.TerminationGracePeriodSeconds = &corev1.PodSecurityContext{}, ptr.To[int64](30)
	for i := range containers {
		pod.Containers = append(pod.Containers, container(i, variables))
	}
	return j
}

func container(i, variables int) corev1.Container {
	c := corev1.Container{
		Name: fmt.Sprintf("main-%d", i), Image: "registry.example/sample:1", ImagePullPolicy: corev1.PullIfNotPresent,
		Command: []string{"sh", "-c", "work"}, TerminationMessagePath: corev1.TerminationMessagePathDefault,
		TerminationMessagePolicy: corev1.TerminationMessageReadFile,
	}
	if variables > 0 {
		amount := corev1.ResourceList{"cpu": resource.MustParse("2"), "memory": resource.MustParse("4Gi")}
		c.Resources = corev1.ResourceRequirements{Requests: amount, Limits: amount.DeepCopy()}
	}
	for v := range variables {
		c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("VARIABLE_%d", v), ValueFrom: &corev1.EnvVarSource{
			ConfigMapKeyRef: &corev1.ConfigMapKeySelector{Key: "key", LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}},
		}})
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "data", MountPath: fmt.Sprintf("/data/%d", v)})
	}
	return c
}
