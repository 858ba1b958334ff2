// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/managedby-dev/managedby/internal/clitest"
	"github.com/managedby-dev/managedby/internal/jobfile"
)

// Whatever is wrong, the file, the document and the field are named on standard error, and nothing is
// written to standard output.
func TestBadInput(t *testing.T) {
	local, remote := manifest(t, "running-local"), manifest(t, "running-remote")
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
	list := func(items string) string { return "apiVersion: v1\nkind: List\nitems:\n" + items }
	tests := []struct {
		name   string
		remote string // the content of remote.yaml
		want   string // what is said of it
	}{
		{"empty", "", "remote.yaml: there is no Job in it"},
		{"comments only", "# a\n---\n# b\n", "remote.yaml: there is no Job in it"},
		{"empty list", list("  []"), "remote.yaml: there is no Job in it"},
		{"binary", "\x7fELF\x02\x00\x00", "remote.yaml: it is not text: there is a zero byte at offset 5"},
		{"Latin-1", "metadata: {name: caf\xe9}", "remote.yaml: it is not text: the byte at offset 20 is not UTF-8"},
		{"not YAML", "a: b: c\n", "remote.yaml: document 1: it is not YAML: "},
		{"not YAML, second", remote + "---\na: b: c\n", "remote.yaml: document 2: it is not YAML: "},
		{"truncated JSON", `{"apiVersion": "batch/v1",`, "remote.yaml: document 1: it is neither JSON (unexpected EOF) nor YAML "},
		{"bad separator", remote + "---x\n", "remote.yaml: document 1: invalid Yaml document separator: x"},
		{"too deep", strings.Repeat("[", 20000), "remote.yaml: document 1: it is not YAML: "},
		{"a table", "NAME STATUS\npi Running\n", `remote.yaml: document 1: it is no object (kubectl prints objects with -o yaml): "NAME STATUS`},
		{"null", "null\n", "remote.yaml: document 1: it is no object (kubectl prints objects with -o yaml): null"},
		{"a list without a kind", "- " + "a\n", `remote.yaml: document 1: it is no object (kubectl prints objects with -o yaml): ["a"]`},
		{"not a Job", pod, `remote.yaml: document 1: kind: it is "Pod", and not Job, JobList or List`},
		{"comments are no documents", "# a\n---\n" + remote + "---\n# b\n---\nnull\n", "remote.yaml: document 2: it is no object"},
		{"not a Job, in a List", list("- {apiVersion: v1, kind: Pod}"), `remote.yaml: document 1: items[0].kind: it is "Pod"`},
		{"no kind", edit(t, remote, "kind: Job\n", ""), "remote.yaml: document 1: kind: it is missing"},
		{"kind is no string", edit(t, remote, "kind: Job\n", "kind: [Job]\n"), `remote.yaml: document 1: kind: it is no string: ["Job"]`},
		{"kind in another case", edit(t, remote, "kind: Job\n", "Kind: Job\n"), "remote.yaml: document 1: kind: it is missing"},
		{"no apiVersion", edit(t, remote, "apiVersion: batch/v1\n", ""), "remote.yaml: document 1: apiVersion: it is missing"},
		{"wrong apiVersion", edit(t, remote, "batch/v1\n", "batch/v1beta1\n"), `remote.yaml: document 1: apiVersion: it is "batch/v1beta1", and not batch/v1 as that of a Job`},
		{"wrong apiVersion of a List", "apiVersion: batch/v1\nkind: List\nitems: []\n", `remote.yaml: document 1: apiVersion: it is "batch/v1", and not v1 as that of a List`},
		{"List without items", "apiVersion: v1\nkind: List\n", "remote.yaml: document 1: items: it is missing or no list"},
		{"item without a kind", list("- apiVersion: batch/v1\n"), "remote.yaml: document 1: items[0].kind: it is missing"},
		{"item is null", list("- null\n"), "remote.yaml: document 1: items[0]: it is no object"},
		{"item of a List in a List", list("- {apiVersion: v1, kind: List, items: [{kind: Pod}]}"), `remote.yaml: document 1: items[0].items[0].kind: it is "Pod"`},
		{"Lists in Lists", strings.Repeat(`{"apiVersion":"v1","kind":"List","items":[`, 4000) + strings.Repeat("]}", 4000), "items: Lists are more than 8 deep in each other"},
		{"no name", edit(t, remote, "  name: nightly-thumbnails-29540760\n", ""), "remote.yaml: document 1: metadata.name: it is missing"},
		{"wrong type", edit(t, remote, "completions: 8", "completions: eight"), "remote.yaml: document 1: spec.completions: int32 is wanted, and not string"},
		{"too large", edit(t, remote, "completions: 8", "completions: 8589934592"), "remote.yaml: document 1: spec.completions: int32 is wanted, and not number 8589934592"},
		{"list for an object", edit(t, remote, "  labels:\n    acme", "  labels: [x]\n  x:\n    acme"), "remote.yaml: document 1: metadata.labels: map[string]string is wanted, and not array"},
		{"object for a list", edit(t, remote, "- args:", "  args:"), "remote.yaml: document 1: spec.template.spec.containers: []v1.Container is wanted, and not object"},
		{"label that YAML takes for a truth value", edit(t, remote, "app: thumbnails\n  name:", "a.b/c: yes\n  name:"), "remote.yaml: document 1: metadata.labels[a.b/c]: string is wanted, and not bool"},
		{"bad time", edit(t, remote, `startTime: "2026-03-02T10:00:04Z"`, "startTime: noon"), `remote.yaml: document 1: status.startTime: parsing time "noon"`},
		{"bad time in a List", list("- apiVersion: batch/v1\n  kind: Job\n  metadata: {name: x}\n  status: {conditions: [{type: A}, {lastProbeTime: noon}]}"), "remote.yaml: document 1: items[0].status.conditions[1].lastProbeTime: parsing time"},
		{"bad quantity", edit(t, remote, `cpu: "2"`, "cpu: lots"), "remote.yaml: document 1: spec.template.spec.containers[0].resources.requests.cpu: quantities must match"},
		{"the first of two", edit(t, edit(t, remote, `cpu: "2"`, "cpu: lots"), "completions: 8", "completions: eight"), "remote.yaml: document 1: spec.completions: int32 is wanted"},
		{"and not what is unknown", edit(t, remote, "  completions: 8", "  aField: 1\n  completions: eight"), "remote.yaml: document 1: spec.completions: int32 is wanted"},
		{"field twice", remote + "  active: 4\n", `remote.yaml: document 1: a field is there twice: `},
		{"field twice, JSON", `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a","name":"b"}}`, "remote.yaml: document 1: metadata.name: it is there twice"},
		{"Job twice", remote + "---\n" + remote, "remote.yaml: document 2: metadata.name: Job render/nightly-thumbnails-29540760 is there twice, first in remote.yaml: document 1"},
		{"no match by name", edit(t, remote, "  name: nightly-thumbnails-29540760\n", "  name: other\n"), "local.yaml: document 1: metadata.name: no Job matches by namespace and name: local.yaml has render/nightly-thumbnails-29540760, remote.yaml has render/other"},
		{"no match by namespace", edit(t, remote, "  namespace: render\n", ""), "remote.yaml has /nightly-thumbnails-29540760"},
		{"bad origin", edit(t, remote, "mirror-origin: mgmt-eu-west-1", "mirror-origin: a b"), "remote.yaml: document 1: metadata.labels[acme.io/mirror-origin]: Invalid value: \"a b\""},
		{"escapes", edit(t, remote, "  name: nightly-thumbnails-29540760\n", "  name: \"\\e[2J\"\n"), `remote.yaml has render/\u001b[2J`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clitest.Files(t, map[string]string{"local.yaml": local, "remote.yaml": tt.remote})
			refuses(t, tt.want, runWith(t, "", "-local", "local.yaml", "-remote", "remote.yaml"))
			if !strings.HasPrefix(tt.want, "local.yaml") {
				want := strings.ReplaceAll(tt.want, "remote.yaml", "standard input")
				refuses(t, want, runWith(t, tt.remote, "-local", "local.yaml", "-remote", "-"))
			}
		})
	}
}

