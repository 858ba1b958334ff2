// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// TestHoldsIn pins, by hand, in which releases the rules hold that are not simply strict from 1.30
// on. + means that the rule holds.
func TestHoldsIn(t *testing.T) {
	tests := []struct {
		rule statusvalidate.Rule
		want string
	}{
		{statusvalidate.NegativeActive, "+1.20.0 +1.29.14 +1.30.14 +1.34.4-gate +1.37.2 +1.39.0"},
		{statusvalidate.UncountedFailedMalformed, "+1.29.14 +1.30.14 +1.37.2"},
		{statusvalidate.CompleteAndFailed, "-1.29.14 -1.29.14+gate -1.30.14 +1.30.0+gate -1.31.14 +1.31.14+gate +1.32.0 -1.32.13-gate +1.34.4 -1.34.4-gate +1.35.0-gate +1.38.0-gate"},
		{statusvalidate.FailedWithoutFailureTarget, "-1.30.14 -1.30.14+gate -1.31.14 +1.31.0+gate +1.32.0 -1.33.0-gate +1.38.0"},
		{statusvalidate.CompleteWithoutSuccessCriteriaMet, "-1.30.14+gate +1.31.0+gate +1.32.0"},
		{statusvalidate.FinishedWithTerminatingPods, "-1.30.14+gate +1.31.0+gate +1.32.0"},
		{statusvalidate.MoreReadyThanActive, "-1.30.14+gate +1.31.0+gate +1.32.0"},
		{statusvalidate.SuccessCriteriaMetOnNonIndexed, "-1.29.14 +1.30.0 +1.30.14+gate -1.31.0 -1.31.14+gate -1.34.4-gate -1.37.2"},
		{statusvalidate.SuccessCriteriaMetWithoutSuccessPolicy, "-1.29.14 +1.30.0 +1.30.14+gate -1.31.0 -1.31.14+gate -1.34.4-gate -1.37.2"},
		{statusvalidate.SuccessCriteriaMetAndFailed, "-1.29.14 +1.30.0 +1.31.14 +1.34.4-gate +1.37.2"},
		{statusvalidate.SuccessPolicyCompleteWithoutSuccessCriteriaMet, "-1.29.14 +1.30.0 +1.37.2"},
		{statusvalidate.SuccessCriteriaMetTakenBack, "-1.29.14 +1.30.0 +1.34.4-gate +1.37.2"},
		{statusvalidate.SuccessCriteriaMetAfterComplete, "-1.29.14 +1.30.0 +1.34.4-gate +1.37.2"},
		{statusvalidate.StartTimeChangedWhileRunning, "-1.30.14 +1.30.0+gate +1.32.9 +1.32.10 +1.35.4 +1.36.0 +1.37.2"},
	}
	for _, tt := range tests {
		for _, mark := range strings.Fields(tt.want) {
			name, want := mark[1:], mark[0] == '+'
			if got := infoOf(t, tt.rule).HoldsIn(release(t, name)); got != want {
				t.Errorf("%s in %s: %v, want %v", tt.rule, name, got, want)
			}
		}
	}
}

// TestBackportedFixes pins, by hand, the patch releases in which an update came to be accepted.
func TestBackportedFixes(t *testing.T) {
	tests := []struct {
		rule statusvalidate.Rule
		name string // of the case
		want string // + means accepted
	}{{
		statusvalidate.StartTimeChangedWhileRunning, "the Job resumes",
		"+1.31.14 -1.30.14+gate -1.31.14+gate -1.32.0 -1.32.9 +1.32.10 +1.32.13 -1.33.0 -1.33.5 +1.33.6 -1.34.0 -1.34.1 +1.34.2 +1.35.0 +1.36.0 +1.38.0",
	}, {
		statusvalidate.StartTimeChangedWhileRunning, "the Job resumes, and Suspended is dropped",
		"+1.31.14 -1.31.14+gate -1.32.9 -1.32.10 -1.34.2 -1.35.0 -1.36.0 -1.37.2",
	}, {
		statusvalidate.FinishedWithoutStartTime, "a suspended Job of zero completions",
		"+1.31.14 -1.31.14+gate -1.32.0 -1.32.6 +1.32.7 +1.32.13 -1.33.0 -1.33.2 +1.33.3 +1.34.0 +1.35.0",
	}, {
		statusvalidate.FinishedWithoutStartTime, "a running Job of zero completions",
		"+1.31.14 -1.32.6 -1.32.7 -1.33.3 -1.34.0 -1.37.2",
	}}
	for _, tt := range tests {
		for _, mark := range strings.Fields(tt.want) {
			v := statusvalidate.For(release(t, mark[1:]))
			if got, want := v.Allows(caseNamed(t, tt.rule, tt.name)), mark[0] == '+'; got != want {
				t.Errorf("%s, %s in %s: accepted = %v, want %v", tt.rule, tt.name, mark[1:], got, want)
			}
		}
	}
}

