// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// TestDecideObjectJobs: for a Job, DecideObject plans what Decide does.
func TestDecideObjectJobs(t *testing.T) {
	job := func(j *batchv1.Job) *unstructured.Unstructured { return asObject(t, j) }
	for name, change := range policies {
		p := planner(t, change)
		product(t, p, func(c combination) {
			want := p.Decide(c.state)
			got := p.DecideObject(jobKind(t), mirror.AsObjects(c.state, job))
			for i, a := range got.Actions {
				if a.Kind != mirror.CreateMirror {
					continue
				}
				if a.Job != nil || a.Unstructured == nil {
					t.Fatalf("%s: %s: what is to be created: %v, %v", name, c, a.Job, a.Unstructured)
				}
				got.Actions[i].Job, got.Actions[i].Unstructured = asJob(t, a.Unstructured), nil
				got.Actions[i].Job.TypeMeta = batchv1.Job{}.TypeMeta
			}
			if diff := cmp.Diff(fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", name, c, diff)
			}
			if diff := cmp.Diff(created(want), created(got)); diff != "" {
				t.Errorf("%s: %s: created (-want +got):\n%s", name, c, diff)
			}
		})
	}
}

// TestDecideObjectDeadline: a Job that is sent again has used up some of its activeDeadlineSeconds.
func TestDecideObjectDeadline(t *testing.T) {
	p := planner(t)
	s := inSyncState(t, p, func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To[int64](600) })
	s.Mirror = mirror.Live(nil)
	want := p.Decide(s)
	got := p.DecideObject(jobKind(t), mirror.AsObjects(s, func(j *batchv1.Job) *unstructured.Unstructured { return asObject(t, j) }))
	if len(want.Actions) != 2 || len(got.Actions) != 2 {
		t.Fatalf("%s and %s", want, got)
	}
	sent := asJob(t, got.Actions[1].Unstructured)
	if d := sent.Spec.ActiveDeadlineSeconds; d == nil || *d != 500 {
		t.Errorf("%v seconds are left, want 500", d)
	}
	sent.TypeMeta = want.Actions[1].Job.TypeMeta
	if diff := cmp.Diff(want.Actions[1].Job, sent); diff != "" {
		t.Errorf("(-Decide +DecideObject):\n%s", diff)
	}
}

// created lists what a plan creates, and drops it from the plan.
func created(p mirror.Plan) (all []*batchv1.Job) {
	for i, a := range p.Actions {
		all = append(all, a.Job)
		p.Actions[i].Job = nil
	}
	return all
}

// asJobSet is a JobSet in the state of a Job.
func asJobSet(t testing.TB, job *batchv1.Job) *unstructured.Unstructured {
	u := asObject(t, job)
	u.SetAPIVersion("jobset.x-k8s.io/v1alpha2")
	u.SetKind("JobSet")
	spec := map[string]any{"replicatedJobs": []any{}}
	if job.Spec.ManagedBy != nil {
		spec["managedBy"] = *job.Spec.ManagedBy
	}
	status := map[string]any{}
	if job.Status.Active > 0 {
		status["replicatedJobsStatus"] = []any{map[string]any{"name": "workers", "active": int64(1)}}
	}
	for _, c := range job.Status.Conditions {
		if c.Type == batchv1.JobFailed {
			at := c.LastTransitionTime.UTC().Format("2006-01-02T15:04:05Z")
			status["conditions"] = []any{map[string]any{"type": "Failed", "status": "True", "lastTransitionTime": at}}
		}
	}
	u.Object["spec"], u.Object["status"] = spec, status
	return u
}

