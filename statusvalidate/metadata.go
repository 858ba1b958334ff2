// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateMetadata returns what the API server would object to in the metadata of c.New, before it
// looks at the status: a write to the status subresource of a Job may change labels, annotations,
// finalizers and owner references, and is refused for malformed ones and for changes of the rest.
// The checks and the wording are those of the k8s.io/apimachinery that the program is built with; one
// check more is made where finalizers are set, which need a domain.
// The API server reports some errors twice, this function each once, field by field in its order.
//
// What the server fills in itself is not checked: an empty UID or resourceVersion (a Job can be
// updated unconditionally), generation, creationTimestamp, managedFields, and a deletionTimestamp
// and its grace period once they are there. A UID, name or namespace that is not Old's is reported
// as a change of an immutable field, although the server notices earlier and answers with a conflict
// or a bad request instead of an error list. That a resourceVersion is outdated cannot be seen here.
//
// It panics if one of the Jobs is nil. It changes neither and shares no memory with them. Metadata as
// most Jobs have it, accepted, costs no allocation; what is out of the ordinary is slower, and has the
// same answer.
func ValidateMetadata(c Change) field.ErrorList {
	if plainMetadata(&c.New.ObjectMeta, &c.Old.ObjectMeta) {
		return nil
	}
	return metadataErrors(c)
}

// metadataErrors runs every check.
func metadataErrors(c Change) field.ErrorList {
	sent, old := asServerFills(&c.New.ObjectMeta, &c.Old.ObjectMeta), &c.Old.ObjectMeta
	root := field.NewPath("metadata")
	errs := validation.ValidateObjectMeta(sent, true, path.ValidatePathSegmentName, root)
	errs = append(errs, validation.ValidateObjectMetaUpdate(sent, old, root)...)
	return byField(append(errs, bareFinalizers(sent.Finalizers, root.Child("finalizers"))...))
}

// bareFinalizers refuses finalizers without a domain that are none of Kubernetes' own.
// (ValidateObjectMetaUpdate of pkg/apis/core/validation, 1.30 to 1.37.)
func bareFinalizers(names []string, fldPath *field.Path) (errs field.ErrorList) {
	for i, name := range names {
		if !strings.Contains(name, "/") && !isStandardFinalizer(name) {
			errs = append(errs, field.Invalid(fldPath.Index(i), name, "must have a domain, or be one of Kubernetes' own"))
		}
	}
	return errs
}

func isStandardFinalizer(name string) bool {
	switch name {
	case string(corev1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents:
		return true
	}
	return false
}

// asServerFills does to a copy of the metadata what the API server does before it validates it:
// BeforeUpdate of its generic registry, and the field manager.
func asServerFills(sent, old *metav1.ObjectMeta) *metav1.ObjectMeta {
	meta := sent.DeepCopy()
	meta.ManagedFields = nil
	meta.Generation = old.Generation
	meta.UID = cmp.Or(meta.UID, old.UID)
	meta.ResourceVersion = cmp.Or(meta.ResourceVersion, old.ResourceVersion, "unconditional")
	if !old.CreationTimestamp.IsZero() {
		meta.CreationTimestamp = old.CreationTimestamp
	}
	if !old.DeletionTimestamp.IsZero() || meta.DeletionTimestamp.IsZero() {
		meta.DeletionTimestamp = old.DeletionTimestamp
	}
	if meta.DeletionGracePeriodSeconds == nil {
		meta.DeletionGracePeriodSeconds = old.DeletionGracePeriodSeconds
	}
	return meta
}

// byField leaves out repeats and sorts the errors of each field, which come in the random order of a
// map where the field is labels or annotations.
func byField(errs field.ErrorList) (once field.ErrorList) {
	seen, rank := sets.New[string](), map[string]int{}
	for _, err := range errs {
		if text := err.Error(); !seen.Has(text) {
			seen.Insert(text)
			once = append(once, err)
		}
		if _, known := rank[err.Field]; !known {
			rank[err.Field] = len(rank)
		}
	}
	slices.SortFunc(once, func(a, b *field.Error) int {
		return cmp.Or(cmp.Compare(rank[a.Field], rank[b.Field]), cmp.Compare(a.Error(), b.Error()))
	})
	return once
}
