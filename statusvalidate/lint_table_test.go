// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestLintTable checks what a reader would otherwise have to check by eye.
func TestLintTable(t *testing.T) {
	var inTable []LintRule
	summaries, refusing := map[string]LintRule{}, map[Rule]bool{}
	for i, r := range lintTable {
		inTable = append(inTable, r.rule)
		text := lintTextOf[r.rule]
		_, named := textOf[Rule(r.rule)]
		switch {
		case r.spots == nil:
			t.Errorf("%s: the function is missing", r.rule)
		case text.summary == "" || text.harm == "" || text.remedy == "":
			t.Errorf("%s: a text is missing: %+v", r.rule, text)
		case summaries[text.summary] != "":
			t.Errorf("%s and %s have the same summary", r.rule, summaries[text.summary])
		case named != (r.refusedBy != "") || named && Rule(r.rule) != r.refusedBy:
			t.Errorf("%s: it must be named for the rule that refuses the same, and for no other, not %q", r.rule, r.refusedBy)
		case r.refusedBy == "" && i > 0 && lintTable[i-1].refusedBy != "":
			t.Errorf("%s: what no API server refuses must come first", r.rule)
		}
		summaries[text.summary] = r.rule
		refusing[r.refusedBy] = true
	}
	if len(lintTextOf) != len(lintTable) {
		t.Errorf("%d texts for %d rules", len(lintTextOf), len(lintTable))
	}
	if constants := lintConstants(t); !slices.Equal(constants, inTable) {
		t.Errorf("the constants are not the table's rules, in its order:\n%v\n%v", constants, inTable)
	}
	leftOut := []Rule{FailedWithoutFailureTarget, CompleteWithoutSuccessCriteriaMet, FinishedWithTerminatingPods}
	for _, r := range table {
		if ofTheStatus := r.held.strict && r.when != anything; ofTheStatus && r.rule != StartTimeChangedWhileRunning && refusing[r.rule] == slices.Contains(leftOut, r.rule) {
			t.Errorf("%s: warned about where it is not enforced = %v", r.rule, refusing[r.rule])
		}
	}
}

// lintConstants returns the values of the constants of type LintRule, and checks their names.
func lintConstants(t *testing.T) (rules []LintRule) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "lintrule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil || "Lint"+value != spec.Names[0].Name {
				t.Errorf("constant %s has the value %q (%v)", spec.Names[0].Name, value, err)
			}
			rules = append(rules, LintRule(value))
		}
		return true
	})
	return rules
}
