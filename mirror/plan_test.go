// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"regexp"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/mirror"
)

// TestOutcomes: names fit for events and metrics, each once, none removed or renamed.
func TestOutcomes(t *testing.T) {
	want := []mirror.Outcome{
		"InSync", "Copied", "Deferred", "Evicted", "Resuming", "Terminating", "Finished", "Conflict", "Invalid", "NotManaged",
		"Incomplete", "Malformed", "Gone", "Orphan", "CleaningUp", "CleanedUp", "CleanupPending", "Abandoned", "BadRecord", "Unconfirmed", "Unreachable", "Refused",
		"Elsewhere", "Dispatching", "BackingOff", "MirrorLost", "MirrorDeleting", "Concluded", "Evicting", "Idle",
	}
	got := mirror.Outcomes()
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	camel := regexp.MustCompile(`^[A-Z][A-Za-z]{2,30}$`)
	seen := map[mirror.Outcome]bool{}
	for _, o := range got {
		if !camel.MatchString(string(o)) || seen[o] {
			t.Errorf("%q", o)
		}
		seen[o] = true
	}
	got[0] = "changed"
	if mirror.Outcomes()[0] != mirror.InSync {
		t.Error("the slice is not the caller's own")
	}
}

// TestZeroState: a caller who forgot everything, and one who forgot a field, get nothing done.
func TestZeroState(t *testing.T) {
	p := planner(t)
	plan := p.Decide(mirror.State{})
	if plan.Outcome != "" || plan.Actions != nil || plan.RequeueAfter != 0 || plan.String() != "nothing" {
		t.Errorf("%#v", plan)
	}
	full := inSyncState(t, p)
	forgotten := map[string]func(*mirror.State){
		"Local":  func(s *mirror.State) { s.Local = mirror.Observation{} },
		"Mirror": func(s *mirror.State) { s.Mirror = mirror.Observation{} },
		"Worker": func(s *mirror.State) { s.Worker = "" },
		"Now":    func(s *mirror.State) { s.Now = metav1.Time{} },
		"UID":    func(s *mirror.State) { s.Local = mirror.Live(storedJob(func(j *batchv1.Job) { j.UID = "" })) },
		"resourceVersion": func(s *mirror.State) {
			s.Local = mirror.Live(storedJob(func(j *batchv1.Job) { j.ResourceVersion = "" }))
		},
		"Elsewhere": func(s *mirror.State) {
			s.Elsewhere = mirror.Others{}
			s.Mirror = mirror.Live(nil)
		},
	}
	for name, forget := range forgotten {
		s := full
		forget(&s)
		if plan := p.Decide(s); len(plan.Actions) > 0 {
			t.Errorf("without %s: %s", name, plan)
		}
	}
}
