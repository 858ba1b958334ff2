// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

func TestTestHolds(t *testing.T) {
	const object = `{"apiVersion":"v1","kind":"x","spec":{"s":"x","e":"","t":true,"f":false,"i":7,"z":0,"r":1.5,"o":{"a":1},"eo":{},"l":[{"v":"a"},{"v":"b"}],"el":[],"n":null}}`
	tests := []struct {
		path, is string
		want     bool
	}{
		{"spec.s", "x", true}, {"spec.s", "y", false}, {"spec.s", "", true}, {"spec.e", "", false},
		{"spec.t", "true", true}, {"spec.t", "", true}, {"spec.f", "", false}, {"spec.f", "false", false}, {"spec.t", "yes", false},
		{"spec.i", "", true}, {"spec.i", "7", false}, {"spec.z", "", false}, {"spec.r", "", true},
		{"spec.o", "", true}, {"spec.eo", "", false}, {"spec.l", "", true}, {"spec.el", "", false}, {"spec.l", "x", false},
		{"spec.n", "", false}, {"spec.none", "", false}, {"spec.none.x", "", false},
		{"spec.l[].v", "b", true}, {"spec.l[].v", "c", false}, {"spec.l[v=a].v", "b", false},
	}
	u := decode(t, []byte(object))
	for _, tt := range tests {
		for _, not := range []bool{false, true} {
			test := jobmanagedby.Test{Path: tt.path, Is: tt.is, Not: not}
			if got, err := test.Holds(u); err != nil || got != (tt.want != not) {
				t.Errorf("%+v: %v, %v", test, got, err)
			}
		}
	}
	var malformed *jobmanagedby.MalformedError
	for _, not := range []bool{false, true} {
		if holds, err := (jobmanagedby.Test{Path: "spec.s.x", Not: not}).Holds(u); holds || !errors.As(err, &malformed) || malformed.Path != "spec.s" || malformed.GroupKind.Kind != "x" {
			t.Errorf("through a string: %v, %v", holds, err)
		}
		if holds, err := (jobmanagedby.Test{Path: "", Not: not}).Holds(u); holds || err == nil {
			t.Errorf("no path: %v, %v", holds, err)
		}
	}
}

