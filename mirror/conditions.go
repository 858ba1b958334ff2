// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// find returns the place of the entry that speaks for a condition type: the first that is True,
// else the first. It is -1 if there is none.
func find(entries []batchv1.JobCondition, t batchv1.JobConditionType) int {
	first := -1
	for i := range entries {
		if entries[i].Type != t {
			continue
		}
		if entries[i].Status == corev1.ConditionTrue {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// hasTrue reports whether any entry of the type is True, as the API server asks.
func hasTrue(entries []batchv1.JobCondition, t batchv1.JobConditionType) bool {
	i := find(entries, t)
	return i >= 0 && entries[i].Status == corev1.ConditionTrue
}

// set returns entries with c in the place of the first entry of its type, or behind the others.
func set(entries []batchv1.JobCondition, c batchv1.JobCondition) []batchv1.JobCondition {
	for i := range entries {
		if entries[i].Type == c.Type {
			entries[i] = c
			return entries
		}
	}
	return append(entries, c)
}

// terminalConditions are the verdicts; each has the condition by which a controller promises it
// before the pods are gone.
var terminalConditions = [...]struct{ terminal, promise batchv1.JobConditionType }{
	{batchv1.JobComplete, batchv1.JobSuccessCriteriaMet},
	{batchv1.JobFailed, batchv1.JobFailureTarget},
}

// verdict is the set of terminal conditions that are True: a bit each, in the order of
// terminalConditions. Both can be set on a malformed Job; 0 is a Job that has not finished.
func verdict(s *batchv1.JobStatus) (v uint) {
	for i, c := range terminalConditions {
		if hasTrue(s.Conditions, c.terminal) {
			v |= 1 << i
		}
	}
	return v
}

// fate is the verdict, or the promise of one.
func fate(s *batchv1.JobStatus) (v uint) {
	for i, c := range terminalConditions {
		if hasTrue(s.Conditions, c.terminal) || hasTrue(s.Conditions, c.promise) {
			v |= 1 << i
		}
	}
	return v
}

// fates of a single verdict. A malformed status may show both.
const (
	success uint = 1 << iota
	failure
)

// known reports whether a condition type is one of the Job API's own.
func known(t batchv1.JobConditionType) bool {
	switch t {
	case batchv1.JobSuspended, batchv1.JobComplete, batchv1.JobFailed, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet:
		return true
	}
	return false
}

// additionRank orders the conditions that are added behind the remote's.
func additionRank(t batchv1.JobConditionType) int {
	switch t {
	case batchv1.JobFailureTarget:
		return 1
	case batchv1.JobSuccessCriteriaMet:
		return 2
	case batchv1.JobSuspended:
		return 3
	}
	return 0
}

// folded returns entries with one entry of a type, each in the place of the first, and the types of which
// there were more. It returns entries themselves if there are none of these.
func folded(entries []batchv1.JobCondition) (once []batchv1.JobCondition, repeated []batchv1.JobConditionType) {
	if !repeats(entries) {
		return entries, nil
	}
	place, counted := map[batchv1.JobConditionType]int{}, map[batchv1.JobConditionType]bool{}
	for _, c := range entries {
		i, seen := place[c.Type]
		if !seen {
			place[c.Type] = len(once)
			once = append(once, c)
			continue
		}
		if !counted[c.Type] {
			counted[c.Type] = true
			repeated = append(repeated, c.Type)
		}
		if c.Status == corev1.ConditionTrue && once[i].Status != corev1.ConditionTrue {
			once[i] = c
		}
	}
	return once, repeated
}

// repeats reports whether a type is there twice. Few entries are compared with each other, many go
// through a set.
func repeats(entries []batchv1.JobCondition) bool {
	const few = 16
	if len(entries) <= few {
		for i := range entries {
			for j := range i {
				if entries[i].Type == entries[j].Type {
					return true
				}
			}
		}
		return false
	}
	return len(typesOf(entries)) < len(entries)
}

func typesOf(entries []batchv1.JobCondition) map[batchv1.JobConditionType]bool {
	types := make(map[batchv1.JobConditionType]bool, len(entries))
	for i := range entries {
		types[entries[i].Type] = true
	}
	return types
}
