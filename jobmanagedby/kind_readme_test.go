// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// TestKindsInReadme holds the README's table of kinds to Kinds(). go generate writes it anew.
func TestKindsInReadme(t *testing.T) {
	const file, start, end = "../README.md", "| whom the field may name |", "\n\n"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), start)
	is, after, ended := strings.Cut(start+rest, end)
	if !found || !ended {
		t.Fatal("the README has no table of kinds")
	}
	table := kindsByNames()
	if *updateKinds {
		if err := os.WriteFile(file, []byte(before+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(is, table); diff != "" {
		t.Errorf("the README's table of kinds is stale; run go generate ./jobmanagedby (-file +table):\n%s", diff)
	}
}

// kindsByNames has a row for each set of names that a kind may be given, in the order of Kinds().
func kindsByNames() string {
	var order []string
	kinds := map[string][]string{}
	for _, k := range jobmanagedby.Kinds() {
		if k.NoField != "" {
			continue
		}
		names := otherNames(k)
		if kinds[names] == nil {
			order = append(order, names)
		}
		kinds[names] = append(kinds[names], briefly(k))
	}
	lines := []string{"| whom the field may name | kinds, and the release from which the operator honours it |", "|---|---|"}
	for _, names := range order {
		lines = append(lines, "| "+names+" | "+strings.Join(kinds[names], ", ")+" |")
	}
	return strings.Join(lines, "\n")
}

// briefly is the kind and its release, with a version where two kinds have the same name.
func briefly(k jobmanagedby.Kind) string {
	name := k.Kind
	for _, other := range jobmanagedby.Kinds() {
		if other.Kind == k.Kind && other.Group == k.Group && other.Versions[0] != k.Versions[0] {
			name += " " + k.Versions[0]
		}
	}
	return name + " " + orWord(k.HonoredSince, "(never)")
}
