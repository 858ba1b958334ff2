// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/managedby-dev/managedby/mirror"
)

// keyOfRow returns a key that a row matches, and a value.
func keyOfRow(row mirror.DropKey) (key, value string) {
	key, value = row.Key, row.Value
	if strings.HasSuffix(key, "/") {
		key += "something"
	}
	if value == "" {
		value = "any"
	}
	return key, value
}

func TestDefaultDropKeysTable(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range mirror.DefaultDropKeys() {
		key, _ := keyOfRow(row)
		if msgs := validation.IsQualifiedName(key); len(msgs) > 0 {
			t.Errorf("%q: %v", row.Key, msgs)
		}
		if seen[row.Key] {
			t.Errorf("%q is there twice", row.Key)
		}
		if row.Owner == "" {
			t.Errorf("%q has no owner", row.Key)
		}
		seen[row.Key] = true
	}
	mirror.DefaultDropKeys()[0].Key = "changed"
	if mirror.DefaultDropKeys()[0].Key == "changed" {
		t.Error("the table can be changed from outside")
	}
}

func TestEveryDefaultKeyIsDropped(t *testing.T) {
	p := planner(t)
	for _, row := range mirror.DefaultDropKeys() {
		key, value := keyOfRow(row)
		t.Run(row.Key, func(t *testing.T) {
			local := storedJob(func(j *batchv1.Job) {
				j.Labels = map[string]string{key: value, "keep": "me"}
				j.Annotations = map[string]string{key: value, "keep": "me"}
				j.Spec.Template.Labels = map[string]string{key: value}
				j.Spec.Template.Annotations = map[string]string{key: value}
			})
			got := build(t, p, local)
			if _, ok := got.Labels[key]; ok || got.Labels["keep"] != "me" {
				t.Errorf("labels = %v", got.Labels)
			}
			if _, ok := got.Annotations[key]; ok || got.Annotations["keep"] != "me" {
				t.Errorf("annotations = %v", got.Annotations)
			}
			if got.Spec.Template.Labels[key] != value || got.Spec.Template.Annotations[key] != value {
				t.Error("the template was changed")
			}

			exempt := build(t, planner(t, func(p *mirror.Policy) { p.KeepKeys = []string{row.Key} }), local)
			if exempt.Labels[key] != value || exempt.Annotations[key] != value {
				t.Errorf("KeepKeys does not keep it: labels %v, annotations %v", exempt.Labels, exempt.Annotations)
			}
		})
	}
}

func TestDroppedKeys(t *testing.T) {
	all := map[string]string{
		"app.kubernetes.io/managed-by":    "Helm",
		"app.kubernetes.io/name":          "train",
		"argocd.argoproj.io":              "no slash",
		"argocd.argoproj.io/hook":         "PreSync",
		"argocd.argoproj.io/tracking-id":  "a:batch/Job:b/c",
		"example.com/argocd.argoproj.io":  "other domain",
		"kubectl.kubernetes.io/restarted": "today",
		"kueue.x-k8s.io/queue-name":       "gpu",
		"meta.helm.sh/release-name":       "r",
		"my.argocd.argoproj.io/x":         "subdomain",
		"plain":                           "",
		sentKey:                           "forged",
	}
	without := func(keys ...string) map[string]string {
		rest := map[string]string{}
		for k, v := range all {
			rest[k] = v
		}
		for _, k := range keys {
			delete(rest, k)
		}
		return rest
	}
	tests := []struct {
		name   string
		policy func(*mirror.Policy)
		want   map[string]string
		why    string
	}{{
		name:   "default",
		policy: func(*mirror.Policy) {},
		want:   without("app.kubernetes.io/managed-by", "argocd.argoproj.io/hook", "argocd.argoproj.io/tracking-id", "meta.helm.sh/release-name", sentKey),
		why:    "exact keys, whole domains and nothing that only looks like them; never a key of ours",
	}, {
		name:   "keep a domain",
		policy: func(p *mirror.Policy) { p.KeepKeys = []string{"argocd.argoproj.io/"} },
		want:   without("app.kubernetes.io/managed-by", "meta.helm.sh/release-name", sentKey),
	}, {
		name:   "keep one key of a domain",
		policy: func(p *mirror.Policy) { p.KeepKeys = []string{"argocd.argoproj.io/hook"} },
		want:   without("app.kubernetes.io/managed-by", "argocd.argoproj.io/tracking-id", "meta.helm.sh/release-name", sentKey),
	}, {
		name:   "our own key cannot be kept",
		policy: func(p *mirror.Policy) { p.KeepKeys = []string{sentKey, "acme.io/"} },
		want:   without("app.kubernetes.io/managed-by", "argocd.argoproj.io/hook", "argocd.argoproj.io/tracking-id", "meta.helm.sh/release-name", sentKey),
		why:    "the local Job has no say in the identity of its mirror",
	}, {
		name: "drop more",
		policy: func(p *mirror.Policy) {
			p.KeepKeys = []string{"argocd.argoproj.io/"}
			p.DropKey = func(key, value string) bool {
				return key == "argocd.argoproj.io/hook" || value == "gpu" || key == "plain"
			}
		},
		want: without("app.kubernetes.io/managed-by", "meta.helm.sh/release-name", "argocd.argoproj.io/hook", "kueue.x-k8s.io/queue-name", "plain", sentKey),
		why:  "DropKey has the last word",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := build(t, planner(t, tt.policy), storedJob(func(j *batchv1.Job) { j.Annotations = all }))
			for _, key := range []string{localKey, uidKey, genKey, sentKey} {
				if got.Annotations[key] == "forged" {
					t.Errorf("%s was copied", key)
				}
				delete(got.Annotations, key)
			}
			if diff := cmp.Diff(tt.want, got.Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s%s", diff, tt.why)
			}
		})
	}
}

func TestManagedByLabelOfOthersIsKept(t *testing.T) {
	local := storedJob(func(j *batchv1.Job) { j.Labels = map[string]string{"app.kubernetes.io/managed-by": "team-x"} })
	if got := build(t, planner(t), local); got.Labels["app.kubernetes.io/managed-by"] != "team-x" {
		t.Errorf("labels = %v: only the value Helm is a claim", got.Labels)
	}
}
