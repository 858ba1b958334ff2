// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Delegate sets spec.managedBy of a Job that is about to be created, where the field is not set or set
// to [JobController]. With an error the Job stays as it was. Where it names the controller already
// there is nothing to do and no error, also for a Job that exists.
//
// The Job is changed on purpose, here and in [Default] alone in this package: pass a copy of a Job
// from a cache. The errors, for errors.As, in the order in which they are looked for:
//   - [*ReservedNameError]: the name is that of the built-in controller.
//   - [*NameError]: the API server would not take the name.
//   - [*TakenError]: the Job names another controller, or has the empty string in the field.
//   - [*ExistsError]: the Job has a UID or a resourceVersion, so it exists, and the field is
//     immutable.
func Delegate(job *batchv1.Job, controller string) error {
	todo, err := mayDelegate(job.Spec.ManagedBy, controller)
	if err != nil || !todo {
		return err
	}
	if job.UID != "" || job.ResourceVersion != "" {
		key := types.NamespacedName{Namespace: job.Namespace, Name: job.Name}
		return &ExistsError{Job: key, UID: job.UID, ResourceVersion: job.ResourceVersion}
	}
	job.Spec.ManagedBy = &controller
	return nil
}

// DelegateTemplate is [Delegate] for a template, such as spec.jobTemplate of a CronJob. There the
// field is mutable, so that the CronJob may exist, and no [*ExistsError] comes: the change holds for
// the Jobs that are created from then on, and those there already keep their controller.
//
// An API server that does not honour the field keeps it in the CronJob all the same, and drops it
// from each Job.
func DelegateTemplate(template *batchv1.JobTemplateSpec, controller string) error {
	todo, err := mayDelegate(template.Spec.ManagedBy, controller)
	if todo {
		template.Spec.ManagedBy = &controller
	}
	return err
}

// mayDelegate reports whether there is something to do.
func mayDelegate(name *string, controller string) (todo bool, err error) {
	if err := checkController(controller); err != nil {
		return false, err
	}
	switch current := managedBy(name); current {
	case JobController:
		return true, nil
	case controller:
		return false, nil
	default:
		return false, &TakenError{Controller: controller, Current: current}
	}
}

// Default is for a mutating webhook: it sets spec.managedBy to controller where the field is not set
// or set to [JobController], and reports whether it did. It never overwrites another value, not even
// the empty string (which the API server refuses), and it never fails: a name that [Delegate] would
// refuse changes nothing, so check yours at start-up with [ValidateName].
//
// Call it for CREATE only. At an UPDATE the field is immutable, and the request would be refused. As
// a safety net a Job with a resourceVersion is left alone; a UID says nothing, because clients send
// one left over from a copied Job, and the server replaces it.
func Default(job *batchv1.Job, controller string) bool {
	if job.ResourceVersion != "" {
		return false
	}
	return setDefault(&job.Spec.ManagedBy, controller)
}

// DefaultTemplate is [Default] for a template, such as spec.jobTemplate of a CronJob. There the field
// is mutable, so that it is right for CREATE and for UPDATE.
func DefaultTemplate(template *batchv1.JobTemplateSpec, controller string) bool {
	return setDefault(&template.Spec.ManagedBy, controller)
}

func setDefault(name **string, controller string) bool {
	if managedBy(*name) != JobController || checkController(controller) != nil {
		return false
	}
	*name = &controller
	return true
}

func checkController(controller string) error {
	if controller == JobController {
		return &ReservedNameError{Name: controller}
	}
	if errs := ValidateName(controller, field.NewPath("spec", "managedBy")); len(errs) > 0 {
		return &NameError{Name: controller, Errs: errs}
	}
	return nil
}

// NameError says that the API server would not take a name for spec.managedBy. It unwraps to the
// errors of the API server, so that errors.As finds a *field.Error too.
type NameError struct {
	Name string
	Errs field.ErrorList // what [ValidateName] returned
}

func (e *NameError) Error() string {
	return fmt.Sprintf("%q is not a controller name such as acme.io/dispatcher: %v", e.Name, e.Errs.ToAggregate())
}

// Unwrap returns Errs one by one.
func (e *NameError) Unwrap() []error {
	errs := make([]error, len(e.Errs))
	for i, err := range e.Errs {
		errs[i] = err
	}
	return errs
}

// ReservedNameError says that a Job was to be delegated to the built-in controller. Leave the field
// out instead.
type ReservedNameError struct{ Name string }

func (e *ReservedNameError) Error() string {
	return fmt.Sprintf("%s is the built-in controller, which runs every Job without spec.managedBy; "+
		"leave the field out", e.Name)
}

// TakenError says that a Job or template names another controller than the one it was to be delegated
// to.
type TakenError struct {
	Controller string // the one it was to be delegated to
	Current    string // what the field says
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("not delegated to %s: spec.managedBy is %q, and a controller must not take a Job "+
		"from another", e.Controller, e.Current)
}

// ExistsError says that a Job exists, so that spec.managedBy cannot be changed any more.
type ExistsError struct {
	Job             types.NamespacedName
	UID             types.UID
	ResourceVersion string
}

func (e *ExistsError) Error() string {
	return fmt.Sprintf("Job %s exists (UID %q, resourceVersion %q) and spec.managedBy is immutable; "+
		"create a new Job with the field", e.Job, e.UID, e.ResourceVersion)
}
