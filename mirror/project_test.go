// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// Builders. Times are seconds after noon.

type (
	status = batchv1.JobStatus
	mod    func(*batchv1.Job)
)

func at(second int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(second) * time.Second))
}

func job(mods ...mod) *batchv1.Job {
	j := &batchv1.Job{Spec: batchv1.JobSpec{
		Completions: ptr.To[int32](5), Parallelism: ptr.To[int32](2), Suspend: ptr.To(false),
		CompletionMode: ptr.To(batchv1.NonIndexedCompletion),
	}}
	for _, m := range mods {
		m(j)
	}
	return j
}

func suspend(j *batchv1.Job)     { j.Spec.Suspend = ptr.To(true) }
func indexed(j *batchv1.Job)     { j.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion) }
func perIndex(j *batchv1.Job)    { indexed(j); j.Spec.BackoffLimitPerIndex = ptr.To[int32](1) }
func noPods(j *batchv1.Job)      { j.Spec.Completions = ptr.To[int32](0) }
func uncountedID(j *batchv1.Job) { uncounted("p1")(j) }
func policy(j *batchv1.Job) {
	indexed(j)
	j.Spec.SuccessPolicy = &batchv1.SuccessPolicy{Rules: []batchv1.SuccessPolicyRule{{SucceededCount: ptr.To[int32](1)}}}
}

func completions(n int32) mod { return func(j *batchv1.Job) { j.Spec.Completions = &n } }
func grace(seconds int64) mod {
	return func(j *batchv1.Job) { j.Spec.Template.Spec.TerminationGracePeriodSeconds = &seconds }
}
func active(n int32) mod      { return func(j *batchv1.Job) { j.Status.Active = n } }
func ready(n int32) mod       { return func(j *batchv1.Job) { j.Status.Ready = &n } }
func terminating(n int32) mod { return func(j *batchv1.Job) { j.Status.Terminating = &n } }
func succeeded(n int32) mod   { return func(j *batchv1.Job) { j.Status.Succeeded = n } }
func failed(n int32) mod      { return func(j *batchv1.Job) { j.Status.Failed = n } }
func start(second int) mod    { return func(j *batchv1.Job) { j.Status.StartTime = ptr.To(at(second)) } }
func end(second int) mod {
	return func(j *batchv1.Job) { j.Status.CompletionTime = ptr.To(at(second)) }
}
func done(list string) mod { return func(j *batchv1.Job) { j.Status.CompletedIndexes = list } }
func lost(list string) mod { return func(j *batchv1.Job) { j.Status.FailedIndexes = &list } }
func uncounted(ids ...types.UID) mod {
	return func(j *batchv1.Job) {
		j.Status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{Succeeded: ids}
	}
}

// is adds a condition that is True since a second.
func is(t batchv1.JobConditionType, second int) mod {
	return with(condition(t, corev1.ConditionTrue, second, "Reason"))
}

func isNot(t batchv1.JobConditionType, second int) mod {
	return with(condition(t, corev1.ConditionFalse, second, "Reason"))
}

func with(c batchv1.JobCondition) mod {
	return func(j *batchv1.Job) { j.Status.Conditions = append(j.Status.Conditions, c) }
}

func condition(t batchv1.JobConditionType, s corev1.ConditionStatus, second int, reason string) batchv1.JobCondition {
	return batchv1.JobCondition{Type: t, Status: s, LastTransitionTime: at(second), Reason: reason, Message: "message"}
}

// Conditions by which a plan suspends and resumes the local Job.
func suspendedNow(j *batchv1.Job) {
	with(batchv1.JobCondition{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue, LastTransitionTime: now, Reason: "JobSuspended", Message: "Job suspended"})(j)
}
func resumedNow(j *batchv1.Job) {
	with(batchv1.JobCondition{Type: batchv1.JobSuspended, Status: corev1.ConditionFalse, LastTransitionTime: now, Reason: "JobResumed", Message: "Job resumed"})(j)
}

const (
	complete      = batchv1.JobComplete
	failedJob     = batchv1.JobFailed
	failureTarget = batchv1.JobFailureTarget
	criteriaMet   = batchv1.JobSuccessCriteriaMet
	suspended     = batchv1.JobSuspended
	custom        = batchv1.JobConditionType("acme.io/Mirrored")
)

var now = at(100)

