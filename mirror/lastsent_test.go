// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/managedby-dev/managedby/mirror"
)

// lastSent is the form of the annotation, for the decoder of the standard library.
type lastSent struct {
	V           int                    `json:"v"`
	Spec        batchv1.JobSpec        `json:"spec"`
	Labels      map[string]string      `json:"labels"`
	Annotations map[string]string      `json:"annotations"`
	Template    corev1.PodTemplateSpec `json:"template"`
	Digest      string                 `json:"digest"`
}

func decodeLastSent(t testing.TB, m *batchv1.Job) lastSent {
	t.Helper()
	var got lastSent
	d := json.NewDecoder(strings.NewReader(m.Annotations[sentKey]))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, m.Annotations[sentKey])
	}
	return got
}

// mutableFieldsOf picks what the annotation has to record out of a mirror, by the same rule in
// other words: everything that an update may change.
func mutableFieldsOf(m *batchv1.Job) lastSent {
	want := lastSent{V: 1}
	from, to := reflect.ValueOf(m.Spec), reflect.ValueOf(&want.Spec).Elem()
	for i := range from.NumField() {
		name := jsonName(from.Type().Field(i))
		if jobSpecFields[name].recorded || name == "ttlSecondsAfterFinished" {
			to.Field(i).Set(from.Field(i))
		}
	}
	identity := map[string]bool{originKey: true, localKey: true, uidKey: true, genKey: true, sentKey: true}
	want.Labels, want.Annotations = without(m.Labels, identity), without(m.Annotations, identity)

	pod, podWant := &m.Spec.Template.Spec, &want.Template.Spec
	want.Template.Labels, want.Template.Annotations = m.Spec.Template.Labels, m.Spec.Template.Annotations
	podWant.NodeSelector, podWant.Tolerations, podWant.SchedulingGates = pod.NodeSelector, pod.Tolerations, pod.SchedulingGates
	if pod.Affinity != nil && pod.Affinity.NodeAffinity != nil {
		podWant.Affinity = &corev1.Affinity{NodeAffinity: pod.Affinity.NodeAffinity}
	}
	podWant.InitContainers, podWant.Containers = resourcesOf(pod.InitContainers), resourcesOf(pod.Containers)
	return want
}

func without(m map[string]string, keys map[string]bool) map[string]string {
	var rest map[string]string
	for k, v := range m {
		if !keys[k] {
			if rest == nil {
				rest = map[string]string{}
			}
			rest[k] = v
		}
	}
	return rest
}

func resourcesOf(list []corev1.Container) []corev1.Container {
	var some []corev1.Container
	for _, c := range list {
		if !reflect.DeepEqual(c.Resources, corev1.ResourceRequirements{}) {
			some = append(some, corev1.Container{Name: c.Name, Resources: c.Resources})
		}
	}
	return some
}

// TestLastSentRecordsEveryMutableField fills every field that the Go types have, so that a new
// field in a toleration or in resources is not forgotten.
func TestLastSentRecordsEveryMutableField(t *testing.T) {
	for _, keepTTL := range []bool{false, true} {
		m := build(t, planner(t, func(p *mirror.Policy) { p.KeepTTL = keepTTL }), fullJob(t, false))
		if diff := cmp.Diff(mutableFieldsOf(m), decodeLastSent(t, m)); diff != "" {
			t.Errorf("KeepTTL %v: last-sent (-want +got):\n%s", keepTTL, diff)
		}
	}
}

