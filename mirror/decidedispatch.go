// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	defaultRetryDelay = 10 * time.Second
	maxRetryDelay     = 10 * time.Minute
)

// dispatch creates the mirror. Where the Job was sent before, it goes by live reads only.
func (t situation) dispatch() Plan {
	if t.record.sent() {
		if read, open := t.confirm(); open {
			return outcome(Dispatching).then(readLive(read))
		}
		if t.gaveUp() {
			return t.lost()
		}
		if wait := t.retryIn(); wait > 0 {
			return t.write(outcome(BackingOff).again(wait, "the next attempt is due"), projection{}, nil)
		}
	}
	next := t.claim()
	create, err := t.kind.build(t)
	if err == nil {
		err = t.room(next.atItsLongest().String())
	}
	if err != nil {
		return t.write(outcome(Refused).failing(err), projection{}, nil)
	}
	if !t.p.cleansUp(t.local) {
		return outcome(Dispatching).then(t.p.addFinalizer(t.local))
	}
	return outcome(Dispatching).
		then(patch(Claim, t.local, t.recordChange(&next), t.kind.projectIdle(t, nil).change(t.local))).
		then(create)
}

// room refuses a Job whose annotations leave no room for the dispatch record.
func (t situation) room(record string) error {
	key := t.p.policy.Keys.Dispatch
	size := sizeOf(t.local.Annotations) + len(key) + len(record)
	if old, there := t.local.Annotations[key]; there {
		size -= len(key) + len(old)
	}
	if size <= apivalidation.TotalAnnotationSizeLimitB {
		return nil
	}
	return &TooLargeError{Job: keyOf(t.local), Size: size, Limit: apivalidation.TotalAnnotationSizeLimitB}
}

// spent is how much of activeDeadlineSeconds earlier attempts have used, in seconds. A suspension resets it, also
// one that is over of which the status has not been told yet, and one after which startTime was held.
func (t situation) spent() int64 {
	start := ptr.Deref(t.local.Status.StartTime, metav1.Time{})
	if start.IsZero() || suspends(t.local) || t.record.Attempt == 0 {
		return 0
	}
	if c := entry(t.local.Status.Conditions, batchv1.JobSuspended); c != nil && c.Status == corev1.ConditionTrue {
		return 0
	} else if c != nil && c.LastTransitionTime.After(start.Time) {
		start = c.LastTransitionTime
	}
	return max(0, int64(t.Now.Sub(start.Time)/time.Second))
}

// soon is a wait of at most delay. What is further ahead than that by more than slack comes from a clock that is
// wrong, and is not waited for: whoever plans again and again would wait until then.
func soon(wait, delay, slack time.Duration) time.Duration {
	if wait-delay > slack {
		return 0
	}
	return min(wait, delay)
}

// countsLosses reports whether it matters that a mirror was there before it disappeared.
func (p *Planner) countsLosses() bool {
	return p.policy.OnMirrorLost == FailJob || p.policy.MaxAttempts > 0
}

// gaveUp reports whether the mirror was lost and is not replaced any more.
func (t situation) gaveUp() bool {
	limit := t.p.policy.MaxAttempts
	return t.hasLost() && (t.p.policy.OnMirrorLost == FailJob || limit > 0 && t.record.Lost >= limit-1)
}

// retryIn is how long to wait before the next attempt on this worker. A claim of the future was made by a clock
// that is ahead: it makes the wait twice as long at most.
func (t situation) retryIn() time.Duration {
	if t.record.Worker != t.Worker {
		return 0
	}
	delay := t.p.policy.RetryDelay
	if delay == 0 {
		delay = defaultRetryDelay
	}
	for range min(t.record.Attempt-1, 30) {
		if delay < maxRetryDelay {
			delay = min(2*delay, maxRetryDelay)
		}
	}
	return soon(t.record.At.Add(delay).Sub(t.Now.Time), delay, delay)
}