// A Job that its own file makes unusable.
func TestBadLocal(t *testing.T) {
	local, remote := manifest(t, "running-local"), manifest(t, "running-remote")
	for managedBy, want := range map[string]string{
		"nonsense": `local.yaml: document 1: spec.managedBy: Invalid value: "nonsense"`,
		`""`:       "local.yaml: document 1: spec.managedBy: Required value",
	} {
		clitest.Files(t, map[string]string{"local.yaml": edit(t, local, "managedBy: acme.io/dispatcher", "managedBy: "+managedBy), "remote.yaml": remote})
		refuses(t, want, runWith(t, "", "-local", "local.yaml", "-remote", "remote.yaml"))
	}
}

func TestBadFiles(t *testing.T) {
	clitest.Files(t, map[string]string{"local.yaml": manifest(t, "running-local"), "large.yaml": strings.Repeat("#", jobfile.MaxSize+1)})
	for remote, want := range map[string]string{
		"missing.yaml": "missing.yaml: no such file or directory",
		".":            ".: is a directory",
		"large.yaml":   "large.yaml: it is larger than 64 MiB",
	} {
		refuses(t, want, runWith(t, "", "-local", "local.yaml", "-remote", remote))
		refuses(t, want, runWith(t, "", "-local", remote, "-remote", "local.yaml"))
	}
}

func TestBadFlags(t *testing.T) {
	tests := []struct{ args, want string }{
		{"-x", "flag provided but not defined: -x"},
		{"job.yaml", `"job.yaml": files go after -local and -remote`},
		{"-local a", "-remote: it is missing"},
		{"-remote a", "-local: it is missing"},
		{"-local - -remote -", "-local and -remote: only one of them can be standard input"},
		{"-local= -remote=", "-local: it is empty"},
		{"-release 1.29.14", `-release: "1.29.14" is unknown: 1.30 to`},
		{"-release 2.0", `-release: "2.0" is no release such as 1.35.4`},
		{"-release latest", `-release: "latest" is no release such as 1.35.4`},
		{"-release v0.34.0", `-release: "v0.34.0" is no release such as 1.35.4`},
		{"-release 1.32,,1.33", `-release: "" is no release such as 1.35.4`},
		{"-release 1.32,all", `-release: "all" is no release such as 1.35.4`},
		{"-release=", "-release: it is empty"},
		{"-controller acme", `-controller: Invalid value: "acme"`},
		{"-controller kubernetes.io/job-controller", "-controller: Forbidden"},
		{"-controller=", "-controller: it is empty"},
		{"-origin a/b", `-origin: Invalid value: "a/b"`},
		{"-origin=", "-origin: it is empty"},
		{"-now noon", `-now: "noon" is no time such as 2026-`},
		{"-o yaml", `-o: "yaml" is neither text nor json`},
		{"-width 20", "-width: 20 is too narrow"},
		{"-width 2147483647", "-width: 2147483647 is too wide"},
		{"-width wide", `invalid value "wide" for flag -width`},
	}
	for _, tt := range tests {
		refuses(t, tt.want, runWith(t, "", strings.Fields(tt.args)...))
	}
}

func refuses(t *testing.T, want string, got result) {
	t.Helper()
	clitest.Refused(t, want, got.code, got.stdout, got.stderr)
}
