package mirror

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/internal/objpath"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

// checkMetadata returns an error for metadata that would be read as if it were not there.
func checkMetadata(kind jobmanagedby.Kind, u *unstructured.Unstructured) error {
	for _, name := range []string{"namespace", "name", "uid", "resourceVersion"} {
		if _, err := valueAt[string](kind, u, "metadata."+name, "string"); err != nil {
			return err
		}
	}
	for _, name := range []string{"labels", "annotations"} {
		m, err := valueAt[map[string]any](kind, u, "metadata."+name, "object")
		if err != nil {
			return err
		}
		if key, bad := noString(m); bad {
			return malformed(kind, &objpath.Error{Path: "metadata." + name + "[" + key + "]", Want: "string", Value: m[key]})
		}
	}
	return checkLifecycle(kind, u)
}

// checkLifecycle is checkMetadata for what says whether the object is there to stay.
func checkLifecycle(kind jobmanagedby.Kind, u *unstructured.Unstructured) error {
	if _, err := valueAt[int64](kind, u, "metadata.generation", "integer"); err != nil {
		return err
	}
	deleted, err := valueAt[string](kind, u, "metadata.deletionTimestamp", "time")
	if err != nil {
		return err
	}
	if deleted != "" && u.GetDeletionTimestamp() == nil {
		return malformed(kind, &objpath.Error{Path: "metadata.deletionTimestamp", Want: "time", Value: deleted})
	}
	finalizers, err := valueAt[[]any](kind, u, "metadata.finalizers", "list")
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

// noString returns the first key in order whose value is no string.
func noString(m map[string]any) (first string, found bool) {
	for key, value := range m {
		if _, isString := value.(string); !isString && (!found || key < first) {
			first, found = key, true
		}
	}
	return first, found
}
