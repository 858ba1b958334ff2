// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// otherDeletes is somebody on the worker who deletes the mirror, perhaps for the second time.
func (l *life) otherDeletes() bool {
	c := l.worker()
	job := c.job()
	if job == nil || l.mirrors[job.UID] == nil {
		return false
	}
	how := pick(l.rand, metav1.DeletePropagationForeground, metav1.DeletePropagationBackground)
	l.logf("somebody deletes %s on %s in the %s", job.UID, c.name, how)
	l.count("deletions by others, " + string(how))
	if job.DeletionTimestamp != nil {
		l.count("deletions by others, again")
	}
	l.disturb(job, byOthers)
	if how == metav1.DeletePropagationBackground && !slices.Contains(job.Finalizers, holdKey) {
		l.jobs[l.mirrors[job.UID].owner].unguarded = true
	}
	if how == metav1.DeletePropagationBackground && slices.Contains(job.Finalizers, metav1.FinalizerDeleteDependents) && verdict(job) == "" {
		l.mirrors[job.UID].hastened = true
	}
	c.remove(how)
	return true
}

func (l *life) outage() bool { return l.worker().setDown(true) }

func (l *life) outageEnds() bool { return l.worker().setDown(false) }

func (c *cluster) setDown(down bool) bool {
	if c.down == down {
		return false
	}
	c.down = down
	c.life.logf("%s answers: %v", c.name, !down)
	return true
}

// strangerCreates is somebody on the worker who takes the mirror's name.
func (l *life) strangerCreates() bool {
	c := l.worker()
	if c.job() != nil {
		return false
	}
	job := newLocal(l.rand, types.UID(fmt.Sprintf("foreign-%d", l.next())))
	job.Spec.ManagedBy = nil
	if l.policy.Target != nil {
		name := l.policy.Target(job)
		job.Namespace, job.Name = name.Namespace, name.Name
	}
	l.logf("somebody creates %s on %s", job.UID, c.name)
	c.put(job)
	return true
}

func (l *life) strangerDeletes() bool { return l.worker().dropForeign() }

// dropForeign takes a foreign Job off a worker.
func (c *cluster) dropForeign() bool {
	job := c.job()
	if job == nil || c.life.mirrors[job.UID] != nil {
		return false
	}
	c.life.logf("%s is gone from %s", job.UID, c.name)
	c.put(nil)
	return true
}

func (l *life) queueSuspends() bool {
	c := l.worker()
	job := c.job()
	if job == nil || l.mirrors[job.UID] == nil || verdict(job) != "" {
		return false
	}
	l.logf("the queue of %s sets suspend to %v", c.name, !suspends(job))
	c.edit(func(job *batchv1.Job) { job.Spec.Suspend = ptr.To(!suspends(job)) })
	return true
}
