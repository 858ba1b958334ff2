// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// checkLint holds Lint and ValidateStatus to their comments.
func checkLint(t *testing.T, name string, v statusvalidate.Validator, job *batchv1.Job) {
	t.Helper()
	before := job.DeepCopy()
	findings, violations := v.Lint(job), v.ValidateStatus(job)
	if (findings == nil) != (len(findings) == 0) {
		t.Fatalf("%s: no findings, and not nil", name)
	}
	if diff := cmp.Diff(findings, v.Lint(job)); diff != "" {
		t.Fatalf("%s: two calls differ:\n%s", name, diff)
	}
	lenient := statusvalidate.For(release(t, "1.29.0")).Lint(job)
	order := -1
	rules := statusvalidate.LintRules()
	for i, info := range rules {
		found := findingsOf(findings, info.Rule)
		refused := info.RefusedBy != "" && violations.Has(info.RefusedBy)
		switch {
		case refused && len(found) > 0:
			t.Fatalf("%s: %s is a finding, and a violation", name, info.Rule)
		case !refused && !cmp.Equal(found, findingsOf(lenient, info.Rule)):
			t.Fatalf("%s: %s is no violation, and where nothing is refused the findings are %v, here %v", name, info.Rule, findingsOf(lenient, info.Rule), found)
		}
		for _, f := range found {
			if at := slices.IndexFunc(findings, func(other statusvalidate.Finding) bool { return other.Rule == f.Rule }); at < order {
				t.Fatalf("%s: %s is not in the order of the table", name, f.Rule)
			} else {
				order = at
			}
			if f.Field == "" || f.Detail == "" || f.Remedy() != rules[i].Remedy {
				t.Fatalf("%s: incomplete: %+v, remedy %q", name, f, f.Remedy())
			}
		}
	}
	for _, f := range findings {
		scribble(t, reflect.ValueOf(f.Value))
	}
	for _, violation := range violations {
		scribble(t, reflect.ValueOf(violation.Err.BadValue))
	}
	if diff := cmp.Diff(before, job); diff != "" {
		t.Fatalf("%s: the Job has changed, or shares memory with the result (-before +after):\n%s", name, diff)
	}
}

func findingsOf(findings []statusvalidate.Finding, rule statusvalidate.LintRule) (list []statusvalidate.Finding) {
	for _, f := range findings {
		if f.Rule == rule {
			list = append(list, f)
		}
	}
	return list
}

// TestLintLaws checks generated statuses; each lint rule must find something in them but for those that
// no generated status has.
func TestLintLaws(t *testing.T) {
	validators := someValidators(t)
	found := map[statusvalidate.LintRule]int{}
	generate(t, 3_000, func(_ int, c statusvalidate.Change) {
		for name, v := range validators {
			checkLint(t, name, v, c.New)
		}
		for _, f := range validators["1.29.0"].Lint(c.New) {
			found[f.Rule]++
		}
	})
	rare := []statusvalidate.LintRule{
		statusvalidate.LintConditionTypeEmpty, statusvalidate.LintConditionTypeMisspelt, statusvalidate.LintIndexesNearObjectLimit,
	}
	for _, info := range statusvalidate.LintRules() {
		if found[info.Rule] == 0 && !slices.Contains(rare, info.Rule) {
			t.Errorf("%s was not found in any status", info.Rule)
		}
	}
}

// FuzzLint checks the same with any Job that decodes.
func FuzzLint(f *testing.F) {
	g := jobgen.New(seed)
	for range 20 {
		_, job := g.Change()
		f.Add(encode(f, job))
	}
	f.Add([]byte(`{"spec":{"completions":-1},"status":{"conditions":[{},{"type":"failed"}],"failedIndexes":"-","succeeded":-2147483648}}`))
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var job batchv1.Job
		if json.Unmarshal(encoded, &job) != nil {
			return
		}
		for name, v := range someValidators(t) {
			checkLint(t, name, v, &job)
		}
	})
}

// TestValidateStatusLooksAtEverything is what an empty status to compare with is good for: no rule about
// the new status is passed over because nothing has changed, and none about the step to it is broken.
func TestValidateStatusLooksAtEverything(t *testing.T) {
	validators := someValidators(t)
	steps := []statusvalidate.Rule{
		statusvalidate.FailedTakenBack, statusvalidate.CompleteTakenBack, statusvalidate.FailureTargetTakenBack,
		statusvalidate.FailedDecreased, statusvalidate.SucceededDecreased, statusvalidate.CompletionTimeChanged,
		statusvalidate.StartTimeChangedWhileRunning, statusvalidate.SuccessCriteriaMetTakenBack, statusvalidate.SuccessCriteriaMetAfterComplete,
	}
	generate(t, 3_000, func(i int, c statusvalidate.Change) {
		for name, v := range validators {
			want := statusvalidate.BrokenRegardless(v, c.New)
			if slices.ContainsFunc(want, func(r statusvalidate.Rule) bool { return slices.Contains(steps, r) }) {
				t.Fatalf("status %d, %s: a rule about a step is in %v", i, name, want)
			}
			if diff := cmp.Diff(want, rulesOf(v.ValidateStatus(c.New))); diff != "" {
				t.Fatalf("status %d, %s (-every rule +ValidateStatus):\n%s", i, name, diff)
			}
		}
	})
}

// TestWellBehavedControllersAreClean walks lives of Jobs: what a controller that behaves like the
// built-in one writes is nothing to warn about, but for what the lives have on purpose: times that are
// missing, and pods that outlive the suspension.
func TestWellBehavedControllersAreClean(t *testing.T) {
	t.Logf("seed %d", seed)
	onPurpose := []statusvalidate.LintRule{
		statusvalidate.LintTerminalWithoutTransitionTime, statusvalidate.LintConditionWithoutTransitionTime,
		statusvalidate.LintSuspendedWithoutCondition, statusvalidate.LintActiveWhileSuspended, statusvalidate.LintActiveWithoutStartTime,
	}
	g := jobgen.New(seed)
	states, clean := 0, 0
	for range 2_000 {
		_, mirrors := g.Life()
		for _, job := range mirrors {
			findings := newest.Lint(job)
			states++
			if len(findings) == 0 {
				clean++
			}
			for _, f := range findings {
				if !slices.Contains(onPurpose, f.Rule) {
					t.Errorf("%v in %s", f, encode(t, job))
				}
			}
		}
	}
	if t.Logf("%d of %d states are clean", clean, states); clean < states*4/5 {
		t.Error("most should be")
	}
}

func TestLintNilJobPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"Lint":           func() { newest.Lint(nil) },
		"ValidateStatus": func() { newest.ValidateStatus(nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s(nil) does not panic", name)
				}
			}()
			call()
		}()
	}
}

// TestLintRulesIsACopy pins that a caller may do with the result what it likes.
func TestLintRulesIsACopy(t *testing.T) {
	before := statusvalidate.LintRules()[0]
	statusvalidate.LintRules()[0].Summary = "changed"
	if diff := cmp.Diff(before, statusvalidate.LintRules()[0]); diff != "" {
		t.Errorf("LintRules gives out its own memory:\n%s", diff)
	}
	if remedy := (statusvalidate.Finding{Rule: "NoSuchRule"}).Remedy(); remedy != "" {
		t.Errorf("a rule of somebody else has a remedy: %q", remedy)
	}
}
