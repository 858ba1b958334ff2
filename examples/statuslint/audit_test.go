// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

// logged returns the events of the recorded log, which an API server of 1.37.2 wrote with level RequestResponse.
func logged(t *testing.T) []map[string]any {
	t.Helper()
	data, err := os.ReadFile("testdata/audit.log")
	if err != nil {
		t.Fatal(err)
	}
	var events []map[string]any
	for line := range strings.Lines(string(data)) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func asLog(t *testing.T, events []map[string]any) string {
	t.Helper()
	var b strings.Builder
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// outline lists what a report says: of each subject its line, and the rules of its findings.
func outline(t *testing.T, got result) string {
	t.Helper()
	var r struct {
		Subjects []struct {
			Source   string
			Findings []struct{ Level, Rule, Field string }
			Mends    []struct{ Outcome string }
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatalf("%v: %s", err, got.stderr)
	}
	var lines []string
	for _, s := range r.Subjects {
		line := s.Source[strings.LastIndex(s.Source, " ")+1:] + ":"
		for _, f := range s.Findings {
			name := f.Rule
			if name == "" {
				name = f.Field
			}
			line += fmt.Sprintf(" %c %s", f.Level[0], name)
		}
		for _, m := range s.Mends {
			line += " -> " + m.Outcome
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// How much can be said depends on what the log has.
func TestAuditLevels(t *testing.T) {
	const whole = `5:
7: e MoreReadyThanActive -> Copied
9: e FailedWithoutFailureTarget -> Copied
10: e CompleteWithoutSuccessCriteriaMet e MoreReadyThanActive
12: w ConditionStatusInvalid w ConditionWithoutTransitionTime
14: e SucceededDecreased e StartTimeChangedWhileRunning -> InSync
15: e metadata.annotations
16: w ActiveWithoutStartTime
17:`
	const causesOnly = `5:
7: e MoreReadyThanActive
9: e FailedWithoutFailureTarget
10: e CompleteWithoutSuccessCriteriaMet e MoreReadyThanActive
12:
14: e SucceededDecreased e StartTimeChangedWhileRunning
15: e metadata.annotations
16:
17:`
	asTheyAre := strings.Replace(strings.Replace(causesOnly,
		"12:", "12: w ConditionStatusInvalid w ConditionWithoutTransitionTime", 1), "16:", "16: w ActiveWithoutStartTime", 1)
	requests := strings.Replace(asTheyAre, "16: w ActiveWithoutStartTime\n", "", 1) // it was a patch
	refusals := regexp.MustCompile(`(?m)^(5|12|16):\n`).ReplaceAllString(causesOnly, "")
	tests := []struct {
		name string
		edit func(event map[string]any)
		want string
	}{
		{"RequestResponse", func(map[string]any) {}, whole},
		{"Request", func(e map[string]any) { delete(e, "responseObject") }, requests},
		{"Metadata", func(e map[string]any) { delete(e, "responseObject"); delete(e, "requestObject") }, refusals},
		{"in an earlier stage", func(e map[string]any) { e["stage"] = "RequestReceived" }, ""},
		{"of another resource", func(e map[string]any) { e["objectRef"].(map[string]any)["resource"] = "pods" }, ""},
		{"of another group", func(e map[string]any) { e["objectRef"].(map[string]any)["apiGroup"] = "acme.io" }, ""},
		{"of the Job itself", func(e map[string]any) { delete(e["objectRef"].(map[string]any), "subresource") }, ""},
		{"without a reference", func(e map[string]any) { delete(e, "objectRef") }, ""},
		{"without an answer", func(e map[string]any) { delete(e, "responseStatus"); delete(e, "responseObject") }, ""},
		{"created by a generated name", func(e map[string]any) {
			if e["verb"] == "create" {
				delete(e["objectRef"].(map[string]any), "name")
			}
		}, whole},
		{"only dry runs", func(e map[string]any) { e["requestURI"] = "/apis/batch/v1/x?dryRun=All" }, asTheyAre},
		{"other bases", func(e map[string]any) {
			if o, ok := e["requestObject"].(map[string]any); ok && e["verb"] == "update" {
				o["metadata"].(map[string]any)["resourceVersion"] = "1"
			}
		}, asTheyAre},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events := logged(t)
			for _, e := range events {
				tt.edit(e)
			}
			got := outline(t, runWith(t, asLog(t, events), "-audit", "-", "-o", "json"))
			if got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// What one release took, another may refuse: that is what to know before an upgrade.
func TestAuditForAnUpgrade(t *testing.T) {
	events := logged(t)
	for _, e := range events { // as if the API server had been a lenient one
		if e["verb"] == "update" && e["responseStatus"].(map[string]any)["code"] == 422.0 {
			stored := e["requestObject"].(map[string]any)
			e["responseObject"] = stored
			e["responseStatus"] = map[string]any{"code": 200}
		}
	}
	got := outline(t, runWith(t, asLog(t, events), "-audit", "-", "-o", "json", "-release", "1.32.13"))
	for _, want := range []string{"7: e MoreReadyThanActive -> Copied", "14: e SucceededDecreased e StartTimeChangedWhileRunning -> InSync"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// A refusal that says nothing about fields is reported as it is; one for another reason is not.
func TestAuditRefusals(t *testing.T) {
	event := func(code int, rest string) string {
		return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","stage":"ResponseComplete","verb":"patch",`+
			`"objectRef":{"resource":"jobs","apiGroup":"batch","subresource":"status","name":"a","namespace":"team"},"responseStatus":{"code":%d%s},`+
			`"requestObject":{"apiVersion":"batch/v1","kind":"Job","metadata":{"resourceVersion":"1"},"status":{"active":-1}}}`, code, rest)
	}
	tests := []struct{ event, want string }{
		{event(422, `,"message":"no"`), "1: e "},
		{event(422, ""), "1: e "},
		{event(409, ""), "1:"},
		{event(403, ""), "1:"},
		{event(200, ""), ""},
	}
	for _, tt := range tests {
		if got := outline(t, runWith(t, tt.event, "-audit", "-", "-o", "json")); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.event, got, tt.want)
		}
	}
}

// A line may be as long as a Job is large.
func TestAuditLongLine(t *testing.T) {
	events := logged(t)
	for _, e := range events {
		e["padding"] = strings.Repeat("x", 1<<20)
	}
	if got := runWith(t, asLog(t, events), "-audit", "-"); got.code != exitFindings || !strings.Contains(got.stdout, "looked at 9 statuses") {
		t.Errorf("exit %d, %s", got.code, got.stderr)
	}
}

// A write of which the log has too little is not clean: it is counted, and not among what was looked at. The
// request alone is judged if it is the whole Job.
func TestAuditOfUnjudged(t *testing.T) {
	event := func(verb, level, rest string) string {
		return fmt.Sprintf(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":%q,"stage":"ResponseComplete","verb":%q,`+
			`"objectRef":{"resource":"jobs","apiGroup":"batch","subresource":"status","name":"a","namespace":"team"}%s}`+"\n", level, verb, rest)
	}
	const (
		job     = `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"a"},"status":{"succeeded":-3,"active":1,"ready":5}}`
		garbled = `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"a"},"status":{"succeeded":"three"}}`
		taken   = `,"responseStatus":{"code":200}`
		why     = " writes are not judged: the log has no object that can be read, or no answer (level "
	)
	tests := []struct{ name, log, want, warning string }{
		{"only metadata", event("update", "Metadata", taken) + event("patch", "Metadata", taken), "", "2 of 2" + why + "Metadata)\n"},
		{"the request of a patch", event("patch", "Request", taken+`,"requestObject":`+job), "", "1 of 1" + why + "Request)\n"},
		{"the request of an update", event("update", "Request", taken+`,"requestObject":`+job), "1: e NegativeSucceeded e MoreReadyThanActive", ""},
		{"an object that cannot be decoded", event("update", "RequestResponse", taken+`,"responseObject":`+garbled), "", "1 of 1" + why + "RequestResponse)\n"},
		{"the answer cannot be decoded, the request can", event("update", "RequestResponse", taken+`,"requestObject":`+job+`,"responseObject":`+garbled), "1: e NegativeSucceeded e MoreReadyThanActive", ""},
		{"no answer", event("update", "", `,"requestObject":`+job), "", "1 of 1" + why + "unknown)\n"},
		{"several levels", event("update", "Request", taken) + event("update", "Metadata", taken) + event("update", "Request", taken+`,"requestObject":`+job), "3: e NegativeSucceeded e MoreReadyThanActive", "2 of 3" + why + "Metadata, Request)\n"},
	}
	for _, tt := range tests {
		got := runWith(t, tt.log, "-audit", "-", "-o", "json")
		said := regexp.MustCompile(` (w \S+|->.*)`).ReplaceAllString(outline(t, got), "")
		if said != tt.want || !strings.HasSuffix(got.stderr, tt.warning) || (tt.warning == "") != (got.stderr == "") {
			t.Errorf("%s: %s, want %s; %s", tt.name, said, tt.want, got.stderr)
		}
	}
}

// No finding is without a word.
func TestAuditUnexplained(t *testing.T) {
	log := `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","stage":"ResponseComplete","verb":"update",` +
		`"objectRef":{"resource":"jobs","apiGroup":"batch","subresource":"status","name":"a"},"responseStatus":{"code":422}}`
	want := "update by somebody, answered with 422\n\nerror\n  the API server refused it with 422, and the log does not say why\n"
	if got := runWith(t, log, "-audit", "-"); !strings.Contains(got.stdout, want) {
		t.Errorf("got\n%s", got.stdout)
	}
}

// A log is read in the encodings in which a file of Jobs is.
func TestAuditEncodings(t *testing.T) {
	log := asLog(t, logged(t))
	want := runWith(t, log, "-audit", "-").stdout
	units := utf16.Encode([]rune("\ufeff" + log))
	var little, big []byte
	for _, u := range units {
		little, big = binary.LittleEndian.AppendUint16(little, u), binary.BigEndian.AppendUint16(big, u)
	}
	for name, text := range map[string]string{"a mark": "\ufeff" + log, "UTF-16, little endian": string(little), "UTF-16, big endian": string(big)} {
		if got := runWith(t, text, "-audit", "-"); got.stdout != want || got.stderr != "" {
			t.Errorf("%s: exit %d, %s", name, got.code, got.stderr)
		}
	}
}
