// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// TestTable checks what a reader of rules.go would otherwise have to check by eye.
func TestTable(t *testing.T) {
	if len(table) > 64 {
		t.Fatalf("%d rows are too many for a rowSet", len(table))
	}
	seen := map[Rule]bool{}
	for i, r := range table {
		versionOfLast := i > 0 && table[i-1].rule == r.rule
		switch {
		case r.rule == "":
			t.Errorf("table[%d] has no rule", i)
		case seen[r.rule] && !versionOfLast:
			t.Errorf("table[%d]: the versions of %s are not next to each other", i, r.rule)
		case versionOfLast && table[i-1].when != r.when:
			t.Errorf("%s: its versions are looked at for different changes, which Rules cannot say", r.rule)
		case versionOfLast && table[i-1].held.strict != r.held.strict:
			t.Errorf("%s: only one of its versions is strict, which Rules cannot say", r.rule)
		case len(r.held.since) == 0:
			t.Errorf("%s: it is not said since when", r.rule)
		case !rising(r.held.since) || !rising(r.held.until):
			t.Errorf("%s: a landing must name one patch of each branch, in rising order: %v", r.rule, r.held)
		case r.when == 0 || r.when&anything != 0 && r.when != anything:
			t.Errorf("%s: when must be anything or some changes, not %v", r.rule, r.when)
		case r.broken == nil || r.errs == nil:
			t.Errorf("%s: a function is missing", r.rule)
		}
		seen[r.rule] = true
	}
}

func rising(l landing) bool {
	for i := 1; i < len(l); i++ {
		if l[i].minor <= l[i-1].minor {
			return false
		}
	}
	return true
}

// TestOneVersionAtATime walks every patch release there may be: each has at most one version of a
// rule, and no gap where the next version of a rule takes over.
func TestOneVersionAtATime(t *testing.T) {
	for _, r := range everyPatch(t) {
		held, rules := map[Rule]int{}, map[Rule]bool{}
		for i := range table {
			if table[i].held.in(r) {
				held[table[i].rule]++
			}
			rules[table[i].rule] = true
		}
		for rule := range rules {
			if held[rule] > 1 {
				t.Errorf("%v has %d versions of %s", r, held[rule], rule)
			}
		}
		for i := 1; i < len(table); i++ {
			rule := table[i].rule
			if rule == table[i-1].rule && r.HonorsManagedBy() && held[rule] != 1 {
				t.Errorf("%v has no version of %s", r, rule)
			}
		}
	}
}

// everyPatch returns 1.29.0 to beyond the newest release, twenty patches of each, with the gate off
// and on.
func everyPatch(t *testing.T) (all []jobmanagedby.Release) {
	t.Helper()
	for minor := uint(29); minor <= jobmanagedby.Newest().Version.Minor()+1; minor++ {
		for p := range uint(20) {
			r, err := jobmanagedby.ParseRelease(patch{minor, p}.String())
			if err != nil {
				t.Fatal(err)
			}
			for _, gate := range []bool{false, true} {
				r.Gate = &gate
				all = append(all, r)
			}
		}
	}
	return all
}

// TestStricterVersionsFirst is the invariant that ForAll rests on: of two versions of a rule, the
// one above is broken wherever the one below is.
func TestStricterVersionsFirst(t *testing.T) {
	for i := 1; i < len(table); i++ {
		above, below := table[i-1], table[i]
		if above.rule != below.rule {
			continue
		}
		for bits := range 1 << 5 {
			f := finishing(bits)
			if below.broken(f) && !above.broken(f) {
				t.Errorf("%s: version %v is broken and the one above it, %v, is not: %+v", below.rule, below.held, above.held, f)
			}
		}
	}
}

// finishing returns an update to a finished Job, which differs in what the versions of a rule
// differ in.
func finishing(bits int) facts {
	bit := func(i int) bool { return bits&(1<<i) != 0 }
	var old, changed batchv1.Job
	old.Spec.Suspend = ptr.To(bit(0))
	old.Spec.Completions = ptr.To[int32](0)
	if bit(1) {
		old.Spec.Completions = ptr.To[int32](1)
	}
	if bit(2) {
		old.Status.StartTime = ptr.To(metav1.Unix(1, 0))
	}
	if bit(3) {
		changed.Status.StartTime = ptr.To(metav1.Unix(2, 0))
	}
	changed.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	if bit(4) {
		resumed := batchv1.JobCondition{Type: batchv1.JobSuspended, Status: corev1.ConditionFalse}
		changed.Status.Conditions = append(changed.Status.Conditions, resumed)
		old.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue}}
	}
	return factsOf(Change{Old: &old, New: &changed})
}

// TestEveryRuleHasATextAndAConstant compares the table with the constants in rule.go, which cannot
// be listed otherwise, and with the texts.
func TestEveryRuleHasATextAndAConstant(t *testing.T) {
	var inTable []Rule
	for _, r := range table {
		inTable = append(inTable, r.rule)
	}
	inTable = slices.Compact(inTable)
	if constants := ruleConstants(t); !slices.Equal(constants, inTable) {
		t.Errorf("the constants are not the table's rules, in its order:\n%v\n%v", constants, inTable)
	}
	if len(textOf) != len(inTable) {
		t.Errorf("%d texts for %d rules", len(textOf), len(inTable))
	}
	summaries := map[string]Rule{}
	for _, rule := range inTable {
		text := textOf[rule]
		if text.summary == "" || text.remedy == "" {
			t.Errorf("%s has no summary or no remedy", rule)
		}
		if other, taken := summaries[text.summary]; taken {
			t.Errorf("%s and %s have the same summary", rule, other)
		}
		summaries[text.summary] = rule
	}
}

// ruleConstants returns the values of the constants of type Rule, and checks their names.
func ruleConstants(t *testing.T) (rules []Rule) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "rule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || value != spec.Names[0].Name {
			t.Errorf("constant %s has the value %q, not its name (%v)", spec.Names[0].Name, value, err)
		}
		rules = append(rules, Rule(value))
		return true
	})
	return rules
}

func TestEveryKindOfChangeHasAName(t *testing.T) {
	if len(changeNames) != kindsOfChange-1 {
		t.Errorf("%d names for %d kinds of change and anything", len(changeNames), kindsOfChange-1)
	}
	for kind, name := range changeNames {
		if got, want := changes(1<<kind).String(), name+" changes"; got != want {
			t.Errorf("change %d is %q, want %q", kind, got, want)
		}
	}
	if got := anything.String(); got != "always" {
		t.Errorf("anything is %q", got)
	}
	for kind, rows := range lookedAtFor {
		if rows == 0 {
			t.Errorf("no rule is looked at for %v", changes(1<<kind))
		}
	}
}
