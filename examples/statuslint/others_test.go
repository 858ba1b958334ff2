// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/managedby-dev/managedby/internal/clitest"
)

// One thing that cannot be read does not keep the others from being judged.
func TestWhatIsNoJobIsPassedOver(t *testing.T) {
	const (
		pod   = "{apiVersion: v1, kind: Pod}"
		cron  = "{apiVersion: batch/v1, kind: CronJob}"
		empty = "apiVersion: v1\nkind: List\nitems: []\n"
	)
	bad := jobWith("a", "", "active: -1")
	list := func(items ...string) string {
		return "apiVersion: v1\nkind: List\nitems: [" + strings.Join(items, ", ") + "]\n"
	}
	clitest.Files(t, map[string]string{"bad.yaml": bad, "pod.yaml": pod, "empty.yaml": empty})
	tests := []struct {
		name, stdin, args string
		code              int
		stdout, stderr    string
	}{
		{"items of a List", list(pod, "{apiVersion: batch/v1, kind: Job, metadata: {name: b}, status: {active: -1}}", cron, pod), "-", exitFindings,
			"looked at 1 status: 1 error", "statuslint: warning: standard input: no Jobs, and passed over: 1 CronJob of batch/v1, 2 Pod of v1\n"},
		{"documents", bad + pod, "-", exitFindings, "looked at 1 status: 1 error", "passed over: 1 Pod of v1\n"},
		{"a file", "", "pod.yaml bad.yaml", exitFindings, "looked at 1 status: 1 error",
			"statuslint: warning: pod.yaml: document 1: kind: it is \"Pod\", and not Job, JobList or List; passed over\n"},
		{"an empty List", empty, "-", exitClean, "looked at 0 statuses: nothing to report", ""},
		{"an empty List, in JSON", `{"apiVersion":"v1","items":[],"kind":"List","metadata":{"resourceVersion":""}}`, "- -o json", exitClean, `"subjects": []`, ""},
		{"an empty List, in SARIF", empty, "- -o sarif", exitClean, `"results": []`, ""},
		{"an empty List and a file", "", "empty.yaml bad.yaml", exitFindings, "looked at 1 status: 1 error", ""},
		{"an empty List and a Pod", "", "empty.yaml pod.yaml", exitClean, "looked at 0 statuses", "; passed over\n"},
		{"a newer release", jobWith("a", "", ""), "- -release 1.36.3,1.38", exitClean, "by 1.36.3, 1.38\n",
			"statuslint: warning: -release 1.38: 1.37 is the newest release that is known; it is taken to be like that\n"},
	}
	for _, tt := range tests {
		got := runWith(t, tt.stdin, strings.Fields(tt.args)...)
		if got.code != tt.code || !strings.Contains(got.stdout, tt.stdout) || !strings.HasSuffix(got.stderr, tt.stderr) || (tt.stderr == "") != (got.stderr == "") {
			t.Errorf("%s: exit %d\n%s%s", tt.name, got.code, got.stdout, got.stderr)
		}
	}
}

// A log with lines that are no events, or in another form, says the same as without.
func TestAuditForms(t *testing.T) {
	events := logged(t)
	log := asLog(t, events)
	want := outline(t, runWith(t, log, "-audit", "-", "-o", "json"))
	rules := func(s string) string { // without the lines
		var list []string
		for line := range strings.Lines(s) {
			_, rest, _ := strings.Cut(line, ":")
			list = append(list, rest)
		}
		return strings.Join(list, "")
	}
	list := map[string]any{"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": events}
	compact, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	pretty, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var indented strings.Builder
	for _, e := range events {
		data, err := json.MarshalIndent(e, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		indented.Write(append(data, '\n'))
	}
	tests := []struct{ name, log, warning string }{
		{"the last line is cut off", log + log[:200], "passed over what is no audit event, 1 time; the first: standard input: line 18: it is no audit event in JSON"},
		{"foreign lines", "I0302 klog\n" + log + "{\"kind\":\"Job\"}\nmore\n", "passed over what is no audit event, 3 times; the first: standard input: line 1: "},
		{"an EventList", string(compact), ""},
		{"an EventList between events", "\n" + string(compact) + "\n{}\n", "1 time; the first: standard input: line 3: "},
		{"an EventList on many lines", string(pretty), ""},
		{"events on many lines", indented.String(), ""},
		{"events on many lines, and others", indented.String() + "{\n}\n", `1 time; the first: standard input: document 18: it is "" of ""`},
	}
	for _, tt := range tests {
		got := runWith(t, tt.log, "-audit", "-", "-o", "json")
		if said := outline(t, got); rules(said) != rules(want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, said, want)
		}
		if !strings.Contains(got.stderr, tt.warning) || (tt.warning == "") != (got.stderr == "") {
			t.Errorf("%s: %s", tt.name, got.stderr)
		}
	}
	empty := runWith(t, `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[]}`, "-audit", "-")
	if empty.code != exitClean || !strings.Contains(empty.stdout, "looked at 0 statuses") {
		t.Errorf("exit %d\n%s%s", empty.code, empty.stdout, empty.stderr)
	}
}

// Whoever reads errors about stored Jobs is told that they are no outage, and nobody else.
func TestStoredNote(t *testing.T) {
	const note = "does not mean that it is in danger"
	for args, want := range map[string]bool{
		"testdata/jobs.yaml": true, "-audit testdata/audit.log": false, "-old testdata/stored.yaml -new testdata/sent.yaml": false, "-error testdata/answer.json": false, "-h": true,
	} {
		if got := runWith(t, "", strings.Fields(args)...); strings.Contains(got.stdout, note) != want {
			t.Errorf("%s: %s", args, got.stdout)
		}
	}
	for status, want := range map[string]string{
		"ready: -1, failed: -1":  "until it is mended: NegativeFailed, NegativeReady.\n",
		"active: 1, failed: -1":  "until it is mended: NegativeFailed.\n",
		"failedIndexes: '1,0,x'": "",
	} {
		if got := runWith(t, jobWith("a", "", status), "-"); !strings.Contains(got.stdout, note) || !strings.Contains(got.stdout, want) ||
			strings.Contains(got.stdout, "Looked at always") != (want != "") {
			t.Errorf("%s: %s", status, got.stdout)
		}
	}
	if got := runWith(t, jobWith("a", "", ""), "-"); strings.Contains(got.stdout, note) {
		t.Errorf("of a clean Job: %s", got.stdout)
	}
}
