// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/internal/clitest"
	"github.com/managedby-dev/managedby/internal/jobfile"
)

// Every way in which the same Job can be written gives the same answer.
func TestGoodInput(t *testing.T) {
	local, remote := manifest(t, "running-local"), manifest(t, "running-remote")
	asJSON := toJSONText(t, remote)
	other := toJSONText(t, manifest(t, "finished-remote"))
	untyped := strings.Replace(strings.Replace(asJSON, `"apiVersion":"batch/v1",`, "", 1), `"kind":"Job",`, "", 1)
	clitest.Files(t, map[string]string{"local.yaml": local})
	want := runWith(t, remote, "-local", "local.yaml", "-remote", "-", "-o", "json")
	if want.code != exitDone {
		t.Fatal(want.stderr)
	}
	tests := []struct{ name, remote, document string }{
		{"CRLF", strings.ReplaceAll(remote, "\n", "\r\n"), "document 1"},
		{"no newline at the end", strings.TrimSuffix(remote, "\n"), "document 1"},
		{"byte order mark", "\ufeff" + remote, "document 1"},
		{"byte order mark, JSON", "\ufeff" + asJSON, "document 1"},
		{"UTF-16, little endian", toUTF16(remote, binary.LittleEndian), "document 1"},
		{"UTF-16, big endian", toUTF16(remote, binary.BigEndian), "document 1"},
		{"separators around", "---\n" + remote + "---\n", "document 1"},
		{"second document", manifest(t, "finished-remote") + "---\n" + remote, "document 2"},
		{"comments before", "# of worker 3\n---\n# a Job\n" + remote, "document 1"},
		{"JSON", asJSON, "document 1"},
		{"byte order mark, JSON, one after the other", "\ufeff" + other + asJSON, "document 2"},
		{"JSON, one after the other", other + "\n" + asJSON, "document 2"},
		{"JSON and YAML", other + "\n---\n" + remote, "document 2"},
		{"YAML in braces", "{apiVersion: v1, kind: List, items: [" + asJSON + "]}", "document 1: items[0]"},
		{"List", `{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[` + other + "," + asJSON + "]}", "document 1: items[1]"},
		{"JobList", `{"apiVersion":"batch/v1","kind":"JobList","items":[` + asJSON + "]}", "document 1: items[0]"},
		{"JobList without kinds", `{"apiVersion":"batch/v1","kind":"JobList","items":[` + untyped + "]}", "document 1: items[0]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := runWith(t, tt.remote, "-local", "local.yaml", "-remote", "-", "-o", "json")
			want := edit(t, want.stdout, "standard input: document 1", "standard input: "+tt.document)
			if got.code != exitDone || got.stdout != want || got.stderr != "" {
				t.Errorf("exit %d, stderr %s, stdout\n%s", got.code, got.stderr, got.stdout)
			}
		})
	}
}

// A field that is newer than this program, or misspelt, is named and passed over.
func TestUnknownFields(t *testing.T) {
	local, remote := manifest(t, "running-local"), manifest(t, "running-remote")
	clitest.Files(t, map[string]string{
		"local.yaml":  edit(t, local, "spec:\n  backoffLimit: ", "spec:\n  futureField: {a: 1}\n  backoffLimit: "),
		"remote.yaml": edit(t, remote, "  succeeded: 5", "  succeded: 5"),
	})
	got := runWith(t, "", "-local", "local.yaml", "-remote", "remote.yaml")
	want := "walkthrough: warning: local.yaml: document 1: spec.futureField: this program does not know the field and passes over it\n" +
		"walkthrough: warning: remote.yaml: document 1: status.succeded: this program does not know the field and passes over it\n"
	if got.code != exitDone || got.stderr != want {
		t.Errorf("exit %d, stderr:\n%swant:\n%s", got.code, got.stderr, want)
	}
}