func TestEditApply(t *testing.T) {
	const object = `{"a":"x","b":{"c":"y"},"l":[{"k":"1"},{"k":"2"}],"on":true}`
	on := []jobmanagedby.Test{{Path: "spec.on", Is: "true"}}
	off := []jobmanagedby.Test{{Path: "spec.on", Is: "true"}, {Path: "spec.off", Is: "true"}}
	tests := []struct {
		edit jobmanagedby.Edit
		want string
		why  string
	}{
		{jobmanagedby.Edit{Path: "spec.a"}, `{"b":{"c":"y"},"l":[{"k":"1"},{"k":"2"}],"on":true}`, ""},
		{jobmanagedby.Edit{Path: "spec.none"}, object, "nothing there"},
		{jobmanagedby.Edit{Path: "spec.none", Set: "z"}, object, "nothing there, and nothing is added"},
		{jobmanagedby.Edit{Path: "spec.a", If: on}, `{"b":{"c":"y"},"l":[{"k":"1"},{"k":"2"}],"on":true}`, ""},
		{jobmanagedby.Edit{Path: "spec.a", If: off}, object, "all have to hold"},
		{jobmanagedby.Edit{Path: "spec.a", Set: int64(5)}, `{"a":5,"b":{"c":"y"},"l":[{"k":"1"},{"k":"2"}],"on":true}`, ""},
		{jobmanagedby.Edit{Path: "spec.a", Is: "y", Set: "z"}, object, "another value"},
		{jobmanagedby.Edit{Path: "spec.a", Is: "x", Set: "z"}, `{"a":"z","b":{"c":"y"},"l":[{"k":"1"},{"k":"2"}],"on":true}`, ""},
		{jobmanagedby.Edit{Path: "spec.b.c", Is: "y"}, `{"a":"x","b":{},"l":[{"k":"1"},{"k":"2"}],"on":true}`, ""},
		{jobmanagedby.Edit{Path: "spec.b.c", Is: "z"}, object, "another value"},
		{jobmanagedby.Edit{Path: "spec.l[k=1]"}, `{"a":"x","b":{"c":"y"},"l":[{"k":"2"}],"on":true}`, "elements"},
		{jobmanagedby.Edit{Path: "spec.l[].k", Is: "2", Set: "3"}, `{"a":"x","b":{"c":"y"},"l":[{"k":"1"},{"k":"3"}],"on":true}`, ""},
	}
	for _, tt := range tests {
		u := decode(t, []byte(`{"apiVersion":"example.com/v1","kind":"x","spec":`+object+`}`))
		if err := tt.edit.Apply(u); err != nil || asJSON(t, u.Object["spec"]) != tt.want {
			t.Errorf("%+v: %s, %v: %s", tt.edit, asJSON(t, u.Object["spec"]), err, tt.why)
		}
	}
	var malformed *jobmanagedby.MalformedError
	for _, edit := range []jobmanagedby.Edit{{Path: "spec.a.b"}, {Path: "spec.a.b", Set: "x"}, {Path: "spec.x", If: []jobmanagedby.Test{{Path: "spec.a.b"}}}} {
		u := decode(t, []byte(`{"apiVersion":"example.com/v1","kind":"x","spec":`+object+`}`))
		if err := edit.Apply(u); !errors.As(err, &malformed) || malformed.Path != "spec.a" || malformed.GroupKind.Group != "example.com" {
			t.Errorf("%+v: %v", edit, err)
		}
	}
	if err := (jobmanagedby.Edit{Path: "a["}).Apply(decode(t, []byte(`{"apiVersion":"v1","kind":"x"}`))); err == nil {
		t.Error("a path that is none")
	}
}

// TestClearAll: whatever is named, wherever it is, is cleared, and only that. What mirror.BuildObject does is
// built on it, and tested for each kind there.
func TestClearAll(t *testing.T) {
	k := kind(t, "workload.codeflare.dev", "AppWrapper")
	u := object(t, "appwrapper")
	if err := k.ClearAll(u); err != nil {
		t.Fatal(err)
	}
	if text := asJSON(t, u.Object["spec"]); len(text) < 500 || strings.Contains(text, "managedBy") {
		t.Errorf("left: %s", text)
	}
	var (
		without *jobmanagedby.NoFieldError
		wrong   *jobmanagedby.KindError
	)
	pod := kind(t, "", "Pod")
	if err := pod.ClearAll(blank(t, pod, nil)); !errors.As(err, &without) {
		t.Errorf("a kind without the field: %v", err)
	}
	if err := k.ClearAll(blank(t, pod, nil)); !errors.As(err, &wrong) {
		t.Errorf("another kind: %v", err)
	}
}

// TestEachEmbedded: those of known kinds, one level deep, themselves.
func TestEachEmbedded(t *testing.T) {
	k, u := kind(t, "workload.codeflare.dev", "AppWrapper"), object(t, "appwrapper")
	var kinds []string
	err := k.EachEmbedded(u, func(inner jobmanagedby.Kind, object *unstructured.Unstructured) error {
		kinds = append(kinds, inner.Kind)
		object.SetName("changed")
		return nil
	})
	if err != nil || len(kinds) != 2 || kinds[0] != "Job" || kinds[1] != "PyTorchJob" || !strings.Contains(asJSON(t, u.Object), `"name":"changed"`) {
		t.Errorf("%q, %v", kinds, err)
	}
	stop := errors.New("stop")
	if err := k.EachEmbedded(u, func(jobmanagedby.Kind, *unstructured.Unstructured) error { return stop }); err != stop {
		t.Errorf("%v", err)
	}
}
