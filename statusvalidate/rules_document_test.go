// SPDX-License-Identifier: Apache-2.0

package statusvalidate_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/statusvalidate"
)

//go:generate go test -run ^TestRulesDocument$ -update .

// TestRulesDocument holds docs/RULES.md to the two tables. go generate writes it anew.
func TestRulesDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What an API server checks when the status of a Job is written\n\n" +
		"Generated from `statusvalidate.Rules()` and `statusvalidate.LintRules()` by `go generate ./statusvalidate`; do not edit.\n\n" +
		"Have a 422? `go run ./examples/statuslint -error -` takes the `Status` object in JSON or the message, as kubectl prints it or a log has it, and\n" +
		"says which rule it is and what to do.\n\n" +
		"The rules are in the order in which the API server reports them. They hold for every Job, with `spec.managedBy` or without. *Looked at* is what\n" +
		"an update must change to be refused for it: a Job that is already like that can still be updated in other respects. *Always* is every write to the\n" +
		"status, one that changes something else too. All rules read the spec that is stored, times are compared as whole seconds, and a Job *has* a condition if any entry of that type is True. Match errors by the rule, not by\n" +
		"their text, which changes from release to release.\n\n")
	writeRuleTable(t, &b)
	writeFieldTable(t, &b)
	b.WriteString("\n## Rule by rule\n")
	for _, info := range statusvalidate.Rules() {
		writeRule(t, &b, info)
	}
	writeLintTable(&b)
	compareGolden(t, filepath.Join("..", "docs", "RULES.md"), b.String())
}

// era is a run of releases that have the same rules.
type era struct {
	first, last string
	has         []bool // by rule
}

func eras(t *testing.T, names []string) (all []era) {
	for _, name := range names {
		var has []bool
		for _, info := range statusvalidate.Rules() {
			has = append(has, info.HoldsIn(release(t, name)))
		}
		if n := len(all); n > 0 && slices.Equal(all[n-1].has, has) {
			all[n-1].last = name
			continue
		}
		all = append(all, era{name, name, has})
	}
	return all
}

// title is the column's: "1.31–1.34".
func (e era) title() string {
	first, last := minor(e.first), minor(e.last)
	if first == last {
		return first
	}
	return first + "–" + last
}

func minor(name string) string { return strings.Join(strings.SplitN(name, ".", 3)[:2], ".") }

func writeRuleTable(t *testing.T, b *strings.Builder) {
	off, on := eras(t, gateOff), eras(t, gateOn)
	head := []string{"rule", "what must be so", "looked at"}
	for i, e := range off {
		title := e.title() + ", off"
		if i == 0 {
			title = "to " + e.title()
		}
		head = append(head, title)
	}
	for i, e := range on {
		title := e.title() + ", on"
		if i == len(on)-1 {
			title = "from " + minor(e.first) + ", on"
		}
		head = append(head, title)
	}
	columns := append(off, on...)
	b.WriteString("*On* and *off* is the JobManagedBy gate of the API server: off by default in 1.30 and 1.31, on by default from 1.32, locked on from 1.35.\n" +
		"A rule with a star was relaxed, or its error changed, within a range; [its paragraph](#rule-by-rule) says where. *Before 1.32.7,\n" +
		"1.33.3, 1.34* means in each branch up to the patch release that has the change.\n\n")
	writeRow(b, head...)
	b.WriteString(strings.Repeat("|---", 3) + strings.Repeat("|:-:", len(columns)) + "|\n")
	counts := make([]int, len(columns))
	for i, info := range statusvalidate.Rules() {
		row := []string{linkTo(info.Rule), info.Summary, info.LookedAt}
		for j, e := range columns {
			if !e.has[i] {
				row = append(row, "")
				continue
			}
			counts[j]++
			row = append(row, "●"+strings.Repeat("\\*", min(len(info.Versions)-1, 1)))
		}
		writeRow(b, row...)
	}
	row := []string{"*rules*", "", ""}
	for _, n := range counts {
		row = append(row, fmt.Sprint(n))
	}
	writeRow(b, row...)
}

