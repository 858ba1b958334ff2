// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/mirror"
)

var records = []struct {
	name, text string
	bad        bool
	want       string // how it is written again; empty: as it was read
}{
	{name: "sent", text: `{"v":1,"job":"job","worker":"w1","attempt":1,"at":"2026-01-01T00:00:00Z","mirror":"m"}`},
	{name: "not created yet", text: `{"v":1,"job":"job","worker":"w1","attempt":1,"at":"2026-01-01T00:00:00Z"}`},
	{name: "taken off", text: `{"v":1,"job":"job","attempt":12,"at":"2026-01-01T00:00:00Z"}`},
	{name: "evicting", text: `{"v":1,"job":"job","worker":"w1","attempt":1,"at":"2026-01-01T00:00:00Z","mirror":"m","evicting":true}`},
	{name: "lost before", text: `{"v":1,"job":"job","worker":"w1","attempt":3,"lost":2,"at":"2026-01-01T00:00:00Z"}`},
	{name: "a worker with quotes", text: `{"v":1,"job":"job","worker":"a\"b\\","attempt":1,"at":"2026-01-01T00:00:00Z"}`},
	{
		name: "another order, with blanks",
		text: `{ "attempt": 1, "at": "2026-01-01T01:00:00+01:00", "worker": "w1", "job": "job", "v": 1 }`,
		want: `{"v":1,"job":"job","worker":"w1","attempt":1,"at":"2026-01-01T00:00:00Z"}`,
	},
	{
		name: "members of a later version",
		text: `{"v":1,"job":"job","worker":"w1","attempt":1,"at":"2026-01-01T00:00:00Z","zone":{"b":[1,2]},"cost":1.5}`,
		want: `{"v":1,"job":"job","worker":"w1","attempt":1,"at":"2026-01-01T00:00:00Z","cost":1.5,"zone":{"b":[1,2]}}`,
	},
	{name: "no JSON", text: `w1`, bad: true},
	{name: "cut off", text: `{"v":1,"job":"job","worker":"w1","attempt":1,"at":"2026-`, bad: true},
	{name: "something behind", text: `{"v":1,"job":"job","attempt":1,"at":"2026-01-01T00:00:00Z"}}`, bad: true},
	{name: "null", text: `null`, bad: true},
	{name: "a list", text: `[]`, bad: true},
	{name: "empty", text: `{}`, bad: true},
	{name: "blank", text: ` `, bad: true},
	{name: "a later form", text: `{"v":2,"job":"job","worker":"w1","attempt":1,"at":"2026-01-01T00:00:00Z"}`, bad: true},
	{name: "of another Job", text: `{"v":1,"job":"other","worker":"w1","attempt":1,"at":"2026-01-01T00:00:00Z"}`, bad: true},
	{name: "no attempt", text: `{"v":1,"job":"job","worker":"w1","at":"2026-01-01T00:00:00Z"}`, bad: true},
	{name: "attempt 0", text: `{"v":1,"job":"job","worker":"w1","attempt":0,"at":"2026-01-01T00:00:00Z"}`, bad: true},
	{name: "attempt beyond", text: `{"v":1,"job":"job","worker":"w1","attempt":9999999999,"at":"2026-01-01T00:00:00Z"}`, bad: true},
	{name: "lost below", text: `{"v":1,"job":"job","worker":"w1","attempt":1,"lost":-1,"at":"2026-01-01T00:00:00Z"}`, bad: true},
	{name: "no time", text: `{"v":1,"job":"job","worker":"w1","attempt":1}`, bad: true},
	{name: "time null", text: `{"v":1,"job":"job","worker":"w1","attempt":1,"at":null}`, bad: true},
	{name: "before year 0 in UTC", text: `{"v":1,"job":"job","attempt":1,"at":"0000-01-01T00:59:59+01:00"}`, bad: true},
	{name: "after year 9999 in UTC", text: `{"v":1,"job":"job","attempt":1,"at":"9999-12-31T23:00:00-01:00"}`, bad: true},
	{name: "the first second", text: `{"v":1,"job":"job","attempt":1,"at":"0000-01-01T00:00:00Z"}`},
	{name: "the last second", text: `{"v":1,"job":"job","attempt":1,"at":"9999-12-31T23:59:59Z"}`},
	{name: "a mirror on no worker", text: `{"v":1,"job":"job","attempt":1,"at":"2026-01-01T00:00:00Z","mirror":"m"}`, bad: true},
}

