// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Violation is one error that the API server would answer, and the rule behind it. It is an error
// itself and unwraps to Err, so that [errors.As] finds either a *Violation or a [*field.Error].
type Violation struct {
	// Rule is never empty.
	Rule Rule

	// Err is never nil. Its type, field and bad value are the API server's; its detail is ours.
	// It shares no memory with the Jobs.
	Err *field.Error
}

// Error returns what Err says and the rule's id. Programs must not depend on its text; the rule
// is there for them.
func (v *Violation) Error() string { return fmt.Sprintf("%v (%s)", v.Err, v.Rule) }

// Unwrap returns v.Err.
func (v *Violation) Unwrap() error { return v.Err }

// Remedy says what to write instead, in a sentence for people. It is empty if v.Rule is not a rule
// of this package.
func (v *Violation) Remedy() string { return textOf[v.Rule].remedy }

// Violations is what the API server would answer to one update, in its order. The update would be
// accepted if and only if there are none.
type Violations []*Violation

// ErrorList returns the violations in the form that API validation has; nil if there are none. The
// errors are shared with vs.
//
// [field.ErrorList.ToAggregate] hides what it holds from [errors.As] and drops errors with
// the same text: use [Violations.Err] for an error.
func (vs Violations) ErrorList() field.ErrorList {
	var list field.ErrorList
	for _, v := range vs {
		list = append(list, v.Err)
	}
	return list
}

// Err returns nil if there are no violations, and else one error that joins them all, in which
// [errors.As] finds the first [*Violation] or [*field.Error].
func (vs Violations) Err() error {
	errs := make([]error, len(vs))
	for i, v := range vs {
		errs[i] = v
	}
	return errors.Join(errs...)
}

// Has reports whether one of the violations is of the rule.
func (vs Violations) Has(rule Rule) bool {
	for _, v := range vs {
		if v.Rule == rule {
			return true
		}
	}
	return false
}
