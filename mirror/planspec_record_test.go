// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// TestPlanSpecWithoutRecord covers mirrors that an older version made, or that somebody edited.
func TestPlanSpecWithoutRecord(t *testing.T) {
	for _, record := range []string{"", "{", "null", "[]", `"v"`, `{"v":2,"spec":{"suspend":true}}`, `{"v":"1"}`, `{"v":1,"spec":[]}`, `{"spec":{}}`} {
		t.Run(record, func(t *testing.T) {
			p := planner(t, func(p *mirror.Policy) { p.KeepTTL = true })
			local := templateJob(limit("1"), onZone("a"))
			remote := storedMirror(build(t, p, local))
			remote.Annotations[sentKey] = record
			if record == "" {
				delete(remote.Annotations, sentKey)
			}
			remote.Labels["mine"], remote.Labels["both"] = "w", "w"
			local = byUser(local, func(j *batchv1.Job) {
				suspending(false)(j)
				limit("2")(j)
				onZone("b")(j)
				tolerate("c")(j)
				j.Spec.Template.Spec.NodeSelector = map[string]string{"gpu": "yes"}
				j.Spec.Parallelism, j.Spec.ActiveDeadlineSeconds, j.Spec.BackoffLimit = ptr.To[int32](9), ptr.To[int64](9), ptr.To[int32](9)
				j.Spec.MaxFailedIndexes, j.Spec.PodReplacementPolicy, j.Spec.TTLSecondsAfterFinished = ptr.To[int32](9), ptr.To(batchv1.Failed), ptr.To[int32](9)
				j.Labels, j.Annotations = map[string]string{"new": "u", "both": "u"}, map[string]string{"new": "u"}
			})
			plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
			want := []string{
				"ToSend spec.backoffLimit", "ToSend spec.maxFailedIndexes", "ToSend spec.podReplacementPolicy", "ToSend spec.ttlSecondsAfterFinished",
				"ToSend metadata.labels[new]", "ToSend metadata.annotations[new]",
				"Undecided spec.suspend", "Undecided spec.parallelism", "Undecided spec.activeDeadlineSeconds",
				"Undecided metadata.labels[both]", "Undecided metadata.labels[mine]",
				"Undecided spec.template.spec.nodeSelector[disk]", "Undecided spec.template.spec.nodeSelector[gpu]",
				"Undecided spec.template.spec.tolerations", "Undecided spec.template.spec.tolerations", "Undecided spec.template.spec.tolerations",
				"Undecided spec.template.spec.affinity.nodeAffinity", "Undecided spec.template.spec.containers[main].resources",
			}
			if d := cmp.Diff(want, told(plan.Differences)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			remote = patched(t, remote, plan.Patch)
			settles(t, p, local, remote, nil)

			local = byUser(local, suspending(true)) // what the mirror is already
			local = byUser(local, suspending(false))
			local = byUser(local, func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](8) })
			plan = p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
			if got, want := changes(t, plan.Patch), `{"spec":{"parallelism":8}}`; got != want {
				t.Errorf("the next change: %s, want %s", got, want)
			}
		})
	}
}

// TestPlanSpecWithDigest covers a record too long to hold the maps.
func TestPlanSpecWithDigest(t *testing.T) {
	p := planner(t)
	local := templateJob(func(j *batchv1.Job) {
		j.Annotations = map[string]string{}
		for i := range 1000 {
			j.Annotations[fmt.Sprintf("example.com/key-%d", i)] = strings.Repeat("v", 40)
		}
	})
	remote := storedMirror(build(t, p, local))
	if !strings.Contains(remote.Annotations[sentKey], `"digest"`) {
		t.Fatal("the record holds the maps")
	}
	remote.Spec.Template.Spec.NodeSelector["pool"] = "w"
	scaled := byUser(local, func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](9) })
	plan := p.PlanSpec(mirror.Pair{Local: scaled, Remote: remote})
	want := []string{"ToSend spec.parallelism", "SetByWorker spec.template.spec.nodeSelector[pool]"}
	if d := cmp.Diff(want, told(plan.Differences)); d != "" {
		t.Errorf("scalars changed, maps did not (-want +got):\n%s", d)
	}
	remote = patched(t, remote, plan.Patch)
	settles(t, p, scaled, remote, nil)

	labelled := byUser(scaled, func(j *batchv1.Job) {
		j.Annotations["new"] = "u"
		j.Spec.Template.Spec.NodeSelector["disk"] = "hdd"
	})
	plan = p.PlanSpec(mirror.Pair{Local: labelled, Remote: remote})
	want = []string{"ToSend metadata.annotations[new]", "Undecided spec.template.spec.nodeSelector[disk]", "Undecided spec.template.spec.nodeSelector[pool]"}
	if d := cmp.Diff(want, told(plan.Differences)); d != "" {
		t.Errorf("maps changed (-want +got):\n%s", d)
	}
	settles(t, p, labelled, patched(t, remote, plan.Patch), nil)
}

