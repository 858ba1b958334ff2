// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// TestValidateMetadataFinalizers is about a check that kube-apiserver makes beyond apimachinery's.
func TestValidateMetadataFinalizers(t *testing.T) {
	tests := []struct {
		name string
		want []string
	}{
		{"acme.io/mirror", nil},
		{"orphan", nil},
		{"foregroundDeletion", nil},
		{"kubernetes", nil},
		{"mirror", []string{"FieldValueInvalid metadata.finalizers[0]"}},
		{"", []string{"FieldValueInvalid metadata.finalizers", "FieldValueInvalid metadata.finalizers", "FieldValueInvalid metadata.finalizers[0]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			meta := metav1.ObjectMeta{Name: "sample", Namespace: "team-a", Finalizers: []string{tt.name}}
			c := statusvalidate.Change{Old: &batchv1.Job{ObjectMeta: meta}, New: &batchv1.Job{ObjectMeta: meta}}
			if diff := cmp.Diff(tt.want, typesAndFields(statusvalidate.ValidateMetadata(c))); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}
