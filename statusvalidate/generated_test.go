// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"testing"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// seed is that of every generated test here; change it to see others.
const seed = 1

// generate calls check with that many generated updates.
func generate(t *testing.T, updates int, check func(i int, c statusvalidate.Change)) {
	t.Helper()
	t.Logf("seed %d", seed)
	g := jobgen.New(seed)
	for i := range updates {
		var c statusvalidate.Change
		c.Old, c.New = g.Change()
		check(i, c)
	}
}

// tally counts what one release says of generated updates.
type tally struct {
	name     string
	broken   map[statusvalidate.Rule]int
	accepted int
}

// TestGeneratorReachesEveryRule keeps the generated tests honest: on every release, each rule that
// it has must be broken at least once in a thousand updates, and some updates must be accepted.
func TestGeneratorReachesEveryRule(t *testing.T) {
	const updates = 50_000
	var tallies []tally
	var validators []statusvalidate.Validator
	for _, name := range []string{"1.30.0+gate", "1.31.0+gate", "1.32.0", "1.35.0", "1.36.0"} {
		tallies = append(tallies, tally{name: name, broken: map[statusvalidate.Rule]int{}})
		validators = append(validators, statusvalidate.For(release(t, name)))
	}
	generate(t, updates, func(_ int, c statusvalidate.Change) {
		for i, v := range validators {
			vs := v.Validate(c)
			if len(vs) == 0 {
				tallies[i].accepted++
			}
			for rule := range rulesIn(vs) {
				tallies[i].broken[rule]++
			}
		}
	})
	for _, tally := range tallies {
		for _, info := range statusvalidate.Rules() {
			if n := tally.broken[info.Rule]; info.HoldsIn(release(t, tally.name)) && n < updates/1000 {
				t.Errorf("%s: %d of %d updates break %s", tally.name, n, updates, info.Rule)
			}
		}
		if tally.accepted < updates/10 {
			t.Errorf("%s: %d of %d updates are accepted", tally.name, tally.accepted, updates)
		}
	}
}

func rulesIn(vs statusvalidate.Violations) map[statusvalidate.Rule]bool {
	rules := map[statusvalidate.Rule]bool{}
	for _, v := range vs {
		rules[v.Rule] = true
	}
	return rules
}
