// SPDX-License-Identifier: Apache-2.0

package live_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
)

// TestStatusSubresource: a PATCH of the status changes nothing else of a custom resource, and the metadata too of a
// kind that is built in. This is why mirror writes a status and the dispatch record in one request for a Job, and in
// two for everything else.
func TestStatusSubresource(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.object, func(t *testing.T) {
			kind, u := f.load(t, "subresource")
			before := create(t, f.locals(), u)
			running, later := f.statuses(t)
			after := patch(t, f.locals(), "subresource", merge(t, map[string]any{
				"metadata": map[string]any{
					"uid": before.GetUID(), "resourceVersion": before.GetResourceVersion(),
					"annotations": map[string]any{"acme.io/note": "x"}, "labels": map[string]any{"acme.io/label": "x"}, "finalizers": []any{"acme.io/hold"},
				},
				"status": running,
			}), "status")
			for name, value := range running {
				same(t, name, after.Object["status"].(map[string]any)[name], value)
			}
			builtIn := kind.Group == batchv1.GroupName
			for what, changed := range map[string]bool{
				"annotation": after.GetAnnotations()["acme.io/note"] != "", "label": after.GetLabels()["acme.io/label"] != "", "finalizers": len(after.GetFinalizers()) > 0,
			} {
				if changed != builtIn {
					t.Errorf("%s changed with the status: %v", what, changed)
				}
			}
			if after.GetGeneration() != before.GetGeneration() || after.GetResourceVersion() == before.GetResourceVersion() {
				t.Errorf("generation %d, resourceVersion %s", after.GetGeneration(), after.GetResourceVersion())
			}
			whole := patch(t, f.locals(), "subresource", merge(t, map[string]any{"metadata": map[string]any{"annotations": map[string]any{"acme.io/other": "x"}}, "status": later}))
			same(t, "the status after a PATCH of the object", whole.Object["status"], after.Object["status"])
			same(t, "the annotation after a PATCH of the object", whole.GetAnnotations()["acme.io/other"], "x")
			if builtIn {
				patch(t, f.locals(), "subresource", []byte(`{"metadata":{"finalizers":[]}}`))
			}
		})
	}
}

// TestPreconditions: a patch made for an object that has changed, or is another one, is refused with the reasons that
// Action.Tolerates knows. There is one gap: the UID in a PATCH of the status of a custom resource is ignored as the rest of
// the metadata is, so it takes a resourceVersion to protect it.
func TestPreconditions(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.object, func(t *testing.T) {
			kind, u := f.load(t, "precondition")
			old := create(t, f.locals(), u)
			patch(t, f.locals(), "precondition", []byte(`{"metadata":{"labels":{"acme.io/x":"y"}}}`))
			running, _ := f.statuses(t)
			const otherUID = "00000000-0000-0000-0000-000000000000"
			for _, subresources := range [][]string{nil, {"status"}} {
				for name, tt := range map[string]struct {
					metadata map[string]any
					want     metav1.StatusReason
				}{
					"old":                   {map[string]any{"uid": old.GetUID(), "resourceVersion": old.GetResourceVersion()}, metav1.StatusReasonConflict},
					"other":                 {map[string]any{"uid": otherUID, "resourceVersion": old.GetResourceVersion()}, metav1.StatusReasonConflict},
					"other, of any version": {map[string]any{"uid": otherUID}, metav1.StatusReasonInvalid},
				} {
					tt.metadata["annotations"] = map[string]any{"acme.io/note": "x"}
					if name == "other, of any version" && len(subresources) > 0 && kind.Group != batchv1.GroupName {
						tt.want = metav1.StatusReasonUnknown
					}
					data := merge(t, map[string]any{"metadata": tt.metadata, "status": running})
					_, err := f.locals().Patch(t.Context(), "precondition", types.MergePatchType, data, metav1.PatchOptions{}, subresources...)
					if reason := apierrors.ReasonForError(err); reason != tt.want {
						t.Errorf("%s %v: %q (%v), want %s", name, subresources, reason, err, tt.want)
					}
				}
			}
		})
	}
}

func merge(t *testing.T, patch map[string]any) []byte {
	t.Helper()
	data, err := json.Marshal(patch)
	must(t, err)
	return data
}
