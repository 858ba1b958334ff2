// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
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
	tests := []struct {
		name string
		edit func(event map[string]any)
		want string
	}{
		{"RequestResponse", func(map[string]any) {}, whole},
		{"Request", func(e map[string]any) { delete(e, "responseObject") }, causesOnly},
		{"Metadata", func(e map[string]any) { delete(e, "responseObject"); delete(e, "requestObject") }, causesOnly},
		{"in an earlier stage", func(e map[string]any) { e["stage"] = "RequestReceived" }, ""},
		{"of another resource", func(e map[string]any) { e["objectRef"].(map[string]any)["resource"] = "pods" }, ""},
		{"of another group", func(e map[string]any) { e["objectRef"].(map[string]any)["apiGroup"] = "acme.io" }, ""},
		{"of the Job itself", func(e map[string]any) { delete(e["objectRef"].(map[string]any), "subresource") }, ""},
		{"without a reference", func(e map[string]any) { delete(e, "objectRef") }, ""},
		{"without an answer", func(e map[string]any) { delete(e, "responseStatus"); delete(e, "responseObject") }, "5:\n7:\n9:\n10:\n12:\n14:\n15:\n16:\n17:"},
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
		{event(409, ""), "1:"},
		{event(403, ""), "1:"},
		{event(200, ""), "1:"},
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