func infoOf(t *testing.T, rule statusvalidate.Rule) statusvalidate.RuleInfo {
	t.Helper()
	for _, info := range statusvalidate.Rules() {
		if info.Rule == rule {
			return info
		}
	}
	t.Fatalf("Rules does not have %s", rule)
	return statusvalidate.RuleInfo{}
}

func caseNamed(t *testing.T, rule statusvalidate.Rule, name string) statusvalidate.Change {
	t.Helper()
	for _, c := range casesOf(t, rule) {
		if c.Name == name {
			return c.change()
		}
	}
	t.Fatalf("%s has no case %q", rule, name)
	return statusvalidate.Change{}
}

// TestEmulation pins that an emulated version sets the gate, and the binary's the rules.
func TestEmulation(t *testing.T) {
	emulating := release(t, "1.37.2")
	emulating.Emulation = release(t, "1.34").Version
	emulating.Gate = ptr.To(false)
	if statusvalidate.For(emulating) != statusvalidate.For(release(t, "1.34.4-gate")) {
		t.Error("1.37 emulating 1.34 with the gate off should have the rules of 1.34 with the gate off")
	}
	emulating.Gate = nil
	if statusvalidate.For(emulating) != statusvalidate.For(release(t, "1.37.2")) {
		t.Error("1.37 emulating 1.34 should have the rules of 1.37")
	}
}

// TestRulesNamesReleases pins what people read.
func TestRulesNamesReleases(t *testing.T) {
	want := map[statusvalidate.Rule][]string{
		statusvalidate.NegativeActive:                 {"all"},
		statusvalidate.CompleteAndFailed:              {"1.30 and later"},
		statusvalidate.SuccessCriteriaMetOnNonIndexed: {"from 1.30, before 1.31"},
		statusvalidate.FinishedWithoutStartTime:       {"from 1.30, before 1.32.7, 1.33.3, 1.34", "1.32.7, 1.33.3, 1.34 and later"},
		statusvalidate.StartTimeChangedWhileRunning: {
			"from 1.30, before 1.32.10, 1.33.6, 1.34.2, 1.35", "from 1.32.10, 1.33.6, 1.34.2, 1.35, before 1.36", "1.36 and later",
		},
	}
	for rule, releases := range want {
		var got []string
		for _, v := range infoOf(t, rule).Versions {
			got = append(got, v.Releases)
		}
		if diff := cmp.Diff(releases, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", rule, diff)
		}
	}
}

// TestRulesIsACopy pins that a caller may do with the result what it likes.
func TestRulesIsACopy(t *testing.T) {
	before := statusvalidate.Rules()[0].String()
	changed := statusvalidate.Rules()
	changed[0].Summary, changed[0].Versions[0].Releases = "changed", "changed"
	if after := statusvalidate.Rules()[0].String(); after != before {
		t.Errorf("Rules gives out its own memory: %s", after)
	}
}

// TestNewestRelease pins what the zero Validator and unknown releases stand for.
func TestNewestRelease(t *testing.T) {
	var zero statusvalidate.Validator
	for name, v := range map[string]statusvalidate.Validator{
		"For(Newest())":              statusvalidate.For(jobmanagedby.Newest()),
		"For of the zero Release":    statusvalidate.For(jobmanagedby.Release{}),
		"For of a later release":     statusvalidate.For(release(t, "1.99.0")),
		"ForAll(Newest())":           statusvalidate.ForAll(jobmanagedby.Newest()),
		"For of a later pre-release": statusvalidate.For(release(t, "1.39.0-alpha.1")),
	} {
		if v != zero {
			t.Errorf("%s is not the zero Validator", name)
		}
	}
	if statusvalidate.For(release(t, "1.31.14")) == zero {
		t.Error("1.31 has the rules of the newest release")
	}
}
