// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/managedby-dev/managedby/mirror"
)

func TestRelate(t *testing.T) {
	annotate := func(key, value string) func(local, remote *batchv1.Job) {
		return func(_, remote *batchv1.Job) { remote.Annotations[key] = value }
	}
	tests := []struct {
		name   string
		change func(local, remote *batchv1.Job)
		want   mirror.Relation
		why    string
	}{
		{"its mirror", func(_, _ *batchv1.Job) {}, mirror.Ours, "as built"},
		{"its mirror, as the worker has it", func(_, remote *batchv1.Job) {
			remote.UID, remote.ResourceVersion, remote.Generation = "worker-uid", "9", 5
			remote.Finalizers = []string{"x"}
			remote.DeletionTimestamp = &metav1.Time{}
			remote.Spec = batchv1.JobSpec{}
		}, mirror.Ours, "only the identity counts"},
		{"changed since", func(local, _ *batchv1.Job) { local.Generation = 99; local.Labels = map[string]string{"a": "b"} }, mirror.Ours, "the generation is no part of who it is"},
		{"generation gone", func(_, remote *batchv1.Job) { delete(remote.Annotations, genKey); delete(remote.Annotations, sentKey) }, mirror.Ours, "likewise"},
		{"created again", func(local, _ *batchv1.Job) { local.UID = "another" }, mirror.PreviousIncarnation, "same name, another UID"},
		{"not stored", func(local, _ *batchv1.Job) { local.UID = "" }, mirror.Foreign, "without UID nothing can be known"},
		{"neither has a UID", func(local, remote *batchv1.Job) { local.UID = ""; remote.Annotations[uidKey] = "" }, mirror.Foreign, "two unknowns are not equal"},
		{"nobody's", func(_, remote *batchv1.Job) { remote.Labels, remote.Annotations = nil, nil }, mirror.Foreign, "a Job that happens to have the name"},
		{"no origin", func(_, remote *batchv1.Job) { delete(remote.Labels, originKey) }, mirror.Foreign, ""},
		{"origin as annotation", func(_, remote *batchv1.Job) {
			delete(remote.Labels, originKey)
			remote.Annotations[originKey] = origin
		}, mirror.Foreign, "the selector would not find it"},
		{"another origin", func(_, remote *batchv1.Job) { remote.Labels[originKey] = "mgmt-2" }, mirror.Foreign, "another management cluster"},
		{"origin in another case", func(_, remote *batchv1.Job) { remote.Labels[originKey] = "Mgmt-1" }, mirror.Foreign, "byte for byte"},
		{"origin label only", func(_, remote *batchv1.Job) { remote.Annotations = nil }, mirror.Foreign, "an origin can be shared or forged"},
		{"no UID", func(_, remote *batchv1.Job) { delete(remote.Annotations, uidKey) }, mirror.Foreign, "incomplete"},
		{"empty UID", annotate(uidKey, ""), mirror.Foreign, "incomplete"},
		{"no name", func(_, remote *batchv1.Job) { delete(remote.Annotations, localKey) }, mirror.Foreign, "incomplete"},
		{"name of another", annotate(localKey, "research/other"), mirror.Foreign, ""},
		{"namespace of another", annotate(localKey, "other/train"), mirror.Foreign, ""},
		{"name of another, UID of another", func(_, remote *batchv1.Job) {
			remote.Annotations[localKey], remote.Annotations[uidKey] = "research/other", "another"
		}, mirror.Foreign, "not a previous one of this Job"},
		{"malformed name", annotate(localKey, "train"), mirror.Foreign, ""},
		{"malformed name", annotate(localKey, "research/train/x"), mirror.Foreign, ""},
		{"malformed name", annotate(localKey, "/train"), mirror.Foreign, ""},
		{"malformed name", annotate(localKey, "research/"), mirror.Foreign, ""},
		{"name with space", annotate(localKey, "research/train "), mirror.Foreign, ""},
		{"a copy under another name", func(_, remote *batchv1.Job) { remote.Name = "train-copy" }, mirror.Foreign, "somebody copied the manifest"},
		{"a copy in another namespace", func(_, remote *batchv1.Job) { remote.Namespace = "staging" }, mirror.Foreign, "likewise"},
	}
	p := planner(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			local := storedJob()
			remote := build(t, p, local)
			tt.change(local, remote)
			if got := p.Relate(mirror.Pair{Local: local, Remote: remote}); got != tt.want {
				t.Errorf("Relate = %q, want %q: %s", got, tt.want, tt.why)
			}
		})
	}
}

