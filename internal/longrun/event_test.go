// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// event is something that can happen, with how often. One that has no occasion reports false.
type event struct {
	weight int
	name   string
	happen func(*life) bool
}

// events lists all that can happen. It is a function because plans are carried out with events in between.
func events() []event {
	return []event{
		{90, "reconciles", (*life).reconcile},
		{60, "steps of workers", func(l *life) bool { l.worker().work(byChance); return true }},
		{24, "caches that catch up", func(l *life) bool { pick(l.rand, l.replicas...).trail(); return true }},
		{1, "hours that pass", func(l *life) bool { l.now = l.now.Add(time.Hour); return true }},
		{6, "suspensions and resumptions", (*life).userSuspends},
		{6, "edits by users", (*life).userEdits},
		{6, "moves", (*life).dispatcherMoves},
		{2, "deletions by users", (*life).userDeletes},
		{15, "creations under the same name", (*life).userCreates},
		{13, "deletions by others", (*life).otherDeletes},
		{2, "outages", (*life).outage},
		{10, "ends of outages", (*life).outageEnds},
		{3, "foreign Jobs", (*life).strangerCreates},
		{7, "foreign Jobs that go", (*life).strangerDeletes},
		{3, "suspensions and resumptions by a worker's queue", (*life).queueSuspends},
	}
}

func (l *life) worker() *cluster { return pick(l.rand, l.workers...) }

// meanwhile lets something happen between two actions of a plan, now and then.
func (l *life) meanwhile() {
	if l.fair || l.nested || !oneIn(l.rand, 8) {
		return
	}
	l.nested = true
	l.logf("  meanwhile")
	l.happens()
	l.nested = false
}

// mishap is an event that gives a plan up, and never happens in the fair phase.
func (l *life) mishap(what string, oneInSo int) bool {
	if l.fair || !oneIn(l.rand, oneInSo) {
		return false
	}
	l.logf("  %s", what)
	l.count(what)
	return true
}

// happens lets one thing happen, and a little time pass.
func (l *life) happens() {
	sum := 0
	for _, e := range l.events {
		sum += e.weight
	}
	x := l.rand.IntN(sum)
	for _, e := range l.events {
		if x -= e.weight; x < 0 {
			if e.happen(l) {
				l.count(e.name)
			}
			break
		}
	}
	if !oneIn(l.rand, 3) {
		l.now = l.now.Add(time.Duration(l.rand.IntN(8)) * time.Second)
	}
}

func (l *life) reconcile() bool {
	r, worker := pick(l.rand, l.replicas...), l.worker()
	if oneIn(l.rand, 2) {
		r.catchUp(l.clusters()...)
	}
	r.reconcile(worker)
	return true
}

func (l *life) userSuspends() bool {
	job := l.management.job()
	if job == nil || verdict(job) != "" {
		return false
	}
	l.management.edit(func(job *batchv1.Job) { job.Spec.Suspend = ptr.To(!suspends(job)) })
	l.logf("a user sets suspend to %v", !suspends(job))
	return true
}

func (l *life) userEdits() bool {
	if l.management.job() == nil {
		return false
	}
	l.logf("a user edits the Job")
	l.management.edit(func(job *batchv1.Job) {
		before := job.DeepCopy()
		l.editSomething(job)
		if sizeOfAnnotations(job) > apivalidation.TotalAnnotationSizeLimitB {
			*job = *before // the API server refuses it
		}
	})
	return true
}

func (l *life) editSomething(job *batchv1.Job) {
	r := l.rand
	switch r.IntN(5) {
	case 0:
		metav1.SetMetaDataAnnotation(&job.ObjectMeta, "note", fmt.Sprint(r.IntN(5)))
	case 1:
		job.Labels["team"] = fmt.Sprint(r.IntN(3))
	case 2:
		if suspends(job) && job.Status.Active == 0 && (job.Status.StartTime == nil || has(job, batchv1.JobSuspended)) {
			job.Spec.Template.Spec.NodeSelector = map[string]string{"zone": fmt.Sprint(r.IntN(3))}
		}
	case 3:
		job.Spec.Parallelism = ptr.To(int32(1 + r.IntN(6)))
		if *job.Spec.CompletionMode == batchv1.IndexedCompletion {
			job.Spec.Completions = job.Spec.Parallelism
		}
	case 4:
		l.annotateALot(job)
	}
}

// annotateALot writes an annotation that leaves little room or none.
func (l *life) annotateALot(job *batchv1.Job) {
	if !l.traits.bigJobs {
		return
	}
	delete(job.Annotations, "big")
	room := apivalidation.TotalAnnotationSizeLimitB - sizeOfAnnotations(job) - len("big") - l.rand.IntN(1200)
	l.count("annotations up to the limit")
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, "big", strings.Repeat("x", room))
}

func (l *life) dispatcherMoves() bool {
	target := pick(l.rand, "w0", "w0", "w1", "w1", "")
	if job := l.management.job(); job == nil || job.Labels[targetLabel] == target {
		return false
	}
	l.logf("the Job is wanted on %q", target)
	l.management.edit(func(job *batchv1.Job) { job.Labels[targetLabel] = target })
	return true
}

func (l *life) userDeletes() bool {
	if job := l.management.job(); job == nil || job.DeletionTimestamp != nil {
		return false
	}
	l.logf("a user deletes the Job")
	l.management.remove(metav1.DeletePropagationBackground)
	return true
}

func (l *life) userCreates() bool {
	if l.management.job() != nil {
		return false
	}
	l.logf("a user creates the Job")
	l.createLocal()
	return true
}

func (l *life) createLocal() {
	uid := types.UID(fmt.Sprintf("local-%d", l.next()))
	l.jobs[uid] = &jobFacts{}
	l.management.put(newLocal(l.rand, uid))
}
