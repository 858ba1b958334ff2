// SPDX-License-Identifier: Apache-2.0

package jobmanagedby_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

var updateKinds = flag.Bool("update-kinds", false, "rewrite KINDS.md")

// TestKindsDocument holds KINDS.md to the table. go generate writes it anew.
func TestKindsDocument(t *testing.T) {
	text := kindsDocument()
	if *updateKinds {
		if err := os.WriteFile("KINDS.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile("KINDS.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(data), text); diff != "" {
		t.Errorf("KINDS.md is stale; run go generate ./jobmanagedby (-file +table):\n%s", diff)
	}
}

func kindsDocument() string {
	var b strings.Builder
	b.WriteString("# Kinds that can name their controller\n\nGenerated from `jobmanagedby.Kinds()` by `go generate ./jobmanagedby`; do not edit.\n\n## The field\n\n")
	table(&b, []string{"kind", "field", "the operator's own name", "other names", "refused by", "changes refused", "field since", "honoured since"}, func(k jobmanagedby.Kind) []string {
		return []string{versioned(k), code(k.Field), code(k.Reserved), otherNames(k), who(k.Checked), changes(k), k.Since, orWord(k.HonoredSince, "never")}
	})
	b.WriteString("\nReleases are those of the operator; for Job and CronJob of Kubernetes.\n\n## The rest of the object\n\n" +
		"The result is that of the first rule that holds, from left to right. Its paths begin at `status`.\n\n")
	table(&b, []string{"kind", "suspended", "result", "the field again inside"}, func(k jobmanagedby.Kind) []string {
		return []string{versioned(k), suspends(k), result(k), nested(k)}
	})
	b.WriteString("\n## What to look out for\n\n" + everyKind)
	for _, k := range jobmanagedby.Kinds() {
		for _, h := range k.Hazards() {
			b.WriteString("- " + versioned(k) + ": " + h.Summary + " (" + code(string(h.Hazard)) + ").\n")
		}
		if k.Note != "" {
			b.WriteString("- " + versioned(k) + ": " + k.Note + ".\n")
		}
	}
	b.WriteString("\n## Kinds without the field\n\n| kind | why |\n|---|---|\n")
	for _, k := range jobmanagedby.Kinds() {
		if k.NoField != "" {
			b.WriteString("| " + versioned(k) + " | " + k.NoField + " |\n")
		}
	}
	b.WriteString("\n## Sources\n\n")
	for _, k := range jobmanagedby.Kinds() {
		if k.NoField == "" {
			b.WriteString("- " + versioned(k) + ": " + k.Source + "\n")
		}
	}
	return b.String()
}

// everyKind is what no row says.
const everyKind = "- A kind whose other names are \"only\" one cannot be given to a controller of a name of your own. You can answer to that name where no MultiKueue does. " +
	"Set all of `Policy.Keys` to a domain of your own then: the default ones are in the domain of the name.\n" +
	"- An operator does not look at an object of another controller, so nobody deletes that when its time to live is over. `BuildObject` leaves it out of the mirror.\n" +
	"- `mirror.Planner.DecideObject` says the next step for all of them; there is [an example](../mirror/example_object_test.go).\n"

func table(b *strings.Builder, head []string, row func(jobmanagedby.Kind) []string) {
	b.WriteString("| " + strings.Join(head, " | ") + " |\n|" + strings.Repeat("---|", len(head)) + "\n")
	for _, k := range jobmanagedby.Kinds() {
		if k.NoField == "" {
			b.WriteString("| " + strings.Join(row(k), " | ") + " |\n")
		}
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func orWord(s, word string) string {
	if s == "" {
		return word
	}
	return s
}

// versioned is the kind with its group, and versions where two kinds have the same name.
func versioned(k jobmanagedby.Kind) string {
	name := k.Kind + " (" + orWord(k.Group, "core")
	for _, v := range k.Versions {
		name += " " + v
	}
	return name + ")"
}

func otherNames(k jobmanagedby.Kind) string {
	switch {
	case len(k.Allowed) > 0 && k.Checked == jobmanagedby.CheckedByNobody:
		return code(strings.Join(k.Allowed, "`, `")) + " by the documentation, any by the operator"
	case len(k.Allowed) > 0:
		return "only " + code(strings.Join(k.Allowed, "`, `"))
	case k.Form == jobmanagedby.FormDomainPath:
		return "any like `acme.io/dispatcher`, to 63 bytes"
	}
	return "any string"
}

func who(c jobmanagedby.Checked) string {
	return map[jobmanagedby.Checked]string{
		jobmanagedby.CheckedByNobody: "nobody", jobmanagedby.CheckedByAPIServer: "kube-apiserver",
		jobmanagedby.CheckedByCRD: "the CRD", jobmanagedby.CheckedByWebhook: "the operator's webhook",
	}[c]
}

func changes(k jobmanagedby.Kind) string {
	text := map[jobmanagedby.Change]string{
		jobmanagedby.ChangeNever: "all", jobmanagedby.ChangeValueNever: "of the value, not setting and removing",
		jobmanagedby.ChangeUnchecked: "none, though documented", jobmanagedby.ChangeAllowed: "none, by design",
	}[k.Change]
	if k.Defaulted {
		text += "; not set means the own name"
	}
	return text
}

func suspends(k jobmanagedby.Kind) string {
	return code(k.Suspend.Path + ": " + orWord(k.Suspend.Value, "true"))
}

func result(k jobmanagedby.Kind) string {
	var rules []string
	for _, rule := range k.Finish {
		var tests []string
		for _, test := range rule.If {
			tests = append(tests, testText(test))
		}
		rules = append(rules, string(rule.Result)+": "+strings.Join(tests, " and "))
	}
	return orWord(strings.Join(rules, "; "), "never")
}

func testText(t jobmanagedby.Test) string {
	path := code(strings.TrimPrefix(t.Path, "status."))
	switch {
	case t.Not && t.Is == "":
		return path + " not set"
	case t.Not:
		return path + " not " + t.Is
	case t.Is == "":
		return path + " set"
	}
	return path + " is " + t.Is
}

func nested(k jobmanagedby.Kind) string {
	var places []string
	for _, path := range k.Nested {
		places = append(places, code(path))
	}
	for _, path := range k.Embedded {
		places = append(places, "in each object at "+code(path))
	}
	return strings.Join(places, ", ")
}
