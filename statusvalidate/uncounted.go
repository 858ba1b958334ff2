// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// sameUncounted compares as the API server does: no struct differs from an empty one, no list and
// an empty list are the same.
func sameUncounted(a, b *batchv1.UncountedTerminatedPods) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Succeeded, b.Succeeded) && slices.Equal(a.Failed, b.Failed)
}

func uncounted(s *batchv1.JobStatus) (succeeded, failed []types.UID) {
	if s.UncountedTerminatedPods == nil {
		return nil, nil
	}
	return s.UncountedTerminatedPods.Succeeded, s.UncountedTerminatedPods.Failed
}

// fewPods is how many ids are compared each with each other; more go through a set, which is an
// allocation, so that the cost stays linear.
const fewPods = 32

// podsMalformed reports whether an id of list is empty, or is there twice, or is in before too.
func podsMalformed(before, list []types.UID) bool {
	if slices.Contains(list, "") {
		return true
	}
	if len(before)+len(list) > fewPods {
		seen := make(sets.Set[types.UID], len(before)+len(list))
		known := seen.Insert(before...).Len()
		return seen.Insert(list...).Len() < known+len(list)
	}
	for i, id := range list {
		if slices.Contains(before, id) || slices.Contains(list[:i], id) {
			return true
		}
	}
	return false
}

func podErrors(path *field.Path, before, list []types.UID) (errs field.ErrorList) {
	seen := sets.New(before...)
	for i, id := range list {
		switch {
		case id == "":
			errs = append(errs, field.Invalid(path.Index(i), id, "a pod id must not be empty"))
		case seen.Has(id):
			errs = append(errs, field.Duplicate(path.Index(i), id))
		}
		seen.Insert(id)
	}
	return errs
}
