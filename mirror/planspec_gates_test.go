// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// atRest, started and so on are states of a mirror.
var mirrorStates = map[string]func(*batchv1.Job){
	"never started":          func(j *batchv1.Job) {},
	"never started, said so": saysSuspended,
	"stopping":               func(j *batchv1.Job) { started(j); saysSuspended(j); j.Status.Active = 1 },
	"stopped":                func(j *batchv1.Job) { started(j); saysSuspended(j) },
	"stopped, not said":      started,
	"running":                func(j *batchv1.Job) { started(j); suspending(false)(j) },
	"not started yet":        suspending(false),
}

func started(j *batchv1.Job) { j.Status.StartTime = ptr.To(metav1.Unix(1000, 0)) }

func saysSuspended(j *batchv1.Job) {
	j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue})
}

// TestPlanSpecTemplateByRelease changes the node selector and the resources of a Job that stays
// suspended. Each cell has what becomes of the two; "send" is ToSend.
func TestPlanSpecTemplateByRelease(t *testing.T) {
	const (
		send       = "send"
		fixed      = "ResourcesImmutable"
		started    = "TemplateStarted"
		activePods = "TemplateActivePods"
		notSaid    = "TemplateNotYetReported"
	)
	type cell struct{ selector, resources string }
	old := map[string]cell{
		"never started":          {send, fixed},
		"never started, said so": {send, fixed},
		"stopping":               {started, fixed},
		"stopped":                {started, fixed},
		"stopped, not said":      {started, fixed},
	}
	newer := map[string]cell{
		"never started":          {send, send},
		"never started, said so": {send, send},
		"stopping":               {activePods, activePods},
		"stopped":                {send, send},
		"stopped, not said":      {notSaid, notSaid},
	}
	regression := map[string]cell{
		"never started":          {notSaid, notSaid},
		"never started, said so": {send, send},
		"stopping":               {activePods, activePods},
		"stopped":                {send, send},
		"stopped, not said":      {notSaid, notSaid},
	}
	for release, want := range map[string]map[string]cell{
		"1.29.14": old, "1.30.14": old, "1.31.14": old, "1.32.13": old, "1.33.13": old, "1.34.4": old, "1.35.0": old, "1.35.4": old,
		"1.36.0": regression, "1.36.1": regression, "1.36.2": newer, "1.36.3": newer, "1.37.2": newer, "1.38.0": newer,
	} {
		for state, cell := range want {
			t.Run(release+"/"+state, func(t *testing.T) {
				p := planner(t, onWorker(t, release))
				local := templateJob(limit("1"))
				remote := storedMirror(build(t, p, local))
				mirrorStates[state](remote)
				local = byUser(local, func(j *batchv1.Job) { limit("2")(j); j.Spec.Template.Spec.NodeSelector["disk"] = "hdd" })
				plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
				for field, want := range map[string]string{
					"spec.template.spec.nodeSelector[disk]": cell.selector, "spec.template.spec.containers[main].resources": cell.resources,
				} {
					if got := verdictOn(plan, field); got != want {
						t.Errorf("%s: %s, want %s", field, got, want)
					}
				}
				settles(t, p, local, patched(t, remote, plan.Patch), told(plan.Differences))
			})
		}
	}
}

// verdictOn returns "send" or the rule by which a difference is not sent.
func verdictOn(plan mirror.SpecPlan, field string) string {
	for _, d := range plan.Differences {
		if d.Field == field {
			if d.Kind == mirror.ToSend {
				return "send"
			}
			waits := strings.HasPrefix(string(d.Rule), "TemplateActive") || strings.HasPrefix(string(d.Rule), "TemplateNotYet")
			if (d.Kind == mirror.NotYet) != waits {
				return fmt.Sprintf("%s %s", d.Kind, d.Rule)
			}
			return string(d.Rule)
		}
	}
	return "none"
}

// TestPlanSpecGatesGoByTheEmulatedVersion: a 1.37 binary that emulates 1.35 has the gates off.
func TestPlanSpecGatesGoByTheEmulatedVersion(t *testing.T) {
	for emulated, want := range map[string]string{"1.35": "TemplateStarted", "1.36": "send", "1.37": "send"} {
		p := planner(t, func(p *mirror.Policy) {
			p.Worker = jobmanagedby.Release{Version: version.MustParse("1.37.2"), Emulation: version.MustParse(emulated)}
		})
		local := templateJob()
		remote := storedMirror(build(t, p, local))
		mirrorStates["stopped"](remote)
		local = byUser(local, func(j *batchv1.Job) { j.Spec.Template.Spec.NodeSelector["disk"] = "hdd" })
		if got := verdictOn(p.PlanSpec(mirror.Pair{Local: local, Remote: remote}), "spec.template.spec.nodeSelector[disk]"); got != want {
			t.Errorf("emulating %s: %s, want %s", emulated, got, want)
		}
	}
}

