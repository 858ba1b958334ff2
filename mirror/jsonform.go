// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// This file says how Go values of the Kubernetes API appear in JSON.

// toJSON returns v in JSON, or in Go's form if it has none, as a number of no meaning in a field
// that is an enumeration in JSON.
func toJSON(v reflect.Value) string {
	if data, err := json.Marshal(v.Interface()); err == nil {
		return string(data)
	}
	return fmt.Sprint(v.Interface())
}

var marshaler = reflect.TypeFor[json.Marshaler]()

// isLeaf reports whether values of type t are compared as a whole: scalars, and what has a form of
// its own in JSON, such as quantities.
func isLeaf(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer:
		return false // so that a nil is seen before what it would be in JSON
	case reflect.Struct, reflect.Map, reflect.Slice:
		return t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
	default:
		return true
	}
}

// child returns the path of a field: that of the struct itself for an inlined one.
func child(path *field.Path, f reflect.StructField) *field.Path {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return path
	}
	return path.Child(name)
}

// nameOf returns the name of a list's element, "" if it has none.
func nameOf(element reflect.Value) string {
	if element.Kind() != reflect.Struct {
		return ""
	}
	name := element.FieldByName("Name")
	if !name.IsValid() || name.Kind() != reflect.String {
		return ""
	}
	return name.String()
}

// byName returns the elements of a list by their names, or nil unless all have different ones.
func byName(list reflect.Value) map[string]reflect.Value {
	elements := make(map[string]reflect.Value, list.Len())
	for i := range list.Len() {
		elements[nameOf(list.Index(i))] = list.Index(i)
	}
	if _, unnamed := elements[""]; unnamed || len(elements) < list.Len() {
		return nil
	}
	return elements
}

// sortedStrings returns the keys of a map, which are strings, in order.
func sortedStrings(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	return keys
}
