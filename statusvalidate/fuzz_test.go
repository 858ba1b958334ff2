// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// FuzzValidate checks the doc comments with any two Jobs that decode: no panic, the same answer
// twice, the same after a round trip, Allows agrees, the Jobs are left alone, and an update that is
// repeated breaks only what is always looked at.
func FuzzValidate(f *testing.F) {
	g := jobgen.New(seed)
	for range 50 {
		old, changed := g.Change()
		f.Add(encode(f, old), encode(f, changed))
	}
	f.Add([]byte(`{}`), []byte(`{"status":{"startTime":"0001-01-01T00:00:00Z","failedIndexes":"-"}}`))
	always := map[statusvalidate.Rule]bool{}
	for _, info := range statusvalidate.Rules() {
		always[info.Rule] = info.LookedAt == "always"
	}
	f.Fuzz(func(t *testing.T, old, changed []byte) {
		c := statusvalidate.Change{Old: &batchv1.Job{}, New: &batchv1.Job{}}
		if json.Unmarshal(old, c.Old) != nil || json.Unmarshal(changed, c.New) != nil {
			return
		}
		before := []*batchv1.Job{c.Old.DeepCopy(), c.New.DeepCopy()}
		repeated := statusvalidate.Change{Old: c.Old.DeepCopy(), New: c.New}
		repeated.Old.Status = c.New.Status
		for name, v := range someValidators(t) {
			vs := v.Validate(c)
			if diff := cmp.Diff(describe(t, vs), describe(t, v.Validate(c))); diff != "" {
				t.Errorf("%s: two calls differ:\n%s", name, diff)
			}
			if sent, ok := sendable(c); ok {
				if diff := cmp.Diff(describe(t, v.Validate(sent)), describe(t, vs)); diff != "" {
					t.Errorf("%s (-after a round trip +in memory):\n%s", name, diff)
				}
			}
			if v.Allows(c) != (len(vs) == 0) {
				t.Errorf("%s: Allows = %v, violations %v", name, v.Allows(c), vs.Err())
			}
			for _, violation := range v.Validate(repeated) {
				if !always[violation.Rule] {
					t.Errorf("%s: nothing changes, and %v", name, violation)
				}
			}
		}
		statusvalidate.ValidateMetadata(c)
		if diff := cmp.Diff(before, []*batchv1.Job{c.Old, c.New}); diff != "" {
			t.Errorf("the Jobs have changed (-before +after):\n%s", diff)
		}
	})
}

func encode(t testing.TB, job *batchv1.Job) []byte {
	t.Helper()
	encoded, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// sendable returns what arrives at the API server; not everything that decodes can be encoded.
func sendable(c statusvalidate.Change) (sent statusvalidate.Change, ok bool) {
	old, err := json.Marshal(c.Old)
	if err != nil {
		return sent, false
	}
	changed, err := json.Marshal(c.New)
	if err != nil {
		return sent, false
	}
	return sent, json.Unmarshal(old, &sent.Old) == nil && json.Unmarshal(changed, &sent.New) == nil
}

// FuzzIndexes compares the rules about index lists with a plain reading of the format.
func FuzzIndexes(f *testing.F) {
	for _, list := range []string{
		"", "0", "0-2,4", "1,1", "0-0", "2-1", "1,0", "+1", "01", "-1", "1-", "0,", ",", "x,2", "9,2", "1-2-3", "+", "++1",
		"9223372036854775807", "9223372036854775808", "000000000000000000000000000002", "2147483647-2147483648", "5,2", "\xff", "1 ", ",2", "-,2", "x", "2,", "1-x,2",
	} {
		f.Add(list, "2", int32(5))
		f.Add("1,3-4", list, int32(9))
		f.Add(list, list, int32(0))
		f.Add(list, "0-2147483646", int32(1<<31-1))
	}
	f.Fuzz(func(t *testing.T, completed, failed string, completions int32) {
		for _, list := range []string{completed, failed} {
			got, want := statusvalidate.IndexesWellFormed(list, completions), plainlyWellFormed(list, completions)
			if got != want {
				t.Errorf("%q of %d completions: well-formed = %v, want %v", list, completions, got, want)
			}
		}
		index, got := statusvalidate.Overlap(completed, failed, completions)
		c, f := intervals(completed, completions), intervals(failed, completions)
		if want := walkedInto(c, f); got != want {
			t.Errorf("%q and %q of %d completions: overlap = %v, want %v", completed, failed, completions, got, want)
		}
		has := func(s span) bool { return s.first <= index && index <= s.last }
		if got && !(slices.ContainsFunc(c, has) && slices.ContainsFunc(f, has)) {
			t.Errorf("%q and %q do not both have %d", completed, failed, index)
		}
		rising := plainlyWellFormed(completed, completions) && plainlyWellFormed(failed, completions)
		if rising && got != anyInBoth(c, f) {
			t.Errorf("%q and %q: overlap = %v, and comparing each with each says otherwise", completed, failed, got)
		}
	})
}

// span is a fragment of an index list.
type span struct{ first, last int64 }

// parseSpan reads a fragment with the standard library.
func parseSpan(fragment string, completions int32) (span, bool) {
	var limits []int64
	for _, text := range strings.Split(fragment, "-") {
		n, err := strconv.Atoi(text)
		if err != nil || n >= int(completions) {
			return span{}, false
		}
		limits = append(limits, int64(n))
	}
	switch {
	case len(limits) == 1:
		return span{limits[0], limits[0]}, true
	case len(limits) == 2 && limits[0] < limits[1]:
		return span{limits[0], limits[1]}, true
	}
	return span{}, false
}

func intervals(list string, completions int32) (spans []span) {
	for _, fragment := range strings.Split(list, ",") {
		if s, ok := parseSpan(fragment, completions); ok {
			spans = append(spans, s)
		}
	}
	return spans
}

func plainlyWellFormed(list string, completions int32) bool {
	if list == "" {
		return true
	}
	spans := intervals(list, completions)
	for i := 1; i < len(spans); i++ {
		if spans[i].first <= spans[i-1].last {
			return false
		}
	}
	return len(spans) == strings.Count(list, ",")+1
}

// walkedInto is how the API server looks for an overlap: it drops the fragment that starts first.
func walkedInto(completed, failed []span) bool {
	for len(completed) > 0 && len(failed) > 0 {
		c, f := completed[0], failed[0]
		switch {
		case c.first <= f.last && f.first <= c.last:
			return true
		case c.first <= f.first:
			completed = completed[1:]
		default:
			failed = failed[1:]
		}
	}
	return false
}

func anyInBoth(completed, failed []span) bool {
	for _, c := range completed {
		for _, f := range failed {
			if c.first <= f.last && f.first <= c.last {
				return true
			}
		}
	}
	return false
}
