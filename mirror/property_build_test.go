// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

var (
	buildSeed  = flag.Uint64("build-seed", 20260301, "seed of TestBuildProperties")
	buildCount = flag.Int("build-count", 2000, "number of Jobs of TestBuildProperties")
)

// pick returns one of the values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// maybe calls f in one of n cases.
func maybe(r *rand.Rand, n int, f func()) {
	if r.IntN(n) == 0 {
		f()
	}
}

// randomLabels returns labels or annotations, some of them of interest to Build.
func randomLabels(r *rand.Rand, job *batchv1.Job) map[string]string {
	m := map[string]string{}
	for range r.IntN(6) {
		row := pick(r, mirror.DefaultDropKeys()...)
		dropped, value := keyOfRow(row)
		key := pick(r, dropped, "app", "example.com/team", "controller-uid", "job-name", originKey, uidKey,
			"batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid", fmt.Sprintf("example.com/k%d", r.IntN(9)))
		m[key] = pick(r, value, "", "x", job.Name, string(job.UID), strings.Repeat("v", 63))
	}
	return pick(r, m, m, nil)
}

// randomJob returns a Job as a management API server could hold it. The template is not always one
// that it would accept; to Build that is all one.
func randomJob(r *rand.Rand) *batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace: pick(r, "default", "research", strings.Repeat("n", 63)),
		Name:      pick(r, "a", "train", "train-7.part", strings.Repeat("j", 52)),
		UID:       types.UID(fmt.Sprintf("uid-%d", r.IntN(1000))), Generation: r.Int64N(100),
		ResourceVersion: fmt.Sprint(r.IntN(1000)), Finalizers: pick(r, nil, []string{"a/b"}),
	}}
	spec := &job.Spec
	maybe(r, 20, func() { fill(reflect.ValueOf(spec).Elem(), r) })
	spec.ManagedBy = ptr.To(dispatcher)
	spec.ManualSelector = pick(r, nil, ptr.To(false), ptr.To(false), ptr.To(true))
	spec.CompletionMode = pick(r, nil, ptr.To(batchv1.NonIndexedCompletion))
	if !strings.Contains(job.Name, ".") {
		spec.CompletionMode = pick(r, spec.CompletionMode, ptr.To(batchv1.IndexedCompletion))
	}
	spec.Completions, spec.Parallelism = pick(r, nil, ptr.To(r.Int32N(1000))), pick(r, nil, ptr.To(r.Int32N(1000)))
	spec.Suspend = pick(r, nil, ptr.To(true), ptr.To(false))
	spec.TTLSecondsAfterFinished = pick(r, nil, ptr.To(r.Int32N(100)))
	spec.ActiveDeadlineSeconds = pick(r, nil, ptr.To(r.Int64N(100)))
	maybe(r, 2, func() {
		spec.Template.Spec.Containers = []corev1.Container{{Name: "c"}, {Name: "d", Env: []corev1.EnvVar{{Name: "E"}}}}
		for i := range spec.Template.Spec.Containers {
			fill(reflect.ValueOf(&spec.Template.Spec.Containers[i].Resources).Elem(), r)
		}
	})
	spec.Template.Labels, spec.Template.Annotations = randomLabels(r, job), randomLabels(r, job)
	job.Labels, job.Annotations = randomLabels(r, job), randomLabels(r, job)
	asStored(r, job)
	maybe(r, 3, func() { fill(reflect.ValueOf(&job.Status).Elem(), r); job.Status.Conditions = nil })
	maybe(r, 3, func() { fill(reflect.ValueOf(&job.OwnerReferences).Elem(), r) })
	maybe(r, 3, func() { fill(reflect.ValueOf(&job.ManagedFields).Elem(), r) })
	return job
}

// asStored does to a Job what the API server does at create: selector and labels are generated, and
// a Job without labels of its own shows those of the template.
func asStored(r *rand.Rand, job *batchv1.Job) {
	spec := &job.Spec
	if ptr.Deref(spec.ManualSelector, false) {
		spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
		return
	}
	if spec.Template.Labels == nil {
		spec.Template.Labels = map[string]string{}
	}
	for _, key := range []string{"controller-uid", "batch.kubernetes.io/controller-uid"} {
		spec.Template.Labels[key] = string(job.UID)
	}
	for _, key := range []string{"job-name", "batch.kubernetes.io/job-name"} {
		spec.Template.Labels[key] = job.Name
	}
	spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"batch.kubernetes.io/controller-uid": string(job.UID)}}
	if len(job.Labels) == 0 {
		job.Labels = pick(r, spec.Template.Labels, spec.Template.DeepCopy().Labels)
	}
}

// randomPolicy returns a Policy and whether it renames.
func randomPolicy(r *rand.Rand) mirror.Policy {
	p := mirror.Policy{Controller: dispatcher, Origin: origin, KeepTTL: r.IntN(2) == 0}
	p.WorkerManagedBy = pick(r, "", "", "acme.io/batch-system")
	p.Keys.UID = pick(r, "", "example.com/mgmt-uid")
	maybe(r, 3, func() {
		p.Target = func(j *batchv1.Job) types.NamespacedName {
			return types.NamespacedName{Namespace: "tenant", Name: "m-" + string(j.UID)}
		}
	})
	return p
}

