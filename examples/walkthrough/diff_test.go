package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDiffTrees(t *testing.T) {
	list := func(items ...any) []any { return items }
	condition := func(kind, status string) tree { return tree{"type": kind, "status": status} }
	tests := []struct {
		name          string
		before, after tree
		whole         bool
		want          string
	}{
		{"the same", tree{"a": "1"}, tree{"a": "1"}, false, ""},
		{"the same, whole", tree{"a": int64(1)}, tree{"a": int64(1)}, true, "  a: 1\n"},
		{"both empty", tree{}, tree{}, true, ""},
		{"changed, in between", tree{"a": "x", "b": "v", "c": "z"}, tree{"a": "x", "b": "w", "c": "z"}, false, "- b: v\n+ b: w\n"},
		{"gone and come", tree{"a": "x"}, tree{"b": "v"}, false, "- a: x\n+ b: v\n"},
		{"within", tree{"m": tree{"a": "x", "b": "v"}}, tree{"m": tree{"a": "x"}}, false, "  m:\n-   b: v\n"},
		{"a map comes", tree{}, tree{"m": tree{"a": tree{"b": "c"}}}, false, "+ m:\n+   a:\n+     b: c\n"},
		{"an empty map is filled", tree{"m": tree{}}, tree{"m": tree{"a": "x"}}, false, "- m: {}\n+ m:\n+   a: x\n"},
		{"a scalar becomes a map", tree{"m": "x"}, tree{"m": tree{"a": "x"}}, false, "- m: x\n+ m:\n+   a: x\n"},
		{"a list", tree{"l": list("a", "b", "c")}, tree{"l": list("a", "x", "c", "d")}, false, "  l:\n- - b\n+ - x\n+ - d\n"},
		{"a list, whole", tree{"l": list("a", "b")}, tree{"l": list("b", "c")}, true, "  l:\n- - a\n  - b\n+ - c\n"},
		{"an item changes", tree{"l": list(condition("A", "True"), condition("B", "True"))}, tree{"l": list(condition("A", "True"), condition("B", "False"))}, true,
			"  l:\n  - status: \"True\"\n    type: A\n- - status: \"True\"\n-   type: B\n+ - status: \"False\"\n+   type: B\n"},
		{"several lines of text", tree{}, tree{"s": "one\ntwo\n"}, false, "+ s: |\n+   one\n+   two\n"},
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
		if got := ranges(names, func(i int) bool { return strings.Contains(selected, names[i]) }); got != want {
			t.Errorf("%s: %s, want %s", selected, got, want)
		}
	}
}
