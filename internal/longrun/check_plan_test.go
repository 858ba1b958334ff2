// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"slices"
	"time"

	"github.com/managedby-dev/managedby/mirror"
)

// longestDelay is how long after a claim the next attempt may come at most: ten minutes, and as long again for a claim of
// the future.
const longestDelay = 20*time.Minute + time.Minute

// checkPlan looks at what a controller has planned, before it is done.
func (l *life) checkPlan(r *replica, plan mirror.Plan) {
	if plan.Outcome == mirror.Invalid {
		l.violate("a status is called invalid: %v", plan.Violations)
	}
	for _, a := range plan.Actions {
		if f := l.jobs[a.UID]; plan.Outcome == mirror.Abandoned && f != nil {
			f.abandoned = true
		}
	}
	local := l.management.job()
	if plan.Outcome != mirror.BackingOff || !l.fair || r.skew != 0 || local == nil {
		return
	}
	since := l.jobs[local.UID].claimed
	if since.Before(l.fairSince) {
		since = l.fairSince // before that nobody may have looked at it
	}
	if waited := l.now.Sub(since); waited > longestDelay {
		l.violate("the next attempt is waited for since %s", waited)
	}
}

// noteRequest notes what a controller has done.
func (l *life) noteRequest(a mirror.Action) {
	if a.Kind == mirror.Claim {
		if f := l.jobs[a.UID]; f != nil {
			f.claimed = l.now
		}
	}
}

// noteGivenUp notes that the claim of a plan may have been carried out, and its create not.
func (l *life) noteGivenUp(plan mirror.Plan) {
	for _, a := range plan.Actions {
		if f := l.jobs[a.UID]; a.Kind == mirror.Claim && f != nil {
			f.attempts++
		}
	}
}

// notePlan notes what a controller has done when a whole plan has been carried out.
func (l *life) notePlan(v view, plan mirror.Plan) {
	if plan.Outcome == mirror.MirrorDeleting {
		l.mirrors[v.here.job.UID].known = true
	}
	if slices.Contains([]mirror.Outcome{mirror.InSync, mirror.Copied, mirror.Deferred}, plan.Outcome) && v.wanted {
		l.mirrors[v.here.job.UID].known = true
	}
}
