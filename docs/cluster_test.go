// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/mergepatch"
	"github.com/managedby-dev/managedby/statusvalidate"
)

var (
	train = types.NamespacedName{Namespace: "research", Name: "train"}
	noon  = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
)

func at(second int) metav1.Time { return metav1.NewTime(noon.Add(time.Duration(second) * time.Second)) }

// newJob is a Job as an API server stores it.
func newJob(controller string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: train.Namespace, Name: train.Name, UID: "1111", ResourceVersion: "1", Generation: 1},
		Spec: batchv1.JobSpec{
			ManagedBy: ptr.To(controller), Parallelism: ptr.To[int32](2), Completions: ptr.To[int32](4), Suspend: ptr.To(false),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "busybox"}},
			}},
		},
	}
}

func condition(kind batchv1.JobConditionType, second int) batchv1.JobCondition {
	return batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: at(second), Reason: "Reason"}
}

// cluster is an API server with at most one Job. It refuses the statuses that the newest release refuses.
type cluster struct {
	name    string
	job     *batchv1.Job
	version int
}

func (c *cluster) Name() string { return c.name }

func (c *cluster) Get(_ context.Context, key types.NamespacedName) (*batchv1.Job, error) {
	if c.job == nil {
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: "batch", Resource: "jobs"}, key.Name)
	}
	return c.job.DeepCopy(), nil
}

func (c *cluster) Create(_ context.Context, job *batchv1.Job) error {
	if c.job != nil {
		return apierrors.NewAlreadyExists(schema.GroupResource{Group: "batch", Resource: "jobs"}, job.Name)
	}
	stored := job.DeepCopy()
	stored.UID = types.UID("on-" + c.name)
	c.store(stored)
	return nil
}

func (c *cluster) Patch(_ context.Context, _ types.NamespacedName, _ types.PatchType, data []byte, subresource string) error {
	var object, patch map[string]any
	var patched batchv1.Job
	decode(encode(c.job), &object)
	decode(data, &patch)
	decode(encode(mergepatch.Apply(object, patch)), &patched)
	if subresource == "status" {
		if err := (statusvalidate.Validator{}).Validate(statusvalidate.Change{Old: c.job, New: &patched}).Err(); err != nil {
			return err
		}
	}
	c.store(&patched)
	return nil
}

// Delete takes the Job away at once, as it is when its pods are gone.
func (c *cluster) Delete(context.Context, types.NamespacedName, metav1.DeleteOptions) error {
	c.job = nil
	return nil
}

// run sets the status that the Job controller of the cluster would.
func (c *cluster) run(status batchv1.JobStatus) {
	job := c.job.DeepCopy()
	job.Status = status
	c.store(job)
}

func (c *cluster) store(job *batchv1.Job) {
	c.version++
	job.ResourceVersion = fmt.Sprint(c.version)
	c.job = job
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func decode(data []byte, v any) {
	if err := json.Unmarshal(data, v); err != nil {
		panic(err)
	}
}