// TestPlanSpecRecordsWhatItSends compares the record after a patch with that of a mirror built
// from the Job as it is now.
func TestPlanSpecRecordsWhatItSends(t *testing.T) {
	p := planner(t)
	local := templateJob(limit("1"))
	remote := storedMirror(build(t, p, local))
	local = byUser(local, func(j *batchv1.Job) {
		limit("2")(j)
		onZone("b")(j)
		tolerate("c")(j)
		j.Spec.Template.Spec.NodeSelector = map[string]string{"gpu": strings.Repeat("y", 65)}
		j.Spec.Parallelism = ptr.To[int32](9)
		j.Annotations = map[string]string{"new": strings.Repeat("x", 65), "odd": "sha256:x"}
	})
	plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
	want, got := build(t, p, local).Annotations, patched(t, remote, plan.Patch).Annotations
	if d := cmp.Diff(want[sentKey], got[sentKey]); d != "" || got[genKey] != want[genKey] {
		t.Errorf("record (-built anew +patched), generation %s:\n%s", got[genKey], d)
	}
	if got[genKey] != fmt.Sprint(local.Generation) {
		t.Errorf("generation %s is recorded, want %d", got[genKey], local.Generation)
	}
}

// TestPlanSpecRecordsWhatIsPending: the old value stays, also as a digest, and the generation moves.
func TestPlanSpecRecordsWhatIsPending(t *testing.T) {
	p := planner(t, onWorker(t, "1.34.4"))
	long := strings.Repeat("x", 65)
	local := templateJob(func(j *batchv1.Job) { j.Spec.Template.Annotations["long"] = long })
	remote := storedMirror(build(t, p, local))
	mirrorStates["stopped"](remote)
	before := decodeLastSent(t, remote)
	local = byUser(local, func(j *batchv1.Job) {
		limit("2")(j)
		tolerate("c")(j)
		onZone("a")(j)
		j.Spec.Template.Annotations["long"] = long + "y"
		j.Spec.Template.Spec.NodeSelector = nil
	})
	remote = patched(t, remote, p.PlanSpec(mirror.Pair{Local: local, Remote: remote}).Patch)
	var after struct {
		Pending bool
		lastSent
	}
	if err := json.Unmarshal([]byte(remote.Annotations[sentKey]), &after); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, after.lastSent); d != "" || !after.Pending {
		t.Errorf("pending %v, record (-before +after):\n%s", after.Pending, d)
	}
	if remote.Annotations[genKey] != fmt.Sprint(local.Generation) {
		t.Errorf("generation %s is recorded, want %d", remote.Annotations[genKey], local.Generation)
	}
}

