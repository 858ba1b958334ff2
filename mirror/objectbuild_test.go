// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"errors"
	"flag"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
)

// TestBuildObjectSpec says of each kind's object everything that is different in the spec of its mirror. So it
// shows both what goes and that nothing else does.
func TestBuildObjectSpec(t *testing.T) {
	const generated = "template.metadata.labels."
	tests := map[string][]string{
		"job": {"-spec.managedBy", "-spec.selector", "-spec." + generated + "batch.kubernetes.io/controller-uid",
			"-spec." + generated + "batch.kubernetes.io/job-name", "-spec." + generated + "controller-uid", "-spec." + generated + "job-name",
			"-spec.ttlSecondsAfterFinished"},
		"cronjob": {"-spec.jobTemplate.spec.managedBy", "-spec.jobTemplate.spec." + generated + "job-name"},
		"jobset": {"-spec.managedBy", "-spec.replicatedJobs[0].template.spec.managedBy",
			"-spec.replicatedJobs[0].template.spec." + generated + "batch.kubernetes.io/controller-uid",
			"-spec.replicatedJobs[0].template.spec." + generated + "job-name", "-spec.ttlSecondsAfterFinished"},
		"trainjob": {"-spec.managedBy",
			"spec.runtimePatches=[map[manager:vision.example.com/defaults trainingRuntimeSpec:map[template:map[spec:map[]]]]]"},
		"pytorchjob":     {"-spec.runPolicy.managedBy", "-spec.runPolicy.ttlSecondsAfterFinished"},
		"tfjob":          {"-spec.runPolicy.managedBy", "-spec.runPolicy.ttlSecondsAfterFinished"},
		"xgboostjob":     {"-spec.runPolicy.managedBy", "-spec.runPolicy.ttlSecondsAfterFinished"},
		"paddlejob":      {"-spec.runPolicy.managedBy", "-spec.runPolicy.ttlSecondsAfterFinished"},
		"jaxjob":         {"-spec.runPolicy.managedBy", "-spec.runPolicy.ttlSecondsAfterFinished"},
		"mpijob-v1":      {"-spec.runPolicy.managedBy", "-spec.runPolicy.ttlSecondsAfterFinished"},
		"mpijob-v2beta1": {"-spec.runPolicy.managedBy", "-spec.runPolicy.ttlSecondsAfterFinished"},
		"rayjob":         {"-spec.managedBy", "-spec.rayClusterSpec.managedBy", "spec.ttlSecondsAfterFinished=2147483647"},
		"raycluster":     {"-spec.managedBy"},
		"rayservice":     {"-spec.managedBy", "-spec.rayClusterConfig.managedBy"},
		"appwrapper": {"-spec.components[1].template.spec.managedBy",
			"-spec.components[1].template.spec." + generated + "controller-uid",
			"-spec.components[2].template.spec.runPolicy.managedBy", "-spec.managedBy"},
		"pipelinerun": {"-spec.managedBy"},
		"taskrun":     {"-spec.managedBy"},
	}
	for _, name := range kindObjects(t) {
		t.Run(name, func(t *testing.T) {
			k, local, p := unfinished(t, name)
			before := local.DeepCopy()
			m := buildObject(t, p, k, local)
			if diff := cmp.Diff(tests[name], differences("spec", local.Object["spec"], m.Object["spec"])); diff != "" {
				t.Errorf("changes of the spec (-want +got):\n%s", diff)
			}
			again := buildObject(t, p, k, local)
			if !reflect.DeepEqual(m, again) {
				t.Error("two mirrors of one object differ")
			}
			checkObjectMetadata(t, k, local, m)
			if scribbleObject(m.Object); !reflect.DeepEqual(local, before) {
				t.Error("the mirror shares memory with the object")
			}
			if r := p.RelateObject(mirror.ObjectPair{Local: local, Remote: again}); r != mirror.Ours {
				t.Errorf("the mirror is %q", r)
			}
		})
	}
}

