// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

var updateMirrors = flag.Bool("update-mirrors", false, "rewrite testdata/build/*.mirror.json")

// TestBuildFixtures builds the mirrors of Jobs as kubectl prints them. After a change that is meant
// to alter them run
//
//	go test ./mirror -run TestBuildFixtures -update-mirrors
//
// and commit only differences you can explain.
func TestBuildFixtures(t *testing.T) {
	paths, err := filepath.Glob("testdata/build/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures found (err=%v)", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(name, func(t *testing.T) {
			got, err := json.MarshalIndent(build(t, planner(t), fixture(t, name)), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			golden := filepath.Join("testdata", "build", name+".mirror.json")
			if *updateMirrors {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("mirror (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBuildSpec(t *testing.T) {
	uid := string(storedJob().UID)
	tests := []struct {
		name           string
		local          func(*batchv1.Job)
		policy         func(*mirror.Policy)
		wantSelector   *metav1.LabelSelector
		wantTemplate   map[string]string
		wantManagedBy  *string
		wantOwnLabels  map[string]string // besides the origin
		why            string
		wantTargetName string
	}{{
		name:  "as stored",
		local: func(*batchv1.Job) {},
		why:   "selector and all four labels are the worker's to generate; nothing is left, not even {}",
	}, {
		name: "stale generated labels",
		local: func(j *batchv1.Job) {
			j.Spec.Template.Labels = map[string]string{"controller-uid": "other", "job-name": "other", "app": "x"}
		},
		wantTemplate: map[string]string{"app": "x"},
		why:          "from the template they go whatever their value: the worker refuses any but its own",
	}, {
		name: "labels shown from the template",
		local: func(j *batchv1.Job) {
			j.Spec.Template.Labels["app"] = "x"
			j.Labels = j.Spec.Template.Labels
		},
		wantTemplate:  map[string]string{"app": "x"},
		wantOwnLabels: map[string]string{"app": "x"},
		why:           "a Job created without labels of its own shows the template's, generated ones included",
	}, {
		name: "own labels that look generated",
		local: func(j *batchv1.Job) {
			j.Labels = map[string]string{"job-name": "another", "controller-uid": "team-7", "batch.kubernetes.io/job-name": "train", "batch.kubernetes.io/controller-uid": uid}
		},
		wantOwnLabels: map[string]string{"job-name": "another", "controller-uid": "team-7"},
		why:           "only the generated value marks a label of the Job itself as generated",
	}, {
		name: "name and UID are not mixed up",
		local: func(j *batchv1.Job) {
			j.Labels = map[string]string{"job-name": uid, "controller-uid": "train"}
		},
		wantOwnLabels: map[string]string{"job-name": uid, "controller-uid": "train"},
		why:           "the generated value of job-name is the name, that of controller-uid the UID",
	}, {
		name: "manual selector",
		local: func(j *batchv1.Job) {
			j.Spec.ManualSelector = ptr.To(true)
			j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"job-name": "train"}}
			j.Spec.Template.Labels = map[string]string{"job-name": "train"}
			j.Labels = map[string]string{"job-name": "train"}
		},
		wantSelector:  &metav1.LabelSelector{MatchLabels: map[string]string{"job-name": "train"}},
		wantTemplate:  map[string]string{"job-name": "train"},
		wantOwnLabels: map[string]string{"job-name": "train"},
		why:           "with manualSelector the worker refuses a Job without selector or with another template",
	}, {
		name: "manual selector, renamed",
		local: func(j *batchv1.Job) {
			j.Spec.ManualSelector = ptr.To(true)
			j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"job-name": "train"}}
			j.Spec.Template.Labels = map[string]string{"job-name": "train"}
		},
		policy: func(p *mirror.Policy) {
			p.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Name: "other"} }
		},
		wantSelector:   &metav1.LabelSelector{MatchLabels: map[string]string{"job-name": "train"}},
		wantTemplate:   map[string]string{"job-name": "train"},
		wantTargetName: "other",
		why:            "the selector is the user's and does not follow the name",
	}, {
		name:  "renamed",
		local: func(j *batchv1.Job) { j.Labels = map[string]string{"job-name": "train", "a": "b"} },
		policy: func(p *mirror.Policy) {
			p.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Name: "other"} }
		},
		wantOwnLabels:  map[string]string{"a": "b"},
		wantTargetName: "other",
		why:            "a job-name label of the old name would be refused",
	}, {
		name:   "manualSelector not set",
		local:  func(j *batchv1.Job) { j.Spec.ManualSelector = nil },
		policy: func(p *mirror.Policy) { p.WorkerManagedBy = "acme.io/batch-system" },
		why:    "nil is false; WorkerManagedBy takes the place of managedBy", wantManagedBy: ptr.To("acme.io/batch-system"),
	}, {
		name:          "the worker's own controller by name",
		local:         func(*batchv1.Job) {},
		policy:        func(p *mirror.Policy) { p.WorkerManagedBy = "kubernetes.io/job-controller" },
		wantManagedBy: ptr.To("kubernetes.io/job-controller"),
		why:           "the reserved name is a valid value",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			local := storedJob(tt.local)
			before := local.DeepCopy()
			var change []func(*mirror.Policy)
			if tt.policy != nil {
				change = append(change, tt.policy)
			}
			got := build(t, planner(t, change...), local)
			if diff := cmp.Diff(tt.wantSelector, got.Spec.Selector); diff != "" {
				t.Errorf("selector (-want +got):\n%s%s", diff, tt.why)
			}
			if diff := cmp.Diff(tt.wantTemplate, got.Spec.Template.Labels); diff != "" {
				t.Errorf("template labels (-want +got):\n%s%s", diff, tt.why)
			}
			if diff := cmp.Diff(tt.wantManagedBy, got.Spec.ManagedBy); diff != "" {
				t.Errorf("managedBy (-want +got):\n%s%s", diff, tt.why)
			}
			wantLabels := map[string]string{originKey: origin}
			for k, v := range tt.wantOwnLabels {
				wantLabels[k] = v
			}
			if diff := cmp.Diff(wantLabels, got.Labels); diff != "" {
				t.Errorf("labels (-want +got):\n%s%s", diff, tt.why)
			}
			if want := cmpOr(tt.wantTargetName, local.Name); got.Name != want {
				t.Errorf("name = %q, want %q", got.Name, want)
			}
			if diff := cmp.Diff(before, local); diff != "" {
				t.Errorf("Build changed the local Job (-before +after):\n%s", diff)
			}
		})
	}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func TestBuildIdentity(t *testing.T) {
	local := storedJob(func(j *batchv1.Job) {
		j.Annotations = map[string]string{"note": "mine", uidKey: "forged", sentKey: "forged", localKey: "forged", genKey: "x"}
		j.Labels = map[string]string{originKey: "forged"}
	})
	got := build(t, planner(t), local)
	if got.Labels[originKey] != origin {
		t.Errorf("origin = %q, want %q", got.Labels[originKey], origin)
	}
	want := map[string]string{
		"note":   "mine",
		localKey: "research/train",
		uidKey:   "11111111-2222-3333-4444-555555555555",
		genKey:   "3",
		sentKey: `{"v":1,"spec":{"parallelism":2,"completions":4,"backoffLimit":6,"suspend":false},` +
			`"annotations":{"note":"mine"}}`,
	}
	if diff := cmp.Diff(want, got.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

func TestBuildWithKeysOfAnother(t *testing.T) {
	const multikueue = "kueue.x-k8s.io/multikueue-origin"
	p := planner(t, func(p *mirror.Policy) { p.Keys.Origin = multikueue })
	local := storedJob(func(j *batchv1.Job) { j.Labels = map[string]string{multikueue: "someone"} })
	got := build(t, p, local)
	if got.Labels[multikueue] != origin || got.Labels[originKey] != "" {
		t.Errorf("labels = %v, want our origin under %s only", got.Labels, multikueue)
	}
	if got.Annotations[uidKey] == "" {
		t.Errorf("annotations = %v: the other keys keep their defaults", got.Annotations)
	}
	if p.Relate(mirror.Pair{Local: local, Remote: got}) != mirror.Ours {
		t.Error("the mirror is not ours")
	}
}

// TestBuildOfAMirror dispatches a mirror on: a worker of one cluster is the management of the next.
func TestBuildOfAMirror(t *testing.T) {
	first := planner(t, func(p *mirror.Policy) { p.WorkerManagedBy = "acme.io/second"; p.Origin = "top" })
	second := planner(t, func(p *mirror.Policy) { p.Controller = "acme.io/second"; p.Origin = "middle" })
	top := storedJob()
	middle := build(t, first, top)
	middle.UID = "middle-uid"
	bottom := build(t, second, middle)
	if r := second.Relate(mirror.Pair{Local: middle, Remote: bottom}); r != mirror.Ours {
		t.Errorf("to the second controller the bottom is %q, want Ours", r)
	}
	if r := first.Relate(mirror.Pair{Local: top, Remote: bottom}); r != mirror.Foreign {
		t.Errorf("to the first controller the bottom is %q, want Foreign", r)
	}
}

// TestBuildFromAnInformer builds from one object in many goroutines, as informers share objects.
// The race detector does the checking.
func TestBuildFromAnInformer(t *testing.T) {
	p, shared := planner(t), fixture(t, "indexed")
	want := toJSON(t, build(t, p, shared))
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 50 {
				if m, err := p.Build(shared); err != nil || toJSON(t, m) != want {
					t.Errorf("Build = %v, %v", m, err)
				}
				p.Relate(mirror.Pair{Local: shared, Remote: shared})
				mirror.Lost(shared, shared)
			}
		}()
	}
	wg.Wait()
}

func TestNilPanics(t *testing.T) {
	p := planner(t)
	for name, call := range map[string]func(){
		"Build":     func() { _, _ = p.Build(nil) },
		"TargetOf":  func() { p.TargetOf(nil) },
		"LocalOf":   func() { p.LocalOf(nil) },
		"Lost sent": func() { mirror.Lost(nil, storedJob()) },
		"Lost":      func() { mirror.Lost(storedJob(), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic, but the doc comment says so")
				}
			}()
			call()
		})
	}
}
