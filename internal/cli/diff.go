// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// line is a line of a diff.
type line struct {
	mark byte // '-' and '+' as in a unified diff, ' ' for a line of both
	text string
}

// diff compares two objects in the form in which kubectl prints them. What is the same on both sides is
// shown where it leads to a difference, and everywhere if whole is set.
type diff struct {
	lines []line
	whole bool
	err   error
}

func diffTrees(before, after Tree, whole bool) ([]line, error) {
	d := diff{whole: whole}
	d.maps("", before, after)
	return d.lines, d.err
}

func (d *diff) maps(indent string, before, after Tree) {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(before)), maps.Keys(after))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		a, inBefore := before[key]
		b, inAfter := after[key]
		switch {
		case inBefore && inAfter:
			d.values(indent, key, a, b)
		case inBefore:
			d.show('-', indent, Tree{key: a})
		default:
			d.show('+', indent, Tree{key: b})
		}
	}
}

func (d *diff) values(indent, key string, a, b any) {
	if reflect.DeepEqual(a, b) {
		if d.whole {
			d.show(' ', indent, Tree{key: a})
		}
		return
	}
	before, isMap := a.(Tree)
	after, bothMaps := b.(Tree)
	from, isList := a.([]any)
	to, bothLists := b.([]any)
	switch {
	case isMap && bothMaps && len(before) > 0 && len(after) > 0:
		d.add(' ', indent+key+":")
		d.maps(indent+"  ", before, after)
	case isList && bothLists && len(from) > 0 && len(to) > 0:
		d.add(' ', indent+key+":")
		d.lists(indent, from, to)
	default:
		d.show('-', indent, Tree{key: a})
		d.show('+', indent, Tree{key: b})
	}
}

// lists takes the items that are the same, in the same order, for context. Of several ways to pair them
// up it takes the first, which is good enough for the short lists of a Job.
func (d *diff) lists(indent string, from, to []any) {
	for len(from) > 0 || len(to) > 0 {
		gone, come := nextSame(from, to)
		for _, item := range from[:gone] {
			d.item('-', indent, item)
		}
		for _, item := range to[:come] {
			d.item('+', indent, item)
		}
		from, to = from[gone:], to[come:]
		if len(to) == 0 {
			continue
		}
		if d.whole {
			d.item(' ', indent, to[0])
		}
		from, to = from[1:], to[1:]
	}
}

// nextSame returns how many items of each list come before the next one that is in both. Of long lists
// it says that nothing is.
func nextSame(from, to []any) (gone, come int) {
	const long = 1000
	if max(len(from), len(to)) > long {
		return len(from), len(to)
	}
	for come, item := range to {
		same := func(f any) bool { return reflect.DeepEqual(f, item) }
		if gone := slices.IndexFunc(from, same); gone >= 0 {
			return gone, come
		}
	}
	return len(from), len(to)
}

func (d *diff) item(mark byte, indent string, item any) {
	d.show(mark, indent, Tree{"": []any{item}})
}

// show adds an object line by line; a single item of a list is under the empty key.
func (d *diff) show(mark byte, indent string, t Tree) {
	text, err := ToYAML(t)
	if err != nil {
		d.err = err
		return
	}
	if _, item := t[""]; item {
		text = text[1:]
	}
	for _, s := range text {
		d.add(mark, indent+s)
	}
}

func (d *diff) add(mark byte, text string) {
	d.lines = append(d.lines, line{mark, strings.TrimRight(text, " ")})
}