// checkObjectMetadata: what is in a mirror beside the spec.
func checkObjectMetadata(t *testing.T, k jobmanagedby.Kind, local, m *unstructured.Unstructured) {
	t.Helper()
	labels := map[string]string{"team": "vision", "kueue.x-k8s.io/queue-name": "gpus", originKey: origin}
	if diff := cmp.Diff(labels, m.GetLabels()); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	annotations := m.GetAnnotations()
	if sent := annotations[sentKey]; !strings.HasPrefix(sent, `{"v":1,"spec":{`) {
		t.Errorf("last-sent %q", sent)
	}
	delete(annotations, sentKey)
	want := map[string]string{"example.com/ticket": "4711", localKey: "research/" + local.GetName(), uidKey: string(local.GetUID()), genKey: "2"}
	if diff := cmp.Diff(want, annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	for name := range m.Object {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "spec"}, name) {
			t.Errorf("the mirror has %s", name)
		}
	}
	for name := range m.Object["metadata"].(map[string]any) {
		if !slices.Contains([]string{"namespace", "name", "labels", "annotations"}, name) {
			t.Errorf("the mirror has metadata.%s", name)
		}
	}
	if m.GroupVersionKind() != local.GroupVersionKind() {
		t.Errorf("%s became %s", local.GroupVersionKind(), m.GroupVersionKind())
	}
	if name, err := k.ManagedBy(m); err != nil || name != k.Reserved {
		t.Errorf("the mirror is managed by %q, %v", name, err)
	}
	was, _ := k.Suspended(local)
	if is, err := k.Suspended(m); err != nil || is != was {
		t.Errorf("Suspended = %v, %v", is, err)
	}
}

// scribbleObject empties everything that can be reached.
func scribbleObject(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			scribbleObject(inner)
		}
		clear(v)
	case []any:
		for i, inner := range v {
			scribbleObject(inner)
			v[i] = nil
		}
	}
}

// TestBuildObjectAgreesWithBuild: of a Job, BuildObject makes what Build makes, or refuses it for the same reason.
func TestBuildObjectAgreesWithBuild(t *testing.T) {
	r := seeded(t, 20260401)
	k := jobKind(t)
	built := 0
	for range 1500 {
		local := asJob(t, asObject(t, randomJob(r)))
		p := planner(t, randomObjectPolicy(r))
		want, wantErr := p.Build(local)
		got, err := p.BuildObject(k, asObject(t, local))
		if (err == nil) != (wantErr == nil) || err != nil && (err.Error() != wantErr.Error() || reflect.TypeOf(err) != reflect.TypeOf(wantErr)) {
			t.Fatalf("BuildObject: %v, Build: %v", err, wantErr)
		}
		if err != nil {
			continue
		}
		built++
		if diff := cmp.Diff(want, func() *batchv1.Job { j := asJob(t, got); j.Kind, j.APIVersion = "", ""; return j }()); diff != "" {
			t.Fatalf("BuildObject (-Build +BuildObject):\n%s", diff)
		}
	}
	if built < 300 {
		t.Errorf("only %d were built", built)
	}
}

func randomObjectPolicy(r *rand.Rand) func(*mirror.Policy) {
	return func(p *mirror.Policy) {
		p.KeepTTL = r.IntN(2) == 0
		p.HoldMirror = r.IntN(2) == 0
		p.WorkerManagedBy = pick(r, "", "", jobmanagedby.JobController, "b.io/other")
		maybe(r, 3, func() {
			p.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Namespace: "workers", Name: "x"} }
		})
		maybe(r, 4, func() { p.DropKey = func(key, _ string) bool { return key == "app" } })
		maybe(r, 8, func() {
			p.Admit = func(job *batchv1.Job, _ types.NamespacedName) error { return errors.New(job.Name + " is not admitted") }
		})
	}
}

// TestBuildObjectKeepsUnknownFields: a field of a Job that the Go types do not know is kept, and all of
// every other kind.
func TestBuildObjectKeepsUnknownFields(t *testing.T) {
	k, local, p := unfinished(t, "job")
	spec := local.Object["spec"].(map[string]any)
	spec["scheduling"] = map[string]any{"gang": map[string]any{"minCount": int64(2)}}
	m := buildObject(t, p, k, local)
	if got := differences("", spec["scheduling"], m.Object["spec"].(map[string]any)["scheduling"]); len(got) > 0 {
		t.Errorf("spec.scheduling: %q", got)
	}
}