// TestLastSentIsCanonical checks that the bytes are those of encoding/json: keys in order, no
// spaces, the same escapes.
func TestLastSentIsCanonical(t *testing.T) {
	strange := []string{"", "a", "B", "sha2567", "zürich", "日本"}
	for c := range rune(0x80) {
		strange = append(strange, string(c), "a"+string(c)+"b")
	}
	strange = append(strange, "\u2028", "\u2029", "\ufffd")
	local := storedJob(func(j *batchv1.Job) {
		j.Annotations = map[string]string{}
		j.Spec.Template.Spec.NodeSelector = map[string]string{}
		for i, s := range strange {
			j.Annotations["k"+s] = s
			j.Spec.Template.Spec.NodeSelector[s] = strange[len(strange)-1-i]
			j.Spec.Template.Spec.Tolerations = append(j.Spec.Template.Spec.Tolerations, corev1.Toleration{Key: s, Value: s})
		}
	})
	got := build(t, planner(t), local).Annotations[sentKey]
	spec := &local.Spec.Template.Spec
	for name, want := range map[string]any{"annotations": local.Annotations, "nodeSelector": spec.NodeSelector, "tolerations": spec.Tolerations} {
		if part := `"` + name + `":` + toJSON(t, want); !strings.Contains(got, part) {
			t.Errorf("last-sent has not\n%s\nbut is\n%s", part, got)
		}
	}
	if !json.Valid([]byte(got)) {
		t.Error("last-sent is no JSON")
	}
}

// TestLastSentOfWhatIsNotUTF8 checks that even that is recorded as JSON, and the same each time.
func TestLastSentOfWhatIsNotUTF8(t *testing.T) {
	local := storedJob(func(j *batchv1.Job) { j.Annotations = map[string]string{"a\xff": "b\xff", "a\xfe": "b\xfe"} })
	p := planner(t)
	got := build(t, p, local).Annotations[sentKey]
	if again := build(t, p, local).Annotations[sentKey]; !json.Valid([]byte(got)) || got != again {
		t.Errorf("last-sent is %q, and again %q", got, again)
	}
}

func TestLastSentOfLongValues(t *testing.T) {
	digest := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "sha256:" + base64.RawURLEncoding.EncodeToString(sum[:16])
	}
	long, short := strings.Repeat("x", 65), strings.Repeat("x", 64)
	local := storedJob(func(j *batchv1.Job) {
		j.Annotations = map[string]string{"long": long, "short": short, "likeDigest": "sha256:x"}
		j.Spec.Template.Annotations = map[string]string{"long": long}
	})
	got := decodeLastSent(t, build(t, planner(t), local))
	want := map[string]string{"long": digest(long), "short": short, "likeDigest": digest("sha256:x")}
	if diff := cmp.Diff(want, got.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
	if got.Template.Annotations["long"] != digest(long) {
		t.Errorf("template annotations = %v", got.Template.Annotations)
	}
}

// TestLastSentOfHugeJobs checks that the record stays small: a digest of what can be large, the
// scalars as they are.
func TestLastSentOfHugeJobs(t *testing.T) {
	many := func(n int, last string) *batchv1.Job {
		return storedJob(func(j *batchv1.Job) {
			j.Spec.Template.Annotations = map[string]string{}
			for i := range n {
				j.Spec.Template.Annotations[fmt.Sprintf("example.com/key-%d", i)] = strings.Repeat("v", 40)
			}
			j.Spec.Template.Annotations["last"] = last
		})
	}
	p := planner(t)
	small, large := decodeLastSent(t, build(t, p, many(100, "a"))), decodeLastSent(t, build(t, p, many(1000, "a")))
	if small.Digest != "" || len(small.Template.Annotations) != 101 {
		t.Errorf("small: digest %q, %d annotations", small.Digest, len(small.Template.Annotations))
	}
	if large.Digest == "" || large.Template.Annotations != nil || large.Labels != nil {
		t.Errorf("large: digest %q, %d annotations", large.Digest, len(large.Template.Annotations))
	}
	if diff := cmp.Diff(small.Spec, large.Spec); diff != "" {
		t.Errorf("scalars (-small +large):\n%s", diff)
	}
	if again := decodeLastSent(t, build(t, p, many(1000, "a"))); again.Digest != large.Digest {
		t.Error("the digest is not the same for the same Job")
	}
	if changed := decodeLastSent(t, build(t, p, many(1000, "b"))); changed.Digest == large.Digest {
		t.Error("the digest does not tell a change")
	}
}
