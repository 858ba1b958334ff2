// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/internal/oracle/options"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/statusvalidate"
)

var numPairs = flag.Int("pairs", 10_000, "how many updates of a status each API server is asked about")

// updates are changes of a status, in memory and as questions.
type updates struct {
	changes []statusvalidate.Change
	lines   [][]byte
}

// TestStatus compares Validate and Allows: the number of errors, their order, and of each the type, the
// field, the bad value and the option that it is due to.
func TestStatus(t *testing.T) {
	g := jobgen.New(*seed)
	generate := func(n int) (u updates) {
		for i := range n {
			stored, written := g.Change()
			u.changes = append(u.changes, statusvalidate.Change{Old: stored, New: written})
			u.lines = append(u.lines, line(slim(stored, i), slim(written, i), `,"rules":true`))
		}
		return u
	}
	servers := stream(t, *numPairs, generate, func(s *server, u updates) {
		v := statusvalidate.For(s.APIServer())
		for i, answer := range s.answers(u.lines) {
			vs := v.Validate(u.changes[i])
			for _, violation := range vs {
				s.counts[string(violation.Rule)]++
			}
			if d := difference(answer.Errors, vs); d != "" {
				s.fault("%s\n%s", d, u.lines[i])
			}
			if v.Allows(u.changes[i]) != (len(answer.Errors) == 0) {
				s.fault("Allows is wrong\n%s", u.lines[i])
			}
		}
	})
	for _, s := range servers {
		everyRule(t, s)
	}
}

// everyRule wants each rule that the API server has to be broken by one update in a thousand.
func everyRule(t *testing.T, s *server) {
	var rare []string
	for _, info := range statusvalidate.Rules() {
		n, holds := s.counts[string(info.Rule)], info.HoldsIn(s.APIServer())
		if holds && n*1000 < s.asked || !holds && n > 0 {
			rare = append(rare, fmt.Sprintf("%s: %d", info.Rule, n))
		}
	}
	if len(rare) > 0 {
		t.Errorf("%v: broken too rarely in %d updates: %s", s.Config, s.asked, strings.Join(rare, ", "))
	}
}

// difference says how the errors of a server and the violations differ; it is empty if they do not.
func difference(servers []wire.Error, ours statusvalidate.Violations) string {
	for i := range max(len(servers), len(ours)) {
		switch {
		case i >= len(servers):
			return fmt.Sprintf("only we have %v", ours[i])
		case i >= len(ours):
			return "only the server has " + show(servers[i])
		}
		if !same(servers[i], ours[i]) {
			return fmt.Sprintf("error %d: the server has %s, we have %v with value %v", i, show(servers[i]), ours[i], ours[i].Err.BadValue)
		}
	}
	return ""
}

func same(server wire.Error, ours *statusvalidate.Violation) bool {
	value, err := json.Marshal(ours.Err.BadValue)
	return err == nil && server.Type == string(ours.Err.Type) && server.Field == ours.Err.Field &&
		server.Option == options.Of(ours.Rule) && sameJSON(server.BadValue, value)
}