// TestBuildObjectJobTemplates: with manualSelector, the labels of a Job template are the user's; without it the
// generated ones go. A selector is left to whoever put it there.
func TestBuildObjectJobTemplates(t *testing.T) {
	k, local, p := unfinished(t, "jobset")
	spec := decodeObject(t, `{"apiVersion":"v1","kind":"x","spec":{"managedBy":"acme.io/dispatcher","replicatedJobs":[
		{"template":{"spec":{"manualSelector":true,"selector":{"matchLabels":{"job-name":"a"}},"template":{"metadata":{"labels":{"job-name":"a"}}}}}},
		{"template":{"spec":{"selector":{"matchLabels":{"app":"b"}},"template":{"metadata":{"labels":{"job-name":"b","app":"b"}}}}}},
		{"template":{"spec":{"template":{"metadata":{"labels":{"controller-uid":"c"},"annotations":{"job-name":"c"}}}}}},
		{"template":{"metadata":{"labels":{"job-name":"d"}},"spec":{"manualSelector":false,"template":{"metadata":{"labels":{}}}}}}]}}`).Object["spec"]
	local.Object["spec"] = spec
	const at = "-spec.replicatedJobs"
	want := []string{"-spec.managedBy", at + "[1].template.spec.template.metadata.labels.job-name", at + "[2].template.spec.template.metadata.labels"}
	if diff := cmp.Diff(want, differences("spec", spec, buildObject(t, p, k, local).Object["spec"])); diff != "" {
		t.Errorf("changes of the spec (-want +got):\n%s", diff)
	}
}

// TestBuildObjectOwnLabels: only the Job API generates labels; on an object of another kind they are the user's.
func TestBuildObjectOwnLabels(t *testing.T) {
	for name, kept := range map[string]bool{"job": false, "jobset": true} {
		k, local, p := unfinished(t, name)
		local.SetLabels(map[string]string{"job-name": local.GetName(), "controller-uid": string(local.GetUID())})
		labels := buildObject(t, p, k, local).GetLabels()
		if (labels["job-name"] != "") != kept || (labels["controller-uid"] != "") != kept {
			t.Errorf("%s: labels %v, want kept %v", name, labels, kept)
		}
	}
}