// TestDecideObjectRows: a JobSet gets the row that a Job in the same state gets. It promises no verdict, so one that
// would is unfinished.
func TestDecideObjectRows(t *testing.T) {
	kind, _ := kindObject(t, "jobset")
	jobSet := func(j *batchv1.Job) *unstructured.Unstructured { return asJobSet(t, j) }
	for name, change := range policies {
		p := planner(t, change)
		rows := map[string]string{}
		product(t, p, func(c combination) { rows[c.String()] = mirror.RowOf(p, c.state) })
		n := 0
		product(t, p, func(c combination) {
			n++
			if c.local == "fate" {
				c.local = "unfinished"
			}
			s := mirror.AsObjects(c.state, jobSet)
			row, err := mirror.RowOfObject(p, kind, s)
			if err != nil || row != rows[c.String()] {
				t.Errorf("%s: %s: %s, want %s (%v)", name, c, row, rows[c.String()], err)
			}
			plan := p.DecideObject(kind, s)
			where := fmt.Sprintf("%s: %s (live: local %v, mirror %v, elsewhere %v): %s", name, c, c.localLive, c.live, c.liveElse, plan)
			for _, broken := range brokenPromises(name, c, plan) {
				t.Errorf("%s\n%s", where, broken)
			}
			for _, a := range plan.Actions {
				if a.Subresource == "status" && strings.Contains(string(a.Patch), `"annotations"`) {
					t.Errorf("%s\n%s: the API server drops the annotations of %s", where, a, a.Patch)
				}
			}
			if again := p.DecideObject(kind, s); !reflect.DeepEqual(again, plan) {
				t.Errorf("%s\nasked again: %s", where, again)
			}
		})
		t.Logf("%s: %d States", name, n)
	}
}

// TestDecideForms: observations of the other form are unknown, and never taken for a Job that is gone.
func TestDecideForms(t *testing.T) {
	p, kind := planner(t), jobKind(t)
	s := inSyncState(t, p)
	job := func(j *batchv1.Job) *unstructured.Unstructured { return asObject(t, j) }
	if plan := p.DecideObject(kind, s); !reflect.DeepEqual(plan, mirror.Plan{}) {
		t.Errorf("DecideObject of Jobs: %s", plan)
	}
	objects := mirror.AsObjects(s, job)
	if plan := p.Decide(objects); !reflect.DeepEqual(plan, mirror.Plan{}) {
		t.Errorf("Decide of objects: %s", plan)
	}
	for name, o := range map[string]mirror.Observation{
		"an object": mirror.LiveObject(job(storedJob())), "no object": mirror.LiveObject(nil), "no object in the cache": mirror.CachedObject(nil),
	} {
		s := s
		s.Mirror = o
		if plan := p.Decide(s); plan.Outcome != mirror.Unreachable || len(plan.Actions) > 0 {
			t.Errorf("Decide with %s for the mirror: %s", name, plan)
		}
		s = inSyncState(t, p)
		s.Elsewhere, s.Mirror = mirror.OtherWorkers(o), mirror.Live(nil)
		if plan := p.Decide(s); plan.Outcome != mirror.Elsewhere {
			t.Errorf("Decide with %s elsewhere: %s", name, plan)
		}
	}
	for name, o := range map[string]mirror.Observation{"a Job": mirror.Live(storedJob()), "no Job": mirror.Live(nil)} {
		s := objects
		s.Mirror = o
		if plan := p.DecideObject(kind, s); plan.Outcome != mirror.Unreachable || len(plan.Actions) > 0 {
			t.Errorf("DecideObject with %s for the mirror: %s", name, plan)
		}
	}
}

