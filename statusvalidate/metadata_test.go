// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

func TestValidateMetadata(t *testing.T) {
	stored := metav1.ObjectMeta{
		Name: "sample", Namespace: "team-a", UID: "u1", ResourceVersion: "7", Generation: 2,
		CreationTimestamp: metav1.Unix(1_760_000_000, 0), Labels: map[string]string{"app": "sample"},
	}
	deleting := *stored.DeepCopy()
	deleting.DeletionTimestamp = at(0)
	deleting.DeletionGracePeriodSeconds = ptr.To[int64](0)
	deleting.Finalizers = []string{"acme.io/mirror"}
	tests := []struct {
		name   string
		stored metav1.ObjectMeta
		send   func(*metav1.ObjectMeta)
		want   []string
		why    string
	}{
		{"as it is", stored, func(*metav1.ObjectMeta) {}, nil, ""},
		{"labels and annotations change", stored, func(m *metav1.ObjectMeta) {
			m.Labels["new"], m.Annotations = "label", map[string]string{"acme.io/worker": "east"}
		}, nil, "a status write may do that on Jobs"},
		{"finalizers change", stored, func(m *metav1.ObjectMeta) { m.Finalizers = []string{"acme.io/mirror"} }, nil, ""},
		{"identity is left out", stored, func(m *metav1.ObjectMeta) { m.UID, m.ResourceVersion = "", "" }, nil,
			"Jobs can be updated unconditionally"},
		{"what the server fills in is wrong", stored, func(m *metav1.ObjectMeta) {
			m.Generation, m.CreationTimestamp = -9, metav1.Time{}
			m.ManagedFields = []metav1.ManagedFieldsEntry{{Operation: "Nonsense"}}
			m.DeletionTimestamp = &metav1.Time{}
		}, nil, "it is overwritten before it is looked at"},
		{"being deleted", deleting, func(m *metav1.ObjectMeta) { m.DeletionTimestamp, m.DeletionGracePeriodSeconds = nil, nil }, nil,
			"a deletion cannot be taken back, and trying is no error"},
		{"the last finalizer goes", deleting, func(m *metav1.ObjectMeta) { m.Finalizers = nil }, nil, ""},
		{"a new finalizer while being deleted", deleting, func(m *metav1.ObjectMeta) {
			m.Finalizers = append(m.Finalizers, "acme.io/late")
		}, []string{"FieldValueForbidden metadata.finalizers"}, ""},
		{"deletionTimestamp is set", stored, func(m *metav1.ObjectMeta) { m.DeletionTimestamp = at(0) },
			[]string{"FieldValueInvalid metadata.deletionTimestamp"}, "only a DELETE sets it"},
		{"another UID", stored, func(m *metav1.ObjectMeta) { m.UID = "u2" }, []string{"FieldValueInvalid metadata.uid"},
			"the Job has been replaced by one of the same name"},
		{"another name and namespace", stored, func(m *metav1.ObjectMeta) { m.Name, m.Namespace = "other", "team-b" },
			[]string{"FieldValueInvalid metadata.name", "FieldValueInvalid metadata.namespace"}, ""},
		{"no name", stored, func(m *metav1.ObjectMeta) { m.Name = "" },
			[]string{"FieldValueInvalid metadata.name", "FieldValueRequired metadata.name"}, "two errors of one field"},
		{"bad labels and annotations", stored, func(m *metav1.ObjectMeta) {
			m.Labels["bad key"], m.Labels["bad"] = "", "bad value"
			m.Annotations = map[string]string{"bad key": "any value"}
		}, []string{"FieldValueInvalid metadata.labels", "FieldValueInvalid metadata.labels", "FieldValueInvalid metadata.annotations"},
			"each once, although the server reports them twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := statusvalidate.Change{Old: &batchv1.Job{ObjectMeta: tt.stored}, New: &batchv1.Job{ObjectMeta: *tt.stored.DeepCopy()}}
			tt.send(&c.New.ObjectMeta)
			old, sent := c.Old.DeepCopy(), c.New.DeepCopy()
			got := typesAndFields(statusvalidate.ValidateMetadata(c))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("errors (-want +got):\n%s%s", diff, tt.why)
			}
			if diff := cmp.Diff([]*batchv1.Job{old, sent}, []*batchv1.Job{c.Old, c.New}); diff != "" {
				t.Errorf("the Jobs have changed (-before +after):\n%s", diff)
			}
		})
	}
}

func typesAndFields(errs field.ErrorList) (all []string) {
	for _, err := range errs {
		all = append(all, fmt.Sprintf("%s %s", string(err.Type), err.Field))
	}
	return all
}

// TestValidateMetadataOwner is apart, because the field and the type of this error depend on the
// apimachinery that the test is built with.
func TestValidateMetadataOwner(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "sample", Namespace: "team-a"}
	c := statusvalidate.Change{Old: &batchv1.Job{ObjectMeta: meta}, New: &batchv1.Job{ObjectMeta: meta}}
	c.New.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "without-uid"}}
	errs := statusvalidate.ValidateMetadata(c)
	if len(errs) != 1 || !strings.HasPrefix(errs[0].Field, "metadata.ownerReferences") {
		t.Errorf("an owner without a UID: %v", errs)
	}
}

// TestValidateMetadataIsDeterministic pins an order where apimachinery walks a map.
func TestValidateMetadataIsDeterministic(t *testing.T) {
	c := statusvalidate.Change{Old: &batchv1.Job{}, New: &batchv1.Job{}}
	c.New.Labels = map[string]string{}
	for i := range 20 {
		c.New.Labels[fmt.Sprintf("bad key %d", i)] = "bad value"
	}
	first := fmt.Sprint(statusvalidate.ValidateMetadata(c))
	for range 20 {
		if again := fmt.Sprint(statusvalidate.ValidateMetadata(c)); again != first {
			t.Fatalf("two calls differ:\n%s\n%s", first, again)
		}
	}
}

// TestValidateMetadataSharesNothing writes into what it returns.
func TestValidateMetadataSharesNothing(t *testing.T) {
	c := statusvalidate.Change{Old: &batchv1.Job{}, New: &batchv1.Job{}}
	c.New.DeletionTimestamp = at(0)
	errs := statusvalidate.ValidateMetadata(c)
	i := slices.IndexFunc(errs, func(e *field.Error) bool { return e.Field == "metadata.deletionTimestamp" })
	if i < 0 {
		t.Fatalf("no error about deletionTimestamp: %v", errs)
	}
	*errs[i].BadValue.(*metav1.Time) = metav1.Time{}
	if !c.New.DeletionTimestamp.Equal(at(0)) {
		t.Error("an error shares memory with the Job")
	}
}