// TestBuildObjectTTL: an object does not delete itself before its result was read, and what it becomes is
// what its operator accepts.
func TestBuildObjectTTL(t *testing.T) {
	keep := func(p *mirror.Policy) { p.KeepTTL = true }
	for _, name := range []string{"job", "jobset", "pytorchjob", "rayjob", "appwrapper"} {
		k, local, p := unfinished(t, name, keep)
		for _, d := range differences("", local.Object, buildObject(t, p, k, local).Object) {
			if strings.Contains(strings.ToLower(d), "ttl") && !strings.Contains(d, sentKey) {
				t.Errorf("%s: with KeepTTL, %s", name, d)
			}
		}
	}
	const strategy = "spec.deletionStrategy"
	tests := []struct {
		name, spec string
		want       []string
	}{
		{"no shutdown", `{"ttlSecondsAfterFinished":0}`, nil},
		{"shutdown", `{"shutdownAfterJobFinishes":true,"ttlSecondsAfterFinished":0}`, []string{"spec.ttlSecondsAfterFinished=2147483647"}},
		{"shutdown false", `{"shutdownAfterJobFinishes":false,"ttlSecondsAfterFinished":0}`, nil},
		{"legacy", `{"deletionStrategy":{"onSuccess":{"policy":"DeleteSelf"},"onFailure":{"policy":"DeleteWorkers"}}}`,
			[]string{strategy + ".onSuccess.policy=DeleteCluster"}},
		{"legacy failure", `{"deletionStrategy":{"onSuccess":{"policy":"DeleteNone"},"onFailure":{"policy":"DeleteSelf"}}}`,
			[]string{strategy + ".onFailure.policy=DeleteCluster"}},
		{"one rule", `{"deletionStrategy":{"deletionRules":[{"policy":"DeleteSelf","condition":{"jobStatus":"FAILED","ttlSeconds":5}}]}}`,
			[]string{"-" + strategy}},
		{"two rules", `{"deletionStrategy":{"deletionRules":[{"policy":"DeleteSelf","condition":{}},{"policy":"DeleteCluster","condition":{}}]}}`,
			[]string{strategy + ".deletionRules=[map[condition:map[] policy:DeleteCluster]]"}},
		{"other rules", `{"deletionStrategy":{"deletionRules":[{"policy":"DeleteWorkers","condition":{}}]}}`, nil},
	}
	for _, tt := range tests {
		k, local, p := unfinished(t, "rayjob")
		spec := decodeObject(t, `{"apiVersion":"v1","kind":"x","spec":`+tt.spec+`}`).Object["spec"].(map[string]any)
		local.Object["spec"] = spec
		spec["managedBy"] = "kueue.x-k8s.io/multikueue"
		want := slices.Concat(tt.want, []string{"-spec.managedBy"})
		got := differences("spec", spec, buildObject(t, p, k, local).Object["spec"])
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
}

// TestBuildObjectForWorker: yet another controller on the worker.
func TestBuildObjectForWorker(t *testing.T) {
	other := func(p *mirror.Policy) { p.WorkerManagedBy = "b.io/other" }
	builtIn := func(p *mirror.Policy) { p.WorkerManagedBy = jobmanagedby.JobController }
	for _, name := range []string{"jobset", "cronjob", "appwrapper", "mpijob-v2beta1", "taskrun"} {
		k, local, p := unfinished(t, name, other)
		if got, err := k.ManagedBy(buildObject(t, p, k, local)); err != nil || got != "b.io/other" {
			t.Errorf("%s: managed by %q, %v", name, got, err)
		}
		k, local, p = unfinished(t, name, builtIn)
		if got, err := k.ManagedBy(buildObject(t, p, k, local)); err != nil || got != k.Reserved {
			t.Errorf("%s: with the name of the Job controller, managed by %q, %v", name, got, err)
		}
	}
	k, local, p := unfinished(t, "rayjob", other)
	var closed *jobmanagedby.NotAllowedError
	if m, err := p.BuildObject(k, local); !errors.As(err, &closed) || m != nil {
		t.Errorf("a closed set: %v", err)
	}
}

func TestBuildObjectRefuses(t *testing.T) {
	type object = map[string]any
	metadata := func(u *unstructured.Unstructured) object { return u.Object["metadata"].(object) }
	condition := func(kind string) object {
		return object{"conditions": []any{object{"type": kind, "status": "True"}}}
	}
	var (
		notManaged *mirror.NotManagedError
		deleted    *mirror.BeingDeletedError
		finished   *mirror.FinishedError
		identity   *mirror.NoIdentityError
		admission  *mirror.NotAdmittedError
		name       *mirror.NameError
		tooLarge   *mirror.TooLargeError
		malformed  *jobmanagedby.MalformedError
		wrong      *jobmanagedby.KindError
	)
	no := errors.New("no")
	tests := []struct {
		name   string
		local  func(u *unstructured.Unstructured)
		policy func(*mirror.Policy)
		want   any
		path   string // of a MalformedError
	}{
		{"another controller", func(u *unstructured.Unstructured) { u.Object["spec"].(object)["managedBy"] = "b.io/x" }, nil, &notManaged, ""},
		{"no controller", func(u *unstructured.Unstructured) { delete(u.Object["spec"].(object), "managedBy") }, nil, &notManaged, ""},
		{"being deleted", func(u *unstructured.Unstructured) { metadata(u)["deletionTimestamp"] = "2026-03-02T09:15:00Z" }, nil, &deleted, ""},
		{"being deleted, unreadable", func(u *unstructured.Unstructured) { metadata(u)["deletionTimestamp"] = "soon" }, nil, &malformed, "metadata.deletionTimestamp"},
		{"succeeded", func(u *unstructured.Unstructured) { u.Object["status"] = condition("Completed") }, nil, &finished, ""},
		{"failed", func(u *unstructured.Unstructured) { u.Object["status"] = condition("Failed") }, nil, &finished, ""},
		{"no UID", func(u *unstructured.Unstructured) { delete(metadata(u), "uid") }, nil, &identity, ""},
		{"no name", func(u *unstructured.Unstructured) { delete(metadata(u), "name") }, nil, &identity, ""},
		{"no metadata", func(u *unstructured.Unstructured) { delete(u.Object, "metadata") }, nil, &identity, ""},
		{"not admitted", nil, func(p *mirror.Policy) {
			p.AdmitObject = func(*unstructured.Unstructured, types.NamespacedName) error { return no }
		}, &admission, ""},
		{"only Jobs are admitted", nil, func(p *mirror.Policy) { p.Admit = func(*batchv1.Job, types.NamespacedName) error { return nil } }, &admission, ""},
		{"the name", nil, func(p *mirror.Policy) {
			p.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Name: "A"} }
		}, &name, ""},
		{"the namespace", nil, func(p *mirror.Policy) {
			p.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Namespace: "a.b"} }
		}, &name, ""},
		{"too large", func(u *unstructured.Unstructured) {
			metadata(u)["annotations"] = object{"a": strings.Repeat("x", 256<<10)}
		}, nil, &tooLarge, ""},
		{"another kind", func(u *unstructured.Unstructured) { u.SetKind("Job") }, nil, &wrong, ""},
		{"the spec is a list", func(u *unstructured.Unstructured) { u.Object["spec"] = []any{} }, nil, &malformed, "spec"},
		{"the metadata are a list", func(u *unstructured.Unstructured) { u.Object["metadata"] = []any{} }, nil, &malformed, "metadata"},
		{"the uid is a number", func(u *unstructured.Unstructured) { metadata(u)["uid"] = int64(1) }, nil, &malformed, "metadata.uid"},
		{"the labels are a list", func(u *unstructured.Unstructured) { metadata(u)["labels"] = []any{} }, nil, &malformed, "metadata.labels"},
		{"a label is a number", func(u *unstructured.Unstructured) { metadata(u)["labels"] = object{"b": int64(1), "a": int64(1)} }, nil, &malformed, "metadata.labels[a]"},
		{"the replicated jobs are an object", func(u *unstructured.Unstructured) {
			u.Object["spec"].(object)["replicatedJobs"] = object{}
		}, nil, &malformed, "spec.replicatedJobs"},
		{"a replicated job is a string", func(u *unstructured.Unstructured) {
			u.Object["spec"].(object)["replicatedJobs"] = []any{object{}, "x"}
		}, nil, &malformed, "spec.replicatedJobs[1]"},
		{"a template is a string", func(u *unstructured.Unstructured) {
			u.Object["spec"].(object)["replicatedJobs"] = []any{object{"template": "x"}}
		}, nil, &malformed, "spec.replicatedJobs[0].template"},
		{"manualSelector is a string", func(u *unstructured.Unstructured) {
			u.Object["spec"].(object)["replicatedJobs"] = []any{object{"template": object{"spec": object{"manualSelector": "true"}}}}
		}, nil, &malformed, "spec.replicatedJobs[0].template.spec.manualSelector"},
		{"template labels are a list", func(u *unstructured.Unstructured) {
			u.Object["spec"].(object)["replicatedJobs"] = []any{object{"template": object{"spec": object{"template": object{"metadata": object{"labels": []any{}}}}}}}
		}, nil, &malformed, "spec.replicatedJobs[0].template.spec.template.metadata.labels"},
		{"a Go int", func(u *unstructured.Unstructured) { u.Object["spec"].(object)["a"] = object{"b": []any{1}} }, nil, &malformed, "spec.a.b[0]"},
		{"conditions are an object", func(u *unstructured.Unstructured) { u.Object["status"] = object{"conditions": object{}} }, nil, &malformed, "status.conditions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, local, _ := unfinished(t, "jobset")
			if tt.local != nil {
				tt.local(local)
			}
			p := plannerFor(t, dispatcher, func(p *mirror.Policy) {
				if tt.policy != nil {
					tt.policy(p)
				}
			})
			m, err := p.BuildObject(k, local)
			if m != nil || !errors.As(err, tt.want) || err.Error() == "" {
				t.Fatalf("BuildObject = %v, %v, want %T", m, err, tt.want)
			}
			if tt.path != "" && malformed.Path != tt.path {
				t.Errorf("path %q, want %q", malformed.Path, tt.path)
			}
			if tt.name == "not admitted" && !errors.Is(err, no) {
				t.Error("errors.Is does not see through")
			}
			if tt.name == "failed" && finished.Condition != "Failed" {
				t.Errorf("finished with %s", finished.Condition)
			}
		})
	}
}

