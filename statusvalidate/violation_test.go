// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/statusvalidate"
)

func TestErrorsAs(t *testing.T) {
	vs := newest.Validate(threeErrors())
	for name, err := range map[string]error{
		"Err":         vs.Err(),
		"wrapped Err": fmt.Errorf("writing the status: %w", vs.Err()),
		"a violation": vs[0],
	} {
		var violation *statusvalidate.Violation
		if !errors.As(err, &violation) || violation != vs[0] {
			t.Errorf("%s: errors.As does not find the first violation", name)
		}
		var fieldError *field.Error
		if !errors.As(err, &fieldError) || fieldError != vs[0].Err {
			t.Errorf("%s: errors.As does not find the first field error", name)
		}
	}
	for _, v := range vs {
		if !errors.Is(vs.Err(), v) || !strings.Contains(vs.Err().Error(), string(v.Rule)) {
			t.Errorf("Err does not have %v in it", v)
		}
	}
	var fieldError *field.Error
	if err := vs.ErrorList().ToAggregate(); errors.As(err, &fieldError) {
		t.Error("errors.As sees through ToAggregate now: Err can be simpler, and its comment has to change")
	}
}

func TestNoViolations(t *testing.T) {
	vs := newest.Validate(typical())
	if vs != nil || vs.Err() != nil || vs.ErrorList() != nil || vs.Has(statusvalidate.NegativeActive) {
		t.Errorf("an accepted update: %#v, %v, %#v", vs, vs.Err(), vs.ErrorList())
	}
	if err := (statusvalidate.Violations{}).Err(); err != nil {
		t.Errorf("no violations make an error: %v", err)
	}
}

func TestErrorList(t *testing.T) {
	vs := newest.Validate(threeErrors())
	list := vs.ErrorList()
	if len(list) != len(vs) {
		t.Fatalf("%d errors for %d violations", len(list), len(vs))
	}
	for i, v := range vs {
		if list[i] != v.Err {
			t.Errorf("error %d is %v, want %v", i, list[i], v.Err)
		}
	}
}

func TestHas(t *testing.T) {
	vs := newest.Validate(threeErrors())
	for _, rule := range []statusvalidate.Rule{
		statusvalidate.FailedDecreased, statusvalidate.MoreReadyThanActive, statusvalidate.StartTimeChangedWhileRunning,
	} {
		if !vs.Has(rule) {
			t.Errorf("%v does not have %s", vs, rule)
		}
	}
	if vs.Has(statusvalidate.NegativeActive) || vs.Has("") {
		t.Errorf("%v has a rule that is not broken", vs)
	}
}

// TestViolationsSayWhatToDo walks the cases of every rule: each error has a detail and a remedy.
func TestViolationsSayWhatToDo(t *testing.T) {
	strict := statusvalidate.ForAll(release(t, "1.30.0+gate"), release(t, "1.32.0"))
	for _, info := range statusvalidate.Rules() {
		for _, c := range casesOf(t, info.Rule) {
			for _, v := range strict.Validate(c.change()) {
				if v.Rule == "" || v.Remedy() != infoOf(t, v.Rule).Remedy {
					t.Errorf("%s, %s: the remedy is %q", v.Rule, c.Name, v.Remedy())
				}
				if v.Err.Detail == "" && v.Err.Type != field.ErrorTypeDuplicate {
					t.Errorf("%s, %s: the error has no detail: %v", v.Rule, c.Name, v)
				}
			}
		}
	}
	if remedy := (&statusvalidate.Violation{Rule: "NoSuchRule"}).Remedy(); remedy != "" {
		t.Errorf("a rule of somebody else has a remedy: %q", remedy)
	}
}

// TestIndexFaults pins that the detail names the fragment, and cuts a long one short.
func TestIndexFaults(t *testing.T) {
	tests := []struct{ list, want string }{
		{"0,x,1", `"x" is neither an index nor an interval`},
		{"0,1-2-3,9", `"1-2-3" is neither an index nor an interval`},
		{"0,10000", `"10000" is not below spec.completions`},
		{"1-999", `"1-999" is not below spec.completions`},
		{"5-4", `"5-4" is an interval whose end is not above its start`},
		{"5,4", `"4" does not start above the end of the fragment before it`},
		{"", ""},
		{strings.Repeat("7", 40), `"` + strings.Repeat("7", 40) + `" is not below`},
		{strings.Repeat("7", 1000), `"` + strings.Repeat("7", 40) + `..." is not below`},
	}
	for _, tt := range tests {
		c := fragments(100) // completions are 201
		c.New.Status.CompletedIndexes = tt.list
		vs := newest.Validate(c)
		if tt.want == "" {
			if vs.Has(statusvalidate.CompletedIndexesMalformed) {
				t.Errorf("%q: %v", tt.list, vs.Err())
			}
			continue
		}
		if len(vs) == 0 || !strings.Contains(vs[0].Err.Detail, tt.want) {
			t.Errorf("%.20q: %v, want a detail with %s", tt.list, vs.Err(), tt.want)
		}
	}
}
