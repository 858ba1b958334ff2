// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// Planner answers what to create, write and delete next, by one [Policy]. It cannot be changed and
// is safe for concurrent use. Make one with [New]: the zero Planner is not ready to use.
type Planner struct {
	policy    Policy
	drop      dropSet
	validator statusvalidate.Validator
}

// New returns a Planner that follows p. It keeps a copy of p in which the empty Keys have their
// defaults.
//
// The error, if any, is a [*PolicyError] that holds everything that is wrong with p, and the
// Planner is then nil.
func New(p Policy) (*Planner, error) {
	p = p.clone()
	errs := validateController(p.Controller)
	if len(errs) == 0 {
		p.Keys = p.Keys.withDefaults(p.Controller)
	}
	errs = append(errs, validateOrigin(p.Origin)...)
	errs = append(errs, p.Keys.validate(field.NewPath("Keys"))...)
	errs = append(errs, validateWorkerManagedBy(p)...)
	errs = append(errs, validateKeepKeys(p.KeepKeys)...)
	errs = append(errs, validateLifecycle(p)...)
	if len(errs) > 0 {
		return nil, &PolicyError{Errs: errs}
	}
	return &Planner{
		policy:    p,
		drop:      newDropSet(p),
		validator: statusvalidate.ForAll(p.Management...),
	}, nil
}

// Keys returns Policy.Keys with the defaults filled in.
func (p *Planner) Keys() Keys { return p.policy.Keys }

func validateController(name string) field.ErrorList {
	path := field.NewPath("Controller")
	errs := jobmanagedby.ValidateName(name, path)
	if name == jobmanagedby.JobController {
		errs = append(errs, field.Forbidden(path, name+" is the built-in controller"))
	}
	return errs
}

func validateOrigin(origin string) field.ErrorList {
	path := field.NewPath("Origin")
	if origin == "" {
		return field.ErrorList{field.Required(path, "it tells our mirrors from those of others")}
	}
	var errs field.ErrorList
	for _, msg := range validation.IsValidLabelValue(origin) {
		errs = append(errs, field.Invalid(path, origin, msg))
	}
	return errs
}

func validateWorkerManagedBy(p Policy) field.ErrorList {
	path, name := field.NewPath("WorkerManagedBy"), p.WorkerManagedBy
	if name == "" {
		return nil
	}
	errs := jobmanagedby.ValidateName(name, path)
	if name == p.Controller {
		errs = append(errs, field.Forbidden(path, "the mirror would be handed on by the same Controller"))
	}
	if name != jobmanagedby.JobController && !p.Worker.HonorsManagedBy() {
		errs = append(errs, field.Forbidden(path, "the Worker release ignores spec.managedBy, so the built-in controller would run the mirror too"))
	}
	return errs
}

func validateKeepKeys(keys []string) field.ErrorList {
	var errs field.ErrorList
	for i, key := range keys {
		if domain, isDomain := strings.CutSuffix(key, "/"); isDomain {
			key = domain + "/any"
		}
		for _, msg := range validation.IsQualifiedName(key) {
			errs = append(errs, field.Invalid(field.NewPath("KeepKeys").Index(i), keys[i], msg))
		}
	}
	return errs
}
