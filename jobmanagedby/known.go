// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"fmt"
	"math"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
)

// CheckKnown tells a Job that waits for a controller nobody has from one that is skipped by design:
// it returns nil where [ManagedBy] is [JobController] or one of the known names, and an
// [*UnknownControllerError] otherwise. Nothing else in a cluster reports a misspelt name. The API
// server takes every well-formed one, and the Job then stays as it is, without a condition or an
// event.
//
// The known names are yours to say. Use it to warn, not to refuse a Job: a controller may be
// installed later.
func CheckKnown(job *batchv1.Job, known ...string) error {
	name := ManagedBy(job)
	closest, least := "", len(name)/3+1
	for _, k := range slices.Concat(known, []string{JobController}) {
		if k == name {
			return nil
		}
		if d := distance(name, k); d < least {
			closest, least = k, d
		}
	}
	return &UnknownControllerError{Controller: name, Closest: closest}
}

// UnknownControllerError says that spec.managedBy names none of the controllers that are known to
// the caller.
type UnknownControllerError struct {
	Controller string
	// Closest is the name that takes the fewest edits to reach, the first of several, out of the
	// known ones and JobController; empty where each would take more edits than a third of the bytes
	// of Controller.
	Closest string
}

func (e *UnknownControllerError) Error() string {
	msg := fmt.Sprintf("spec.managedBy is %q, which is no controller known here: nobody runs the Job", e.Controller)
	if e.Closest == "" {
		return msg
	}
	return fmt.Sprintf("%s; did you mean %q?", msg, e.Closest)
}

// distance is the Levenshtein distance in bytes; what is too long for a name, or far from being one, is
// infinitely far away.
func distance(a, b string) int {
	if len(a) > 2*MaxNameLength || len(b) > MaxNameLength {
		return math.MaxInt
	}
	var row [MaxNameLength + 1]int
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitution := diagonal
			if a[i] != b[j] {
				substitution++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitution, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
