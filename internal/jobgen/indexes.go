// SPDX-License-Identifier: Apache-2.0

package jobgen

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

// indexLists are values of completedIndexes and failedIndexes for a number of completions.
var indexLists = []weighted[func(g *Gen, completions int32) string]{
	{30, func(*Gen, int32) string { return "" }},
	{80, risingList},
	{40, func(g *Gen, n int32) string { return risingList(g, n+3) }}, // some too large
	{30, func(g *Gen, _ int32) string { return oneOf(g, oddLists...) }},
	{50, func(g *Gen, n int32) string { return garble(g, risingList(g, n)) }},
	{1, hugeList},
}

// oddLists are at the edges of the format; some are well-formed.
var oddLists = []string{
	"+1", "01", "0-01", "+0-+2", "-1", "1-", "-", "--", "+", "0-0", "1-0", "0,0", "1,0", "0-2,2", "0,1,2",
	"0, 1", " 0", "0 ", "0,", ",0", ",", "1_0", "0x1", "1e0", "1.0", "a", "0-1-2", "0--1", "+-1", "++1", "\u0661",
	"2147483647", "2147483648", "0-2147483648", "9223372036854775807", "9223372036854775808",
	"99999999999999999999999", "0-99999999999999999999999", "00000000000000000000000001",
}

// risingList returns a well-formed list of some of the indexes below completions.
func risingList(g *Gen, completions int32) string {
	set := make([]bool, min(completions, window))
	for i := range set {
		set[i] = g.in(2)
	}
	return listIndexes(set)
}

// garble edits a list at one place.
func garble(g *Gen, list string) string {
	i := g.rand.IntN(len(list) + 1)
	inserted := oneOf(g, "", "0", "1", "9", ",", "-", "+", " ", "-3", ",,", "5,")
	rest := list[i:]
	if rest != "" && g.in(2) {
		rest = rest[1:]
	}
	return list[:i] + inserted + rest
}

// hugeList has a fragment for every other index, of a few hundred.
func hugeList(g *Gen, _ int32) string {
	var b strings.Builder
	step := 2 + g.rand.IntN(3)
	for i := range 100 + g.rand.IntN(400) {
		fmt.Fprintf(&b, "%d,", i*step)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func (g *Gen) indexList(spec *batchv1.JobSpec) string {
	return pick(g, indexLists)(g, ptr.Deref(spec.Completions, 3))
}

func setCompletedIndexes(g *Gen, spec *batchv1.JobSpec, s *batchv1.JobStatus) {
	s.CompletedIndexes = g.indexList(spec)
}

func setFailedIndexes(g *Gen, spec *batchv1.JobSpec, s *batchv1.JobStatus) {
	if s.FailedIndexes != nil && g.in(4) {
		s.FailedIndexes = nil
		return
	}
	s.FailedIndexes = ptr.To(g.indexList(spec))
}

// overlapIndexes puts indexes into both lists.
func overlapIndexes(g *Gen, spec *batchv1.JobSpec, s *batchv1.JobStatus) {
	s.FailedIndexes = ptr.To(risingList(g, ptr.Deref(spec.Completions, 3)))
	if g.in(2) {
		s.CompletedIndexes = risingList(g, ptr.Deref(spec.Completions, 3))
	}
}
