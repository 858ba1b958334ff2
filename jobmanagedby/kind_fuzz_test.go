// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"encoding/json"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// FuzzKind asks every kind about any object that can be decoded: no panic; an error is a typed one with a
// path that names where the object is not as it should be; what only reads changes nothing; what Delegate
// does, ManagedBy reads back, and likewise for suspension.
func FuzzKind(f *testing.F) {
	f.Add([]byte(`{"spec":{"managedBy":7}}`), uint8(2))
	f.Add([]byte(`{"spec":[],"status":{"conditions":[{"type":"Failed","status":"True"}]}}`), uint8(0))
	f.Add([]byte(`{"spec":{"runPolicy":{"managedBy":"a.io/b","suspend":true}},"metadata":{"uid":"u"}}`), uint8(5))
	f.Add([]byte(`{"spec":{"status":"Cancelled"},"status":{"conditions":[null]}}`), uint8(16))
	f.Add([]byte(`{"metadata":{"uid":3},"spec":{"components":[{"template":1}]}}`), uint8(15))
	kinds := jobmanagedby.Kinds()
	f.Fuzz(func(t *testing.T, data []byte, i uint8) {
		u := &unstructured.Unstructured{}
		if json.Unmarshal(data, &u.Object) != nil || u.Object == nil {
			t.Skip()
		}
		k := kinds[int(i)%len(kinds)]
		version := "v1"
		if len(k.Versions) > 0 {
			version = k.Versions[0]
		}
		u.SetGroupVersionKind(k.WithVersion(version))
		before := asJSON(t, u.Object)
		name, err := k.ManagedBy(u)
		typed(t, err)
		d, errDecide := k.Decide(u, jobmanagedby.Release{})
		if k.NoField == "" && ((err == nil) != (errDecide == nil) || d.Controller != name) {
			t.Errorf("ManagedBy = %q, %v, but Decide = %+v, %v", name, err, d, errDecide)
		}
		suspended, err := k.Suspended(u)
		typed(t, err)
		_, err = k.Finished(u)
		typed(t, err)
		_, err = k.HasStarted(u)
		typed(t, err)
		if asJSON(t, u.Object) != before {
			t.Fatal("the object was changed by reading it")
		}
		did, err := k.Default(u.DeepCopy(), "kueue.x-k8s.io/multikueue")
		typed(t, err)
		if err != nil && did {
			t.Error("changed with an error")
		}
		if err := k.Delegate(u, "kueue.x-k8s.io/multikueue"); err != nil {
			if typed(t, err); asJSON(t, u.Object) != before {
				t.Error("changed with an error")
			}
		} else if name, err := k.ManagedBy(u); err != nil || name != "kueue.x-k8s.io/multikueue" {
			t.Errorf("after Delegate, ManagedBy = %q, %v", name, err)
		}
		if err := k.SetSuspended(u, !suspended); err != nil {
			typed(t, err)
		} else if is, err := k.Suspended(u); err != nil || is == suspended {
			t.Errorf("after SetSuspended(%v), Suspended = %v, %v", !suspended, is, err)
		}
	})
}

// typed fails unless an error is one of those that are documented, and says where.
func typed(t *testing.T, err error) {
	t.Helper()
	var (
		malformed *jobmanagedby.MalformedError
		wrong     *jobmanagedby.KindError
		without   *jobmanagedby.NoFieldError
		refused   *jobmanagedby.DelegateError
		suspend   *jobmanagedby.SuspendError
	)
	switch {
	case err == nil, errors.As(err, &wrong), errors.As(err, &without), errors.As(err, &refused), errors.As(err, &suspend):
	case errors.As(err, &malformed):
		if malformed.Path == "" || malformed.Want == "" {
			t.Errorf("%#v does not say where", malformed)
		}
	default:
		t.Errorf("%T %v is none of the typed errors", err, err)
	}
}
