// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiffTrees(t *testing.T) {
	list := func(items ...any) []any { return items }
	condition := func(kind, status string) Tree { return Tree{"type": kind, "status": status} }
	tests := []struct {
		name          string
		before, after Tree
		whole         bool
		want          string
	}{
		{"the same", Tree{"a": "1"}, Tree{"a": "1"}, false, ""},
		{"the same, whole", Tree{"a": int64(1)}, Tree{"a": int64(1)}, true, "  a: 1\n"},
		{"both empty", Tree{}, Tree{}, true, ""},
		{"changed, in between", Tree{"a": "x", "b": "v", "c": "z"}, Tree{"a": "x", "b": "w", "c": "z"}, false, "- b: v\n+ b: w\n"},
		{"gone and come", Tree{"a": "x"}, Tree{"b": "v"}, false, "- a: x\n+ b: v\n"},
		{"within", Tree{"m": Tree{"a": "x", "b": "v"}}, Tree{"m": Tree{"a": "x"}}, false, "  m:\n-   b: v\n"},
		{"a map comes", Tree{}, Tree{"m": Tree{"a": Tree{"b": "c"}}}, false, "+ m:\n+   a:\n+     b: c\n"},
		{"an empty map is filled", Tree{"m": Tree{}}, Tree{"m": Tree{"a": "x"}}, false, "- m: {}\n+ m:\n+   a: x\n"},
		{"a scalar becomes a map", Tree{"m": "x"}, Tree{"m": Tree{"a": "x"}}, false, "- m: x\n+ m:\n+   a: x\n"},
		{"a list", Tree{"l": list("a", "b", "c")}, Tree{"l": list("a", "x", "c", "d")}, false, "  l:\n- - b\n+ - x\n+ - d\n"},
		{"a list, whole", Tree{"l": list("a", "b")}, Tree{"l": list("b", "c")}, true, "  l:\n- - a\n  - b\n+ - c\n"},
		{"an item changes", Tree{"l": list(condition("A", "True"), condition("B", "True"))}, Tree{"l": list(condition("A", "True"), condition("B", "False"))}, true,
			"  l:\n  - status: \"True\"\n    type: A\n- - status: \"True\"\n-   type: B\n+ - status: \"False\"\n+   type: B\n"},
		{"several lines of text", Tree{}, Tree{"s": "one\ntwo\n"}, false, "+ s: |\n+   one\n+   two\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lines, err := diffTrees(tt.before, tt.after, tt.whole)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, l := range lines {
				got.WriteString(string(l.mark) + " " + l.text + "\n")
			}
			if diff := cmp.Diff(tt.want, got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Lists of any length are compared in time that does not grow with their product.
func TestDiffOfLongLists(t *testing.T) {
	var before, after []any
	for range 300_000 {
		before, after = append(before, "a"), append(after, "b")
	}
	if gone, come := nextSame(before, after); gone != len(before) || come != len(after) {
		t.Errorf("got %d and %d", gone, come)
	}
}

func TestRanges(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	for selected, want := range map[string]string{
		"": "", "a": "a", "ab": "a, b", "abc": "a - c", "bd": "b, d", "abcde": "a - e", "ade": "a, d, e", "acde": "a, c - e",
	} {
		if got := Ranges(names, func(i int) bool { return strings.Contains(selected, names[i]) }); got != want {
			t.Errorf("%s: %s, want %s", selected, got, want)
		}
	}
}