func writeRow(b *strings.Builder, cells ...string) {
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(cell, "|", "\\|")
	}
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func linkTo(rule statusvalidate.Rule) string {
	return fmt.Sprintf("[%s](#%s)", rule, strings.ToLower(string(rule)))
}

// errorsOf returns the field of the errors that the cases of a rule get for it, and their types in words.
func errorsOf(t *testing.T, info statusvalidate.RuleInfo) (path, types string) {
	t.Helper()
	before := ""
	for _, name := range gateOn {
		var fields, now []string
		for _, c := range casesOf(t, info.Rule) {
			for _, violation := range statusvalidate.For(release(t, name)).Validate(c.change()) {
				if violation.Rule == info.Rule {
					field, _, _ := strings.Cut(violation.Err.Field, "[")
					fields, now = append(fields, field), append(now, violation.Err.Type.String())
				}
			}
		}
		slices.Sort(fields)
		slices.Sort(now)
		switch said := strings.Join(slices.Compact(now), " or "); {
		case len(now) == 0 || said == before:
		case len(slices.Compact(fields)) != 1 || path != "" && path != fields[0]:
			t.Errorf("%s: its cases are answered with errors for more than one field", info.Rule)
		case before == "":
			path, types, before = fields[0], said, said
		default:
			types, before = types+", from "+minor(name)+" "+said, said
		}
	}
	return path, types
}

// writeFieldTable is for those who have the 422 and look for the rule.
func writeFieldTable(t *testing.T, b *strings.Builder) {
	var order []string
	rules := map[string][]string{}
	for _, info := range statusvalidate.Rules() {
		path, _ := errorsOf(t, info)
		if rules[path] == nil {
			order = append(order, path)
		}
		rules[path] = append(rules[path], linkTo(info.Rule))
	}
	b.WriteString("\n## By the field of the error\n\n| field | rules |\n|---|---|\n")
	for _, path := range order {
		writeRow(b, "`"+path+"`", strings.Join(rules[path], ", "))
	}
}

// versionTexts say what differs between the versions of a rule, by their releases.
// TestVersionTexts holds them to the validators.
var versionTexts = map[statusvalidate.Rule]map[string]string{
	statusvalidate.FinishedWithoutStartTime: {
		"from 1.30, before 1.32.7, 1.33.3, 1.34": "every finished Job needs a startTime",
		"1.32.7, 1.33.3, 1.34 and later":         "a suspended Job with zero completions may finish without one",
	},
	statusvalidate.StartTimeChangedWhileRunning: {
		"from 1.30, before 1.32.10, 1.33.6, 1.34.2, 1.35": "startTime may change while spec.suspend is true, and not on resuming; the error is Required value",
		"from 1.32.10, 1.33.6, 1.34.2, 1.35, before 1.36": "also in the update that turns Suspended from True to an explicit False; the error is Required value",
		"1.36 and later": "the same as before; the error is Invalid value",
	},
}

func writeRule(t *testing.T, b *strings.Builder, info statusvalidate.RuleInfo) {
	path, types := errorsOf(t, info)
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n- Looked at: %s\n", info.Rule, info.Summary, info.LookedAt)
	gate := ""
	if info.Strict {
		gate = ", with the gate on"
	}
	if len(info.Versions) == 1 {
		fmt.Fprintf(b, "- Releases: %s%s\n", info.Versions[0].Releases, gate)
	} else {
		fmt.Fprintf(b, "- Releases%s, in %d versions, each at least as strict as the next:\n", gate, len(info.Versions))
		for _, v := range info.Versions {
			said := versionTexts[info.Rule][v.Releases]
			if said == "" {
				t.Errorf("%s: nothing says what differs in its version %q", info.Rule, v.Releases)
			}
			fmt.Fprintf(b, "  - %s: %s\n", v.Releases, said)
		}
		if n := len(versionTexts[info.Rule]); n != len(info.Versions) {
			t.Errorf("%s: there are texts for %d versions of %d", info.Rule, n, len(info.Versions))
		}
	}
	fmt.Fprintf(b, "- Error: `%s`, %s\n", path, types)
	fmt.Fprintf(b, "- What to do: %s\n- [Cases](../statusvalidate/testdata/cases/%s.yaml)\n", info.Remedy, info.Rule)
}

