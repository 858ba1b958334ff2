// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample = `package sample

var rows = []int{1, 2}

func f(a, b bool) (c bool) {
	if a && b {
		c = true
	}
	return c
}
`

func sampleMutants(t *testing.T) (path string, all []mutant) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "sample", "sample.go")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := mutantsOf([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	return path, all
}

func TestMutants(t *testing.T) {
	want := []string{
		"- var rows = []int{1, 2}\n+ var rows = []int{2}",
		"- var rows = []int{1, 2}\n+ var rows = []int{1}",
		"- if a && b {\n+ if !(a && b) {",
		"- if a && b {\n+ if a || b {",
		"- c = true",
		"- c = true\n+ c = false",
	}
	_, all := sampleMutants(t)
	var got []string
	for _, m := range all {
		got = append(got, m.diff())
	}
	if !slices.Equal(got, want) {
		t.Errorf("mutants:\n%s\nwant:\n%s", strings.Join(got, "\n\n"), strings.Join(want, "\n\n"))
	}
}

func TestEquivalents(t *testing.T) {
	const known = "sample/sample.go\n- if a && b {\n+ if a || b {\nwhy: it is a sample\n"
	for _, tt := range []struct{ name, text, err string }{
		{"known", known, ""},
		{"of another file", "other/sample.go\n- x\n+ y\nwhy: it is not looked at\n", ""},
		{"gone", strings.ReplaceAll(known, "a && b", "b && a"), "no mutant of"},
		{"without a reason", "sample/sample.go\n- x\n+ y\n", "why"},
		{"with an empty reason", "sample/sample.go\n- x\n+ y\nwhy: \n", "why"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, all := sampleMutants(t)
			entries, err := parseEquivalents(tt.text)
			var rest []mutant
			if err == nil {
				rest, err = without(all, entries, []string{path})
			}
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			left := slices.ContainsFunc(rest, func(m mutant) bool { return strings.Contains(m.diff(), "a || b") })
			if want := tt.name != "known"; left != want {
				t.Errorf("the mutant is left: %v, want %v", left, want)
			}
		})
	}
}

// TestEquivalentText reads the list itself.
func TestEquivalentText(t *testing.T) {
	entries, err := parseEquivalents(equivalentText)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join("..", "..", "..", filepath.FromSlash(e.file))
		all, err := mutantsOf([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := without(all, entries, []string{path}); err != nil {
			t.Error(err)
		}
	}
}
