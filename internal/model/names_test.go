// SPDX-License-Identifier: Apache-2.0

package model

import "testing"

// TestNames: a name that is used is not given out, and a world that needs too many is at fault.
func TestNames(t *testing.T) {
	m := &Model{}
	if got := m.free(1<<1|1<<3, 4); got != 2 || m.violation != "" {
		t.Errorf("%d, %q", got, m.violation)
	}
	if m.free(1<<1|1<<2|1<<3, 3); m.violation == "" {
		t.Error("out of names, and no violation")
	}
}