// TestBuildProperties checks what the doc comment of Build says on many Jobs. Repeat a failure with
// -build-seed, or look further with -build-count.
func TestBuildProperties(t *testing.T) {
	r := seeded(t, *buildSeed)
	for i := range *buildCount {
		policy, local := randomPolicy(r), randomJob(r)
		p, err := mirror.New(policy)
		if err != nil {
			t.Fatal(err)
		}
		before := local.DeepCopy()
		m, err := p.Build(local)
		if err != nil {
			t.Fatalf("Job %d is refused: %v\n%s", i, err, toJSON(t, local))
		}
		checkMirror(t, p, policy, local, m)
		checkSameAgain(t, p, local, m)
		if scribble(reflect.ValueOf(m)); !reflect.DeepEqual(before, local) {
			t.Errorf("Build changed the local Job, or shares memory with it (-before +after):\n%s", cmp.Diff(before, local))
		}
		if t.Failed() {
			t.Fatalf("Job %d: %s", i, toJSON(t, before))
		}
	}
}

func checkMirror(t *testing.T, p *mirror.Planner, policy mirror.Policy, local, m *batchv1.Job) {
	t.Helper()
	checkMetadata(t, p, local, m)
	checkSpec(t, policy, local, m)
	if lost := mirror.Lost(m, m); lost != nil {
		t.Errorf("lost without having been sent: %v", lost)
	}
	if r := p.Relate(mirror.Pair{Local: local, Remote: m}); r != mirror.Ours {
		t.Errorf("Relate = %q", r)
	}
	if key, uid, ok := p.LocalOf(m); !ok || uid != local.UID || key != (types.NamespacedName{Namespace: local.Namespace, Name: local.Name}) {
		t.Errorf("LocalOf = %v, %q, %v", key, uid, ok)
	}
	if !p.Selector().Matches(labels.Set(m.Labels)) {
		t.Errorf("the selector does not match %v", m.Labels)
	}
}

func checkMetadata(t *testing.T, p *mirror.Planner, local, m *batchv1.Job) {
	t.Helper()
	rest := m.ObjectMeta
	rest.Name, rest.Namespace, rest.Labels, rest.Annotations = "", "", nil, nil
	if !reflect.DeepEqual(rest, metav1.ObjectMeta{}) || !reflect.DeepEqual(m.Status, batchv1.JobStatus{}) || m.TypeMeta != (metav1.TypeMeta{}) {
		t.Errorf("more than name, namespace, labels and annotations: %+v %+v", rest, m.Status)
	}
	if (types.NamespacedName{Namespace: m.Namespace, Name: m.Name}) != p.TargetOf(local) {
		t.Errorf("%s/%s is not the target", m.Namespace, m.Name)
	}
	errs := apivalidation.ValidateObjectMeta(&m.ObjectMeta, true, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	if len(errs) > 0 {
		t.Errorf("metadata would be refused: %v", errs)
	}
	for _, m := range []map[string]string{m.Labels, m.Annotations} {
		for key, value := range m {
			for _, row := range mirror.DefaultDropKeys() {
				if (key == row.Key || strings.HasSuffix(row.Key, "/") && strings.HasPrefix(key, row.Key)) && (row.Value == "" || row.Value == value) {
					t.Errorf("%s=%s is not dropped", key, value)
				}
			}
		}
	}
}

// checkSpec undoes what Build is meant to do to the spec, and nothing else must be left.
func checkSpec(t *testing.T, policy mirror.Policy, local, m *batchv1.Job) {
	t.Helper()
	if got := ptr.Deref(m.Spec.ManagedBy, ""); got != policy.WorkerManagedBy {
		t.Errorf("managedBy = %q, want %q", got, policy.WorkerManagedBy)
	}
	if !policy.KeepTTL && m.Spec.TTLSecondsAfterFinished != nil {
		t.Error("the TTL was kept")
	}
	undone := m.Spec.DeepCopy()
	undone.ManagedBy = local.Spec.ManagedBy
	undone.TTLSecondsAfterFinished = local.Spec.TTLSecondsAfterFinished
	if !ptr.Deref(local.Spec.ManualSelector, false) {
		for _, key := range []string{"controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"} {
			if _, ok := m.Spec.Template.Labels[key]; ok {
				t.Errorf("template label %s was kept", key)
			}
			if undone.Template.Labels == nil {
				undone.Template.Labels = map[string]string{}
			}
			undone.Template.Labels[key] = local.Spec.Template.Labels[key]
		}
		if m.Spec.Selector != nil {
			t.Errorf("selector %v was kept", m.Spec.Selector)
		}
		undone.Selector = local.Spec.Selector
	}
	if !reflect.DeepEqual(&local.Spec, undone) {
		t.Errorf("spec (-local +mirror, undone):\n%s", cmp.Diff(&local.Spec, undone))
	}
}

// checkSameAgain builds again, from the Job itself and from what another client would have read.
func checkSameAgain(t *testing.T, p *mirror.Planner, local, m *batchv1.Job) {
	t.Helper()
	want := toJSON(t, m)
	read := &batchv1.Job{}
	if err := json.Unmarshal([]byte(toJSON(t, local)), read); err != nil {
		t.Fatal(err)
	}
	for _, again := range []*batchv1.Job{local, local.DeepCopy(), read} {
		if got := toJSON(t, build(t, p, again)); got != want {
			t.Errorf("built again (-first +second):\n%s", cmp.Diff(want, got))
		}
	}
}
