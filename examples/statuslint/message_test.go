// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// quoteJSON returns a string as it stands in JSON.
func quoteJSON(t *testing.T, s string) string {
	t.Helper()
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// forms are those in which an answer about some fields reaches people.
func forms(t *testing.T, causes []metav1.StatusCause) map[string]string {
	t.Helper()
	var said []string
	for _, c := range causes {
		said = append(said, c.Field+": "+c.Message)
	}
	all, lines := said[0], said[0]+"\n"
	if len(said) > 1 {
		all, lines = "["+strings.Join(said, ", ")+"]", "\n* "+strings.Join(said, "\n* ")+"\n\n"
	}
	message := `Job.batch "a" is invalid: ` + all
	status := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%s,"reason":"Invalid","code":422}`, quoteJSON(t, message))
	details, err := json.Marshal(metav1.StatusDetails{Name: "a", Kind: "Job", Causes: causes})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"a responseStatus without a message":   `{"metadata":{},"status":"Failure","reason":"Invalid","code":422,"details":` + string(details) + `}`,
		"the error of client-go":               message,
		"it, wrapped":                          "E0302 10:00:00.000000       1 sync.go:42] sync of team/a: updating the status: " + message + "\n",
		"it, between other lines":              "starting\n" + message + "\nstopping: status.active: Invalid value: 7\n",
		"it, without the object":               all,
		"what kubectl prints":                  `The Job "a" is invalid: ` + lines,
		"what kubectl prints of a patch":       `The jobs "a" is invalid: ` + lines + "and more\n",
		"the error of a logger in JSON":        `{"level":"error","msg":"Reconciler error","error":` + quoteJSON(t, message) + `,"name":"a, status.active: Invalid value: 7"}`,
		"the error of klog":                    `E0302 1 c.go:1] "Reconciler error" err=` + fmt.Sprintf("%q", message) + ` name="status.active: Invalid value: 7"`,
		"the response in kubectl -v=8":         "I0302 10:00:00.000000 1 request.go:1212] Response Body: " + status + "\n",
		"the response in a newer kubectl":      `I0302 10:00:00.000000 1 helper.go:246] "Response Body" body=` + fmt.Sprintf("%q", status) + "\n",
		"twice":                                "Response Body: " + status + "\n" + `The Job "a" is invalid: ` + lines,
		"a Status without details":             status,
		"a Status without causes":              strings.Replace(status, `"code"`, `"details":{"name":"a","group":"batch","kind":"Job"},"code"`, 1),
		"the responseStatus of an audit event": strings.Replace(strings.Replace(status, `"kind":"Status","apiVersion":"v1",`, "", 1), `"code"`, `"details":`+string(details)+`,"code"`, 1),
	}
}

// TestMessages holds what is read of each form of an answer to what is read of its causes, for all that API
// servers answered, one by one and all at once.
func TestMessages(t *testing.T) {
	var all []metav1.StatusCause
	for _, r := range recordedCauses(t) {
		all = append(all, r.Cause)
		checkForms(t, []metav1.StatusCause{r.Cause})
	}
	checkForms(t, all)
}

func checkForms(t *testing.T, list []metav1.StatusCause) {
	t.Helper()
	var want []string
	for _, f := range causes(&metav1.Status{Details: &metav1.StatusDetails{Causes: list}}, nil) {
		want = append(want, f.Rule+" "+f.Type+" "+f.Field+" "+f.Message)
	}
	for form, text := range forms(t, list) {
		got := runWith(t, text, "-error", "-", "-o", "json")
		var r report
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || got.code != exitFindings {
			t.Fatalf("%s: exit %d, %s\n%s", form, got.code, got.stderr, text)
		}
		if len(r.Subjects) != 1 || r.Subjects[0].Name != "a" && form != "it, without the object" {
			t.Fatalf("%s: %+v", form, r.Subjects)
		}
		var said []string
		for _, f := range r.Subjects[0].Findings {
			said = append(said, f.Rule+" "+f.Type+" "+f.Field+" "+f.Message)
		}
		if a, b := strings.Join(said, "\n"), strings.Join(want, "\n"); a != b {
			t.Errorf("%s: got\n%s\nwant\n%s\ntext\n%s", form, a, b, text)
		}
	}
}

// A value may look like any part of a message; a log may be cut off anywhere; several refusals are told apart.
func TestOddMessages(t *testing.T) {
	const failed = `status.failed: Invalid value: 1: cannot decrease the failed counter`
	tests := []struct{ name, text, want string }{
		{"a value like a field", `Job.batch "a" is invalid: status.completedIndexes: Invalid value: "1, status.failed: Invalid value: 2]": error parsing completedIndexes`, "CompletedIndexesMalformed"},
		{"an index in brackets", `Job.batch "a" is invalid: [status.uncountedTerminatedPods.failed[0]: Duplicate value: "x", ` + failed + "]", "UncountedFailedMalformed FailedDecreased"},
		{"two Jobs", `Job.batch "a" is invalid: ` + failed + "\n" + `Job.batch "b" is invalid: status.succeeded: Invalid value: 1: cannot decrease the succeeded counter`, "FailedDecreased SucceededDecreased"},
		{"the same of two Jobs", `Job.batch "a" is invalid: ` + failed + "\n" + `Job.batch "b" is invalid: ` + failed, "FailedDecreased FailedDecreased"},
		{"the same again", `Job.batch "a" is invalid: ` + failed + "\n" + `Job.batch "a" is invalid: ` + failed, "FailedDecreased"},
		{"and one of a Pod", `Pod "a" is invalid: spec: Forbidden: no` + "\n" + `Job.batch "b" is invalid: ` + failed, "FailedDecreased"},
		{"cut off in the list", `Job.batch "a" is invalid: [` + failed + ", status.act", "FailedDecreased"},
		{"cut off in a value", `{"error":"Job.batch \"a\" is invalid: status.failedIndexes: Invalid value: \"0-`, ""},
		{"of the spec", `The Job "a" is invalid: spec.template: Invalid value: {"a":"b"}: field is immutable`, ""},
		{"CRLF", `Job.batch "a" is invalid: ` + failed + "\r\nmore\r\n", "FailedDecreased"},
	}
	for _, tt := range tests {
		got := runWith(t, tt.text, "-error", "-", "-o", "json")
		var r report
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || got.code != exitFindings {
			t.Errorf("%s: exit %d, %s", tt.name, got.code, got.stderr)
		}
		var rules []string
		for _, s := range r.Subjects {
			for _, f := range s.Findings {
				rules = append(rules, f.Rule)
			}
		}
		if got := strings.Join(rules, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// FuzzMessages looks for a text that cannot be taken apart without a panic.
func FuzzMessages(f *testing.F) {
	f.Add(`Job.batch "a" is invalid: [status.failed: Invalid value: "\"": x, status.active: Required value]`)
	f.Add(`{"error":"Job.batch \\\"a\\\" is invalid: status.failed: Forbidden"}`)
	f.Add("The Job \"a\" is invalid: \n* status.failed: Not found: 1\n* ")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range refusalsIn(text) {
			if r.at < 0 || r.at > len(text) || len(r.causes) == 0 || r.message == "" {
				t.Errorf("%q: %+v", text, r)
			}
		}
	})
}

// Either the rules that it may be are listed, or it is said that it is none of them.
func TestCandidatesAreNoContradiction(t *testing.T) {
	const none = "Not one of the rules"
	for text, candidates := range map[string]bool{
		`Job.batch "a" is invalid: status.ready: Invalid value: 2: is too high`:  true,
		`Job.batch "a" is invalid: spec.parallelism: Invalid value: 2: too high`: false,
	} {
		for _, format := range []string{"text", "sarif"} {
			got := runWith(t, text, "-error", "-", "-o", format).stdout
			if strings.Contains(got, "One of: [NegativeReady MoreReadyThanActive]. The answer does") != candidates || strings.Contains(got, none) == candidates {
				t.Errorf("%s, %s:\n%s", text, format, got)
			}
		}
	}
}