func TestRecord(t *testing.T) {
	for _, test := range records {
		t.Run(test.name, func(t *testing.T) {
			got, err := mirror.Rewrite(test.text)
			if test.bad {
				if record := (*mirror.RecordError)(nil); !errors.As(err, &record) || record.Value != test.text || record.Unwrap() == nil {
					t.Errorf("read as %s, %v", got, err)
				}
				return
			}
			want := test.want
			if want == "" {
				want = test.text
			}
			if got != want || err != nil {
				t.Errorf("read and written again: %s, %v; want %s", got, err, want)
			}
		})
	}
}

// TestBadRecord: nothing is guessed from a record that cannot be used, whatever the worker shows.
func TestBadRecord(t *testing.T) {
	for _, test := range records {
		if !test.bad {
			continue
		}
		w := newWorld(t, func(p *mirror.Policy) { p.Condition = "acme.io/Mirrored" })
		w.settle()
		w.management.touch(annotate(dispatchKey, test.text))
		w.expectStep(writeStatus) // of the condition
		plan := w.expectStep()
		if record := (*mirror.RecordError)(nil); plan.Outcome != mirror.BadRecord || !errors.As(plan.Err, &record) || plan.RequeueAfter != 0 {
			t.Errorf("%s: %s", test.name, plan)
		}
		w.worker.job = nil
		w.expectStep()
	}
}

// TestBadRecordDeletion: a Job with such a record can still be deleted, and finish its clean-up.
func TestBadRecordDeletion(t *testing.T) {
	w := running(t)
	w.management.touch(annotate(dispatchKey, "{"))
	w.management.delete("Background")
	w.expectStep(deleteMirror)
	w.worker.podsGone()
	w.expectStep(removeFinalizer)
}

// TestDispatchOf: what a caller sees of the record.
func TestDispatchOf(t *testing.T) {
	w := running(t)
	w.wanted = false
	w.step()
	got, err := w.planner.DispatchOf(w.management.job)
	want := mirror.Dispatch{Worker: worker, Attempt: 1, At: recordedAt(t, w), Mirror: w.worker.job.UID, Evicting: true}
	if !got.At.Equal(&want.At) {
		t.Errorf("at %v, want %v", got.At, want.At)
	}
	if got.At = want.At; got != want || err != nil {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, err := w.planner.DispatchOf(storedJob()); got != (mirror.Dispatch{}) || err != nil {
		t.Errorf("never sent: %+v, %v", got, err)
	}
	if _, err := w.planner.DispatchOf(withMods(storedJob(), annotate(dispatchKey, "{"))); err == nil {
		t.Error("no error")
	}
}

// TestRecordOfACopy: a Job that was created from the manifest of another has its record too.
func TestRecordOfACopy(t *testing.T) {
	original := running(t)
	w := newWorld(t)
	w.management.job.UID = "a-copy"
	w.management.job.Annotations = original.management.job.Annotations
	if plan := w.expectStep(); plan.Outcome != mirror.BadRecord || !strings.Contains(plan.String(), string(original.management.job.UID)) {
		t.Error(plan)
	}
}

// TestRecordStaysOnLocal: a mirror carries no dispatch record, also if the local Job has one.
func TestRecordStaysOnLocal(t *testing.T) {
	w := running(t)
	if _, there := w.management.job.Annotations[dispatchKey]; !there {
		t.Fatal("the local Job has no record")
	}
	source := w.management.job.DeepCopy()
	source.Status = batchv1.JobStatus{}
	if _, copied := build(t, w.planner, source).Annotations[dispatchKey]; copied {
		t.Error("the record is copied to the mirror")
	}
}

// FuzzRecord: our own form is read as encoding/json reads it.
func FuzzRecord(f *testing.F) {
	for _, test := range records {
		f.Add(test.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		own, ok, any, err := mirror.RecordForms(text)
		if ok && (err != nil || own != any) {
			t.Errorf("%q is read as %s, and by encoding/json as %s, %v", text, own, any, err)
		}
		once, err := mirror.Rewrite(text)
		if err != nil {
			return
		}
		if twice, err := mirror.Rewrite(once); once != twice || err != nil && text != "" {
			t.Errorf("%s is rewritten as %s, %v", once, twice, err)
		}
	})
}