// TestBuildObjectMalformedJob: a Job is read as its Go type, and what cannot be has a place too.
func TestBuildObjectMalformedJob(t *testing.T) {
	for path, value := range map[string]any{"parallelism": "2", "suspend": "yes", "template": []any{}, "completions": map[string]any{}} {
		k, local, p := unfinished(t, "job")
		local.Object["spec"].(map[string]any)[path] = value
		var malformed *jobmanagedby.MalformedError
		if m, err := p.BuildObject(k, local); m != nil || !errors.As(err, &malformed) || malformed.Path != "spec."+path {
			t.Errorf("spec.%s is %v: %v", path, value, err)
		}
	}
}

// TestBuildObjectAppWrapper: embedded objects are changed by the rules of their own kinds, at any depth, and
// others are left alone.
func TestBuildObjectAppWrapper(t *testing.T) {
	k, local, p := unfinished(t, "appwrapper")
	inner := func(apiVersion, kind, spec string) any {
		return map[string]any{"template": decodeObject(t, `{"apiVersion":"`+apiVersion+`","kind":"`+kind+`","spec":`+spec+`}`).Object}
	}
	spec := local.Object["spec"].(map[string]any)
	spec["components"] = []any{
		inner("jobset.x-k8s.io/v1alpha2", "JobSet", `{"managedBy":"x","replicatedJobs":[{"template":{"spec":{"managedBy":"x"}}}]}`),
		inner("ray.io/v1", "RayCronJob", `{"jobTemplate":{"managedBy":"x","rayClusterSpec":{"managedBy":"x"}}}`),
		inner("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", `{"template":{"spec":{"managedBy":"x"}}}`),
		inner("example.com/v1", "Other", `{"managedBy":"x"}`),
		inner("workload.codeflare.dev/v1beta2", "AppWrapper", `{"managedBy":"x","components":[{"template":{"apiVersion":"batch/v1","kind":"Job","spec":{"managedBy":"x"}}}]}`),
		map[string]any{}, map[string]any{"template": nil},
	}
	const at = "-spec.components"
	want := []string{
		at + "[0].template.spec.managedBy", at + "[0].template.spec.replicatedJobs[0].template.spec.managedBy",
		at + "[1].template.spec.jobTemplate.managedBy", at + "[1].template.spec.jobTemplate.rayClusterSpec.managedBy",
		at + "[2].template.spec.template.spec.managedBy",
		at + "[4].template.spec.components[0].template.spec.managedBy", at + "[4].template.spec.managedBy",
		"-spec.managedBy",
	}
	if diff := cmp.Diff(want, differences("spec", spec, buildObject(t, p, k, local).Object["spec"])); diff != "" {
		t.Errorf("changes of the spec (-want +got):\n%s", diff)
	}
	spec["components"] = []any{map[string]any{}, inner("jobset.x-k8s.io/v1alpha2", "JobSet", `{"replicatedJobs":7}`)}
	var malformed *jobmanagedby.MalformedError
	if _, err := p.BuildObject(k, local); !errors.As(err, &malformed) || malformed.Path != "spec.components[1].template.spec.replicatedJobs" || malformed.GroupKind != k.GroupKind {
		t.Errorf("malformed inside: %v", err)
	}
	spec["components"] = []any{map[string]any{"template": "x"}}
	if _, err := p.BuildObject(k, local); !errors.As(err, &malformed) || malformed.Path != "spec.components[0].template" {
		t.Errorf("a template that is no object: %v", err)
	}
}

