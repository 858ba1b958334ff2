// SPDX-License-Identifier: Apache-2.0

package options_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kubernetes/pkg/apis/batch/validation"

	"github.com/managedby-dev/managedby/internal/oracle/options"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// TestEveryOptionHasARule notices an option that a new release brings, and one that it drops.
func TestEveryOptionHasARule(t *testing.T) {
	ours, theirs := map[string]bool{}, map[string]bool{}
	for _, info := range statusvalidate.Rules() {
		if option := options.Of(info.Rule); option != wire.Always {
			ours[option] = true
		}
		if strict := options.Of(info.Rule) != wire.Always; strict != info.Strict {
			t.Errorf("%s is due to %s, but Strict is %v", info.Rule, options.Of(info.Rule), info.Strict)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[validation.JobStatusValidationOptions]()) {
		theirs[f.Name] = true
	}
	if d := cmp.Diff(slices.Sorted(maps.Keys(theirs)), slices.Sorted(maps.Keys(ours))); d != "" {
		t.Errorf("options (-upstream +ours):\n%s", d)
	}
}
