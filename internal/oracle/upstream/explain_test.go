// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

func TestExplain(t *testing.T) {
	one, two, three := invalid("a", 1), invalid("a", 2), invalid("b", 3)
	for _, tt := range []struct {
		name         string
		said, detail field.ErrorList
		want         []wire.Error
	}{{
		name: "dropped by the registry",
		said: field.ErrorList{two}, detail: field.ErrorList{one, two, three},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "a", BadValue: []byte("2"), Detail: "why"}},
	}, {
		name: "added by the registry",
		said: field.ErrorList{one, three}, detail: field.ErrorList{one},
		want: []wire.Error{
			{Type: "FieldValueInvalid", Field: "a", BadValue: []byte("1"), Detail: "why"},
			{Type: "FieldValueInvalid", Field: "b", Detail: three.ErrorBody()},
		},
	}, {
		name: "in another order",
		said: field.ErrorList{two, one}, detail: field.ErrorList{one, two},
		want: []wire.Error{
			{Type: "FieldValueInvalid", Field: "a", BadValue: []byte("2"), Detail: "why"},
			{Type: "FieldValueInvalid", Field: "a", BadValue: []byte("1"), Detail: "why"},
		},
	}} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := explain(causesOf(tt.said), tt.detail)
			if d := cmp.Diff(tt.want, got); d != "" || err != nil {
				t.Errorf("%v, -want +got:\n%s", err, d)
			}
		})
	}
}

func invalid(name string, value int) *field.Error {
	return field.Invalid(field.NewPath(name), value, "why")
}

func causesOf(errs field.ErrorList) []metav1.StatusCause {
	return apierrors.NewInvalid(jobKind.GroupKind(), "j", errs).ErrStatus.Details.Causes
}
