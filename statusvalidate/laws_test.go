// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// TestLaws checks what the doc comments promise for every update, over generated ones.
func TestLaws(t *testing.T) {
	validators := someValidators(t)
	generate(t, 3_000, func(i int, c statusvalidate.Change) {
		old, changed := c.Old.DeepCopy(), c.New.DeepCopy()
		for name, v := range validators {
			vs := v.Validate(c)
			if v.Allows(c) != (len(vs) == 0) || (vs == nil) != (len(vs) == 0) {
				t.Fatalf("update %d, %s: Allows = %v, violations %#v", i, name, v.Allows(c), vs)
			}
			if diff := cmp.Diff(rulesOf(vs), v.Broken(c)); diff != "" {
				t.Fatalf("update %d, %s (-Validate +Broken):\n%s", i, name, diff)
			}
			if diff := cmp.Diff(describe(t, vs), describe(t, v.Validate(c))); diff != "" {
				t.Fatalf("update %d, %s: two calls differ:\n%s", i, name, diff)
			}
			for _, violation := range vs {
				scribble(t, reflect.ValueOf(violation.Err.BadValue))
			}
		}
		for _, err := range statusvalidate.ValidateMetadata(c) {
			scribble(t, reflect.ValueOf(err.BadValue))
		}
		if diff := cmp.Diff([]*batchv1.Job{old, changed}, []*batchv1.Job{c.Old, c.New}); diff != "" {
			t.Fatalf("update %d: the Jobs have changed, or share memory with the result (-before +after):\n%s", i, diff)
		}
	})
}

// rulesOf returns the rules of the violations, each once, in their order.
func rulesOf(vs statusvalidate.Violations) (rules []statusvalidate.Rule) {
	for _, v := range vs {
		rules = append(rules, v.Rule)
	}
	return slices.Compact(rules)
}

// scribble writes into everything that can be reached through v.
func scribble(t *testing.T, v reflect.Value) {
	t.Helper()
	switch {
	case !v.IsValid():
	case v.Kind() == reflect.Pointer && !v.IsNil():
		scribble(t, v.Elem())
		v.Elem().SetZero()
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			scribble(t, v.Field(i))
		}
	case v.Kind() == reflect.Slice && v.CanInterface():
		for i := range v.Len() {
			scribble(t, v.Index(i))
			v.Index(i).SetZero()
		}
	case v.Kind() == reflect.Map:
		t.Errorf("a bad value has a map in it, which this test does not write to: %v", v)
	}
}

// TestChangingNothing is the law of the ratchet: an update that changes nothing breaks those rules
// only that are always looked at.
func TestChangingNothing(t *testing.T) {
	validators := someValidators(t)
	always := map[statusvalidate.Rule]bool{}
	for _, info := range statusvalidate.Rules() {
		always[info.Rule] = info.LookedAt == "always"
	}
	generate(t, 3_000, func(i int, c statusvalidate.Change) {
		c.Old.Status = c.New.Status
		for name, v := range validators {
			for _, violation := range v.Validate(c) {
				if !always[violation.Rule] {
					t.Fatalf("update %d, %s: nothing changes, and %v", i, name, violation)
				}
			}
		}
	})
}

// TestShared runs under the race detector: everything can be called at once.
func TestShared(t *testing.T) {
	c := threeErrors()
	var wait sync.WaitGroup
	for range 4 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			if v := statusvalidate.ForAll(); v.Allows(c) || len(v.Validate(c)) != 3 {
				t.Error("wrong verdict")
			}
			statusvalidate.ValidateMetadata(c)
			statusvalidate.Rules()
		}()
	}
	wait.Wait()
}

// TestNilJobPanics pins the one misuse that panics.
func TestNilJobPanics(t *testing.T) {
	calls := map[string]func(statusvalidate.Change){
		"Allows":           func(c statusvalidate.Change) { newest.Allows(c) },
		"Broken":           func(c statusvalidate.Change) { newest.Broken(c) },
		"Validate":         func(c statusvalidate.Change) { newest.Validate(c) },
		"ValidateMetadata": func(c statusvalidate.Change) { statusvalidate.ValidateMetadata(c) },
	}
	for name, call := range calls {
		for _, c := range []statusvalidate.Change{{}, {Old: &batchv1.Job{}}, {New: &batchv1.Job{}}} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s(%v) does not panic", name, c)
					}
				}()
				call(c)
			}()
		}
	}
}
