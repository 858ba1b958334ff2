// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// conditions is a set of the condition types that the rules speak of.
type conditions uint8

const (
	complete conditions = 1 << iota
	failed
	failureTarget
	successCriteriaMet
	suspended

	finished = complete | failed
)

// conditionsWith returns the types of which any entry has the status: not the first entry of a
// type, any. (IsConditionTrue and IsConditionFalse of pkg/apis/batch/validation, 1.30 to 1.37.)
func conditionsWith(entries []batchv1.JobCondition, status corev1.ConditionStatus) (set conditions) {
	for i := range entries {
		if entries[i].Status == status {
			set |= conditionOf(entries[i].Type)
		}
	}
	return set
}

func conditionOf(t batchv1.JobConditionType) conditions {
	switch t {
	case batchv1.JobComplete:
		return complete
	case batchv1.JobFailed:
		return failed
	case batchv1.JobFailureTarget:
		return failureTarget
	case batchv1.JobSuccessCriteriaMet:
		return successCriteriaMet
	case batchv1.JobSuspended:
		return suspended
	}
	return 0
}

// changes is a set of the parts of a status that an update changes. It is what rules are looked at
// for; every update has anything in it.
type changes uint16

const (
	completeChanged changes = 1 << iota
	failedChanged
	failureTargetChanged
	successCriteriaMetChanged
	finishedChanged
	activeChanged
	readyChanged
	terminatingChanged
	startTimeChanged
	completionTimeChanged
	uncountedChanged
	completedIndexesChanged
	failedIndexesChanged
	anything // whatever the update changes, and if it changes nothing

	kindsOfChange = iota
)

// facts is what the rules look at, worked out once for an update. It is passed by value: a pointer
// handed to the functions of the table would be an allocation for every update.
type facts struct {
	old, new   *batchv1.JobStatus
	spec       *batchv1.JobSpec // of the old Job
	counts     counts
	had, has   conditions // types with an entry that is True
	changed    changes
	resuming   bool // from Suspended=True to an explicit Suspended=False
	early      bool // completionTime is before startTime
	restart    bool // startTime was set, and is another now, or none
	recomplete bool // completionTime was set, is set, and differs
}

func factsOf(c Change) facts {
	f := facts{old: &c.Old.Status, new: &c.New.Status, spec: &c.Old.Spec}
	f.counts = countsOf(f.spec)
	f.had = conditionsWith(f.old.Conditions, corev1.ConditionTrue)
	f.has = conditionsWith(f.new.Conditions, corev1.ConditionTrue)
	f.resuming = f.had&suspended != 0 && conditionsWith(f.new.Conditions, corev1.ConditionFalse)&suspended != 0

	oldStart, newStart := onWire(f.old.StartTime), onWire(f.new.StartTime)
	oldEnd, newEnd := onWire(f.old.CompletionTime), onWire(f.new.CompletionTime)
	f.early = newEnd.before(newStart)
	f.restart = oldStart.set && oldStart != newStart
	f.recomplete = oldEnd.set && newEnd.set && oldEnd != newEnd

	f.changed = anything | f.conditionChanges() | f.countChanges() |
		when(oldStart != newStart, startTimeChanged) |
		when(oldEnd != newEnd, completionTimeChanged)
	return f
}

func (f facts) conditionChanges() changes {
	flipped := f.had ^ f.has
	return when(flipped&complete != 0, completeChanged) |
		when(flipped&failed != 0, failedChanged) |
		when(flipped&failureTarget != 0, failureTargetChanged) |
		when(flipped&successCriteriaMet != 0, successCriteriaMetChanged) |
		when((f.had&finished != 0) != (f.has&finished != 0), finishedChanged)
}

func (f facts) countChanges() changes {
	o, n := f.old, f.new
	return when(o.Active != n.Active, activeChanged) |
		when(!ptr.Equal(o.Ready, n.Ready), readyChanged) |
		when(!ptr.Equal(o.Terminating, n.Terminating), terminatingChanged) |
		when(!sameUncounted(o.UncountedTerminatedPods, n.UncountedTerminatedPods), uncountedChanged) |
		when(o.CompletedIndexes != n.CompletedIndexes, completedIndexesChanged) |
		when(!ptr.Equal(o.FailedIndexes, n.FailedIndexes), failedIndexesChanged)
}

// when is value if so, and nothing else.
func when[T ~uint8 | ~uint16](so bool, value T) T {
	if so {
		return value
	}
	return 0
}

func (f facts) indexed() bool {
	return ptr.Deref(f.spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
}

func (f facts) finished() bool { return f.has&finished != 0 }

// counts are completions and parallelism as the API server has them: with the defaults that it
// fills in where it decodes a Job (SetDefaults_Job of pkg/apis/batch/v1, 1.30 to 1.37).
type counts struct {
	fixed       bool // there is a number of completions
	completions int32
	parallelism int32
}

func countsOf(spec *batchv1.JobSpec) counts {
	return counts{
		fixed:       spec.Completions != nil || spec.Parallelism == nil,
		completions: ptr.Deref(spec.Completions, 1),
		parallelism: ptr.Deref(spec.Parallelism, 1),
	}
}

// elastic reports whether the Job can be scaled down after pods have succeeded: it is Indexed and
// its completions are its parallelism.
func (f facts) elastic() bool {
	return f.indexed() && f.counts.fixed && f.counts.completions == f.counts.parallelism
}