func writeLintTable(b *strings.Builder) {
	b.WriteString("\n## What is let pass, and clients trip over\n\n`Validator.Lint` warns of these.\n\n" +
		"| id | what should be so | who trips over it | what to do |\n|---|---|---|---|\n")
	for _, info := range statusvalidate.LintRules() {
		if info.RefusedBy == "" {
			writeRow(b, "`"+string(info.Rule)+"`", info.Summary, info.Harm, info.Remedy)
		}
	}
	b.WriteString("\nIt also warns of what breaks these rules, on releases that do not have them:\n\n| id | who trips over it |\n|---|---|\n")
	for _, info := range statusvalidate.LintRules() {
		if info.RefusedBy != "" {
			writeRow(b, linkTo(info.RefusedBy), info.Harm)
		}
	}
}

// TestVersionTexts holds what the page says of the versions of a rule to the validators.
func TestVersionTexts(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC))
	later := metav1.NewTime(at.Add(time.Hour))
	suspended := func(status corev1.ConditionStatus) []batchv1.JobCondition {
		return []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: status}}
	}
	finished := batchv1.JobStatus{CompletionTime: &at, Conditions: []batchv1.JobCondition{
		{Type: batchv1.JobSuccessCriteriaMet, Status: corev1.ConditionTrue}, {Type: batchv1.JobComplete, Status: corev1.ConditionTrue},
	}}
	empty := batchv1.JobSpec{Suspend: ptr.To(true), Completions: ptr.To[int32](0)}
	restarted := batchv1.JobStatus{StartTime: &later}
	resumed := batchv1.JobStatus{StartTime: &later, Conditions: suspended(corev1.ConditionFalse)}
	resuming := batchv1.JobStatus{StartTime: &at, Conditions: suspended(corev1.ConditionTrue)}
	const required, invalid = field.ErrorTypeRequired, field.ErrorTypeInvalid
	tests := []struct {
		name     string
		spec     batchv1.JobSpec
		old, new batchv1.JobStatus
		want     map[string]field.ErrorType
	}{
		{"no startTime, of zero completions", empty, batchv1.JobStatus{}, finished,
			map[string]field.ErrorType{"1.32.6": required, "1.33.2": required, "1.32.7": "", "1.33.3": "", "1.34.0": "", "1.37.2": ""}},
		{"no startTime, of zero completions, not suspended", batchv1.JobSpec{Completions: ptr.To[int32](0)}, batchv1.JobStatus{}, finished,
			map[string]field.ErrorType{"1.32.6": required, "1.37.2": required}},
		{"changed", batchv1.JobSpec{}, batchv1.JobStatus{StartTime: &at}, restarted,
			map[string]field.ErrorType{"1.32.9": required, "1.34.2": required, "1.35.4": required, "1.36.0": invalid, "1.37.2": invalid}},
		{"changed while suspended", batchv1.JobSpec{Suspend: ptr.To(true)}, batchv1.JobStatus{StartTime: &at}, restarted,
			map[string]field.ErrorType{"1.32.9": "", "1.34.2": "", "1.36.0": ""}},
		{"changed on resuming", batchv1.JobSpec{}, resuming, resumed,
			map[string]field.ErrorType{"1.32.9": required, "1.33.5": required, "1.34.1": required, "1.32.10": "", "1.33.6": "", "1.34.2": "", "1.35.0": "", "1.36.0": ""}},
		{"changed on resuming, without an explicit False", batchv1.JobSpec{}, resuming, restarted,
			map[string]field.ErrorType{"1.35.0": required, "1.36.0": invalid}},
	}
	for _, tt := range tests {
		for name, want := range tt.want {
			var got field.ErrorType
			change := statusvalidate.Change{Old: &batchv1.Job{Spec: tt.spec, Status: tt.old}, New: &batchv1.Job{Spec: tt.spec, Status: tt.new}}
			for _, v := range statusvalidate.For(release(t, name)).Validate(change) {
				if v.Err.Field == "status.startTime" {
					got = v.Err.Type
				}
			}
			if got != want {
				t.Errorf("%s, %s: %q, want %q", tt.name, name, got, want)
			}
		}
	}
}
