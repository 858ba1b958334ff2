// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// PolicyError says what is wrong with a [Policy]. [New] returns it as a *PolicyError.
type PolicyError struct {
	// Errs is every problem, in the order of Policy's fields, and never empty. Field is the name of
	// the Go field, such as "Controller" or "Keys.Origin".
	Errs field.ErrorList
}

func (e *PolicyError) Error() string {
	return "mirror: bad Policy: " + text(e.Errs)
}

// Unwrap returns e.Errs, so that [errors.As] finds the first [*field.Error].
func (e *PolicyError) Unwrap() []error { return plain(e.Errs) }

// The errors below are the reasons for which [Planner.Build] refuses a Job, each returned as a
// pointer. They are looked for in the order in which they are declared here; the first counts.

// NotManagedError says that the Job is not ours: spec.managedBy is not Policy.Controller.
type NotManagedError struct {
	Job        types.NamespacedName
	Controller string // Policy.Controller
	ManagedBy  string // who is responsible, as [jobmanagedby.ManagedBy] has it
}

func (e *NotManagedError) Error() string {
	return fmt.Sprintf("mirror: Job %s is managed by %q, not by %q", e.Job, e.ManagedBy, e.Controller)
}

// BeingDeletedError says that the Job has a deletionTimestamp.
type BeingDeletedError struct {
	Job types.NamespacedName
}

func (e *BeingDeletedError) Error() string {
	return fmt.Sprintf("mirror: Job %s is being deleted", e.Job)
}

// FinishedError says that the Job has its result: a mirror would run it again.
type FinishedError struct {
	Job       types.NamespacedName
	Condition batchv1.JobConditionType // the first of Complete and Failed that is True
}

func (e *FinishedError) Error() string {
	return fmt.Sprintf("mirror: Job %s has finished: %s is True", e.Job, e.Condition)
}

// NoIdentityError says that the Job lacks what identifies it, so that its mirror could not be told
// from others: it was not read from an API server.
type NoIdentityError struct {
	Job   types.NamespacedName
	Field string // "metadata.uid", "metadata.namespace" or "metadata.name"
}

func (e *NoIdentityError) Error() string {
	return fmt.Sprintf("mirror: Job %s has no usable %s, so it was not read from an API server", e.Job, e.Field)
}

// IncompleteError says what [Planner.Decide] cannot do without. [Plan].Err is one for the outcome [Incomplete].
type IncompleteError struct {
	Job types.NamespacedName
	// Missing is never empty: "State.Worker", "State.Now", "metadata.uid of the local Job" and
	// "metadata.resourceVersion of the local Job". What is there and cannot be used is as good as missing: a name that
	// is no UTF-8, a time before 1970 or after 9999.
	Missing []string
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("mirror: Job %s: missing: %s", e.Job, strings.Join(e.Missing, ", "))
}

// NotAdmittedError says that Policy.Admit refused the Job.
type NotAdmittedError struct {
	Job, Target types.NamespacedName
	Err         error // what Policy.Admit returned
}

func (e *NotAdmittedError) Error() string {
	return fmt.Sprintf("mirror: Job %s is not admitted to the worker as %s: %v", e.Job, e.Target, e.Err)
}

// Unwrap returns e.Err.
func (e *NotAdmittedError) Unwrap() error { return e.Err }

// NameError says that no worker could create or run a Job of the mirror's name. It is the local
// Job's name, or comes from Policy.Target.
type NameError struct {
	Job, Target types.NamespacedName
	// Errs is never empty. Field is "metadata.namespace" or "metadata.name", of the mirror.
	Errs field.ErrorList
}

func (e *NameError) Error() string {
	return fmt.Sprintf("mirror: Job %s cannot run on the worker as %s: %s", e.Job, e.Target, text(e.Errs))
}

// Unwrap returns e.Errs, so that [errors.As] finds the first [*field.Error].
func (e *NameError) Unwrap() []error { return plain(e.Errs) }

// TooLargeError says that the annotations of the mirror would be larger than an API server takes,
// because those of the local Job leave no room for the identity.
type TooLargeError struct {
	Job         types.NamespacedName
	Size, Limit int // bytes, keys and values counted
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("mirror: Job %s: annotations of the mirror take %d bytes, more than the %d allowed", e.Job, e.Size, e.Limit)
}

func plain(list field.ErrorList) []error {
	errs := make([]error, len(list))
	for i, err := range list {
		errs[i] = err
	}
	return errs
}

func text(list field.ErrorList) string {
	texts := make([]string, len(list))
	for i, err := range list {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}
