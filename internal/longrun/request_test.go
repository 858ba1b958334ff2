// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/mergepatch"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// request is an action on its way to an API server.
type request struct {
	mirror.Action
	options metav1.DeleteOptions
}

// send does what a request says, and returns the reason where it is refused.
func (c *cluster) send(q request) metav1.StatusReason {
	if q.Kind == mirror.CreateMirror {
		return c.create(q.Job)
	}
	if c.job() == nil {
		return metav1.StatusReasonNotFound
	}
	switch q.Kind {
	case mirror.DeleteMirror:
		return c.sendDelete(q)
	case mirror.ReleaseMirror:
		return c.sendRelease(q)
	default:
		return c.sendMerge(q)
	}
}

func (c *cluster) sendDelete(q request) metav1.StatusReason {
	job := c.job()
	if p := q.options.Preconditions; p != nil {
		if ptr.Deref(p.UID, job.UID) != job.UID || ptr.Deref(p.ResourceVersion, job.ResourceVersion) != job.ResourceVersion {
			return metav1.StatusReasonConflict
		}
	}
	c.life.checkTouched(c)
	if m := c.life.mirrors[job.UID]; m != nil && m.deletedBy == "" {
		m.deletedBy, m.evicted = byController, verdict(job) == ""
	}
	c.remove(*q.options.PropagationPolicy)
	return ""
}

// sendRelease is a JSON patch: a test of the UID, a test of one finalizer by its place, and its removal.
func (c *cluster) sendRelease(q request) metav1.StatusReason {
	var steps []struct {
		Op, Path string
		Value    any
	}
	decode(q.Patch, &steps)
	job := c.job()
	for _, s := range steps {
		place, isFinalizer := strings.CutPrefix(s.Path, "/metadata/finalizers/")
		i, _ := strconv.Atoi(place)
		switch {
		case s.Op == "test" && s.Path == "/metadata/uid" && s.Value == string(job.UID):
		case s.Op == "test" && isFinalizer && i < len(job.Finalizers) && s.Value == job.Finalizers[i]:
		case s.Op == "remove" && isFinalizer && i < len(job.Finalizers):
			c.life.checkTouched(c)
			c.edit(func(job *batchv1.Job) { job.Finalizers = slices.Delete(job.Finalizers, i, i+1) })
		default:
			return metav1.StatusReasonInvalid
		}
	}
	return ""
}

func (c *cluster) sendMerge(q request) metav1.StatusReason {
	old := c.job()
	var target, patch map[string]any
	decode(encode(old), &target)
	decode(q.Patch, &patch)
	metadata, _ := patch["metadata"].(map[string]any)
	uid, version := metadata["uid"], metadata["resourceVersion"]
	switch {
	case uid != nil && uid != string(old.UID) && version == nil:
		return metav1.StatusReasonInvalid // the UID cannot be changed
	case uid != nil && uid != string(old.UID), version != nil && version != old.ResourceVersion:
		return metav1.StatusReasonConflict
	}
	job := &batchv1.Job{}
	decode(encode(mergepatch.Apply(target, patch)), job)
	if q.Subresource == "status" {
		job.Spec, job.Finalizers = old.Spec, old.Finalizers
	} else {
		job.Status = old.Status
	}
	if why := c.refuses(old, job); why != "" {
		c.life.violate("a write is refused: %s: %s", q, why)
		return metav1.StatusReasonInvalid
	}
	c.life.checkTouched(c)
	c.put(job)
	return ""
}

// refuses says why the API server does not take an update.
func (c *cluster) refuses(old, job *batchv1.Job) string {
	if size := sizeOfAnnotations(job); size > apivalidation.TotalAnnotationSizeLimitB {
		return "annotations of " + strconv.Itoa(size) + " bytes"
	}
	for _, f := range job.Finalizers {
		if old.DeletionTimestamp != nil && !slices.Contains(old.Finalizers, f) {
			return "a new finalizer on a Job that is being deleted"
		}
	}
	if c.isWorker() {
		return c.refusesSpec(old, job)
	}
	if vs := c.life.strict.Validate(statusvalidate.Change{Old: old, New: job}); len(vs) > 0 {
		return string(vs[0].Rule)
	}
	return ""
}

// refusesSpec says what a worker does not let change in a spec (ValidateJobUpdate). Up to 1.35 a template may change only
// before the first start.
func (c *cluster) refusesSpec(old, job *batchv1.Job) string {
	if !equality.Semantic.DeepEqual(old.Spec.Template, job.Spec.Template) && !c.mayChangeTemplate(old) {
		return "the template is immutable"
	}
	if ptr.Equal(old.Spec.Completions, job.Spec.Completions) {
		return ""
	}
	if *job.Spec.CompletionMode != batchv1.IndexedCompletion || !ptr.Equal(job.Spec.Completions, job.Spec.Parallelism) {
		return "completions is immutable"
	}
	return ""
}

func (c *cluster) mayChangeTemplate(job *batchv1.Job) bool {
	rested := suspends(job) && job.Status.Active == 0 && has(job, batchv1.JobSuspended)
	if c.life.policy.Worker.String() == releases("v1.35.0")[0].String() {
		rested = false
	}
	return suspends(job) && job.Status.StartTime == nil || rested
}
