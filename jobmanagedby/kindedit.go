// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/managedby-dev/managedby/internal/objpath"
)

// Holds reports whether the test holds of an object. The error, a [*MalformedError], says that the
// path leads through something that is no object or list; one of no particular type is a path that
// [CheckKind] refuses.
func (t Test) Holds(u *unstructured.Unstructured) (bool, error) {
	p, err := objpath.Parse(t.Path)
	if err != nil {
		return false, err
	}
	found := false
	err = p.Each(u.Object, func(in map[string]any, name, _ string) error {
		found = found || t.is(in[name])
		return nil
	})
	if err != nil {
		return false, malformedIn(u, err)
	}
	return found != t.Not, nil
}

// is reports whether a value is as the test says, Not aside.
func (t Test) is(value any) bool {
	switch value := value.(type) {
	case nil:
		return false
	case string:
		return value != "" && (t.Is == "" || value == t.Is)
	case bool:
		return value && (t.Is == "" || t.Is == "true")
	case int64:
		return value != 0 && t.Is == ""
	case float64:
		return value != 0 && t.Is == ""
	case []any:
		return len(value) > 0 && t.Is == ""
	case map[string]any:
		return len(value) > 0 && t.Is == ""
	}
	return t.Is == ""
}

// holdAll reports whether every test holds.
func holdAll(u *unstructured.Unstructured, tests []Test) (bool, error) {
	for _, test := range tests {
		if holds, err := test.Holds(u); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// Apply makes the change in an object, on purpose. The errors are those of [Test.Holds]; what was
// changed before an error stays changed, so apply it to a copy.
func (e Edit) Apply(u *unstructured.Unstructured) error {
	if holds, err := holdAll(u, e.If); err != nil || !holds {
		return err
	}
	p, err := objpath.Parse(e.Path)
	if err != nil {
		return err
	}
	if e.Set == nil && e.Is == "" {
		return malformedIn(u, p.Remove(u.Object))
	}
	return malformedIn(u, p.Each(u.Object, func(in map[string]any, name, at string) error {
		switch {
		case e.Is != "" && in[name] != any(e.Is):
		case e.Set == nil:
			delete(in, name)
		default:
			value, err := objpath.Copy(e.Set, at)
			if err != nil {
				return err
			}
			in[name] = value
		}
		return nil
	}))
}

// ClearAll takes the field out of an object, on purpose: at Kind.Field, at the nested places, and out of
// embedded objects that are of one of [Kinds], whatever the controller that it names there. What is left
// goes to the operators of whoever reads it next, which is what a copy on another cluster needs.
//
// The errors are [*NoFieldError], [*KindError] and [*MalformedError]; what was changed before an error stays changed.
func (k Kind) ClearAll(u *unstructured.Unstructured) error {
	if err := k.check(u); err != nil {
		return err
	}
	return k.clearAll(u.Object)
}

func (k Kind) clearAll(object map[string]any) error {
	paths := k.Nested
	if k.Field != "" {
		paths = append([]string{k.Field}, paths...)
	}
	for _, path := range paths {
		p, err := objpath.Parse(path)
		if err != nil {
			return err
		}
		if err := p.Remove(object); err != nil {
			return k.malformed(err)
		}
	}
	return k.EachEmbedded(&unstructured.Unstructured{Object: object}, func(inner Kind, u *unstructured.Unstructured) error {
		return inner.clearAll(u.Object)
	})
}

// EachEmbedded calls f for every embedded object (Kind.Embedded) that is of one of [Kinds], itself and not a
// copy. It goes one level deep, and stops at the first error. Paths in a [*MalformedError] of f are made
// those of the outer object.
func (k Kind) EachEmbedded(u *unstructured.Unstructured, f func(Kind, *unstructured.Unstructured) error) error {
	for _, path := range k.Embedded {
		p, err := objpath.Parse(path)
		if err != nil {
			return err
		}
		err = p.Each(u.Object, func(in map[string]any, name, at string) error {
			object, isObject := in[name].(map[string]any)
			if in[name] == nil {
				return nil
			}
			if !isObject {
				return &objpath.Error{Path: at, Want: "object", Value: in[name]}
			}
			inner := &unstructured.Unstructured{Object: object}
			kind, known := ForVersionKind(inner.GroupVersionKind())
			if !known {
				return nil
			}
			return k.inside(at, f(kind, inner))
		})
		if err != nil {
			return k.malformed(err)
		}
	}
	return nil
}

// inside turns an error about an embedded object into one about the object that it is in.
func (k Kind) inside(at string, err error) error {
	var malformed *MalformedError
	if !errors.As(err, &malformed) {
		return err
	}
	return &MalformedError{GroupKind: k.GroupKind, Path: at + "." + malformed.Path, Want: malformed.Want, Value: malformed.Value}
}

// malformedIn is [Kind.malformed] where only the object is known.
func malformedIn(u *unstructured.Unstructured, err error) error {
	gk := schema.GroupKind{}
	if apiVersion, isString := u.Object["apiVersion"].(string); isString {
		gv, _ := schema.ParseGroupVersion(apiVersion)
		gk.Group = gv.Group
	}
	gk.Kind = u.GetKind()
	return Kind{GroupKind: gk}.malformed(err)
}
