// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"io"
	"strings"
	"testing"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
)

// TestReleases: what cannot be built is refused with what can be, whatever was typed, and before anything is built.
func TestReleases(t *testing.T) {
	if err := cluster.CheckReleases(cluster.Newest, "1.30.14"); err != nil {
		t.Error(err)
	}
	for _, release := range []string{"", "1", "abc", "1.37", "v1.37.2", "1.99.0", "../releases/1.37.2", "1.37.2 ", "1.37.2.mod"} {
		for does, err := range map[string]error{
			"CheckReleases": cluster.CheckReleases(cluster.Newest, release),
			"Build":         cluster.Build(t.Context(), io.Discard, release, cluster.Newest),
		} {
			if err == nil || !strings.Contains(err.Error(), "of 1.30.14, ") || !strings.Contains(err.Error(), ", "+cluster.Newest+";") {
				t.Errorf("%s of %q: %v", does, release, err)
			}
		}
	}
}
