// SPDX-License-Identifier: Apache-2.0

package upstream_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/oracle/upstream"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// job is a Job with what is given put into its metadata, spec and status; each ends in a comma.
func job(metadata, spec, status string) json.RawMessage {
	const template = `"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"x"}]}}`
	return json.RawMessage(fmt.Sprintf(
		`{"metadata":{%s"name":"j","namespace":"n","uid":"u","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{%s%s},"status":{%s"succeeded":1}}`,
		metadata, spec, template, status))
}

// bare is job without more metadata.
func bare(spec, status string) json.RawMessage { return job("", spec, status) }

const (
	failurePolicy = `"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"X"}]}]},`
	indexed       = `"completionMode":"Indexed","completions":2,`
	selector      = `"selector":{"matchLabels":{"a":"b"}},"manualSelector":true,`
)

func TestStatus(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  wire.Request
		want []wire.Error
		why  string
	}{{
		name: "accepted",
		req:  wire.Request{Old: bare("", ""), New: bare("", `"active":1,`)},
	}, {
		name: "a value",
		req:  wire.Request{Old: bare("", `"failed":2,`), New: bare("", `"failed":1,`)},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "status.failed", BadValue: raw(`1`)}},
	}, {
		name: "a value of an internal type",
		req: wire.Request{
			Old: bare("", ""),
			New: bare("", `"startTime":"2026-01-01T00:00:00Z","uncountedTerminatedPods":{"failed":["p"]},"conditions":[{"type":"FailureTarget","status":"True"},{"type":"Failed","status":"True"}],`),
		},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "status.uncountedTerminatedPods", BadValue: raw(`{"failed":["p"]}`)}},
		why:  "the JSON is that of batch/v1",
	}, {
		name: "no value",
		req:  wire.Request{Old: bare("", `"startTime":"2026-01-01T00:00:00Z",`), New: bare("", "")},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "status.startTime", BadValue: raw(`null`)}},
	}, {
		name: "a value that is left out",
		req: wire.Request{
			Old: bare("", `"conditions":[{"type":"SuccessCriteriaMet","status":"True"}],`),
			New: bare("", ""),
		},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "status.conditions", BadValue: raw(`{}`)}},
	}, {
		name: "fractions of a second",
		req: wire.Request{
			Old: bare("", `"startTime":"2026-01-01T00:00:00.1Z",`),
			New: bare("", `"startTime":"2026-01-01T00:00:00.2Z",`),
		},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "status.startTime", BadValue: raw(`"2026-01-01T00:00:00Z"`)}},
		why:  "a client that sends raw JSON has them compared",
	}, {
		name: "fractions of a second of a typed client",
		req: wire.Request{
			Typed: true,
			Old:   bare("", `"startTime":"2026-01-01T00:00:00.1Z",`),
			New:   bare("", `"startTime":"2026-01-01T00:00:00.2Z",`),
		},
	}, {
		name: "the spec is the old one's",
		req:  wire.Request{Old: bare("", ""), New: bare(`"completionMode":"Indexed","completions":3,`, `"completedIndexes":"0",`)},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "status.completedIndexes", BadValue: raw(`"0"`)}},
	}, {
		name: "metadata is not asked for",
		req:  wire.Request{Old: bare("", ""), New: job(`"labels":{"a":"-"},`, "", "")},
	}, {
		name: "metadata is asked for",
		req:  wire.Request{Metadata: true, Old: bare("", ""), New: job(`"generateName":"-/",`, "", "")},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "metadata.generateName", BadValue: raw(`"-/"`)}},
	}, {
		name: "rules",
		req: wire.Request{
			Rules: true,
			Old:   bare("", `"failed":2,"active":-1,`),
			New:   bare("", `"failed":1,"active":-1,"ready":0,`),
		},
		want: []wire.Error{
			{Type: "FieldValueInvalid", Field: "status.active", BadValue: raw(`-1`), Option: wire.Always},
			{Type: "FieldValueInvalid", Field: "status.ready", BadValue: raw(`0`), Option: "RejectMoreReadyThanActivePods"},
			{Type: "FieldValueInvalid", Field: "status.failed", BadValue: raw(`1`), Option: "RejectDecreasingFailedCounter"},
		},
	}} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, errorsOf(t, tt.req)); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, d)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	got := upstream.Answer(wire.Request{Rules: true, Old: bare("", ""), New: bare("", `"active":1,`)})
	want := []string{
		"RejectDecreasingSucceededCounter", "RejectDecreasingFailedCounter", "RejectDisablingTerminalCondition",
		"RejectFinishedJobWithActivePods", "RejectMutatingCompletionTime", "RejectMoreReadyThanActivePods",
	}
	if d := cmp.Diff(want, got.Options); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestUpdate(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  wire.Request
		want []wire.Error
	}{{
		name: "accepted",
		req:  wire.Request{Old: bare(selector, ""), New: bare(selector+`"suspend":true,`, "")},
	}, {
		name: "immutable",
		req:  wire.Request{Old: bare(selector, ""), New: bare(selector+`"managedBy":"a.b/c",`, "")},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "spec.managedBy", BadValue: raw(`"a.b/c"`)}},
	}, {
		name: "a failure policy is in batch/v1",
		req:  wire.Request{Old: bare(selector, ""), New: bare(selector+failurePolicy, "")},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "spec.podFailurePolicy", BadValue: raw(`{"rules":[{"action":"Ignore","onPodConditions":[{"type":"X","status":"True"}]}]}`)}},
	}, {
		name: "no failure policy",
		req:  wire.Request{Old: bare(selector+failurePolicy, ""), New: bare(selector, "")},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "spec.podFailurePolicy", BadValue: raw(`null`)}},
	}, {
		name: "a success policy is in batch/v1",
		req:  wire.Request{Old: bare(selector+indexed, ""), New: bare(selector+indexed+`"successPolicy":{"rules":[{"succeededCount":1}]},`, "")},
		want: []wire.Error{{Type: "FieldValueInvalid", Field: "spec.successPolicy", BadValue: raw(`{"rules":[{"succeededCount":1}]}`)}},
	}} {
		t.Run(tt.name, func(t *testing.T) {
			tt.req.Op = wire.Update
			tt.req.Old, tt.req.New = withLabels(tt.req.Old), withLabels(tt.req.New)
			if d := cmp.Diff(tt.want, errorsOf(t, tt.req)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestUpdateOfTemplate(t *testing.T) {
	old := withLabels(bare(selector, ""))
	changed := json.RawMessage(strings.Replace(string(old), `"image":"x"`, `"image":"y"`, 1))
	errs := errorsOf(t, wire.Request{Op: wire.Update, Old: old, New: changed})
	if len(errs) != 1 || errs[0].Field != "spec.template" {
		t.Fatalf("got %+v, want one error at spec.template", errs)
	}
	var template struct {
		Spec struct {
			Containers []struct{ Image string }
		} `json:"spec"`
	}
	if err := json.Unmarshal(errs[0].BadValue, &template); err != nil || !strings.Contains(string(errs[0].BadValue), `"containers"`) {
		t.Errorf("the bad value is no template of core/v1 (%v): %s", err, errs[0].BadValue)
	}
	if got := template.Spec.Containers[0].Image; got != "y" {
		t.Errorf("the bad value has image %q, want that of the new Job", got)
	}
}

func TestCreate(t *testing.T) {
	got := upstream.Answer(wire.Request{Op: wire.Create, Stored: true, New: bare("", "")})
	var stored batchv1.Job
	if err := json.Unmarshal(got.Stored, &stored); err != nil {
		t.Fatalf("%v in %+v", err, got)
	}
	generated := map[string]string{
		"controller-uid": "u", "batch.kubernetes.io/controller-uid": "u",
		"job-name": "j", "batch.kubernetes.io/job-name": "j",
	}
	if d := cmp.Diff(generated, stored.Spec.Template.Labels); d != "" {
		t.Errorf("labels (-want +got):\n%s", d)
	}
	if stored.UID != "u" || stored.CreationTimestamp.Year() != 2026 {
		t.Errorf("stored %s of %v, want the sent ones", stored.UID, stored.CreationTimestamp)
	}
	if stored.Status.Succeeded != 0 {
		t.Error("the status is kept")
	}
	if stored.Spec.BackoffLimit == nil || *stored.Spec.BackoffLimit != 6 {
		t.Errorf("backoffLimit %v, want the default", stored.Spec.BackoffLimit)
	}
}

func TestCreateGenerates(t *testing.T) {
	generated := json.RawMessage(`{"metadata":{"generateName":"j-","namespace":"n"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"x"}]}}}}`)
	got := upstream.Answer(wire.Request{Op: wire.Create, Stored: true, New: generated})
	var stored batchv1.Job
	if err := json.Unmarshal(got.Stored, &stored); err != nil {
		t.Fatalf("%v in %+v", err, got)
	}
	if !strings.HasPrefix(stored.Name, "j-") || len(stored.Name) < 4 || len(stored.UID) != 36 || stored.CreationTimestamp.IsZero() {
		t.Errorf("name %q, uid %q, creationTimestamp %v: want generated ones", stored.Name, stored.UID, stored.CreationTimestamp)
	}
}

func TestCreateRefused(t *testing.T) {
	got := errorsOf(t, wire.Request{Op: wire.Create, New: bare(`"managedBy":"",`, "")})
	want := []wire.Error{{Type: "FieldValueRequired", Field: "spec.managedBy", BadValue: raw(`""`)}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// There is no list of field errors to answer with.
func TestFailure(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  wire.Request
		want string
	}{
		{"op", wire.Request{Op: "delete"}, "no such op"},
		{"nothing", wire.Request{}, "old: "},
		{"no new", wire.Request{Old: bare("", "")}, "new: "},
		{"not a Job", wire.Request{Op: wire.Create, New: raw(`{"apiVersion":"v1","kind":"Pod"}`)}, "Pod"},
		{"wrong type", wire.Request{Op: wire.Create, New: raw(`{"spec":{"parallelism":"many"}}`)}, "parallelism"},
		{"wrong type, typed", wire.Request{Op: wire.Create, Typed: true, New: raw(`{"spec":{"parallelism":"many"}}`)}, "parallelism"},
		{"resourceVersion", wire.Request{Op: wire.Create, New: job(`"resourceVersion":"1",`, "", "")}, "resourceVersion"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.req.ID = raw(`7`)
			got := upstream.Answer(tt.req)
			if !strings.Contains(got.Failure, tt.want) || string(got.ID) != "7" || len(got.Errors) != 0 {
				t.Errorf("got %+v, want a failure with %q", got, tt.want)
			}
		})
	}
}

// errorsOf leaves the details out.
func errorsOf(t *testing.T, req wire.Request) []wire.Error {
	t.Helper()
	got := upstream.Answer(req)
	if got.Failure != "" {
		t.Fatal(got.Failure)
	}
	var errs []wire.Error
	for _, err := range got.Errors {
		if err.Detail == "" && err.Type != "FieldValueRequired" {
			t.Errorf("no detail in %+v", err)
		}
		err.Detail = "" // the wording changes from release to release
		errs = append(errs, err)
	}
	return errs
}

func withLabels(job json.RawMessage) json.RawMessage {
	return json.RawMessage(strings.Replace(string(job), `"template":{`, `"template":{"metadata":{"labels":{"a":"b"}},`, 1))
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }
