// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// checkTouched sees that only mirrors are written or deleted on a worker.
func (l *life) checkTouched(c *cluster) {
	if c.isWorker() && l.mirrors[c.job().UID] == nil {
		l.violate("a Job that is not the controller's is touched")
	}
}

// checkCreated looks at a mirror that is about to be.
func (l *life) checkCreated(c *cluster, m *batchv1.Job) {
	owner := ownerOf(l.planner, m)
	facts, local := l.jobs[owner], l.management.job()
	l.mirrors[m.UID] = &mirrorFacts{owner: owner}
	l.count("mirrors")
	switch {
	case sizeOfAnnotations(m) > apivalidation.TotalAnnotationSizeLimitB:
		l.violate("annotations beyond the limit")
	case facts == nil || local == nil || local.UID != owner:
		l.violate("a mirror is created for a Job that is gone")
	case facts.result != "":
		l.violate("a mirror is created for a Job that has finished")
	case !slices.Contains(local.Finalizers, cleanupKey):
		l.violate("a mirror is created for a Job without the finalizer")
	case facts.lostOn == c.name && l.policy.OnMirrorLost == mirror.FailJob:
		l.violate("a Job runs again that is to fail when its mirror is lost")
	case facts.lostOn == c.name && l.policy.MaxAttempts > 0 && facts.lost+1 >= int(l.policy.MaxAttempts):
		l.violate("a Job runs more often than MaxAttempts")
	}
	if facts != nil && local != nil {
		if facts.lostOn == c.name {
			facts.lost++
		}
		facts.lostOn = ""
		l.checkDeadline(local, m, facts)
	}
}

// checkDeadline sees that a Job is not charged for the time in which it was suspended.
func (l *life) checkDeadline(local, m *batchv1.Job, facts *jobFacts) {
	whole := local.Spec.ActiveDeadlineSeconds
	if whole == nil || facts.resumed.IsZero() {
		return
	}
	ran := l.now.Sub(facts.resumed) + l.traits.workerSkew.Abs() + l.traits.replicaSkew.Abs() + time.Minute
	if least := *whole - int64(ran/time.Second); ptr.Deref(m.Spec.ActiveDeadlineSeconds, *whole) < least {
		l.violate("the time in which the Job was suspended counts: of %d s %d are left", *whole, *m.Spec.ActiveDeadlineSeconds)
	}
}

// checkGone looks at a mirror that is no more.
func (l *life) checkGone(c *cluster, m *batchv1.Job) {
	facts, owner := l.mirrors[m.UID], l.jobs[l.mirrors[m.UID].owner]
	l.logf("  %s: %s is gone, with %d pods, deleted first by %s", c.name, m.UID, c.pods[m.UID], facts.deletedBy)
	local := l.management.job()
	if owner == nil {
		return
	}
	owner.attempts++
	if local == nil || local.UID != facts.owner || local.DeletionTimestamp != nil {
		return
	}
	d, err := l.planner.DispatchOf(local)
	if err != nil || d.Mirror != "" && d.Mirror != m.UID {
		return // the controller has another
	}
	if c.pods[m.UID] > 0 && !owner.unguarded && owner.result == "" {
		l.violate("%s goes while its pods run", m.UID)
	}
	switch isResult := l.isResult(m); {
	case isResult && verdict(local) == "" && !fails(local) && l.mustArrive(owner, facts):
		l.violate("the result %s of %s is lost", verdict(m), m.UID)
	case !isResult && verdict(local) == "" && facts.known && facts.deletedBy != byController && !d.Evicting && d.Worker == c.name && local.Labels[targetLabel] == c.name:
		owner.lostOn = c.name
		l.count("losses")
	}
}

// isResult reports whether a mirror had a verdict that nobody can take for the work of its deletion.
func (l *life) isResult(m *batchv1.Job) bool {
	switch {
	case verdict(m) == batchv1.JobComplete:
		return true
	case verdict(m) == "" || l.mirrors[m.UID].killed:
		return false
	case l.mirrors[m.UID].deletedBy == byTTL:
		return true
	}
	c := condition(m, batchv1.JobFailureTarget)
	if c == nil {
		c = condition(m, batchv1.JobFailed)
	}
	return c.LastTransitionTime.Before(m.DeletionTimestamp)
}

// mustArrive reports whether a result has to be on the local Job before the mirror goes. Without HoldMirror nobody can see
// to it when somebody else deletes the mirror, or when the result comes after our own deletion. With it there is the one
// exception that its comment has.
func (l *life) mustArrive(owner *jobFacts, m *mirrorFacts) bool {
	if l.policy.HoldMirror {
		return !m.hastened
	}
	return !owner.disturbed && !m.evicted
}

// checkAlone looks at pods that have just started.
func (l *life) checkAlone(owner *jobFacts, m *batchv1.Job) {
	if owner.unguarded {
		return
	}
	if owner.result != "" {
		l.violate("pods start of a Job that has finished")
	}
	running := 0
	for _, c := range l.workers {
		for uid, n := range c.pods {
			if n > 0 && l.mirrors[uid].owner == l.mirrors[m.UID].owner {
				running++
			}
		}
	}
	if running > 1 {
		l.violate("a Job runs twice")
	}
}
