// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// TestWordings: a wording is listed once, whatever the values and places in it, with all servers that use it.
func TestWordings(t *testing.T) {
	w := wordings{known: map[wording]*answer{}}
	add := func(release, status, detail string) error {
		p := pair{Old: json.RawMessage(`{}`), New: json.RawMessage(`{"status":` + status + `}`)}
		return w.add(ask.Config{Release: release}, p, []wire.Error{{Detail: detail}})
	}
	for _, said := range [][3]string{
		{"1.36.3", `{"ready":-1}`, "has to be 0 or more"},
		{"1.36.3", `{"ready":-22}`, "has to be 0 or more"},
		{"1.37.2", `{"ready":-3}`, "has to be 0 or more"},
		{"1.37.2", `{"ready":-3}`, "is too small"},
		{"1.37.2", `{"active":-3}`, "is too small"},
	} {
		if err := add(said[0], said[1], said[2]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := w.lines()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		`{"releases":["1.36.3","1.37.2"],"cause":{"reason":"FieldValueInvalid","message":"Invalid value: -1: has to be 0 or more","field":"status.ready"},"rule":"NegativeReady"}`,
		`{"releases":["1.37.2"],"cause":{"reason":"FieldValueInvalid","message":"Invalid value: -3: is too small","field":"status.ready"},"rule":"NegativeReady"}`,
		`{"releases":["1.37.2"],"cause":{"reason":"FieldValueInvalid","message":"Invalid value: -3: is too small","field":"status.active"},"rule":"NegativeActive"}`,
		"",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := add("1.37.2", `{}`, "an error that is none of ours"); err == nil {
		t.Error("an error without a violation was recorded")
	}
}
