package statusvalidate

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateMetadata returns what the API server would object to in the metadata of c.New, before it
// looks at the status: a write to the status subresource of a Job may change labels and
// annotations, and is refused for the rest. The checks and the wording are those of the
// k8s.io/apimachinery that the program is built with; the API server reports some of them twice,
// this function each once.
//
// What the server fills in itself is not checked: an empty UID or resourceVersion (a Job can be updated
// unconditionally), generation, creationTimestamp, deletionTimestamp and its grace period. That
// the resourceVersion is outdated cannot be seen from the objects; the server answers with a conflict.
//
// It panics if one of the Jobs is nil. It changes neither.
func ValidateMetadata(c Change) field.ErrorList {
	meta, old := asServerFills(&c.New.ObjectMeta, &c.Old.ObjectMeta), &c.Old.ObjectMeta
	root := field.NewPath("metadata")
	errs := validation.ValidateObjectMeta(meta, true, path.ValidatePathSegmentName, root)
	return withoutRepeats(append(errs, validation.ValidateObjectMetaUpdate(meta, old, root)...))
}

// asServerFills does what BeforeUpdate of the API server's generic registry does to the metadata
// before it is validated.
func asServerFills(sent, old *metav1.ObjectMeta) *metav1.ObjectMeta {
	meta := *sent
	meta.Generation = old.Generation
	if meta.UID == "" {
		meta.UID = old.UID
	}
	if meta.ResourceVersion == "" {
		meta.ResourceVersion = old.ResourceVersion
	}
	if !old.CreationTimestamp.IsZero() {
		meta.CreationTimestamp = old.CreationTimestamp
	}
	if !old.DeletionTimestamp.IsZero() {
		meta.DeletionTimestamp = old.DeletionTimestamp
	}
	if meta.DeletionGracePeriodSeconds == nil {
		meta.DeletionGracePeriodSeconds = old.DeletionGracePeriodSeconds
	}
	return &meta
}

func withoutRepeats(errs field.ErrorList) (once field.ErrorList) {
	for _, err := range errs {
		same := func(e *field.Error) bool { return e.Error() == err.Error() }
		if !slices.ContainsFunc(once, same) {
			once = append(once, err)
		}
	}
	return once
}
