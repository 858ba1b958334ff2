// SPDX-License-Identifier: Apache-2.0

// Package diff_test compares what the library says with what API servers say, live.
package diff_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/internal/oracle/ask"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// forEachConfig asks every configuration the same.
func forEachConfig(t *testing.T, requests []wire.Request, check func(*testing.T, ask.Config, []wire.Response)) {
	t.Helper()
	configs, err := ask.Configs()
	if err != nil || len(configs) == 0 {
		t.Fatalf("no release to ask (%v)", err)
	}
	lines, err := ask.Lines(requests)
	if err != nil {
		t.Fatal(err)
	}
	for _, config := range configs {
		t.Run(config.String(), func(t *testing.T) {
			answers, err := ask.For(t, config).AskLines(lines)
			if err != nil {
				t.Fatal(err)
			}
			check(t, config, answers)
		})
	}
}

func compare(t *testing.T, what string, ours field.ErrorList, servers []wire.Error) {
	t.Helper()
	want, err := ask.Errors(ours)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(ask.WithoutDetails(servers), want); d != "" {
		t.Errorf("%q (-server +ours):\n%s", what, d)
	}
}
