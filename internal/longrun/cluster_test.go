// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// cluster is an API server that has one name, and every version of the Job that had it: caches are positions
// in this list.
type cluster struct {
	life     *life
	name     string
	versions []*batchv1.Job    // nil where there is none; never changed
	pods     map[types.UID]int // by Job: they can outlive it
	down     bool
}

func newCluster(l *life, name string) *cluster {
	return &cluster{life: l, name: name, versions: []*batchv1.Job{nil}, pods: map[types.UID]int{}}
}

func (c *cluster) job() *batchv1.Job { return c.versions[len(c.versions)-1] }

func (c *cluster) isWorker() bool { return c != c.life.management }

// clock is the time on a cluster, as objects have it.
func (c *cluster) clock() metav1.Time {
	now := c.life.now
	if c.isWorker() {
		now = now.Add(c.life.traits.workerSkew)
	}
	return metav1.NewTime(now.Truncate(time.Second))
}

// put stores a Job in place of the one that is there. One that is deleted, and has no finalizer, is gone.
func (c *cluster) put(job *batchv1.Job) {
	old := c.job()
	if job != nil && old != nil {
		same := old.DeepCopy()
		if same.UID == job.UID && !equality.Semantic.DeepEqual(old.Spec, job.Spec) {
			job.Generation = old.Generation + 1
		}
		job.ResourceVersion = old.ResourceVersion
		if equality.Semantic.DeepEqual(old, job) {
			return
		}
	}
	serial := strconv.Itoa(c.life.next())
	if job != nil {
		job.ResourceVersion = serial
	}
	if job != nil && job.DeletionTimestamp != nil && len(job.Finalizers) == 0 {
		job = nil
	}
	c.life.checkStored(c, old, job)
	c.versions = append(c.versions, job)
}

// edit changes the Job if there is one.
func (c *cluster) edit(change func(*batchv1.Job)) {
	if job := c.job(); job != nil {
		job = job.DeepCopy()
		change(job)
		c.put(job)
	}
}

// create stores a new mirror.
func (c *cluster) create(job *batchv1.Job) metav1.StatusReason {
	if c.job() != nil {
		return metav1.StatusReasonAlreadyExists
	}
	stored := job.DeepCopy()
	stored.UID, stored.Generation = types.UID(fmt.Sprintf("mirror-%d", c.life.next())), 1
	fill(&stored.Spec)
	generate(stored)
	c.life.checkCreated(c, stored)
	c.put(stored)
	return ""
}

// remove is a DELETE. It is as in BeforeDelete of k8s.io/apiserver: each propagation takes the finalizers of the others off,
// of a Job that is being deleted already, too.
func (c *cluster) remove(how metav1.DeletionPropagation) {
	c.edit(func(job *batchv1.Job) {
		if job.DeletionTimestamp == nil {
			now := c.clock()
			job.DeletionTimestamp = &now
		}
		job.Finalizers = slices.DeleteFunc(job.Finalizers, func(f string) bool {
			return f == metav1.FinalizerDeleteDependents || f == metav1.FinalizerOrphanDependents
		})
		if how == metav1.DeletePropagationForeground {
			job.Finalizers = append(job.Finalizers, metav1.FinalizerDeleteDependents)
		}
	})
}
