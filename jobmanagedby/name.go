// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	batchv1 "k8s.io/api/batch/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// MaxNameLength is how many bytes spec.managedBy may have. Some API documentation says 64; the check
// is for 63 on every release that has the field.
const MaxNameLength = 63

// ValidateName returns what the API server says of the value of spec.managedBy at create: the same
// errors (type, field, bad value, count) in the same order; nil where it accepts the name. The
// wording is that of the k8s.io/apimachinery linked in. The empty string is Required, not "unset".
// One bad value is not the same everywhere: that of TooLong, which API servers up to 1.31 fill in
// and later ones omit; here it is what the linked apimachinery makes of it.
//
// A name is a domain-prefixed path of at most [MaxNameLength] bytes: what stands before the first
// slash is a lower-case RFC 1123 subdomain, the rest is one or more characters of a URL path, further
// slashes and percent signs included. One name can break several rules. [JobController] is a valid
// name; [Delegate] refuses it for a reason of its own.
//
// An API server that does not honour the field (see [Release.HonorsManagedBy]) drops it before it
// looks: there the worst name is accepted, and lost (see [Dropped]). For a template, at update too,
// the rules are the same on every release.
//
// Source: validateJobSpec in pkg/apis/batch/validation/validation.go, 1.30 to 1.38.
func ValidateName(name string, fldPath *field.Path) field.ErrorList {
	errs := validation.IsDomainPrefixedPath(fldPath, name)
	if len(name) > MaxNameLength {
		errs = append(errs, field.TooLong(fldPath, name, MaxNameLength))
	}
	return errs
}

// ValidateUpdate returns what the API server says of a change to spec.managedBy: one Invalid error,
// whose bad value is a copy of the new one, a *string; nil where nothing changed. Every change is
// refused: to set the field, to remove it, and to go from nil to [JobController] or back. That holds
// whatever the Job's state, suspended and finished included, on every release from 1.30, whether the
// gate is on or off.
//
// A new name that is malformed has the errors of [ValidateName] besides, before this one and, up to
// 1.36, twice over.
//
// An API server older than 1.30 does not know the field and loses it at an update. To notice, compare
// with the Job as it was last seen.
//
// Source: ValidateJobSpecUpdate in pkg/apis/batch/validation/validation.go, 1.30 to 1.38.
func ValidateUpdate(newJob, oldJob *batchv1.Job) field.ErrorList {
	if equal(newJob.Spec.ManagedBy, oldJob.Spec.ManagedBy) {
		return nil
	}
	newValue, fldPath := clone(newJob.Spec.ManagedBy), field.NewPath("spec", "managedBy")
	return apivalidation.ValidateImmutableField(newValue, oldJob.Spec.ManagedBy, fldPath)
}

// Dropped reports whether the field got lost on the way into the cluster: sent has it, and stored,
// which is what the server answered to the create, has not. An API server that does not honour the
// field drops it without an error, even a malformed one, and the built-in controller runs the Job.
// Compare after each create, and delete a Job that must not run here.
//
// A field with another value in stored is not dropped: a webhook changed it. A lost [JobController]
// counts, although nothing comes of it.
//
// Source: PrepareForCreate in pkg/registry/batch/job/strategy.go, 1.30 to 1.37.
func Dropped(sent, stored *batchv1.Job) bool {
	return sent.Spec.ManagedBy != nil && stored.Spec.ManagedBy == nil
}

func equal(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func clone(s *string) *string {
	if s == nil {
		return nil
	}
	c := *s
	return &c
}
