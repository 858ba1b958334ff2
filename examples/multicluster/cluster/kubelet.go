// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
)

// Annotations of a pod that say how its containers behave. A pod without them succeeds after a second.
const (
	// RunsFor is how long they run, a Go duration, or Forever.
	RunsFor = "kubelet.test/runs-for"
	// ExitCode is what they end with.
	ExitCode = "kubelet.test/exit-code"
	// OnlyIndex is the index of an Indexed Job's pod that RunsFor and ExitCode are for; the others run for ever.
	OnlyIndex = "kubelet.test/only-index"
	// StopsIn is how long they take to stop when the pod is deleted, a Go duration; none by default.
	StopsIn = "kubelet.test/stops-in"

	Forever = "forever"
)

// Kubelet is what the Job controller sees of a scheduler and a kubelet: it binds pods to a node that does not
// exist, reports them as running and then as ended, and finishes their deletion. It runs nothing.
type Kubelet struct {
	client kubernetes.Interface
	pods   corelisters.PodLister
	queue  workqueue.TypedRateLimitingInterface[types.NamespacedName]
}

// startKubelet returns a Kubelet that works, and a function that stops it.
func startKubelet(config *rest.Config) (*Kubelet, func()) {
	client := kubernetes.NewForConfigOrDie(config)
	factory := informers.NewSharedInformerFactory(client, 0)
	k := &Kubelet{
		client: client,
		pods:   factory.Core().V1().Pods().Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](50*time.Millisecond, 2*time.Second)),
	}
	add := func(object any) {
		if pod, ok := object.(*corev1.Pod); ok {
			k.queue.Add(types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
		}
	}
	_, _ = factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, object any) { add(object) },
	})
	ctx, cancel := context.WithCancel(context.Background())
	factory.StartWithContext(ctx)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for k.work(ctx) {
			}
		})
	}
	return k, func() {
		cancel()
		k.queue.ShutDown()
		workers.Wait()
		factory.Shutdown()
	}
}

func (k *Kubelet) work(ctx context.Context) bool {
	key, shutdown := k.queue.Get()
	if shutdown {
		return false
	}
	defer k.queue.Done(key)
	pod, err := k.pods.Pods(key.Namespace).Get(key.Name)
	if err != nil {
		return true // gone
	}
	again, err := k.step(ctx, pod)
	if err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
		k.queue.AddRateLimited(key)
		return true
	}
	k.queue.Forget(key)
	if again > 0 {
		k.queue.AddAfter(key, again)
	}
	return true
}

// step does the next thing that happens to a pod, and says when to look again.
func (k *Kubelet) step(ctx context.Context, pod *corev1.Pod) (again time.Duration, err error) {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	switch {
	case pod.DeletionTimestamp != nil:
		return k.terminate(ctx, pod, ended)
	case ended:
		return 0, nil
	case pod.Spec.NodeName == "":
		binding := &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: "node"},
		}
		return 0, k.client.CoreV1().Pods(pod.Namespace).Bind(ctx, binding, metav1.CreateOptions{})
	case pod.Status.Phase != corev1.PodRunning:
		return 0, k.report(ctx, pod, running(pod, metav1.Now()))
	}
	if runsForever(pod) {
		return 0, nil
	}
	left := time.Until(pod.Status.StartTime.Add(durationOf(pod, RunsFor, time.Second)))
	if left > 0 {
		return left, nil
	}
	return 0, k.report(ctx, pod, endedStatus(pod, pod.Annotations[ExitCode]))
}

func runsForever(pod *corev1.Pod) bool {
	only, some := pod.Annotations[OnlyIndex]
	return pod.Annotations[RunsFor] == Forever || some && pod.Annotations[batchv1.JobCompletionIndexAnnotation] != only
}

// terminate waits for the containers to stop. A pod that was not ended then has failed.
func (k *Kubelet) terminate(ctx context.Context, pod *corev1.Pod, ended bool) (time.Duration, error) {
	// A deletionTimestamp is when the grace period ends.
	deleted := pod.DeletionTimestamp.Add(-time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second)
	if left := time.Until(deleted.Add(durationOf(pod, StopsIn, 0))); left > 0 && !ended {
		return left, nil
	}
	if !ended {
		if err := k.report(ctx, pod, endedStatus(pod, "143")); err != nil {
			return 0, err
		}
	}
	return 0, k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{
		GracePeriodSeconds: ptr.To[int64](0), Preconditions: &metav1.Preconditions{UID: &pod.UID},
	})
}

func (k *Kubelet) report(ctx context.Context, pod *corev1.Pod, status *corev1.PodStatus) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err != nil {
		return err
	}
	_, err = k.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}

func running(pod *corev1.Pod, now metav1.Time) *corev1.PodStatus {
	return &corev1.PodStatus{
		Phase: corev1.PodRunning, StartTime: &now,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: now}},
	}
}

func endedStatus(pod *corev1.Pod, exitCode string) *corev1.PodStatus {
	now := metav1.Now()
	status := &corev1.PodStatus{
		Phase: corev1.PodSucceeded, StartTime: pod.Status.StartTime,
		Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: now}},
	}
	code := int32(0)
	if exitCode != "" && exitCode != "0" {
		status.Phase = corev1.PodFailed
		if err := json.Unmarshal([]byte(exitCode), &code); err != nil {
			code = 1
		}
	}
	for _, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, ImageID: container.Image,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, FinishedAt: now}},
		})
	}
	return status
}

func durationOf(pod *corev1.Pod, annotation string, fallback time.Duration) time.Duration {
	d, err := time.ParseDuration(pod.Annotations[annotation])
	if err != nil {
		return fallback
	}
	return d
}
