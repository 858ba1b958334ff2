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

// TestEveryRowIsNoticed switches the rows of the table off, one after the other. Both the recorded
// verdicts and the cases must notice each one.
func TestEveryRowIsNoticed(t *testing.T) {
	recorded, written := recordedAnswers(t), caseAnswers(t)
	for row, name := range statusvalidate.Rows() {
		if !notices(recorded, row) {
			t.Errorf("no recorded verdict depends on row %s", name)
		}
		if !notices(written, row) {
			t.Errorf("no case depends on row %s", name)
		}
	}
}

// answer is what a release answers to an update.
type answer struct {
	apiServer statusvalidate.Validator
	change    statusvalidate.Change
	errors    [][2]string
}

func notices(answers []answer, row int) bool {
	return slices.ContainsFunc(answers, func(a answer) bool {
		without, has := a.apiServer.WithoutRow(row)
		return has && !slices.Equal(a.errors, outcome(without.Validate(a.change)))
	})
}

func recordedAnswers(t *testing.T) (all []answer) {
	pairs := readPairs(t)
	for _, c := range configs(t) {
		for i, v := range readLines[verdict](t, c.file) {
			all = append(all, answer{statusvalidate.For(c.release), pairs[i].change(), v.Errors})
		}
	}
	return all
}

// caseAnswers has what TestCases compares with the .want files.
func caseAnswers(t *testing.T) (all []answer) {
	for _, info := range statusvalidate.Rules() {
		for _, c := range casesOf(t, info.Rule) {
			for _, name := range gateOn {
				v := statusvalidate.For(release(t, name))
				all = append(all, answer{v, c.change(), outcome(v.Validate(c.change()))})
			}
		}
	}
	return all
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