// TestPlanSpecInSteps follows a Job through plans, the worker's controller doing its part between.
func TestPlanSpecInSteps(t *testing.T) {
	selector := func(j *batchv1.Job) { j.Spec.Template.Spec.NodeSelector = map[string]string{"gpu": "yes"} }
	type step struct {
		byUser, byWorker func(*batchv1.Job)
		want             string // the patch
		told             []string
	}
	const changed = "spec.template.spec.nodeSelector[gpu]"
	for _, tt := range []struct {
		name, why, worker string
		local             *batchv1.Job
		steps             []step
	}{
		{name: "suspend, then change", worker: "1.37.2", why: "the change waits for the mirror to come to rest",
			local: storedJob(),
			steps: []step{
				{byUser: func(j *batchv1.Job) { suspending(true)(j); selector(j) }, byWorker: mirrorStates["running"],
					want: `{"spec":{"suspend":true}}`, told: []string{"ToSend spec.suspend", "NotYet " + changed + " TemplateNotSuspended"}},
				{byWorker: func(j *batchv1.Job) { j.Status.Active = 1 }, told: []string{"NotYet " + changed + " TemplateActivePods"}},
				{byWorker: func(j *batchv1.Job) { j.Status.Active = 0 }, told: []string{"NotYet " + changed + " TemplateNotYetReported"}},
				{byWorker: saysSuspended, want: `{"spec":{"template":{"spec":{"nodeSelector":{"gpu":"yes"}}}}}`, told: []string{"ToSend " + changed}},
				{},
			}},
		{name: "suspend, change and resume at once", worker: "1.37.2", why: "the resume waits too",
			local: templateJob(),
			steps: []step{
				{byUser: func(j *batchv1.Job) { suspending(false)(j); selector(j) }, byWorker: mirrorStates["stopping"],
					told: []string{"NotYet spec.suspend TemplateActivePods", "NotYet spec.template.spec.nodeSelector[disk] TemplateActivePods", "NotYet " + changed + " TemplateActivePods"}},
				{byWorker: func(j *batchv1.Job) { j.Status.Active = 0 },
					want: `{"spec":{"suspend":false,"template":{"spec":{"nodeSelector":{"disk":null,"gpu":"yes"}}}}}`,
					told: []string{"ToSend spec.suspend", "ToSend spec.template.spec.nodeSelector[disk]", "ToSend " + changed}},
				{},
			}},
		{name: "1.36.1, never started", worker: "1.36.1", why: "the regression: Suspended=True is asked for",
			local: templateJob(),
			steps: []step{
				{byUser: selector, told: []string{"NotYet spec.template.spec.nodeSelector[disk] TemplateNotYetReported", "NotYet " + changed + " TemplateNotYetReported"}},
				{byWorker: saysSuspended, want: `{"spec":{"template":{"spec":{"nodeSelector":{"disk":null,"gpu":"yes"}}}}}`,
					told: []string{"ToSend spec.template.spec.nodeSelector[disk]", "ToSend " + changed}},
			}},
		{name: "too late, and resumed", worker: "1.34.4", why: "the Job must not hang for a change that never becomes possible",
			local: templateJob(),
			steps: []step{
				{byUser: func(j *batchv1.Job) { suspending(false)(j); selector(j) }, byWorker: mirrorStates["stopped"], want: `{"spec":{"suspend":false}}`,
					told: []string{"ToSend spec.suspend", "Immutable spec.template.spec.nodeSelector[disk] TemplateStarted", "Immutable " + changed + " TemplateStarted"}},
				{told: []string{"Immutable spec.template.spec.nodeSelector[disk] TemplateStarted", "Immutable " + changed + " TemplateStarted"}},
			}},
		{name: "the user takes the change back", worker: "1.34.4", why: "nothing is pending then",
			local: templateJob(),
			steps: []step{
				{byUser: selector, byWorker: mirrorStates["stopped"],
					told: []string{"Immutable spec.template.spec.nodeSelector[disk] TemplateStarted", "Immutable " + changed + " TemplateStarted"}},
				{byUser: func(j *batchv1.Job) { j.Spec.Template.Spec.NodeSelector = map[string]string{"disk": "ssd"} }},
				{},
			}},
		{name: "while it runs", worker: "1.37.2", why: "and the worker's queue suspends it later: what is pending is sent",
			local: templateJob(),
			steps: []step{
				{byUser: selector, byWorker: mirrorStates["running"],
					told: []string{"Immutable spec.template.spec.nodeSelector[disk] TemplateNotSuspended", "Immutable " + changed + " TemplateNotSuspended", "SetByWorker spec.suspend"}},
				{byWorker: func(j *batchv1.Job) { suspending(true)(j); saysSuspended(j) },
					want: `{"spec":{"template":{"spec":{"nodeSelector":{"disk":null,"gpu":"yes"}}}}}`,
					told: []string{"ToSend spec.template.spec.nodeSelector[disk]", "ToSend " + changed}},
				{},
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planner(t, onWorker(t, tt.worker))
			local := tt.local
			remote := storedMirror(build(t, p, local))
			for i, step := range tt.steps {
				if step.byUser != nil {
					local = byUser(local, step.byUser)
				}
				if step.byWorker != nil {
					step.byWorker(remote)
				}
				plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
				if d := cmp.Diff(step.told, told(plan.Differences)); d != "" {
					t.Errorf("step %d: %s: differences (-want +got):\n%s", i, tt.why, d)
				}
				if d := cmp.Diff(step.want, changes(t, plan.Patch)); d != "" {
					t.Errorf("step %d: %s: patch (-want +got):\n%s", i, tt.why, d)
				}
				if plan.Patch != nil {
					remote = patched(t, remote, plan.Patch)
				}
			}
		})
	}
}

