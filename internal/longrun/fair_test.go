// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

const (
	mostRounds  = 600 // of the fair phase
	mostPlans   = 30  // in a row that do something, while nothing else happens
	mostActions = 80  // of the fair phase
	quietRounds = 12  // after which nothing more is to come
	queueRound  = 4   // from which the workers' queues let Jobs run
	resultRound = 7   // from which Jobs succeed
)

// settle is the fair phase: one controller is left, its caches follow, workers answer, and what runs succeeds.
func (l *life) settle() {
	if l.violation != "" {
		return
	}
	l.logf("from here on it is fair")
	l.calm()
	quiet, actions := 0, l.actions()
	for round := 0; round < mostRounds && quiet < quietRounds && l.violation == ""; round++ {
		before := l.serial
		wait := l.round(round)
		quiet++
		if l.serial != before {
			quiet = 0
		}
		if wait == 0 || quiet > quietRounds/2 {
			wait = max(wait, time.Hour)
		}
		l.now = l.now.Add(wait)
	}
	if quiet < quietRounds {
		l.violate("the world does not come to rest")
	}
	if n := l.actions() - actions; n > mostActions {
		l.violate("the controller needs %d actions to come to rest", n)
	}
	if l.violation == "" {
		l.checkRest()
	}
}

// actions is how many there have been.
func (l *life) actions() (n int) {
	for name, count := range l.counts {
		if len(name) > 7 && name[:7] == "action " {
			n += count
		}
	}
	return n
}

// calm ends what stands in the way. Most users want their Job to run in the end.
func (l *life) calm() {
	l.fair, l.fairSince = true, l.now
	for _, c := range l.workers {
		c.down = false
		c.dropForeign()
	}
	if job := l.management.job(); job == nil || verdict(job) != "" || job.DeletionTimestamp != nil || oneIn(l.rand, 4) {
		return
	}
	target := pick(l.rand, "w0", "w1")
	l.management.edit(func(job *batchv1.Job) {
		job.Spec.Suspend = ptr.To(false)
		if job.Labels[targetLabel] == "" {
			job.Labels[targetLabel] = target
		}
	})
}

// round lets the controller and the workers do what they have to, and returns when the next one is due.
func (l *life) round(number int) (wait time.Duration) {
	for _, c := range l.workers {
		if again := l.reconcileAll(c); again > 0 && (wait == 0 || again < wait) {
			wait = again
		}
	}
	for _, c := range l.workers {
		if number >= queueRound {
			l.letRun(c)
		}
		if number >= resultRound {
			c.work(inSuccess)
		} else {
			c.work(notYet)
		}
	}
	return wait
}

// reconcileAll plans for a worker until there is nothing to do.
func (l *life) reconcileAll(c *cluster) time.Duration {
	r := l.replicas[0]
	for range mostPlans {
		r.catchUp(l.clusters()...)
		acted, again := r.reconcile(c)
		if !acted {
			return again
		}
	}
	l.violate("the controller does not come to rest")
	return 0
}

// letRun is the worker's queue, which keeps no Job that its owner wants to run.
func (l *life) letRun(c *cluster) {
	job, local := c.job(), l.management.job()
	if job != nil && local != nil && verdict(job) == "" && job.DeletionTimestamp == nil && !suspends(local) {
		c.edit(func(job *batchv1.Job) { job.Spec.Suspend = ptr.To(false) })
	}
}