func TestRelateWithOneSide(t *testing.T) {
	p, local := planner(t), storedJob()
	for _, tt := range []struct {
		name string
		pair mirror.Pair
		want mirror.Relation
	}{
		{"nothing", mirror.Pair{}, ""},
		{"no remote", mirror.Pair{Local: local}, ""},
		{"no local, a mirror", mirror.Pair{Remote: build(t, p, local)}, mirror.PreviousIncarnation},
		{"no local, nobody's", mirror.Pair{Remote: storedJob()}, mirror.Foreign},
		{"no local, another origin's", mirror.Pair{Remote: build(t, planner(t, func(p *mirror.Policy) { p.Origin = "mgmt-2" }), local)}, mirror.Foreign},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := p.Relate(tt.pair); got != tt.want {
				t.Errorf("Relate = %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTwoJobsOntoOneName maps two Jobs to one place: the second is no relation of the first's
// mirror.
func TestTwoJobsOntoOneName(t *testing.T) {
	p := planner(t, func(p *mirror.Policy) {
		p.Target = func(*batchv1.Job) types.NamespacedName { return types.NamespacedName{Namespace: "batch"} }
	})
	first, second := storedJob(), storedJob(func(j *batchv1.Job) { j.Namespace, j.UID = "sales", "second" })
	remote := build(t, p, first)
	if p.TargetOf(first) != p.TargetOf(second) {
		t.Fatal("the two have different targets")
	}
	if got := p.Relate(mirror.Pair{Local: first, Remote: remote}); got != mirror.Ours {
		t.Errorf("first: %q, want Ours", got)
	}
	if got := p.Relate(mirror.Pair{Local: second, Remote: remote}); got != mirror.Foreign {
		t.Errorf("second: %q, want Foreign", got)
	}
}

func TestTargetOf(t *testing.T) {
	for _, tt := range []struct {
		name         string
		target, want types.NamespacedName
	}{
		{"same", types.NamespacedName{}, types.NamespacedName{Namespace: "research", Name: "train"}},
		{"moved", types.NamespacedName{Namespace: "a"}, types.NamespacedName{Namespace: "a", Name: "train"}},
		{"renamed", types.NamespacedName{Name: "b"}, types.NamespacedName{Namespace: "research", Name: "b"}},
		{"both", types.NamespacedName{Namespace: "a", Name: "b"}, types.NamespacedName{Namespace: "a", Name: "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := planner(t, func(p *mirror.Policy) { p.Target = func(*batchv1.Job) types.NamespacedName { return tt.target } })
			local := storedJob()
			if got := p.TargetOf(local); got != tt.want {
				t.Errorf("TargetOf = %v, want %v", got, tt.want)
			}
			remote := build(t, p, local)
			if remote.Namespace != tt.want.Namespace || remote.Name != tt.want.Name {
				t.Errorf("Build went to %s/%s, want %v", remote.Namespace, remote.Name, tt.want)
			}
			if key, _, ok := p.LocalOf(remote); !ok || key != trainKey {
				t.Errorf("LocalOf = %v, %v", key, ok)
			}
			if p.Relate(mirror.Pair{Local: local, Remote: remote}) != mirror.Ours {
				t.Error("the mirror is not ours")
			}
		})
	}
}

func TestLocalOfMetadataOnly(t *testing.T) {
	p := planner(t)
	remote := build(t, p, storedJob())
	key, uid, ok := p.LocalOf(&metav1.PartialObjectMetadata{ObjectMeta: remote.ObjectMeta})
	if !ok || key != trainKey || uid != storedJob().UID {
		t.Errorf("LocalOf = %v, %q, %v", key, uid, ok)
	}
}

func TestLocalOfMalformed(t *testing.T) {
	p := planner(t)
	for _, name := range []string{"", "/", "train", "/train", "research/", "research/train/x", "//", "a//b"} {
		remote := build(t, p, storedJob())
		remote.Annotations[localKey] = name
		if key, uid, ok := p.LocalOf(remote); ok || uid != "" || key != (types.NamespacedName{}) {
			t.Errorf("LocalOf of %q = %v, %q, %v, want nothing", name, key, uid, ok)
		}
	}
}

func TestSelector(t *testing.T) {
	p := planner(t)
	ours := build(t, p, storedJob())
	theirs := build(t, planner(t, func(p *mirror.Policy) { p.Origin = "mgmt-2" }), storedJob())
	if s := p.Selector(); !s.Matches(labels.Set(ours.Labels)) || s.Matches(labels.Set(theirs.Labels)) || s.Matches(labels.Set{}) {
		t.Errorf("selector %q", s)
	}
	if got, want := p.Selector().String(), originKey+"="+origin; got != want {
		t.Errorf("selector %q, want %q", got, want)
	}
}

// TestLongestIdentity stamps the longest name, namespace, UID, origin and domain there can be.
func TestLongestIdentity(t *testing.T) {
	domain := strings.Repeat("d", 61)
	p := planner(t, func(p *mirror.Policy) {
		p.Controller = domain + "/x"
		p.Origin = strings.Repeat("o", 63)
	})
	local := storedJob(func(j *batchv1.Job) {
		j.Spec.ManagedBy = &[]string{domain + "/x"}[0]
		j.Namespace, j.Name = strings.Repeat("n", 63), strings.Repeat("j", 63)
		j.UID = types.UID(strings.Repeat("u", 200))
		j.Labels = map[string]string{"job-name": j.Name}
	})
	remote := build(t, p, local)
	for key, value := range remote.Labels {
		if msgs := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(msgs) > 0 {
			t.Errorf("label %s=%s: %v", key, value, msgs)
		}
	}
	for key := range remote.Annotations {
		if msgs := validation.IsQualifiedName(key); len(msgs) > 0 {
			t.Errorf("annotation %s: %v", key, msgs)
		}
	}
	if key, uid, ok := p.LocalOf(remote); !ok || key.Name != local.Name || key.Namespace != local.Namespace || uid != local.UID {
		t.Errorf("LocalOf = %v, %q, %v", key, uid, ok)
	}
}
