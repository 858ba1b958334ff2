// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/managedby-dev/managedby/statusvalidate"
)

// TestRecordedVerdictsCoverEveryRule asks of the recorded verdicts that they show each rule from
// both sides, in every release: one that has it refuses updates for it and lets others through, and
// one that does not have it lets through what another release refuses for it. Which rule is behind
// a recorded error is what Validate says; TestRecordedVerdicts checks that the errors are the same.
func TestRecordedVerdictsCoverEveryRule(t *testing.T) {
	pairs, all := readPairs(t), configs(t)
	broken := make([][]map[statusvalidate.Rule]bool, len(all))
	anywhere := make([]map[statusvalidate.Rule]bool, len(pairs))
	for i, p := range pairs {
		anywhere[i] = map[statusvalidate.Rule]bool{}
		for j, c := range all {
			rules := rulesIn(statusvalidate.For(c.release).Validate(p.change()))
			broken[j] = append(broken[j], rules)
			maps.Copy(anywhere[i], rules)
		}
	}
	for _, info := range statusvalidate.Rules() {
		for j, c := range all {
			refused, passed := 0, 0
			for i := range pairs {
				switch {
				case broken[j][i][info.Rule]:
					refused++
				case anywhere[i][info.Rule] || info.HoldsIn(c.release):
					passed++
				}
			}
			if passed == 0 || (refused > 0) != info.HoldsIn(c.release) {
				t.Errorf("%s: %d pairs break %s, %d do not", c.name, refused, info.Rule, passed)
			}
		}
	}
}

// TestMutantsAreNoticed bends the table in one place after the other. The cases must notice each
// time, and the recorded verdicts too must notice a row that is switched off.
func TestMutantsAreNoticed(t *testing.T) {
	recorded, written := recordedAnswers(t), caseAnswers(t)
	for _, m := range statusvalidate.Mutants() {
		undo := m.Apply()
		noticed := notices(t, written) && (!m.SwitchedOff || notices(t, recorded))
		undo()
		if why, equivalent := equivalents[m.Name]; noticed == equivalent {
			t.Errorf("%s: noticed = %v %s", m.Name, noticed, why)
		}
	}
}

// equivalents are the mutants that say the same in other words, and why.
var equivalents = func() map[string]string {
	const (
		impliesChange = "only a change can break it"
		excludes      = "no update breaks both"
		versions      = "no release has both versions"
		startMoves    = "only a change of startTime can break it"
	)
	return map[string]string{
		"FailedTakenBack (1.30 and later) is looked at only if something changes":                 impliesChange,
		"CompleteTakenBack (1.30 and later) is looked at only if something changes":               impliesChange,
		"FailureTargetTakenBack (1.30 and later) is looked at only if something changes":          impliesChange,
		"CompletionTimeChanged (1.30 and later) is looked at only if something changes":           impliesChange,
		"SuccessCriteriaMetTakenBack (1.30 and later) is looked at only if something changes":     impliesChange,
		"SuccessCriteriaMetAfterComplete (1.30 and later) is looked at only if something changes": impliesChange,

		"CompleteAndFailureTarget (1.30 and later) is swapped with the next row":                         excludes,
		"CompletionTimeWithoutComplete (1.30 and later) is swapped with the next row":                    excludes,
		"CompleteWithoutCompletionTime (1.30 and later) is swapped with the next row":                    excludes,
		"SuccessCriteriaMetWithoutSuccessPolicy (from 1.30, before 1.31) is swapped with the next row":   excludes,
		"SuccessCriteriaMetTakenBack (1.30 and later) is swapped with the next row":                      excludes,
		"MoreReadyThanActive (1.31 and later) is swapped with the next row":                              "no release has both",
		"FinishedWithoutStartTime (from 1.30, before 1.32.7, 1.33.3, 1.34) is swapped with the next row": versions,

		"StartTimeChangedWhileRunning (from 1.30, before 1.32.10, 1.33.6, 1.34.2, 1.35) is always looked at":          startMoves,
		"StartTimeChangedWhileRunning (from 1.30, before 1.32.10, 1.33.6, 1.34.2, 1.35) is swapped with the next row": versions,
		"StartTimeChangedWhileRunning (from 1.32.10, 1.33.6, 1.34.2, 1.35, before 1.36) is always looked at":          startMoves,
		"StartTimeChangedWhileRunning (from 1.32.10, 1.33.6, 1.34.2, 1.35, before 1.36) is swapped with the next row": versions,
		"StartTimeChangedWhileRunning (1.36 and later) is always looked at":                                           startMoves,
		"StartTimeChangedWhileRunning (1.36 and later) is strict or not, the other way round":                         "the gate is locked on",
	}
}()

// answer is what a release answers to an update.
type answer struct {
	apiServer string // as release parses it
	change    statusvalidate.Change
	errors    []string
	describe  func(*statusvalidate.Violation) string
}

// notices reports whether one of the answers is not what Validate says now.
func notices(t *testing.T, answers []answer) bool {
	validators := map[string]statusvalidate.Validator{}
	return slices.ContainsFunc(answers, func(a answer) bool {
		v, made := validators[a.apiServer]
		if !made {
			v = statusvalidate.For(release(t, a.apiServer))
			validators[a.apiServer] = v
		}
		return !slices.Equal(a.errors, a.of(v.Validate(a.change)))
	})
}

func (a answer) of(vs statusvalidate.Violations) (errs []string) {
	for _, v := range vs {
		errs = append(errs, a.describe(v))
	}
	return errs
}

func recordedAnswers(t *testing.T) (all []answer) {
	pairs := readPairs(t)
	for _, c := range configs(t) {
		for i, v := range readLines[verdict](t, c.file) {
			a := answer{apiServer: c.name, change: pairs[i].change(), describe: typeAndField}
			for _, e := range v.Errors {
				a.errors = append(a.errors, e[0]+" "+e[1])
			}
			all = append(all, a)
		}
	}
	return all
}

func typeAndField(v *statusvalidate.Violation) string { return string(v.Err.Type) + " " + v.Err.Field }

// caseAnswers has what TestCases compares with the .want files.
func caseAnswers(t *testing.T) (all []answer) {
	for _, info := range statusvalidate.Rules() {
		for _, c := range casesOf(t, info.Rule) {
			for _, name := range slices.Concat(gateOff, gateOn) {
				a := answer{apiServer: name, change: c.change(), describe: ruleTypeAndField}
				a.errors = a.of(statusvalidate.For(release(t, name)).Validate(a.change))
				all = append(all, a)
			}
		}
	}
	return all
}

func ruleTypeAndField(v *statusvalidate.Violation) string {
	return string(v.Rule) + " " + typeAndField(v)
}

// TestRecordIsWhole notices a file that is lost, and one that a repository should not carry: there
// is a record of each minor release with the rules of the gate, and of each without that can be.
func TestRecordIsWhole(t *testing.T) {
	recorded := map[string]bool{}
	for _, c := range configs(t) {
		recorded[fmt.Sprint(c.release.Version.Minor(), c.release.HonorsManagedBy())] = true
	}
	for minor := 30; minor <= 37; minor++ {
		for _, gate := range []bool{false, true} {
			if !recorded[fmt.Sprint(minor, gate)] && (gate || minor < 35) {
				t.Errorf("nothing is recorded of 1.%d with the gate on = %v", minor, gate)
			}
		}
	}
	files, err := filepath.Glob("testdata/vectors/*")
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > 2<<20 {
		t.Errorf("the record has %d bytes", size)
	}
}
