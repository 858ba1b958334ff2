// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/managedby-dev/managedby/statusvalidate"
)

var update = flag.Bool("update", false, "rewrite the .want files under testdata/cases")

// ruleCase is a document of testdata/cases/RULE.yaml: an update that breaks the rule, or one that
// looks as if it did and is let through.
type ruleCase struct {
	Name string
	Why  string // what a reader might ask
	// Refused: the newest release that has the rule finds it broken.
	Refused  bool
	Spec     batchv1.JobSpec // of both
	Old, New batchv1.JobStatus
}

func (c ruleCase) change() statusvalidate.Change {
	return statusvalidate.Change{
		Old: &batchv1.Job{Spec: c.Spec, Status: c.Old}, New: &batchv1.Job{Spec: c.Spec, Status: c.New},
	}
}

func readCases(t *testing.T, path string) (cases []ruleCase) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, document := range strings.Split(string(content), "\n---\n") {
		asJSON, err := yaml.ToJSON([]byte(document))
		if err != nil {
			t.Fatalf("%s, document %d: %v", path, i, err)
		}
		var c ruleCase
		d := json.NewDecoder(bytes.NewReader(asJSON))
		d.DisallowUnknownFields() // a misspelt field would test nothing
		if err := d.Decode(&c); err != nil || c.Name == "" {
			t.Fatalf("%s, document %d (%s): %v", path, i, c.Name, err)
		}
		cases = append(cases, c)
	}
	return cases
}

func casesOf(t *testing.T, rule statusvalidate.Rule) []ruleCase {
	return readCases(t, filepath.Join("testdata", "cases", string(rule)+".yaml"))
}

// The releases that the .want files compare, with the gate off and on, in order.
var (
	gateOff = []string{"1.29.0", "1.30.0", "1.31.0", "1.32.0-gate", "1.33.0-gate", "1.34.0-gate", "1.34.4-gate"}
	gateOn  = []string{
		"1.30.0+gate", "1.31.0+gate", "1.32.0", "1.32.6", "1.32.7", "1.32.9", "1.32.10", "1.33.0", "1.33.2", "1.33.3",
		"1.33.5", "1.33.6", "1.34.0", "1.34.1", "1.34.2", "1.35.0", "1.36.0", "1.37.0",
	}
)

// TestReleasesCoverLandings keeps the two lists complete: each release at which something begins
// or ends is there.
func TestReleasesCoverLandings(t *testing.T) {
	for _, name := range statusvalidate.Landings() {
		if !slices.Contains(gateOn, name) && !slices.Contains(gateOn, name+"+gate") && name != "1.0.0" {
			t.Errorf("%s is not among the releases that the cases are run with", name)
		}
	}
}

// TestCases runs the cases of every rule: whether each is refused as its author says, and what all
// releases answer, which is in the .want file of the rule.
//
// After a change that is meant to alter them, run
//
//	go test ./statusvalidate -run TestCases -update
//
// and commit only differences you can explain.
func TestCases(t *testing.T) {
	for _, info := range statusvalidate.Rules() {
		t.Run(string(info.Rule), func(t *testing.T) {
			var got strings.Builder
			refused, passed := 0, 0
			for _, c := range casesOf(t, info.Rule) {
				fmt.Fprintf(&got, "%s\n%s\n", c.Name, matrix(t, c.change()))
				v := statusvalidate.For(release(t, newestWith(t, info)))
				if v.Validate(c.change()).Has(info.Rule) != c.Refused {
					t.Errorf("%s: refused = %v, want %v (%s)", c.Name, !c.Refused, c.Refused, c.Why)
				}
				if c.Refused {
					refused++
				} else {
					passed++
				}
			}
			if refused == 0 || passed == 0 {
				t.Errorf("%d cases are refused and %d let through, want some of each", refused, passed)
			}
			compareGolden(t, filepath.Join("testdata", "cases", string(info.Rule)+".want"), got.String())
		})
	}
}

// TestNoOrphans keeps the directory to what is run.
func TestNoOrphans(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*")
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, info := range statusvalidate.Rules() {
		rules[string(info.Rule)+".yaml"], rules[string(info.Rule)+".want"] = true, true
	}
	for _, file := range files {
		if !rules[filepath.Base(file)] {
			t.Errorf("%s belongs to no rule", file)
		}
	}
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run with -update?)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func newestWith(t *testing.T, info statusvalidate.RuleInfo) string {
	t.Helper()
	for _, name := range slices.Backward(gateOn) {
		if info.HoldsIn(release(t, name)) {
			return name
		}
	}
	t.Fatalf("no release has %s", info.Rule)
	return ""
}

// matrix writes what each release answers: a block for each run of releases that answer the same.
func matrix(t *testing.T, c statusvalidate.Change) string {
	var b strings.Builder
	for _, names := range [][]string{gateOff, gateOn} {
		for i := 0; i < len(names); {
			first, answer := i, answerOf(t, names[i], c)
			for i < len(names) && answerOf(t, names[i], c) == answer {
				i++
			}
			fmt.Fprintf(&b, "  %s:%s\n", fromTo(names[first], names[i-1]), answer)
		}
	}
	return b.String()
}

func fromTo(first, last string) string {
	if first == last {
		return first
	}
	return first + " to " + last
}

// answerOf writes what one release answers. It does not use v.Error(): how a field.Error is put into
// words depends on the apimachinery that the tests are built with.
func answerOf(t *testing.T, name string, c statusvalidate.Change) string {
	vs := statusvalidate.For(release(t, name)).Validate(c)
	if len(vs) == 0 {
		return " ok"
	}
	var b strings.Builder
	for _, v := range vs {
		fmt.Fprintf(&b, "\n    %s: %s %s%s", v.Rule, string(v.Err.Type), v.Err.Field, badValue(t, v.Err))
	}
	return b.String()
}

// badValue is the value of an error as JSON; nothing for errors that have none to show.
func badValue(t *testing.T, err *field.Error) string {
	if err.BadValue == (field.OmitValueType{}) || err.Type == field.ErrorTypeRequired {
		return ""
	}
	value, e := json.Marshal(err.BadValue)
	if e != nil {
		t.Fatal(e)
	}
	return " " + string(value)
}
