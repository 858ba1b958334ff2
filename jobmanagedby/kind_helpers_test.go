// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// object reads an object of testdata/kinds.
func object(t testing.TB, name string) *unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "kinds", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, data)
}

// decode reads an object as a client does: whole numbers are int64.
func decode(t testing.TB, data []byte) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.ToJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return u
}

// kindOf returns the known kind of an object.
func kindOf(t testing.TB, u *unstructured.Unstructured) jobmanagedby.Kind {
	t.Helper()
	k, ok := jobmanagedby.ForVersionKind(u.GroupVersionKind())
	if !ok {
		t.Fatalf("%s is not known", u.GroupVersionKind())
	}
	return k
}

// kind returns a known kind by its name.
func kind(t testing.TB, group, name string) jobmanagedby.Kind {
	t.Helper()
	k, ok := jobmanagedby.ForKind(schema.GroupKind{Group: group, Kind: name})
	if !ok {
		t.Fatalf("%s.%s is not known", name, group)
	}
	return k
}

// blank returns a new object of a kind, with a spec and a name, and the field if value is not nil.
func blank(t testing.TB, k jobmanagedby.Kind, value any) *unstructured.Unstructured {
	t.Helper()
	version := "v1"
	if len(k.Versions) > 0 {
		version = k.Versions[0]
	}
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
	u.SetGroupVersionKind(k.WithVersion(version))
	u.SetNamespace("research")
	u.SetName("train")
	if value != nil {
		setAt(u, value, k.Field)
	}
	return u
}

// setAt sets the value at a path of names.
func setAt(u *unstructured.Unstructured, value any, path string) {
	in, rest := u.Object, path
	for {
		name, after, more := cutDot(rest)
		if !more {
			in[name] = value
			return
		}
		inner, _ := in[name].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			in[name] = inner
		}
		in, rest = inner, after
	}
}

func cutDot(path string) (name, rest string, more bool) {
	for i := range len(path) {
		if path[i] == '.' {
			return path[:i], path[i+1:], true
		}
	}
	return path, "", false
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