func TestPlanSpecHostName(t *testing.T) {
	p := planner(t, func(p *mirror.Policy) {
		p.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Name: strings.Repeat("m", 61)} }
	})
	local := storedJob(elastic)
	remote := storedMirror(build(t, p, local))
	local = byUser(local, func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = ptr.To[int32](11), ptr.To[int32](11) })
	plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
	want := []string{"ToSend spec.parallelism", "Immutable spec.completions HostNameTooLong"}
	if d := cmp.Diff(want, told(plan.Differences)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestPlanSpecManyCompletions walks the border of the limits above 100,000 completions, where the
// worker's own parallelism may be in the way.
func TestPlanSpecManyCompletions(t *testing.T) {
	for _, tt := range []struct {
		name             string
		byWorker, byUser func(*batchv1.Job)
		want             []string
	}{
		{"within", nothing, func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](10_000) }, []string{"ToSend spec.maxFailedIndexes"}},
		{"worker has more parallelism", func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](10_001) },
			func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](10_000) },
			[]string{"Immutable spec.maxFailedIndexes IndexLimits", "SetByWorker spec.parallelism"}},
		{"worker took the limit away", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = nil },
			func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](9) },
			[]string{"Immutable spec.parallelism IndexLimits", "SetByWorker spec.maxFailedIndexes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planner(t)
			local := storedJob(elastic, func(j *batchv1.Job) {
				j.Spec.Completions, j.Spec.Parallelism = ptr.To[int32](100_001), ptr.To[int32](10_000)
				j.Spec.BackoffLimitPerIndex, j.Spec.MaxFailedIndexes = ptr.To[int32](1), ptr.To[int32](9)
			})
			remote := storedMirror(build(t, p, local))
			tt.byWorker(remote)
			plan := p.PlanSpec(mirror.Pair{Local: byUser(local, tt.byUser), Remote: remote})
			if d := cmp.Diff(tt.want, told(plan.Differences)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestPlanSpecAnnotationsTooLarge fills the mirror to the limit of the API server, which is the sum
// over all annotations.
func TestPlanSpecAnnotationsTooLarge(t *testing.T) {
	const limit = 256 << 10
	p := planner(t)
	fill := func(room int) *batchv1.Job {
		remote := storedMirror(build(t, p, storedJob()))
		rest := limit - room
		for k, v := range remote.Annotations {
			if k != sentKey {
				rest -= len(k) + len(v)
			}
		}
		remote.Annotations["w"] = strings.Repeat("w", rest-len("w"))
		return remote
	}
	local := byUser(storedJob(), func(j *batchv1.Job) { j.Annotations = map[string]string{"note": "12345"} })
	// with what a record of what was sent may take
	record := len(sentKey) + 512
	for room, want := range map[int]string{record + 9: "ToSend metadata.annotations[note]", record + 8: "Immutable metadata.annotations[note] AnnotationsTooLarge"} {
		remote := fill(room)
		plan := p.PlanSpec(mirror.Pair{Local: local, Remote: remote})
		if got := told(plan.Differences)[0]; got != want {
			t.Errorf("with room for %d bytes: %s, want %s", room, got, want)
		}
		size := 0
		for k, v := range patched(t, remote, plan.Patch).Annotations {
			size += len(k) + len(v)
		}
		if size > limit {
			t.Errorf("with room for %d bytes: %d bytes are sent", room, size)
		}
	}
}
