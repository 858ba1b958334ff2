// SPDX-License-Identifier: Apache-2.0

package jobspec_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/managedby-dev/managedby/internal/oracle/jobspec"
)

// A failure can be repeated: the same seed gives the same Jobs, and another one others.
func TestSeed(t *testing.T) {
	if a, b := jobs(t, 1), jobs(t, 1); a != b {
		t.Errorf("seed 1 gives\n%s\nand then\n%s", a, b)
	}
	if jobs(t, 1) == jobs(t, 2) {
		t.Error("seeds 1 and 2 give the same Jobs")
	}
}

func jobs(t *testing.T, seed uint64) string {
	t.Helper()
	g := jobspec.New(seed)
	var all strings.Builder
	for range 200 {
		job, err := json.Marshal(g.Job("acme.io/dispatcher"))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(job)
	}
	return all.String()
}