var (
	objectSeed  = flag.Uint64("object-seed", 20260403, "seed of TestBuildObjectPreserves")
	objectCount = flag.Int("object-count", 1000, "number of objects of TestBuildObjectPreserves")
)

// TestBuildObjectPreserves builds mirrors of random objects whose members have the names that matter, at the
// right places and at wrong ones. What is different in the spec is at the places that the kind names, and these are
// then as they have to be.
func TestBuildObjectPreserves(t *testing.T) {
	r := seeded(t, *objectSeed)
	built, changed := 0, 0
	for range *objectCount {
		name := pick(r, kindObjects(t)...)
		k, local, p := unfinished(t, name)
		controller, _ := k.ManagedBy(local)
		spec := randomValue(r, 6).(map[string]any)
		for _, top := range []string{"replicatedJobs", "components", "rayClusterSpec", "runPolicy", "jobTemplate", "template"} {
			maybe(r, 2, func() { spec[top] = local.Object["spec"].(map[string]any)[top] })
		}
		local.Object["spec"] = spec
		if k.Delegate(&unstructured.Unstructured{Object: map[string]any{"apiVersion": local.GetAPIVersion(), "kind": local.GetKind(), "spec": spec}}, controller) != nil {
			if is, err := k.IsManagedBy(local, controller); err != nil || !is {
				continue
			}
		}
		m, err := p.BuildObject(k, local)
		if err != nil {
			known(t, err)
			continue
		}
		built++
		for _, d := range differences("spec", spec, m.Object["spec"]) {
			changed++
			if !mayChange(k, d) {
				t.Fatalf("%s: %s, in %s", name, d, toJSON(t, spec))
			}
		}
		again := m.DeepCopy()
		if err := k.ClearAll(again); err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("%s: there is something left to clear, %v", name, err)
		}
	}
	if built < *objectCount/4 || changed < built {
		t.Errorf("%d were built, with %d changes", built, changed)
	}
}