// TestPlanSpecNothingToDo covers the reasons not to look at all.
func TestPlanSpecNothingToDo(t *testing.T) {
	change := func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](9) }
	finish := func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: "True"}}
	}
	remove := func(j *batchv1.Job) { j.DeletionTimestamp = ptr.To(metav1.Unix(1, 0)) }
	for _, tt := range []struct {
		name          string
		local, remote func(*batchv1.Job)
		want          string
	}{
		{"control", nothing, nothing, `{"spec":{"parallelism":9}}`},
		{"local finished", finish, nothing, ""},
		{"local being deleted", remove, nothing, ""},
		{"mirror finished", nothing, finish, ""},
		{"mirror being deleted", nothing, remove, ""},
		{"another controller", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("a.io/b") }, nothing, ""},
		{"previous incarnation", func(j *batchv1.Job) { j.UID = "other" }, nothing, ""},
		{"foreign", nothing, func(j *batchv1.Job) { delete(j.Labels, originKey) }, ""},
		{"not read from a server", nothing, func(j *batchv1.Job) { j.UID = "" }, ""},
		{"without resourceVersion", nothing, func(j *batchv1.Job) { j.ResourceVersion = "" }, ""},
		{"generation not recorded", nothing, func(j *batchv1.Job) { delete(j.Annotations, genKey) }, `{"spec":{"parallelism":9}}`},
		{"generation malformed", nothing, func(j *batchv1.Job) { j.Annotations[genKey] = "x" }, `{"spec":{"parallelism":9}}`},
		{"generation recorded already", nothing, func(j *batchv1.Job) { j.Annotations[genKey] = "4" }, ""},
		{"local without generation", func(j *batchv1.Job) { j.Generation = 0 }, func(j *batchv1.Job) { j.Annotations[genKey] = "0" }, `{"spec":{"parallelism":9}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planner(t)
			local := storedJob()
			remote := storedMirror(build(t, p, local))
			local = byUser(local, change)
			tt.local(local)
			tt.remote(remote)
			plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
			if got := changes(t, plan.Patch); got != tt.want {
				t.Errorf("patch %q, want %q", got, tt.want)
			}
			if tt.want == "" && (plan.Patch != nil || plan.Differences != nil || plan.Stale) {
				t.Errorf("not the zero plan: %v", plan)
			}
		})
	}
}

// TestPlanSpecStale: a cache that lags behind must not undo what was sent.
func TestPlanSpecStale(t *testing.T) {
	p := planner(t)
	old := storedJob()
	remote := storedMirror(build(t, p, byUser(old, suspending(true))))
	plan := p.PlanSpec(mirror.Pair{Local: old, Remote: remote})
	if !plan.Stale || plan.Patch != nil || plan.Differences != nil {
		t.Errorf("plan for a stale Job: %v", plan)
	}
}

func TestPlanSpecPanicsOnNil(t *testing.T) {
	p, job := planner(t), storedJob()
	for _, pair := range []mirror.Pair{{}, {Local: job}, {Remote: job}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: no panic", pair)
				}
			}()
			p.PlanSpec(pair)
		}()
	}
}

// TestPlanSpecMetadata changes labels and annotations alone, which leaves the generation as it is.
func TestPlanSpecMetadata(t *testing.T) {
	for _, tt := range []struct {
		name             string
		byWorker, byUser func(*batchv1.Job)
		want             string
	}{
		{"nothing", nothing, nothing, ""},
		{"worker adds", func(j *batchv1.Job) { j.Labels["w"], j.Annotations["w"] = "w", "w" }, nothing, ""},
		{"worker adds what it would be in the record", func(j *batchv1.Job) { j.Annotations["spec"] = "w" }, nothing, ""},
		{"worker changes", func(j *batchv1.Job) { j.Labels["team"] = "w" }, nothing, ""},
		{"user adds a label", nothing, func(j *batchv1.Job) { j.Labels["u"] = "u" }, `{"metadata":{"labels":{"u":"u"}}}`},
		{"user adds an empty one", nothing, func(j *batchv1.Job) { j.Labels["u"] = "" }, `{"metadata":{"labels":{"u":""}}}`},
		{"user adds an annotation", nothing, func(j *batchv1.Job) { j.Annotations["u"] = "u" }, `{"metadata":{"annotations":{"u":"u"}}}`},
		{"user changes", nothing, func(j *batchv1.Job) { j.Labels["team"] = "u" }, `{"metadata":{"labels":{"team":"u"}}}`},
		{"user removes", nothing, func(j *batchv1.Job) { delete(j.Labels, "team") }, `{"metadata":{"labels":{"team":null}}}`},
		{"user replaces one by another that the worker has", func(j *batchv1.Job) { j.Labels["u"] = "u" },
			func(j *batchv1.Job) { delete(j.Labels, "team"); j.Labels["u"] = "u" }, `{"metadata":{"labels":{"team":null}}}`},
		{"user removes all", nothing, func(j *batchv1.Job) { j.Labels, j.Annotations = nil, nil }, `{"metadata":{"annotations":{"note":null},"labels":{"team":null}}}`},
		{"user adds what is left out", nothing, func(j *batchv1.Job) { j.Labels["karmada.io/x"] = "u" }, ""},
		{"user adds the identity", nothing, func(j *batchv1.Job) { j.Labels[originKey], j.Annotations[localKey] = origin, "x" }, ""},
		{"identity hides a removal", nothing, func(j *batchv1.Job) { delete(j.Labels, "team"); j.Labels[originKey] = origin }, `{"metadata":{"labels":{"team":null}}}`},
		{"user adds what is ignored", nothing, func(j *batchv1.Job) { j.Labels["cost"] = "u" }, ""},
		{"user removes what is ignored", func(j *batchv1.Job) { j.Labels["cost"] = "w" }, func(j *batchv1.Job) {}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planner(t, func(p *mirror.Policy) { p.IgnoreFields = []string{"metadata.labels[cost]"} })
			local := storedJob(func(j *batchv1.Job) {
				j.Labels, j.Annotations = map[string]string{"team": "a", "job-name": "train"}, map[string]string{"note": "n"}
			})
			remote := storedMirror(build(t, p, local))
			tt.byWorker(remote)
			tt.byUser(local)
			plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
			if got := changes(t, plan.Patch); got != tt.want {
				t.Errorf("patch %q, want %q", got, tt.want)
			}
			if plan.Patch != nil {
				remote = patched(t, remote, plan.Patch)
				if again := p.PlanSpec(mirror.Pair{Local: local, Remote: remote}); again.Patch != nil {
					t.Errorf("planned again: %s", again.Patch)
				}
			}
		})
	}
}

// TestDifferences finds what the recorded generation hides from PlanSpec.
func TestDifferences(t *testing.T) {
	p := planner(t, func(p *mirror.Policy) { p.WorkerManagedBy = "example.com/other" })
	local := storedJob(func(j *batchv1.Job) {
		j.Labels = map[string]string{"job-name": "train", "karmada.io/x": "y"}
		j.Annotations = map[string]string{originKey: "forged"}
	})
	remote := storedMirror(build(t, p, local))
	remote.Spec.Template.Spec.Containers[0].Image = "mirror.example.com/busybox"
	pair := mirror.Pair{Local: local, Remote: remote}
	if plan := p.PlanSpec(pair); plan.Differences != nil || plan.Patch != nil {
		t.Errorf("PlanSpec: %v", plan)
	}
	var got []string
	for _, d := range p.Differences(pair) {
		got = append(got, string(d.Kind)+" "+d.Field)
	}
	want := []string{
		"SetByWorker spec.template.spec.containers[main].image",
		"Ours metadata.labels[acme.io/mirror-origin]", "Ours metadata.labels[job-name]", "Ours metadata.labels[karmada.io/x]",
		"Ours metadata.annotations[acme.io/mirror-last-sent]", "Ours metadata.annotations[acme.io/mirror-local]",
		"Ours metadata.annotations[acme.io/mirror-local-generation]", "Ours metadata.annotations[acme.io/mirror-local-uid]",
		"Ours metadata.annotations[acme.io/mirror-origin]",
		"Ours spec.managedBy", "Ours spec.ttlSecondsAfterFinished", "Ours spec.selector",
		"Ours spec.template.metadata.labels[batch.kubernetes.io/controller-uid]", "Ours spec.template.metadata.labels[controller-uid]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestHoldMirror(t *testing.T) {
	p := planner(t, func(p *mirror.Policy) { p.HoldMirror = true })
	if d := cmp.Diff([]string{"acme.io/mirror-hold"}, build(t, p, storedJob()).Finalizers); d != "" {
		t.Errorf("finalizers (-want +got):\n%s", d)
	}
}

// TestIgnoreFieldsForm covers what New says of Policy.IgnoreFields.
func TestIgnoreFieldsForm(t *testing.T) {
	for path, want := range map[string]bool{
		"spec": true, "spec.suspend": true, "spec.template.spec.nodeSelector": true, "spec.template.spec.nodeSelector[a.io/b]": true,
		"metadata.labels": true, "metadata.labels[a.b/c.d]": true, "metadata.annotations[x]": true,
		"spec.template.spec.containers": true, "spec.template.spec.containers[main].resources": true,
		"spec.template.spec.containers[main].resources.limits[cpu]": true, "spec.template.spec.affinity.nodeAffinity": true,
		"spec.template.spec.tolerations": true, "spec.template.metadata.labels[x]": true,
		"spec.template.spec.volumes[v].configMap.name": true, // of an embedded struct
		"": false, ".": false, "metadata": false, "metadata.name": false, "metadata.labelsx": false, "status": false, "Spec": false,
		"spec.": false, "spec..suspend": false, "spec.suspended": false, "spec.suspend.x": false, "spec.suspend[x]": false,
		"spec[x]": false, "spec.template.spec.nodeSelector[a": false, "spec.template.spec.nodeSelector[]": false,
		"spec.template.spec.nodeSelector.a": false, "metadata.labels[a]b": false, "metadata.labels[a][b]": false,
		" spec.suspend": false, "spec.template.spec.containers[main].resources.limits[cpu].x": false,
	} {
		_, err := mirror.New(mirror.Policy{Controller: dispatcher, Origin: origin, IgnoreFields: []string{path}})
		if (err == nil) != want {
			t.Errorf("%q: %v, want it accepted: %v", path, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "IgnoreFields[0]") {
			t.Errorf("%q: the error does not name the field: %v", path, err)
		}
	}
}
