// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/managedby-dev/managedby/internal/clitest"
)

// Whatever is wrong, the place is named in one line on standard error, and nothing is written to standard
// output. All that may be wrong with files of Jobs is in the tests of examples/walkthrough, which reads them
// in the same way.
func TestBadInput(t *testing.T) {
	status := func(rest string) string { return `{"kind":"Status","apiVersion":"v1","status":"Failure",` + rest + `}` }
	const noAnswer = "standard input: expected the Status object in JSON (audit responseStatus, or kubectl -v=8) or the message"
	event := `{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete"}` + "\n"
	tests := []struct{ name, args, stdin, want string }{
		{"empty", "-", "", "standard input: there is no Job in it"},
		{"binary", "-", "\x7fELF\x02\x00\x00", "standard input: it is not text: there is a zero byte at offset 5"},
		{"huge", "-", strings.Repeat("#", 64<<20+1), "standard input: it is larger than 64 MiB"},
		{"a table", "-", "NAME STATUS\npi Running\n", "standard input: document 1: it is no object (kubectl prints objects with -o yaml)"},
		{"wrong kind", "-", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n", `standard input: document 1: kind: it is "Pod", and not Job, JobList or List`},
		{"wrong type", "-", jobWith("a", "", "active: many"), "standard input: document 1: status.active: int32 is wanted, and not string"},
		{"no such file", "nowhere.yaml", "", "nowhere.yaml: no such file or directory"},
		{"a directory", "-audit .", "", ".: read .: is a directory"},
		{"different Jobs", "-old stored.yaml -new -", jobWith("other", "", ""), "no Job matches by namespace and name: standard input has team/other, stored.yaml has team/a"},

		{"answer: empty", "-error -", "", noAnswer},
		{"answer: a Job", "-error -", jobWith("a", "", ""), noAnswer},
		{"answer: another kind", "-error -", `{"kind":"Pod"}`, noAnswer},
		{"answer: a list", "-error -", `[]`, noAnswer},
		{"answer: text", "-error -", "The Job is invalid", noAnswer},
		{"answer: binary", "-error -", "\x00", "standard input: it is not text"},
		{"answer: broken", "-error -", "{", noAnswer},
		{"answer: a message without fields", "-error -", `jobs.batch "a" is invalid`, noAnswer},
		{"answer: a message about a Pod", "-error -", `The Pod "a" is invalid: spec: Forbidden: no`, `standard input: it is about Pod "a", and not a Job`},
		{"answer: no fields in the message", "-error -", status(`"reason":"Invalid","message":"Job is invalid: status"`), "standard input: document 1: details.causes: there is none, and the message"},
		{"answer: a conflict", "-error -", status(`"reason":"Conflict","code":409`), `standard input: document 1: reason: it is "Conflict" with code 409, and not Invalid with 422`},
		{"answer: no causes", "-error -", status(`"reason":"Invalid","code":422`), "standard input: document 1: details.causes: there is none"},
		{"answer: about a Pod", "-error -", status(`"reason":"Invalid","details":{"kind":"Pod","causes":[{"field":"spec"}]}`), `standard input: document 1: details.kind: it is "Pod", and not Job`},
		{"answer: no such file", "-error nowhere", "", "nowhere: no such file or directory"},

		{"audit: empty", "-audit -", "\n\n", "standard input: there is no audit event in it"},
		{"audit: not JSON", "-audit -", "klog\n", "standard input: line 1: it is no audit event in JSON: "},
		{"audit: not JSON, after an empty line", "-audit -", "\nklog\nklog\n", "standard input: line 2: it is no audit event in JSON: "},
		{"audit: not an event", "-audit -", `{"kind":"Job","apiVersion":"batch/v1"}`, `standard input: line 1: it is "Job" of "batch/v1", and not Event of audit.k8s.io/v1`},
		{"audit: a list of events of another kind", "-audit -", `{"kind":"EventList","apiVersion":"v1","items":[]}`, `standard input: line 1: it is "EventList" of "v1", and not Event of audit.k8s.io/v1`},
		{"audit: a Status", "-audit -", status(`"code":422`), "and not Event of audit.k8s.io/v1: an API server's answer goes to -error"},
		{"audit: Jobs", "-audit -", `{"kind":"List","apiVersion":"v1","items":[]}`, ": Jobs go without a flag, or to -old and -new"},
		{"a Status", "-", status(`"code":422`), `document 1: kind: it is "Status", and not Job, JobList or List: an API server's answer goes to -error`},
		{"an audit event", "-", event + event, `document 1: kind: it is "Event", and not Job, JobList or List: audit events of audit.k8s.io/v1 go to -audit`},
		{"an Event of another kind", "-", `{"kind":"Event","apiVersion":"v1"}`, `document 1: kind: it is "Event", and not Job, JobList or List` + "\n"},
		{"a List of others", "-", "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]", `document 1: items[0].kind: it is "Pod"`},
		{"an empty List of stored Jobs", "-old - -new stored.yaml", "apiVersion: v1\nkind: List\nitems: []\n", "standard input: there is no Job in it"},
		{"audit: an Event of another kind", "-audit -", `{"kind":"Event","apiVersion":"v1"}`, `standard input: line 1: it is "Event" of "v1", and not Event of audit.k8s.io/v1`},
		{"audit: cut off", "-audit -", event[:40], "standard input: line 1: it is no audit event in JSON: "},
		{"audit: binary", "-audit -", "\x00\x01", "standard input: line 1: it is no audit event in JSON: "},
		{"audit: an endless line", "-audit -", strings.Repeat(" ", 64<<20+1), "standard input: bufio.Scanner: token too long"},
		{"audit: no such file", "-audit nowhere", "", "nowhere: no such file or directory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clitest.Files(t, map[string]string{"stored.yaml": jobWith("a", "", "")})
			refuses(t, tt.want, runWith(t, tt.stdin, strings.Fields(tt.args)...))
		})
	}
}

