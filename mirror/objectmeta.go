// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/internal/objpath"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

// checkMetadata returns an error for metadata that would be read as if it were not there.
func checkMetadata(kind jobmanagedby.Kind, u *unstructured.Unstructured) error {
	meta, err := valueAt[map[string]any](kind, u, "metadata", "object")
	if err != nil {
		return err
	}
	for _, name := range []string{"namespace", "name", "uid", "resourceVersion"} {
		if _, err := member[string](kind, meta, name, "string"); err != nil {
			return err
		}
	}
	for _, name := range []string{"labels", "annotations"} {
		m, err := member[map[string]any](kind, meta, name, "object")
		if err != nil {
			return err
		}
		if key, bad := noString(m); bad {
			return malformed(kind, &objpath.Error{Path: "metadata." + name + "[" + key + "]", Want: "string", Value: m[key]})
		}
	}
	return checkLifecycle(kind, meta, u.GetDeletionTimestamp() != nil)
}

// checkLifecycle is checkMetadata for what says whether the object is there to stay.
func checkLifecycle(kind jobmanagedby.Kind, meta map[string]any, readsAsDeleted bool) error {
	if _, err := member[int64](kind, meta, "generation", "integer"); err != nil {
		return err
	}
	deleted, err := member[string](kind, meta, "deletionTimestamp", "time")
	if err != nil {
		return err
	}
	if deleted != "" && !readsAsDeleted {
		return malformed(kind, &objpath.Error{Path: "metadata.deletionTimestamp", Want: "time", Value: deleted})
	}
	finalizers, err := member[[]any](kind, meta, "finalizers", "list")
	if err != nil {
		return err
	}
	for i, f := range finalizers {
		if _, isString := f.(string); !isString {
			return malformed(kind, &objpath.Error{Path: fmt.Sprintf("metadata.finalizers[%d]", i), Want: "string", Value: f})
		}
	}
	return nil
}

// member returns a member of the metadata, the zero value if there is none.
func member[T any](kind jobmanagedby.Kind, meta map[string]any, name, want string) (value T, err error) {
	found := meta[name]
	value, isT := found.(T)
	if found != nil && !isT {
		err = malformed(kind, &objpath.Error{Path: "metadata." + name, Want: want, Value: found})
	}
	return value, err
}

// noString returns the first key in order whose value is no string.
func noString(m map[string]any) (first string, found bool) {
	for key, value := range m {
		if _, isString := value.(string); !isString && (!found || key < first) {
			first, found = key, true
		}
	}
	return first, found
}