// randomValue is an object, or further in a list or scalar.
func randomValue(r *rand.Rand, depth int) any {
	if depth < 6 {
		switch {
		case depth == 0 || r.IntN(4) == 0:
			return pick[any](r, "acme.io/x", true, int64(7), 1.5, nil, "DeleteSelf", "kueue.x-k8s.io/manager")
		case r.IntN(5) == 0:
			list := []any{}
			for range r.IntN(3) {
				list = append(list, randomValue(r, depth-1))
			}
			return list
		}
	}
	object := map[string]any{}
	for range r.IntN(6) {
		name := pick(r, "managedBy", "spec", "template", "metadata", "labels", "job-name", "app", "ttlSecondsAfterFinished", "selector",
			"rayClusterSpec", "rayClusterConfig", "runPolicy", "policy", "manager", "deletionStrategy", "shutdownAfterJobFinishes")
		object[name] = randomValue(r, depth-1)
	}
	return object
}

var indexes = regexp.MustCompile(`\[[^]]*\]`)

// mayChange reports whether a difference is at a place that a kind names.
func mayChange(k jobmanagedby.Kind, difference string) bool {
	place, _, _ := strings.Cut(strings.TrimPrefix(difference, "-"), "=")
	place = indexes.ReplaceAllString(place, "")
	places := append([]string{k.Field}, k.Nested...)
	for _, edit := range slices.Concat(k.SelfDelete, k.ServerSet) {
		places = append(places, edit.Path)
	}
	for _, path := range k.JobTemplates {
		places = append(places, path+".spec.template.metadata.labels")
		if path == "" {
			places = append(places, "spec.selector")
		}
	}
	for _, path := range k.Embedded {
		if rest, ok := strings.CutPrefix(place, indexes.ReplaceAllString(path, "")+"."); ok {
			return strings.HasSuffix(rest, "managedBy") || strings.Contains(rest, "metadata.labels") || rest == "spec.selector"
		}
	}
	return slices.ContainsFunc(places, func(path string) bool {
		path = strings.TrimPrefix(indexes.ReplaceAllString(path, ""), ".")
		return place == path || strings.HasPrefix(place, path+".") && strings.HasSuffix(path, "labels")
	})
}
