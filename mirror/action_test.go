// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/internal/mergepatch"
	"github.com/managedby-dev/managedby/mirror"
)

var actionKinds = []mirror.ActionKind{
	addFinalizer, claim, create, mirror.PatchMirror, writeStatus, deleteMirror, releaseMirror, removeFinalizer, mirror.ReadLive,
}

// TestActionTolerates: what is news and what an error.
func TestActionTolerates(t *testing.T) {
	for _, kind := range actionKinds {
		news := map[metav1.StatusReason]bool{metav1.StatusReasonConflict: true, metav1.StatusReasonNotFound: true}
		if kind == create {
			news = map[metav1.StatusReason]bool{metav1.StatusReasonAlreadyExists: true}
		}
		news[metav1.StatusReasonInvalid] = kind == releaseMirror || kind == patchMirror // without resourceVersion
		for _, reason := range []metav1.StatusReason{
			metav1.StatusReasonConflict, metav1.StatusReasonNotFound, metav1.StatusReasonAlreadyExists,
			metav1.StatusReasonInvalid, metav1.StatusReasonForbidden, metav1.StatusReasonTimeout, metav1.StatusReasonUnknown,
		} {
			if got := (mirror.Action{Kind: kind}).Tolerates(reason); got != news[reason] {
				t.Errorf("%s tolerates %q: %v", kind, reason, got)
			}
		}
	}
}

// TestActionToleratesInvalid: with a resourceVersion, a Job that is another is a Conflict, and Invalid an error.
func TestActionToleratesInvalid(t *testing.T) {
	for _, kind := range actionKinds {
		got := mirror.Action{Kind: kind, ResourceVersion: "1"}.Tolerates(metav1.StatusReasonInvalid)
		if got != (kind == releaseMirror) {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

func TestActionOnWorker(t *testing.T) {
	for _, kind := range actionKinds {
		want := kind == releaseMirror || strings.HasSuffix(string(kind), "Mirror")
		if got := (mirror.Action{Kind: kind}).OnWorker(); got != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

func TestActionDeleteOptions(t *testing.T) {
	w := running(t)
	w.management.delete(metav1.DeletePropagationBackground)
	plan := w.planner.Decide(w.state())
	options, stored := plan.Actions[0].DeleteOptions(), w.worker.job
	if *options.PropagationPolicy != metav1.DeletePropagationForeground ||
		*options.Preconditions.UID != stored.UID || *options.Preconditions.ResourceVersion != stored.ResourceVersion {
		t.Errorf("%+v", options)
	}
}

// TestStatusPatch: applied to the local Job, the patch gives the planned status, whatever was there before.
func TestStatusPatch(t *testing.T) {
	full := job(start(0), active(1), ready(1), terminating(0), failed(3), uncounted("p1"), done("0"), lost("1"), is(batchv1.JobSuspended, 3))
	tests := map[string]struct{ local, remote *batchv1.Job }{
		"the first":      {job(), job(start(0), active(1))},
		"fields go":      {full, job(start(0), failed(3))},
		"all fields":     {job(), full},
		"uncounted pods": {job(start(0), uncounted("p1")), job(start(0), uncounted())},
		"finished":       {full, job(indexed, start(0), end(9), failed(3), is(complete, 9), is(criteriaMet, 9))},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.local.UID, test.local.ResourceVersion = "u", "5"
			plan := mirror.StatusPlan{Outcome: mirror.Copied, Status: &test.remote.Status}
			var patch, object map[string]any
			must(t, json.Unmarshal(plan.Patch(test.local), &patch))
			if meta := patch["metadata"]; !cmp.Equal(meta, any(map[string]any{"uid": "u", "resourceVersion": "5"})) {
				t.Errorf("metadata %v", meta)
			}
			must(t, json.Unmarshal([]byte(toJSON(t, test.local)), &object))
			got := mergepatch.Apply(object, patch).(map[string]any)["status"]
			var want any
			must(t, json.Unmarshal([]byte(toJSON(t, test.remote.Status)), &want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if patch := (mirror.StatusPlan{}).Patch(nil); patch != nil {
		t.Errorf("nothing to write: %s", patch)
	}
}

// TestStatusPatchLeast: only what changes is in the patch, so that what the Go types do not know stays.
func TestStatusPatchLeast(t *testing.T) {
	plan := mirror.StatusPlan{Status: &job(start(0), active(2), failed(1)).Status}
	patch := string(plan.Patch(job(start(0), active(1), failed(1))))
	if !strings.HasSuffix(patch, `"status":{"active":2}}`) {
		t.Error(patch)
	}
}
