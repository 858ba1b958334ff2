// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/managedby-dev/managedby/internal/model"
	"github.com/managedby-dev/managedby/mirror"
)

var (
	states    = flag.Int("states", 0, "visit at most so many states of each world (default: as the tests say)")
	depth     = flag.Int("depth", 0, "and none further than so many steps from the start")
	incidents = flag.Int("incidents", 0, "let so many incidents happen in all (default: as the tests say)")
)

// shortStates is what -short makes of every bound.
const shortStates = 10_000

func limits(most int) model.Limits {
	switch {
	case *states > 0:
		most = *states
	case testing.Short():
		most = shortStates
	}
	return model.Limits{States: most, Depth: *depth}
}

// anyOf is a budget of so many incidents, whatever they are, but for failovers.
func anyOf(n uint8) model.Budget {
	if *incidents > 0 {
		n = uint8(*incidents)
	}
	return model.Budget{
		Total: n, Suspends: n, Scales: n, Deletes: n, Recreates: n, Moves: n, Losses: n, Expiries: n, Strangers: n, Outages: n, Failures: n,
	}
}

func withFailover(b model.Budget) model.Budget {
	b.Failovers = 1
	return b
}

// search fails the test if something is wrong in a world, or, unless a flag says so, if the search did not
// come to its end.
func search(t *testing.T, c model.Config, most int) model.Result {
	t.Helper()
	r, err := model.Search(c, limits(most))
	if err != nil {
		t.Fatal(err)
	}
	t.Log(r)
	if r.Violation != "" {
		t.Errorf("%s, after %d steps:\n%s", r.Violation, r.Length, r.Trace)
	}
	if whole := most == 0 && *states == 0 && *depth == 0 && !testing.Short(); whole && !r.Exhausted {
		t.Error("the search did not come to its end")
	}
	return r
}

// TestOneIncident visits everything that can follow from one incident, with every policy and worker, and sees
// the controller in every situation that this world has.
func TestOneIncident(t *testing.T) {
	t.Parallel()
	seen := map[mirror.Outcome]bool{}
	for i := range 16 {
		c := model.Config{Workers: 1, HoldMirror: i&1 > 0, ExclusiveOrigin: i&2 > 0, FailWhenLost: i&4 > 0, OldWorker: i&8 > 0, Budget: anyOf(1)}
		t.Run(fmt.Sprintf("hold=%v/exclusive=%v/fail=%v/old=%v", c.HoldMirror, c.ExclusiveOrigin, c.FailWhenLost, c.OldWorker), func(t *testing.T) {
			maps.Copy(seen, search(t, c, 0).Outcomes)
		})
	}
	for _, o := range mirror.Outcomes() {
		if want := !slices.Contains(outside, o); seen[o] != want && !testing.Short() && *states == 0 && *depth == 0 {
			t.Errorf("%s: seen %v, want %v", o, seen[o], want)
		}
	}
}

// outside are the outcomes for which there is no occasion with one worker and one incident.
var outside = []mirror.Outcome{
	mirror.Invalid, mirror.NotManaged, mirror.Incomplete, mirror.Malformed, mirror.Abandoned, mirror.BadRecord, mirror.Refused, mirror.Elsewhere,
	mirror.Evicted, mirror.Resuming, mirror.Orphan, mirror.CleanupPending,
}

// TestOneIncidentTwoWorkers does the same where the Job may move.
func TestOneIncidentTwoWorkers(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		c := model.Config{Workers: 2, HoldMirror: i&1 > 0, ExclusiveOrigin: i&1 == 0, OldWorker: i&2 > 0, Budget: anyOf(1)}
		t.Run(fmt.Sprintf("hold=%v/exclusive=%v/old=%v", c.HoldMirror, c.ExclusiveOrigin, c.OldWorker), func(t *testing.T) {
			search(t, c, 0)
		})
	}
}

// TestFailover lets a second instance with older caches take over at any moment: more than a million states.
func TestFailover(t *testing.T) {
	t.Parallel()
	search(t, model.Config{Workers: 1, HoldMirror: true, ExclusiveOrigin: true, Budget: withFailover(anyOf(1))}, 0)
}

// TestPairs visits everything that can follow from two incidents of these kinds.
func TestPairs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		config model.Config
	}{
		{"the mirror disappears, and a standby takes over", model.Config{Workers: 1, Budget: model.Budget{Losses: 1, Failovers: 1}}},
		{"the mirror disappears, and the Job is not wanted", model.Config{Workers: 1, Budget: model.Budget{Losses: 1, Moves: 1}}},
		{"a held mirror is deleted twice", model.Config{Workers: 1, HoldMirror: true, Budget: model.Budget{Losses: 2}}},
		{"a held mirror is evicted, and deleted in the background", model.Config{Workers: 2, HoldMirror: true, Budget: model.Budget{Losses: 1, Moves: 1}}},
		{"the mirror disappears, and the Job fails", model.Config{Workers: 1, HoldMirror: true, Budget: model.Budget{Losses: 1, Failures: 1}}},
		{"the Job is moved away and back", model.Config{Workers: 1, HoldMirror: true, Budget: model.Budget{Moves: 2}}},
		{"the Job fails, and is moved", model.Config{Workers: 2, Budget: model.Budget{Moves: 1, Failures: 1}}},
		{"the Job is suspended and resumed", model.Config{Workers: 1, Budget: model.Budget{Suspends: 2}}},
		{"the Job is deleted and created again", model.Config{Workers: 1, HoldMirror: true, ExclusiveOrigin: true, Budget: model.Budget{Deletes: 1, Recreates: 1}}},
		{"the Job is deleted while somebody has the name", model.Config{Workers: 1, Budget: model.Budget{Deletes: 1, Strangers: 1}}},
		{"the Job is moved while the worker does not answer", model.Config{Workers: 2, Budget: model.Budget{Moves: 1, Outages: 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) { search(t, tt.config, 0) })
	}
}

// TestForged lets somebody on the worker forge the identity of the mirror.
func TestForged(t *testing.T) {
	t.Parallel()
	search(t, model.Config{Workers: 1, Forged: true, Budget: model.Budget{Strangers: 1, Losses: 1, Moves: 1}}, 0)
}

// TestTwoIncidents goes as far as the bound allows.
func TestTwoIncidents(t *testing.T) {
	t.Parallel()
	for i := range 2 {
		c := model.Config{Workers: 1, HoldMirror: i == 1, ExclusiveOrigin: i == 0, Budget: anyOf(2)}
		t.Run(fmt.Sprintf("hold=%v/exclusive=%v", c.HoldMirror, c.ExclusiveOrigin), func(t *testing.T) {
			search(t, c, 300_000)
		})
	}
}