func TestBadFlags(t *testing.T) {
	tests := []struct{ args, want string }{
		{"", "there is nothing to read: name a file with Jobs, or - for standard input (-h shows what there is)"},
		{"-x", "flag provided but not defined: -x"},
		{"- -x", "flag provided but not defined: -x"},
		{"-old a", "-new: it is missing"},
		{"-new a", "-old: it is missing"},
		{"-old= -new=", "-new: it is empty"},
		{"-audit=", "-audit: it is empty"},
		{"-old - -new -", "only one file can be standard input"},
		{"- -", "only one file can be standard input"},
		{"a.yaml -audit b", "give one of them, not several"},
		{"-old a -new b -error c", "give one of them, not several"},
		{"a -release 1.29.14", `-release: "1.29.14" is unknown: 1.30 to`},
		{"a -release 1.36,all", `-release: "all" is no release such as 1.35.4`},
		{"a -release=", "-release: it is empty"},
		{"a -o yaml", `-o: "yaml" is not text, json or sarif`},
		{"a -width 20", "-width: 20 is too narrow"},
		{"a -width 9999", "-width: 9999 is too wide"},
	}
	for _, tt := range tests {
		refuses(t, tt.want, runWith(t, "", strings.Fields(tt.args)...))
	}
}

func refuses(t *testing.T, want string, got result) {
	t.Helper()
	clitest.Refused(t, want, got.code, got.stdout, got.stderr)
}

// What may be a mistake is a warning.
func TestDoubts(t *testing.T) {
	versioned := func(uid, version, status string) string {
		return strings.Replace(jobWith("a", "", status), "name: a", "name: a, uid: "+uid+", resourceVersion: '"+version+"'", 1)
	}
	const running, later, start = "failed: 1, active: 1", "failed: 2", `, startTime: "2026-03-02T10:00:00Z"`
	tests := []struct {
		name, old, new, want string
		code                 int
	}{
		{"in order", versioned("u", "9", running), versioned("u", "10", later), "", exitFindings},
		{"swapped, by resourceVersion", versioned("u", "10", running), versioned("u", "9", later), "its resourceVersion is lower than that of old.yaml: document 1: are -old and -new swapped?", exitFindings},
		{"swapped, by what is in them", jobWith("a", "", later+start), jobWith("a", "", running+start), "the other way round it would be accepted: are -old and -new swapped?", exitFindings},
		{"wrong in itself, whatever the order", jobWith("a", "", running), jobWith("a", "", "failed: 1, ready: 1"), "", exitFindings},
		{"no resourceVersion to compare", versioned("u", "x", running), versioned("u", "9", later), "", exitFindings},
		{"another Job", versioned("u", "9", running), versioned("v", "1", later), "it is another Job than that of old.yaml: document 1, by its UID", exitFindings},
		{"only one is old", jobWith("a", "", later), jobWith("a", "", later) + jobWith("b", "", ""), "new.yaml: not in old.yaml, and passed over: team/b", exitClean},
		{"unknown field", jobWith("a", "", ""), jobWith("a", "", "aktive: 1"), "new.yaml: document 1: status.aktive: this program does not know the field", exitClean},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clitest.Files(t, map[string]string{"old.yaml": tt.old, "new.yaml": tt.new})
			got := runWith(t, "", "-old", "old.yaml", "-new", "new.yaml")
			if got.code == exitUsage || !strings.Contains(got.stderr, tt.want) || tt.want == "" && got.stderr != "" || strings.Count(got.stderr, "\n") > 1 {
				t.Errorf("exit %d, stderr %s, want %s\n%s", got.code, got.stderr, tt.want, got.stdout)
			}
		})
	}
}

// An audit log without status writes is not clean without a word.
func TestAuditOfSomethingElse(t *testing.T) {
	got := runWith(t, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","verb":"get"}`, "-audit", "-")
	if got.code != exitClean || !strings.Contains(got.stderr, "none of its 1 event is the answer to an update or patch of jobs/status") {
		t.Errorf("exit %d, stderr %s", got.code, got.stderr)
	}
}
