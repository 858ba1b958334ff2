// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"fmt"
	"math"
	"strings"
)

// An index list is "1,3-5,7": numbers and intervals, joined by commas, rising. The functions here
// read it from left to right, once, and keep nothing: a long list is no reason to allocate.
//
// They follow validateIndexesFormat, parseIndexInterval and
// validateFailedIndexesNotOverlapCompleted of pkg/apis/batch/validation (1.30 to 1.37), which take
// every number that strconv.Atoi takes, so "+1" and "01" are indexes.

// indexFault is what is wrong with a fragment of an index list.
type indexFault uint8

const (
	noFault indexFault = iota
	notAnInterval
	tooLarge
	notRising
	outOfOrder
)

// String completes a sentence about the fragment.
func (f indexFault) String() string {
	return [...]string{
		noFault:       "is well-formed",
		notAnInterval: "is neither an index nor an interval a-b",
		tooLarge:      "is not below spec.completions",
		notRising:     "is an interval whose end is not above its start",
		outOfOrder:    "does not start above the end of the fragment before it",
	}[f]
}

// interval reads the fragment of list that starts at pos. It returns the first and last index and
// the position behind the fragment, which is that of a comma or the end of the list.
func interval(list string, pos int, completions int64) (first, last int64, end int, fault indexFault) {
	first, end = number(list, pos)
	last = first
	if end < len(list) && list[end] == '-' {
		last, end = number(list, end+1)
		fault = when(last <= first, notRising)
	}
	switch {
	case first < 0 || last < 0 || end < len(list) && list[end] != ',':
		return 0, 0, behind(list, end), notAnInterval
	case last >= completions:
		fault = tooLarge
	}
	return first, last, end, fault
}

// number reads the digits of list at pos, behind a plus sign if there is one, and returns their
// value and the position behind them. The value is -1 if there is no digit, and at most tooMany.
func number(list string, pos int) (n int64, end int) {
	if pos < len(list) && list[pos] == '+' {
		pos++
	}
	for end = pos; end < len(list); end++ {
		digit := list[end] - '0'
		if digit > 9 {
			break
		}
		n = min(n*10+int64(digit), tooMany)
	}
	if end == pos {
		return -1, end
	}
	return n, end
}

// tooMany is above any number of completions. Indexes are int64 and stop there, so that none
// overflows, on a 32-bit machine neither.
const tooMany = math.MaxInt32 + 1

// behind returns the position of the first comma of list at or after pos, or its length.
func behind(list string, pos int) int {
	if i := strings.IndexByte(list[pos:], ','); i >= 0 {
		return pos + i
	}
	return len(list)
}

// checkIndexes returns the first fragment of list that is wrong, and how; no fault if none is.
func checkIndexes(list string, completions int32) (fragment string, fault indexFault) {
	previous := int64(-1)
	for pos := 0; pos <= len(list) && list != ""; {
		first, last, end, fault := interval(list, pos, int64(completions))
		if fault == noFault && first <= previous {
			fault = outOfOrder
		}
		if fault != noFault {
			return list[pos:end], fault
		}
		previous, pos = last, end+1
	}
	return "", noFault
}

func describeIndexes(list string, completions int32) string {
	fragment, fault := checkIndexes(list, completions)
	return fmt.Sprintf("the fragment %q %s", shorten(fragment), fault)
}

func shorten(s string) string {
	const enough = 40
	if len(s) <= enough {
		return s
	}
	return s[:enough] + "..."
}

// walker is a place in an index list from which only well-formed fragments are seen.
type walker struct {
	list        string
	completions int64
	pos         int // of the next fragment; from the length of the list on there is none
	first, last int64
}

// next moves to the next well-formed fragment and reports whether there is one.
func (w *walker) next() bool {
	for w.pos < len(w.list) {
		first, last, end, fault := interval(w.list, w.pos, w.completions)
		w.pos = end + 1
		if fault == noFault {
			w.first, w.last = first, last
			return true
		}
	}
	return false
}

// overlap returns an index that is in both lists. Fragments that are malformed are passed over,
// and the lists are walked in the order they are written in, rising or not, as the API server
// does, so that an overlap of lists that do not rise may go unseen here as there.
func overlap(completed, failed string, completions int32) (index int64, found bool) {
	c := walker{list: completed, completions: int64(completions)}
	f := walker{list: failed, completions: int64(completions)}
	more := c.next() && f.next()
	for more {
		switch {
		case c.first <= f.last && f.first <= c.last:
			return max(c.first, f.first), true
		case c.first <= f.first:
			more = c.next()
		default:
			more = f.next()
		}
	}
	return 0, false
}
