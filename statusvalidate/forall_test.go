// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// TestForAllAcceptsWhatAllAccept is the law of ForAll, over generated updates and random sets of
// releases: it accepts if and only if all of them do, and reports what any of them reports, each
// rule and field once, in the order of the rules.
func TestForAllAcceptsWhatAllAccept(t *testing.T) {
	names := slices.Concat(gateOff, gateOn)
	choose := rand.New(rand.NewPCG(seed, seed))
	generate(t, 10_000, func(i int, c statusvalidate.Change) {
		var releases []jobmanagedby.Release
		for range 1 + choose.IntN(4) {
			releases = append(releases, release(t, names[choose.IntN(len(names))]))
		}
		got := statusvalidate.ForAll(releases...).Validate(c)
		want := map[string]bool{}
		for _, r := range releases {
			for _, v := range statusvalidate.For(r).Validate(c) {
				want[fmt.Sprint(v.Rule, v.Err.Field)] = true
			}
		}
		seen, place := map[string]bool{}, -1
		for _, v := range got {
			key := fmt.Sprint(v.Rule, v.Err.Field)
			if !want[key] || seen[key] {
				t.Errorf("update %d, %v: %v is reported by none of them, or twice", i, releases, v)
			}
			if at := rank(v.Rule); at < place {
				t.Errorf("update %d, %v: %s is out of order", i, releases, v.Rule)
			} else {
				place = at
			}
			seen[key] = true
		}
		if len(seen) != len(want) {
			t.Errorf("update %d, %v: %v is reported, want %v", i, releases, seen, want)
		}
	})
}

var ranks = func() map[statusvalidate.Rule]int {
	ranks := map[statusvalidate.Rule]int{}
	for i, info := range statusvalidate.Rules() {
		ranks[info.Rule] = i
	}
	return ranks
}()

// rank is the place of a rule in the order in which the API server reports.
func rank(rule statusvalidate.Rule) int { return ranks[rule] }

// TestForAllTakesTheOldestType pins what is reported where releases differ in nothing but the type
// of an error.
func TestForAllTakesTheOldestType(t *testing.T) {
	c := caseNamed(t, statusvalidate.StartTimeChangedWhileRunning, "a worker that started earlier reports late")
	oldest := statusvalidate.For(release(t, "1.35.0")).Validate(c)
	both := statusvalidate.ForAll(release(t, "1.36.0"), release(t, "1.35.0")).Validate(c)
	if len(both) != 1 || both[0].Err.Type != oldest[0].Err.Type {
		t.Errorf("1.35 and 1.36 answer %v, want the one error of 1.35, %v", both, oldest)
	}
}

// TestForAllWithoutArguments pins what it stands for: every patch of 1.32 and later.
func TestForAllWithoutArguments(t *testing.T) {
	var releases []jobmanagedby.Release
	for _, name := range gateOn {
		if r := release(t, name); r.AtLeast(1, 32, 0) {
			releases = append(releases, r)
		}
	}
	if statusvalidate.ForAll() != statusvalidate.ForAll(releases...) {
		t.Errorf("ForAll() is not ForAll of %v", releases)
	}
	last, newest := releases[len(releases)-1].Version, jobmanagedby.Newest().Version
	if last.Minor() != newest.Minor() {
		t.Errorf("the list ends with %v, not with the newest release, %v", last, newest)
	}
	if statusvalidate.ForAll() == statusvalidate.ForAll(append(releases, release(t, "1.30.14"))...) {
		t.Error("ForAll() has the rules of 1.30")
	}
}