// Jobs are matched by namespace and name, in the order of the local ones. Local ones without a partner
// are named.
func TestMatch(t *testing.T) {
	job := func(name string) string {
		return "apiVersion: batch/v1\nkind: Job\nmetadata: {namespace: team, name: " + name + "}\n---\n"
	}
	clitest.Files(t, map[string]string{
		"local.yaml":  job("a") + job("b") + job("c") + job("d") + job("e") + job("f") + job("g") + job("h"),
		"remote.yaml": job("z") + job("h") + job("b"),
	})
	got := runWith(t, "", "-local", "local.yaml", "-remote", "remote.yaml", "-o", "json")
	want := "walkthrough: warning: local.yaml: not in remote.yaml, and passed over: team/a, team/c, team/d, team/e, team/f, and 1 more\n"
	if got.code != exitDone || got.stderr != want {
		t.Errorf("exit %d, stderr:\n%swant:\n%s", got.code, got.stderr, want)
	}
	var r struct {
		Pairs []struct{ Name, About string }
	}
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Pairs) != 2 || r.Pairs[0].Name != "b" || r.Pairs[1].About != "local.yaml: document 8; remote.yaml: document 2" {
		t.Errorf("got %+v", r.Pairs)
	}
}

// What is no Job is counted and passed over, as long as there is a Job.
func TestOtherKindsArePassedOver(t *testing.T) {
	remote := manifest(t, "running-remote") + "---\napiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}, {apiVersion: v1, kind: Pod}]\n"
	clitest.Files(t, map[string]string{"local.yaml": manifest(t, "running-local"), "remote.yaml": remote})
	got := runWith(t, "", "-local", "local.yaml", "-remote", "remote.yaml")
	want := "walkthrough: warning: remote.yaml: no Jobs, and passed over: 2 Pod of v1\n"
	if got.code != exitDone || got.stderr != want {
		t.Errorf("exit %d, stderr:\n%swant:\n%s", got.code, got.stderr, want)
	}
}

// A release that is newer than those known is taken for the newest, and that is said.
func TestNewerRelease(t *testing.T) {
	got, known := runWith(t, "", "-release", "1.38.1"), runWith(t, "", "-release", "1.37.2")
	want := "walkthrough: warning: -release 1.38.1: 1.37 is the newest release that is known; it is taken to be like that\n"
	if got.code != exitDone || got.stderr != want || strings.ReplaceAll(got.stdout, "1.38.1", "1.37.2") != known.stdout {
		t.Errorf("exit %d, stderr:\n%swant:\n%s", got.code, got.stderr, want)
	}
}

// Nothing is said of a release that was not asked.
func TestOnlyReleasesThatWereAsked(t *testing.T) {
	for _, tt := range []struct {
		release string
		hazard  bool
	}{{"1.37", false}, {"1.32.13,1.36.3", false}, {"1.30", true}, {"1.31.14,1.37", true}} {
		got := runWith(t, "", "-release", tt.release)
		if strings.Contains(got.stdout, "HAZARD") != tt.hazard || got.code != exitDone {
			t.Errorf("%s: exit %d, a hazard is wanted: %v\n%s", tt.release, got.code, tt.hazard, got.stdout)
		}
	}
}

// Without -origin and -controller, the Jobs say whose they are.
func TestDefaultsComeFromTheJobs(t *testing.T) {
	local, remote := manifest(t, "running-local"), manifest(t, "running-remote")
	const multikueue = "kueue.x-k8s.io/multikueue"
	clitest.Files(t, map[string]string{"multikueue.yaml": edit(t, local, "managedBy: acme.io/dispatcher", "managedBy: "+multikueue),
		"builtin.yaml": edit(t, local, "  managedBy: acme.io/dispatcher\n", "")})
	tests := []struct{ local, controller, origin, identity, outcome string }{
		{"multikueue.yaml", multikueue, exampleOrigin, string(notChecked), "Copied"},
		{"builtin.yaml", exampleController, "mgmt-eu-west-1", "Ours", "NotManaged"},
	}
	for _, tt := range tests {
		got := runWith(t, remote, "-local", tt.local, "-remote", "-", "-o", "json", "-release", "1.35.4")
		for _, want := range []string{`"controller": "` + tt.controller, `"origin": "` + tt.origin, `"identity": "` + tt.identity, `"outcome": "` + tt.outcome} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s: no %s in\n%s", tt.local, want, got.stdout)
			}
		}
	}
}

func toJSONText(t *testing.T, yamlText string) string {
	t.Helper()
	docs, err := jobfile.Split("test", []byte(yamlText))
	if err != nil {
		t.Fatal(err)
	}
	return string(docs[0].JSON)
}

func treeFromJSON(t *testing.T, data []byte) cli.Tree {
	t.Helper()
	var value cli.Tree
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func toUTF16(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + s)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}
