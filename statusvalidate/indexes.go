package statusvalidate

import (
	"fmt"
	"math"
	"strings"
)

// An index list is "1,3-5,7": numbers and intervals, joined by commas, rising. The functions here
// read it from left to right, once, and keep nothing: a long list is no reason to allocate.
//
// They follow validateIndexesFormat, parseIndexInterval and validateFailedIndexesNotOverlapCompleted
// of pkg/apis/batch/validation (1.30 to 1.37), which take every number that strconv.Atoi takes, so
// "+1" and "01" are indexes.

// indexFault says what is wrong with a fragment of an index list. It completes a sentence.
type indexFault string

const (
	notAnInterval indexFault = "is neither an index nor an interval a-b"
	tooLarge      indexFault = "is not below spec.completions"
	notRising     indexFault = "is an interval whose end is not above its start"
	outOfOrder    indexFault = "does not start above the end of the fragment before it"
)

// interval reads the fragment of list that starts at pos. It returns the first and last index and
// the position behind the fragment, which is that of a comma or the end of the list. Numbers are
// int64, so that no plausible index overflows, here or on a 32-bit machine.
func interval(list string, pos int, completions int64) (first, last int64, end int, fault indexFault) {
	first, end = number(list, pos)
	if end == len(list) || list[end] == ',' {
		return first, first, end, faultOf(end > pos && first >= 0, first, first, completions)
	}
	if list[end] != '-' {
		return 0, 0, behind(list, end), notAnInterval
	}
	start := end + 1
	last, end = number(list, start)
	if end < len(list) && list[end] != ',' {
		return 0, 0, behind(list, end), notAnInterval
	}
	fault = faultOf(first >= 0 && last >= 0, first, last, completions)
	if fault == "" && first >= last {
		fault = notRising
	}
	return first, last, end, fault
}

func faultOf(numbers bool, first, last, completions int64) indexFault {
	switch {
	case !numbers:
		return notAnInterval
	case first >= completions || last >= completions:
		return tooLarge
	}
	return ""
}

// number reads the digits of list at pos, behind a plus sign if there is one, and returns their
// value and the position behind them. The value is -1 if there is no digit; past the largest int64
// it stays there, which is above any number of completions.
func number(list string, pos int) (n int64, end int) {
	if pos < len(list) && list[pos] == '+' {
		pos++
	}
	for end = pos; end < len(list); end++ {
		digit := list[end] - '0'
		if digit > 9 {
			break
		}
		if n > (math.MaxInt64-9)/10 {
			n = math.MaxInt64
			continue
		}
		n = n*10 + int64(digit)
	}
	if end == pos {
		return -1, end
	}
	return n, end
}

// behind returns the position of the first comma of list at or after pos, or its length.
func behind(list string, pos int) int {
	if i := strings.IndexByte(list[pos:], ','); i >= 0 {
		return pos + i
	}
	return len(list)
}

// checkIndexes returns the first fragment of list that is wrong, and how; no fault if none is.
func checkIndexes(list string, completions int32) (fragment string, fault indexFault) {
	if list == "" {
		return "", ""
	}
	previous := int64(-1)
	for pos := 0; ; pos++ {
		first, last, end, fault := interval(list, pos, int64(completions))
		if fault == "" && first <= previous {
			fault = outOfOrder
		}
		if fault != "" {
			return list[pos:end], fault
		}
		if end == len(list) {
			return "", ""
		}
		previous, pos = last, end
	}
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
	pos         int // of the next fragment; beyond the length of the list: there is none
	first, last int64
}

// next moves to the next well-formed fragment and reports whether there is one.
func (w *walker) next() bool {
	for w.pos <= len(w.list) {
		first, last, end, fault := interval(w.list, w.pos, w.completions)
		w.pos = end + 1
		if fault == "" {
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
	if completed == "" || failed == "" {
		return 0, false
	}
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