// TestDecideObjectMalformed: what cannot be read is said, with its path, and nothing is planned.
func TestDecideObjectMalformed(t *testing.T) {
	kind, _ := kindObject(t, "jobset")
	jobSet := func(j *batchv1.Job) *unstructured.Unstructured { return asJobSet(t, j) }
	for path, spoil := range map[string]func(*unstructured.Unstructured){
		"spec.managedBy":     func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["managedBy"] = int64(7) },
		"spec":               func(u *unstructured.Unstructured) { u.Object["spec"] = []any{} },
		"spec.suspend":       func(u *unstructured.Unstructured) { u.Object["spec"].(map[string]any)["suspend"] = "yes" },
		"status.conditions":  func(u *unstructured.Unstructured) { u.Object["status"] = map[string]any{"conditions": "none"} },
		"metadata.name":      func(u *unstructured.Unstructured) { u.Object["metadata"].(map[string]any)["name"] = int64(1) },
		"metadata.namespace": func(u *unstructured.Unstructured) { u.Object["metadata"].(map[string]any)["namespace"] = int64(1) },
		"metadata.resourceVersion": func(u *unstructured.Unstructured) {
			u.Object["metadata"].(map[string]any)["resourceVersion"] = int64(1)
		},
		"metadata.uid":         func(u *unstructured.Unstructured) { u.Object["metadata"].(map[string]any)["uid"] = true },
		"metadata.annotations": func(u *unstructured.Unstructured) { u.Object["metadata"].(map[string]any)["annotations"] = []any{} },
		"metadata.finalizers":  func(u *unstructured.Unstructured) { u.Object["metadata"].(map[string]any)["finalizers"] = "acme.io/x" },
		"metadata.deletionTimestamp": func(u *unstructured.Unstructured) {
			u.Object["metadata"].(map[string]any)["deletionTimestamp"] = int64(3)
		},
	} {
		for _, side := range []string{"local", "mirror", "elsewhere"} {
			p := planner(t)
			s := mirror.AsObjects(inSyncState(t, p), jobSet)
			bad := asJobSet(t, storedJob())
			if side != "local" {
				bad = asJobSet(t, mirrorOf(t, p, storedJob()))
			}
			spoil(bad)
			switch side {
			case "local":
				s.Local = mirror.CachedObject(bad)
			case "mirror":
				s.Mirror = mirror.CachedObject(bad)
			default:
				s.Elsewhere = mirror.OtherWorkers(mirror.CachedObject(bad))
			}
			plan := p.DecideObject(kind, s)
			var malformed *jobmanagedby.MalformedError
			if plan.Outcome != mirror.Malformed || len(plan.Actions) > 0 || !errors.As(plan.Err, &malformed) || malformed.Path != path {
				t.Errorf("%s of the %s: %s: %v", path, side, plan, plan.Err)
			}
		}
	}
	p := planner(t)
	plan := p.DecideObject(kind, mirror.AsObjects(inSyncState(t, p), func(j *batchv1.Job) *unstructured.Unstructured { return asObject(t, j) }))
	var other *jobmanagedby.KindError
	if plan.Outcome != mirror.Malformed || !errors.As(plan.Err, &other) {
		t.Errorf("Jobs as JobSets: %s", plan)
	}
}

// TestDecideObjectUnread: what need not be read stands in nobody's way.
func TestDecideObjectUnread(t *testing.T) {
	kind, _ := kindObject(t, "jobset")
	p := planner(t)
	spoiled := func(job *batchv1.Job) *unstructured.Unstructured {
		u := asJobSet(t, job)
		u.Object["spec"], u.Object["status"] = []any{}, "none"
		return u
	}
	foreign := storedJob(func(j *batchv1.Job) { j.UID = "somebody-elses" })
	deleting := withMods(storedJob(), deletedAt(50, cleanupFinalizer), sentTo(worker, 1, mirrorUID))
	state := func(local, remote *unstructured.Unstructured) mirror.State {
		return mirror.State{Key: jobKey, Local: mirror.LiveObject(local), Mirror: mirror.LiveObject(remote), Elsewhere: mirror.OtherWorkers(), Worker: worker, Wanted: true, Now: at(100)}
	}
	unreadableStatus := asJobSet(t, deleting)
	unreadableStatus.Object["status"] = "none"
	for name, tt := range map[string]struct {
		state mirror.State
		want  mirror.Outcome
		kinds []mirror.ActionKind
	}{
		"a foreign object":              {state(asJobSet(t, storedJob()), spoiled(foreign)), mirror.Conflict, nil},
		"a foreign one at a deletion":   {state(unreadableStatus, spoiled(foreign)), mirror.CleanedUp, []mirror.ActionKind{mirror.RemoveFinalizer}},
		"the mirror at a deletion":      {state(unreadableStatus, spoiled(mirrorOf(t, p, storedJob()))), mirror.CleaningUp, []mirror.ActionKind{mirror.DeleteMirror}},
		"an orphan":                     {state(nil, spoiled(mirrorOf(t, p, storedJob()))), mirror.Orphan, nil},
		"the mirror of a living object": {state(asJobSet(t, storedJob()), spoiled(mirrorOf(t, p, storedJob()))), mirror.Malformed, nil},
	} {
		plan := p.DecideObject(kind, tt.state)
		var kinds []mirror.ActionKind
		for _, a := range plan.Actions {
			kinds = append(kinds, a.Kind)
		}
		if plan.Outcome != tt.want || !slices.Equal(kinds, tt.kinds) {
			t.Errorf("%s: %s", name, plan)
		}
	}
}
