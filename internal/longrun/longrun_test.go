// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

var (
	seeds     = flag.Int("seeds", 0, "run so many lives (default: as many as the tests say)")
	firstSeed = flag.Uint64("seed", 0, "and begin with this one")
	show      = flag.Bool("show", false, "print the trace of every life")
)

const (
	normalSeeds = 600
	shortSeeds  = 100
	longTrace   = 150 // lines that are printed of it
	mostFailing = 5   // lives that are printed
)

// TestLives runs many lives, each of another seed, and sees that nothing goes wrong and that everything happens.
func TestLives(t *testing.T) {
	t.Parallel()
	n := *seeds
	switch {
	case n > 0:
	case testing.Short():
		n = shortSeeds
	default:
		n = normalSeeds
	}
	counts, failing := map[string]int{}, 0
	for seed := *firstSeed; seed < *firstSeed+uint64(n) && failing < mostFailing; seed++ {
		l := live(t, seed, fault{})
		for name, count := range l.counts {
			counts[name] += count
		}
		if l.violation != "" {
			failing++
		}
		report(t, seed, l)
	}
	t.Logf("seeds %d to %d\n%s", *firstSeed, *firstSeed+uint64(n)-1, table(counts))
	if n >= normalSeeds && failing == 0 {
		checkCounts(t, counts)
	}
}

// TestSameSeed sees that a seed is all that a life depends on.
func TestSameSeed(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		first, second := live(t, seed, fault{}), live(t, seed, fault{})
		if !slices.Equal(first.trace, second.trace) {
			t.Errorf("seed %d has two traces", seed)
		}
	}
}

// live runs one life to its end.
func live(t *testing.T, seed uint64, f fault) *life {
	t.Helper()
	l, err := newLife(seed, f)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	l.run()
	return l
}

func report(t *testing.T, seed uint64, l *life) {
	t.Helper()
	if l.violation == "" && !*show {
		return
	}
	trace := l.trace[max(0, len(l.trace)-longTrace):]
	text := fmt.Sprintf("seed %d: %s\n%s\n%s", seed, l.violation, l, strings.Join(trace, "\n"))
	if l.violation == "" {
		t.Log(text)
		return
	}
	t.Error(text + fmt.Sprintf("\nagain: go test ./internal/longrun -run TestLives -seeds 1 -seed %d", seed))
}

// table lists what was counted, in the order of its names.
func table(counts map[string]int) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%8d  %s\n", counts[name], name)
	}
	return b.String()
}