func release(t testing.TB, name string) jobmanagedby.Release {
	t.Helper()
	r, err := jobmanagedby.ParseRelease(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// projection is a hand-written case of ProjectStatus.
type projection struct {
	name          string
	local, remote *batchv1.Job
	management    string // a release; "" is the newest
	gate          *bool
	stamp, untold bool

	want   mirror.StatusOutcome
	write  []mod    // the status to write; nil: nothing
	adjust []string // "field rule" of each adjustment; the rule is missing for a guard
	after  time.Duration
	why    string
}

func (p projection) options(t testing.TB) mirror.StatusOptions {
	r := jobmanagedby.Release{}
	if p.management != "" {
		r = release(t, p.management)
	}
	r.Gate = p.gate
	return mirror.StatusOptions{Validator: statusvalidate.For(r), Now: now, StampTerminal: p.stamp, Untold: p.untold}
}

func TestProjectStatus(t *testing.T) {
	for _, tt := range slicesOf(tableCases, repairCases, guardCases, fieldCases) {
		t.Run(tt.name, func(t *testing.T) {
			got := mirror.ProjectStatus(mirror.Pair{Local: tt.local, Remote: tt.remote}, tt.options(t))
			if got.Outcome != tt.want {
				t.Errorf("outcome %s, want %s: %s\nplan: %v", got.Outcome, tt.want, tt.why, got)
			}
			var want *status
			if tt.write != nil {
				want = &job(tt.write...).Status
			}
			if diff := cmp.Diff(want, got.Status); diff != "" {
				t.Errorf("status to write (-want +got):\n%s%s", diff, tt.why)
			}
			var adjustments []string
			for _, a := range got.Adjustments {
				s := a.Field
				if a.Rule != "" {
					s += " " + string(a.Rule)
				}
				adjustments = append(adjustments, s)
			}
			if diff := cmp.Diff(tt.adjust, adjustments); diff != "" {
				t.Errorf("adjustments (-want +got):\n%s%s", diff, tt.why)
			}
			if got.RequeueAfter != tt.after {
				t.Errorf("RequeueAfter = %v, want %v", got.RequeueAfter, tt.after)
			}
			refused := tt.want == mirror.Conflict || tt.want == mirror.Invalid
			if (len(got.Violations) > 0) != refused {
				t.Errorf("violations %v with outcome %s", got.Violations, got.Outcome)
			}
		})
	}
}

func slicesOf(tables ...[]projection) (all []projection) {
	for _, table := range tables {
		all = append(all, table...)
	}
	return all
}

// tableCases has a case for each row of the outcome table.
var tableCases = []projection{{
	name:  "finished, same verdict",
	local: job(start(0), end(9), succeeded(5), is(criteriaMet, 8), is(complete, 9)), remote: job(start(1), end(8), is(complete, 8)),
	want: mirror.Finished, why: "a terminal result is final, also where the details differ",
}, {
	name:  "finished, other verdict",
	local: job(start(0), end(9), is(criteriaMet, 8), is(complete, 9)), remote: job(start(0), is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Conflict, why: "a terminal result is final",
}, {
	name:  "finished, mirror runs",
	local: job(start(0), is(failureTarget, 8), is(failedJob, 9)), remote: job(start(0), active(2)),
	want: mirror.Conflict, why: "a stale read, or a second run",
}, {
	name:  "suspended, mirror runs",
	local: job(suspend), remote: job(start(3), active(2)),
	want: mirror.Deferred, write: []mod{suspendedNow}, adjust: []string{"status"}, after: 10 * time.Second,
	why: "a startTime would freeze the pod template",
}, {
	name:  "suspended, mirror runs, Suspended=True already",
	local: job(suspend, is(suspended, 1)), remote: job(start(3), active(2)),
	want: mirror.Deferred, after: 10 * time.Second, why: "the time of the condition does not move",
}, {
	name:  "suspended, Suspended=False from before",
	local: job(suspend, is(custom, 1), isNot(suspended, 1), start(0), active(2)), remote: job(start(0), active(1)),
	want:   mirror.Deferred,
	write:  []mod{is(custom, 1), suspendedNow, start(0), active(2)},
	adjust: []string{"status"}, after: 10 * time.Second,
}, {
	name:  "suspended, mirror suspended with active pods",
	local: job(suspend, is(suspended, 1)), remote: job(suspend, active(1), is(suspended, 2)),
	want: mirror.Deferred, after: 10 * time.Second,
}, {
	name:  "suspended, mirror suspended",
	local: job(suspend, start(0), active(2), is(suspended, 1)), remote: job(suspend, failed(2), terminating(2), is(suspended, 2)),
	want: mirror.Copied, write: []mod{failed(2), terminating(2), is(suspended, 2)},
	why: "a suspended Job may lose its startTime",
}, {
	name:  "suspended, mirror complete",
	local: job(suspend, is(suspended, 1)), remote: job(start(2), end(9), succeeded(5), is(criteriaMet, 8), is(complete, 9)),
	want: mirror.Copied, write: []mod{start(2), end(9), succeeded(5), is(criteriaMet, 8), is(complete, 9)},
	why: "finished beats suspended",
}, {
	name:  "running, mirror suspended by the worker",
	local: job(start(0), active(2)), remote: job(suspend, start(0), is(suspended, 3)),
	want: mirror.Evicted, write: []mod{start(0), is(suspended, 3)},
}, {
	name:  "running, mirror suspended and startTime cleared, as 1.36 does",
	local: job(start(0), active(2)), remote: job(suspend, is(suspended, 3)),
	want: mirror.Evicted, write: []mod{start(0), is(suspended, 3)}, adjust: []string{"status.startTime StartTimeChangedWhileRunning"},
}, {
	name:  "running, mirror suspended and startTime cleared, gate off",
	local: job(start(0), active(2)), remote: job(suspend, is(suspended, 3)), management: "1.34.4", gate: ptr.To(false),
	want: mirror.Evicted, write: []mod{start(0), is(suspended, 3)}, adjust: []string{"status.startTime"},
	why: "the guard acts where the server would accept",
}, {
	name:  "running, mirror suspended, nothing new",
	local: job(start(0), is(suspended, 3)), remote: job(suspend, start(0), is(suspended, 3)),
	want: mirror.Evicted, why: "the outcome says how it stands, not what is written",
}, {
	name:  "running, mirror suspended and not told to run yet",
	local: job(start(0), is(suspended, 3)), remote: job(suspend, start(0), is(suspended, 3)), untold: true,
	want: mirror.Resuming,
}, {
	name:  "running, mirror suspended before it ever ran",
	local: job(), remote: job(suspend, is(suspended, 3)),
	want: mirror.Copied, write: []mod{is(suspended, 3)},
}, {
	name:  "running, mirror runs",
	local: job(start(0), active(1)), remote: job(start(0), active(2), ready(1), succeeded(1), uncounted("p1", "p2")),
	want: mirror.Copied, write: []mod{start(0), active(2), ready(1), succeeded(1), uncounted("p1", "p2")},
}, {
	name:  "running, nothing new",
	local: job(start(0), active(2)), remote: job(start(0), active(2)),
	want: mirror.InSync,
}, {
	name:  "running, mirror failed",
	local: job(start(0), active(2)), remote: job(start(0), failed(7), is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(0), failed(7), is(failureTarget, 8), is(failedJob, 9)},
}, {
	name:  "mirror finished with active pods",
	local: job(start(0), active(2)), remote: job(start(0), failed(1), active(3), is(failedJob, 9)),
	want: mirror.Terminating, write: []mod{start(0), failed(1), active(3), is(failureTarget, 9)},
	adjust: []string{"status.conditions[Failed] FinishedWithActivePods", "status.conditions[FailureTarget]"},
	why:    "the verdict now, the terminal condition when the pods are gone",
}, {
	name:  "mirror finished with terminating pods",
	local: job(start(0), active(2)), remote: job(start(0), end(90), terminating(1), is(criteriaMet, 89), is(complete, 90)),
	want: mirror.Terminating, write: []mod{start(0), terminating(1), is(criteriaMet, 89)}, after: 20 * time.Second,
	adjust: []string{"status.conditions[Complete] FinishedWithTerminatingPods", "status.completionTime CompletionTimeWithoutComplete"},
}, {
	name:  "mirror finished with terminating pods, grace period of the template",
	local: job(grace(300), start(0), is(failureTarget, 89)), remote: job(start(0), terminating(1), is(failureTarget, 89), is(failedJob, 90)),
	want: mirror.Terminating, write: []mod{start(0), terminating(1), is(failureTarget, 89)}, after: 290 * time.Second,
	adjust: []string{"status.conditions[Failed] FinishedWithTerminatingPods"},
}, {
	name:  "mirror finished with terminating pods, grace period over",
	local: job(start(0), is(failureTarget, 69), terminating(1)), remote: job(start(0), terminating(1), is(failureTarget, 69), is(failedJob, 70)),
	want: mirror.Copied, write: []mod{start(0), terminating(0), is(failureTarget, 69), is(failedJob, 70)},
	adjust: []string{"status.terminating FinishedWithTerminatingPods"},
	why:    "a worker of 1.30 never counts them down",
}, {
	name:  "mirror complete with active pods, SuccessCriteriaMet refused",
	local: job(start(0), active(2)), remote: job(start(0), end(9), active(1), is(criteriaMet, 8), is(complete, 9)),
	management: "1.30.14", gate: ptr.To(true),
	want: mirror.Terminating, write: []mod{start(0), active(1)},
	adjust: []string{"status.conditions[Complete] FinishedWithActivePods",
		"status.conditions[SuccessCriteriaMet] SuccessCriteriaMetOnNonIndexed", "status.completionTime CompletionTimeWithoutComplete"},
	why: "no verdict is shown where it is refused",
}, {
	name:  "mirror complete with active pods, bare, SuccessCriteriaMet refused",
	local: job(start(0), active(2)), remote: job(start(0), end(9), active(1), is(complete, 9)),
	management: "1.30.14", gate: ptr.To(true),
	want: mirror.Terminating, write: []mod{start(0), active(1)},
	adjust: []string{"status.conditions[Complete] FinishedWithActivePods", "status.completionTime CompletionTimeWithoutComplete"},
}}

// repairCases has the repairs in their order, each with the rule that forces it.
var repairCases = []projection{{
	name:  "both verdicts",
	local: job(start(0)), remote: job(start(0), end(9), is(criteriaMet, 7), is(complete, 8), is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Invalid,
}, {
	name:  "failure was promised, the mirror succeeds",
	local: job(start(0), is(failureTarget, 3)), remote: job(start(0), end(9), is(criteriaMet, 8), is(complete, 9)),
	want: mirror.Conflict, why: "FailureTarget is a one-way door",
}, {
	name:  "success was promised, the mirror fails",
	local: job(start(0), is(criteriaMet, 3)), remote: job(start(0), is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Conflict,
}, {
	name:  "failure was promised, the mirror succeeds, gate off",
	local: job(start(0), is(failureTarget, 3)), remote: job(start(0), end(9), is(criteriaMet, 8), is(complete, 9)),
	management: "1.31.14",
	want:       mirror.Copied, write: []mod{start(0), end(9), is(criteriaMet, 8), is(complete, 9)},
	why: "this server lets the promise go",
}, {
	name:  "FailureTarget under a bare Failed",
	local: job(start(0)), remote: job(start(0), failed(1), is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(0), failed(1), is(failedJob, 9), is(failureTarget, 9)},
	adjust: []string{"status.conditions[FailureTarget] FailedWithoutFailureTarget"},
	why:    "with the reason, message and time of the terminal condition",
}, {
	name:  "FailureTarget under a bare Failed, promised earlier",
	local: job(start(0), is(failureTarget, 4)), remote: job(start(0), failed(1), is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(0), failed(1), is(failedJob, 9), is(failureTarget, 4)},
	adjust: []string{"status.conditions[FailureTarget] FailedWithoutFailureTarget"},
	why:    "an entry already there keeps its form",
}, {
	name:  "bare Failed on 1.30",
	local: job(start(0)), remote: job(start(0), failed(1), is(failedJob, 9)), management: "1.30.14", gate: ptr.To(true),
	want: mirror.Copied, write: []mod{start(0), failed(1), is(failedJob, 9)},
	why: "acceptable as it is",
}, {
	name:  "SuccessCriteriaMet under a bare Complete",
	local: job(start(0)), remote: job(start(0), end(9), succeeded(5), is(complete, 9)),
	want: mirror.Copied, write: []mod{start(0), end(9), succeeded(5), is(complete, 9), is(criteriaMet, 9)},
	adjust: []string{"status.conditions[SuccessCriteriaMet] CompleteWithoutSuccessCriteriaMet"},
}, {
	name:  "SuccessCriteriaMet under a bare Complete with success policy, gate off",
	local: job(policy, start(0)), remote: job(policy, start(0), end(9), is(complete, 9)), management: "1.33.13", gate: ptr.To(false),
	want: mirror.Copied, write: []mod{start(0), end(9), is(complete, 9), is(criteriaMet, 9)},
	adjust: []string{"status.conditions[SuccessCriteriaMet] SuccessPolicyCompleteWithoutSuccessCriteriaMet"},
}, {
	name:  "SuccessCriteriaMet left out for 1.30",
	local: job(start(0)), remote: job(start(0), end(9), succeeded(5), is(criteriaMet, 8), is(complete, 9)), management: "1.30.14",
	want: mirror.Copied, write: []mod{start(0), end(9), succeeded(5), is(complete, 9)},
	adjust: []string{"status.conditions[SuccessCriteriaMet] SuccessCriteriaMetOnNonIndexed"},
}, {
	name:  "SuccessCriteriaMet left out for 1.30, Indexed without success policy",
	local: job(indexed, start(0)), remote: job(indexed, start(0), end(9), is(criteriaMet, 8), is(complete, 9)), management: "1.30.14",
	want: mirror.Copied, write: []mod{start(0), end(9), is(complete, 9)},
	adjust: []string{"status.conditions[SuccessCriteriaMet] SuccessCriteriaMetWithoutSuccessPolicy"},
}, {
	name:  "FailureTarget kept in a second run",
	local: job(start(0), is(failureTarget, 4)), remote: job(start(0), active(1)),
	want: mirror.Copied, write: []mod{start(0), active(1), is(failureTarget, 4)},
	adjust: []string{"status.conditions[FailureTarget] FailureTargetTakenBack"},
}, {
	name:  "SuccessCriteriaMet kept in a second run",
	local: job(start(0), is(criteriaMet, 4)), remote: job(start(0), active(1)), management: "1.31.14",
	want: mirror.Copied, write: []mod{start(0), active(1), is(criteriaMet, 4)},
	adjust: []string{"status.conditions[SuccessCriteriaMet] SuccessCriteriaMetTakenBack"},
}, {
	name:  "counters hold their high-water mark",
	local: job(start(0), succeeded(3), failed(2)), remote: job(start(0), active(2), succeeded(1)),
	want: mirror.Copied, write: []mod{start(0), active(2), succeeded(3), failed(2)},
	adjust: []string{"status.failed FailedDecreased", "status.succeeded SucceededDecreased"},
}, {
	name:  "succeeded of an elastic Job may shrink",
	local: job(indexed, completions(2), start(0), succeeded(2)), remote: job(indexed, completions(2), start(0), active(2)),
	want: mirror.Copied, write: []mod{start(0), active(2)},
}, {
	name:  "startTime held",
	local: job(start(5)), remote: job(start(4), active(2)),
	want: mirror.Copied, write: []mod{start(5), active(2)},
	adjust: []string{"status.startTime StartTimeChangedWhileRunning"},
}, {
	name:  "startTime moves on resuming",
	local: job(start(0), is(suspended, 3)), remote: job(start(9), active(2)),
	want: mirror.Copied, write: []mod{start(9), active(2), resumedNow},
	adjust: []string{"status.conditions[Suspended] StartTimeChangedWhileRunning"},
	why:    "dropping the condition is not resuming: it takes an explicit False",
}, {
	name:  "startTime moves on resuming, the mirror has not started yet",
	local: job(start(0), is(suspended, 3)), remote: job(),
	want: mirror.Copied, write: []mod{resumedNow},
	adjust: []string{"status.conditions[Suspended] StartTimeChangedWhileRunning"},
	why:    "else the old startTime would stay for the whole of the new run",
}, {
	name:  "startTime moves on resuming, the mirror says so itself",
	local: job(start(0), is(suspended, 3)), remote: job(start(9), active(2), isNot(suspended, 9)),
	want: mirror.Copied, write: []mod{start(9), active(2), isNot(suspended, 9)},
}, {
	name:  "startTime held on resuming before 1.34.2",
	local: job(start(0), is(suspended, 3)), remote: job(start(9), active(2)), management: "1.34.1",
	want: mirror.Copied, write: []mod{start(0), active(2)},
	adjust: []string{"status.startTime StartTimeChangedWhileRunning"},
}, {
	name:  "startTime of a finished Job: the local one",
	local: job(suspend, start(2), is(suspended, 3)), remote: job(suspend, failed(1), is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(2), failed(1), is(failureTarget, 8), is(failedJob, 9)},
	adjust: []string{"status.startTime FinishedWithoutStartTime"},
}, {
	name:  "startTime of a finished Job: completionTime",
	local: job(), remote: job(end(8), is(criteriaMet, 8), is(complete, 9)),
	want: mirror.Copied, write: []mod{start(8), end(8), is(criteriaMet, 8), is(complete, 9)},
	adjust: []string{"status.startTime FinishedWithoutStartTime"},
}, {
	name:  "startTime of a finished Job: the terminal condition",
	local: job(), remote: job(is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(9), is(failureTarget, 8), is(failedJob, 9)},
	adjust: []string{"status.startTime FinishedWithoutStartTime"},
}, {
	name:  "suspended Job of zero completions needs no startTime",
	local: job(suspend, noPods), remote: job(suspend, noPods, end(9), is(criteriaMet, 9), is(complete, 9)),
	want: mirror.Copied, write: []mod{end(9), is(criteriaMet, 9), is(complete, 9)},
}, {
	name:  "suspended Job of zero completions needs a startTime before 1.32.7",
	local: job(suspend, noPods), remote: job(suspend, noPods, end(9), is(criteriaMet, 9), is(complete, 9)), management: "1.32.6",
	want: mirror.Copied, write: []mod{start(9), end(9), is(criteriaMet, 9), is(complete, 9)},
	adjust: []string{"status.startTime FinishedWithoutStartTime"},
}, {
	name:  "completionTime of a failed Job left out",
	local: job(start(0)), remote: job(start(0), end(9), is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(0), is(failureTarget, 8), is(failedJob, 9)},
	adjust: []string{"status.completionTime CompletionTimeWithoutComplete"},
}, {
	name:  "completionTime missing",
	local: job(start(0)), remote: job(start(0), is(criteriaMet, 8), is(complete, 9)),
	want: mirror.Copied, write: []mod{start(0), end(9), is(criteriaMet, 8), is(complete, 9)},
	adjust: []string{"status.completionTime CompleteWithoutCompletionTime"},
}, {
	name:  "completionTime raised to startTime",
	local: job(start(20)), remote: job(start(0), end(9), is(criteriaMet, 8), is(complete, 9)),
	want: mirror.Copied, write: []mod{start(20), end(20), is(criteriaMet, 8), is(complete, 9)},
	adjust: []string{"status.startTime StartTimeChangedWhileRunning", "status.completionTime CompletionTimeBeforeStartTime"},
	why:    "two clocks",
}, {
	name:  "completionTime differs from the local one",
	local: job(start(0), end(8)), remote: job(start(0), end(9), is(criteriaMet, 8), is(complete, 9)),
	want: mirror.Copied, write: []mod{start(0), end(8), is(criteriaMet, 8), is(complete, 9)},
	adjust: []string{"status.completionTime CompletionTimeChanged"},
}, {
	name:  "uncounted pods of a finished Job left out",
	local: job(start(0), uncountedID), remote: job(start(0), uncountedID, is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(0), is(failureTarget, 8), is(failedJob, 9)},
	adjust: []string{"status.uncountedTerminatedPods FinishedWithUncountedPods"},
}, {
	name:  "uncounted pods of a running Job stay, and are refused",
	local: job(start(0)), remote: job(start(0), uncounted("")),
	want: mirror.Invalid, why: "nothing covers them",
}, {
	name:  "ready capped at active",
	local: job(start(0), active(2), ready(2)), remote: job(start(0), active(1), ready(2)),
	want: mirror.Copied, write: []mod{start(0), active(1), ready(1)},
	adjust: []string{"status.ready MoreReadyThanActive"},
}, {
	name:  "completedIndexes above the local completions",
	local: job(indexed, start(0), done("0")), remote: job(indexed, completions(9), start(0), done("0-7")),
	want: mirror.InSync, adjust: []string{"status.completedIndexes CompletedIndexesMalformed"},
	why: "the local spec may catch up",
}, {
	name:  "completedIndexes of a finished Job trimmed",
	local: job(indexed, start(0), done("0")), remote: job(indexed, completions(9), start(0), end(9), succeeded(9), done("0-2,4-7,8"), is(criteriaMet, 8), is(complete, 9)),
	want: mirror.Copied, write: []mod{start(0), end(9), succeeded(9), done("0-2,4"), is(criteriaMet, 8), is(complete, 9)},
	adjust: []string{"status.completedIndexes CompletedIndexesMalformed"},
}, {
	name:  "completedIndexes of a finished Job, malformed otherwise",
	local: job(indexed, start(0), done("0")), remote: job(indexed, start(0), done("2,1,9"), is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(0), done("0"), is(failureTarget, 8), is(failedJob, 9)},
	adjust: []string{"status.completedIndexes CompletedIndexesMalformed"},
}, {
	name:  "completedIndexes on a NonIndexed Job",
	local: job(start(0)), remote: job(indexed, start(0), active(1), done("0")),
	want: mirror.Copied, write: []mod{start(0), active(1)},
	adjust: []string{"status.completedIndexes CompletedIndexesOnNonIndexed"},
}, {
	name:  "failedIndexes above the local completions",
	local: job(perIndex, start(0), lost("1")), remote: job(perIndex, completions(9), start(0), active(1), lost("1,8")),
	want: mirror.Copied, write: []mod{start(0), active(1), lost("1")},
	adjust: []string{"status.failedIndexes FailedIndexesMalformed"},
}, {
	name:  "failedIndexes of a finished Job trimmed",
	local: job(perIndex, start(0)), remote: job(perIndex, completions(9), start(0), lost("1,8"), is(failureTarget, 8), is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(0), lost("1"), is(failureTarget, 8), is(failedJob, 9)},
	adjust: []string{"status.failedIndexes FailedIndexesMalformed"},
}, {
	name:  "failedIndexes without backoffLimitPerIndex",
	local: job(indexed, start(0)), remote: job(perIndex, start(0), active(1), lost("")),
	want: mirror.Copied, write: []mod{start(0), active(1)},
	adjust: []string{"status.failedIndexes FailedIndexesWithoutBackoffLimitPerIndex"},
}, {
	name:  "indexes overlap: failedIndexes held",
	local: job(perIndex, start(0), lost("1")), remote: job(perIndex, start(0), active(1), done("0,2"), lost("1-2")),
	want: mirror.Copied, write: []mod{start(0), active(1), done("0,2"), lost("1")},
	adjust: []string{"status.failedIndexes FailedAndCompletedIndexesOverlap"},
}, {
	name:  "indexes overlap: completedIndexes held",
	local: job(perIndex, start(0), lost("2"), done("0")), remote: job(perIndex, start(0), active(1), done("0,2-3"), lost("3")),
	want: mirror.Copied, write: []mod{start(0), active(1), done("0"), lost("3")},
	adjust: []string{"status.completedIndexes FailedAndCompletedIndexesOverlap"},
	why:    "the least that is enough",
}, {
	name:  "indexes overlap: both held",
	local: job(perIndex, start(0), lost("2"), done("0")), remote: job(perIndex, start(0), active(1), done("2-3"), lost("0,3")),
	want: mirror.Copied, write: []mod{start(0), active(1), done("0"), lost("2")},
	adjust: []string{"status.completedIndexes FailedAndCompletedIndexesOverlap", "status.failedIndexes FailedAndCompletedIndexesOverlap"},
}, {
	name:  "a negative count",
	local: job(start(0)), remote: job(start(0), active(-1)),
	want: mirror.Invalid, why: "nothing covers it",
}}

// guardCases has the guards, which act even where the server would accept.
var guardCases = []projection{{
	name:  "suspended Job without startTime gets none",
	local: job(suspend, is(suspended, 1)), remote: job(suspend, start(2), failed(1), is(suspended, 1)),
	want: mirror.Copied, write: []mod{failed(1), is(suspended, 1)}, adjust: []string{"status.startTime"},
}, {
	name:  "suspended Job without startTime gets none while pods terminate",
	local: job(suspend, is(suspended, 1)), remote: job(start(2), terminating(1), is(suspended, 1), is(failureTarget, 89), is(failedJob, 90)),
	want: mirror.Terminating, write: []mod{terminating(1), is(suspended, 1), is(failureTarget, 89)}, after: 20 * time.Second,
	adjust: []string{"status.conditions[Failed] FinishedWithTerminatingPods", "status.startTime"},
	why:    "none until it is finished",
}, {
	name:  "zero time on Complete: completionTime",
	local: job(start(0)), remote: job(start(0), end(9), is(criteriaMet, 8), zero(complete)),
	want: mirror.Copied, write: []mod{start(0), end(9), is(criteriaMet, 8), is(complete, 9)}, adjust: []string{"status.conditions[Complete]"},
	why: "TTL-after-finished spins on a zero time for ever",
}, {
	name:  "zero time on Failed: FailureTarget's",
	local: job(start(0)), remote: job(start(0), is(failureTarget, 8), zero(failedJob)),
	want: mirror.Copied, write: []mod{start(0), is(failureTarget, 8), is(failedJob, 8)}, adjust: []string{"status.conditions[Failed]"},
}, {
	name:  "zero time on Failed: now",
	local: job(start(0)), remote: job(start(0), zero(failureTarget), zero(failedJob)),
	want: mirror.Copied, write: []mod{start(0), zero(failureTarget), is(failedJob, 100)}, adjust: []string{"status.conditions[Failed]"},
}, {
	name:  "zero times while pods terminate",
	local: job(start(0), is(failureTarget, 80)), remote: job(start(0), terminating(1), zero(failureTarget), zero(failedJob)),
	want: mirror.Terminating, write: []mod{start(0), terminating(1), is(failureTarget, 80)}, after: 10 * time.Second,
	adjust: []string{"status.conditions[Failed]", "status.conditions[Failed] FinishedWithTerminatingPods", "status.conditions[FailureTarget]"},
	why:    "the grace period counts from the promise that was written first",
}, {
	name:  "duplicate conditions folded: the first True entry, in the first's place",
	local: job(start(0)), remote: job(start(0), isNot(custom, 1), is(suspended, 2), is(custom, 3), is(custom, 4)),
	want: mirror.Copied, write: []mod{start(0), is(custom, 3), is(suspended, 2)}, adjust: []string{"status.conditions[acme.io/Mirrored]"},
}, {
	name:  "duplicate conditions folded, also if the local Job has them too",
	local: job(start(0), isNot(custom, 1), isNot(custom, 2)), remote: job(start(0), isNot(custom, 1), isNot(custom, 2)),
	want: mirror.Copied, write: []mod{start(0), isNot(custom, 1)}, adjust: []string{"status.conditions[acme.io/Mirrored]"},
}, {
	name:  "conditions that only the local Job has",
	local: job(start(0), is("b.io/B", 1), is(custom, 2), is(suspended, 3)), remote: job(start(0), active(1)),
	want: mirror.Copied, write: []mod{start(0), active(1), is("b.io/B", 1), is(custom, 2)},
	adjust: []string{"status.conditions[b.io/B]", "status.conditions[acme.io/Mirrored]"},
	why:    "in local order; a type of the Job API is the remote's to give and take",
}, {
	name:  "Suspended=False of a resumption stays",
	local: job(start(0), resumedNow), remote: job(start(0), active(1)),
	want: mirror.Copied, write: []mod{start(0), active(1), resumedNow}, adjust: []string{"status.conditions[Suspended]"},
}, {
	name:  "Suspended=False of a resumption goes when the remote has an entry",
	local: job(start(0), resumedNow), remote: job(start(0), active(1), isNot(suspended, 2)),
	want: mirror.Copied, write: []mod{start(0), active(1), isNot(suspended, 2)},
}, {
	name:  "additions in their order",
	local: job(start(0), is(custom, 1), is(suspended, 3), is(failureTarget, 4)), remote: job(start(9), active(1)),
	want: mirror.Copied, write: []mod{start(9), active(1), is(custom, 1), is(failureTarget, 4), resumedNow},
	adjust: []string{"status.conditions[acme.io/Mirrored]", "status.conditions[FailureTarget] FailureTargetTakenBack",
		"status.conditions[Suspended] StartTimeChangedWhileRunning"},
}, {
	name:  "terminal condition stamped",
	local: job(start(0)), remote: job(start(0), is(failedJob, 9)), stamp: true,
	want: mirror.Copied, write: []mod{start(0), is(failedJob, 100), is(failureTarget, 9)},
	adjust: []string{"status.conditions[FailureTarget] FailedWithoutFailureTarget", "status.conditions[Failed]"},
	why:    "the local TTL counts from the arrival",
}}

func zero(t batchv1.JobConditionType) mod {
	c := condition(t, corev1.ConditionTrue, 0, "Reason")
	c.LastTransitionTime = metav1.Time{}
	return with(c)
}

// fieldCases are combinations that were met in the field.
var fieldCases = []projection{{
	name:  "a second run finishes clean, the first had failures",
	local: job(start(0), active(1), succeeded(2), failed(1)), remote: job(start(0), end(9), succeeded(5), is(criteriaMet, 8), is(complete, 9)),
	want: mirror.Copied, write: []mod{start(0), end(9), succeeded(5), failed(1), is(criteriaMet, 8), is(complete, 9)},
	adjust: []string{"status.failed FailedDecreased"},
	why:    "it could never be Complete otherwise",
}, {
	name:  "one part failed, another runs",
	local: job(start(0), active(4)), remote: job(start(0), active(3), failed(1), is(failureTarget, 8), is(failedJob, 8)),
	want: mirror.Terminating, write: []mod{start(0), active(3), failed(1), is(failureTarget, 8)},
	adjust: []string{"status.conditions[Failed] FinishedWithActivePods"},
}, {
	name:  "the same instants, held otherwise",
	local: job(start(0), active(1)), remote: job(active(1), func(j *batchv1.Job) {
		t := at(0).In(time.FixedZone("", 3600)).Add(300 * time.Millisecond)
		j.Status.StartTime = &metav1.Time{Time: t}
	}),
	want: mirror.InSync, why: "the server compares whole seconds",
}, {
	name:  "failed before anything reported a start",
	local: job(), remote: job(is(failedJob, 9)),
	want: mirror.Copied, write: []mod{start(9), is(failedJob, 9), is(failureTarget, 9)},
	adjust: []string{"status.conditions[FailureTarget] FailedWithoutFailureTarget", "status.startTime FinishedWithoutStartTime"},
}, {
	name:  "an aggregator's complete: no criteria, no completionTime, active left at 1",
	local: job(start(0), active(1)), remote: job(start(0), active(1), is(complete, 9)),
	want: mirror.Terminating, write: []mod{start(0), active(1), is(criteriaMet, 9)},
	adjust: []string{"status.conditions[Complete] FinishedWithActivePods", "status.conditions[SuccessCriteriaMet]"},
}}
