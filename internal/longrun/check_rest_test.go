// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/mirror"
)

// checkRest looks at the world when nothing happens any more.
func (l *life) checkRest() {
	local := l.management.job()
	switch {
	case local == nil:
	case local.DeletionTimestamp != nil:
		l.violate("a deleted Job is not let go: %v", local.Finalizers)
	default:
		l.checkAttempts(local)
		l.checkEnd(local)
	}
	for _, c := range l.workers {
		if job := c.job(); job != nil && l.mirrors[job.UID] != nil {
			l.checkLeft(c, job)
		}
		for uid, n := range c.pods {
			if job := c.job(); n > 0 && (job == nil || job.UID != uid) {
				l.violate("pods of %s are left", uid)
			}
		}
	}
}

// checkEnd sees that a Job has its result, or a reason for having none.
func (l *life) checkEnd(local *batchv1.Job) {
	target := local.Labels[targetLabel]
	if verdict(local) != "" || suspends(local) || target == "" {
		return
	}
	for _, c := range l.workers {
		if c.name != target {
			continue
		}
		switch _, plan := l.replicas[0].plan(c); plan.Outcome {
		case mirror.Refused: // it is too large
			l.count("Jobs that are too large")
		case mirror.Conflict:
			if l.policy.ExclusiveOrigin {
				l.violate("the Job is kept out by nobody: %s", plan)
			}
		default:
			l.violate("the Job has no result: %s", plan)
		}
	}
}

// checkAttempts sees that a Job was not sent more often than there was a reason for.
func (l *life) checkAttempts(local *batchv1.Job) {
	d, err := l.planner.DispatchOf(local)
	if err != nil {
		l.violate("the dispatch record cannot be read: %v", err)
		return
	}
	if most := 1 + l.jobs[local.UID].attempts; int(d.Attempt) > most {
		l.violate("%d attempts, and a reason for %d", d.Attempt, most)
	}
}

// checkLeft looks at a mirror that is left.
func (l *life) checkLeft(c *cluster, m *batchv1.Job) {
	local, owner := l.management.job(), l.mirrors[m.UID].owner
	switch {
	case local == nil || local.UID != owner:
		if l.policy.ExclusiveOrigin || !l.jobs[owner].abandoned {
			l.violate("a mirror of a deleted Job is left")
		}
	case verdict(local) != "":
		if l.policy.KeepFinished >= 0 {
			l.violate("the mirror of a finished Job is left")
		}
	case local.Labels[targetLabel] != c.name:
		l.violate("a mirror is left where the Job is not wanted")
	case suspends(local) && l.policy.Suspend == mirror.SuspendFollows && c.pods[m.UID] > 0:
		l.violate("the pods of a suspended Job run")
	}
}
