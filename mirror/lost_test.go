// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

func container(name, image string) corev1.Container {
	return corev1.Container{Name: name, Image: image}
}

func TestLost(t *testing.T) {
	type change = func(*batchv1.Job)
	none := func(*batchv1.Job) {}
	tests := []struct {
		name         string
		sent, stored change // on top of one mirror
		want         []mirror.Loss
		why          string
	}{{
		name: "kept", sent: none, stored: none,
	}, {
		name: "what the server adds", sent: none,
		stored: func(j *batchv1.Job) {
			j.UID, j.ResourceVersion, j.Generation = "u", "1", 1
			j.Labels["added"] = "by a webhook"
			j.Spec.PodReplacementPolicy = ptr.To(batchv1.TerminatingOrFailed)
			j.Spec.Template.Labels = map[string]string{"controller-uid": "u"}
			j.Spec.Template.Spec.DNSPolicy = corev1.DNSClusterFirst
			j.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "x"}}
			j.Status.Active = 1
		},
		why: "defaults and additions are no loss",
	}, {
		name: "a field of a newer release",
		sent: func(j *batchv1.Job) {
			j.Spec.SuccessPolicy = &batchv1.SuccessPolicy{Rules: []batchv1.SuccessPolicyRule{{SucceededCount: ptr.To[int32](1)}}}
		},
		stored: func(j *batchv1.Job) { j.Spec.SuccessPolicy = nil },
		want:   []mirror.Loss{{Path: "spec.successPolicy", Sent: `{"rules":[{"succeededCount":1}]}`}},
		why:    "the outermost path only",
	}, {
		name: "scalars", sent: none,
		stored: func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true); j.Spec.Parallelism = nil },
		want:   []mirror.Loss{{Path: "spec.parallelism", Sent: "2"}, {Path: "spec.suspend", Sent: "false", Stored: "true"}},
		why:    "a queue on the worker suspends; false was sent, and is not kept",
	}, {
		name: "zero in a pointer", sent: func(j *batchv1.Job) { j.Spec.BackoffLimit = ptr.To[int32](0) },
		stored: func(j *batchv1.Job) { j.Spec.BackoffLimit = ptr.To[int32](6) },
		want:   []mirror.Loss{{Path: "spec.backoffLimit", Sent: "0", Stored: "6"}},
		why:    "0 was asked for",
	}, {
		name: "metadata", sent: func(j *batchv1.Job) { j.Finalizers = []string{"acme.io/hold"} },
		stored: func(j *batchv1.Job) {
			j.Finalizers = nil
			delete(j.Labels, originKey)
			j.Annotations[uidKey] = "x"
			j.Namespace = "elsewhere"
		},
		want: []mirror.Loss{
			{Path: "metadata.namespace", Sent: `"research"`, Stored: `"elsewhere"`},
			{Path: "metadata.labels[acme.io/mirror-origin]", Sent: `"mgmt-1"`},
			{Path: "metadata.annotations[acme.io/mirror-local-uid]", Sent: `"11111111-2222-3333-4444-555555555555"`, Stored: `"x"`},
			{Path: "metadata.finalizers[0]", Sent: `"acme.io/hold"`},
		},
	}, {
		name: "a sidecar in front",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{container("a", "x:1"), container("b", "y:1")}
		},
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{container("proxy", "p"), container("a", "x:1"), container("b", "cdn/y:1")}
		},
		want: []mirror.Loss{{Path: "spec.template.spec.containers[1].image", Sent: `"y:1"`, Stored: `"cdn/y:1"`}},
		why:  "containers are found by name",
	}, {
		name: "a container gone",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{container("a", "x:1"), container("b", "y:1")}
		},
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{container("b", "y:1")}
		},
		want: []mirror.Loss{{Path: "spec.template.spec.containers[0]", Sent: toJSON(t, container("a", "x:1"))}},
	}, {
		name: "lists without names",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Args: []string{"1", "2", "3"}}}
		},
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Args: []string{"1", "x"}}}
		},
		want: []mirror.Loss{
			{Path: "spec.template.spec.containers[0].args[1]", Sent: `"2"`, Stored: `"x"`},
			{Path: "spec.template.spec.containers[0].args[2]", Sent: `"3"`},
		},
		why: "by index",
	}, {
		name: "names that are not different",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Env: []corev1.EnvVar{{Name: "E", Value: "1"}, {Name: "E", Value: "2"}}}}
		},
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Env: []corev1.EnvVar{{Name: "E", Value: "2"}, {Name: "E", Value: "2"}}}}
		},
		want: []mirror.Loss{{Path: "spec.template.spec.containers[0].env[0].value", Sent: `"1"`, Stored: `"2"`}},
		why:  "by index",
	}, {
		name: "names that are not different where they were sent",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Env: []corev1.EnvVar{{Name: "E", Value: "1"}, {Name: "E", Value: "2"}}}}
		},
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Env: []corev1.EnvVar{{Name: "E", Value: "2"}}}}
		},
		want: []mirror.Loss{
			{Path: "spec.template.spec.containers[0].env[0].value", Sent: `"1"`, Stored: `"2"`},
			{Path: "spec.template.spec.containers[0].env[1]", Sent: `{"name":"E","value":"2"}`},
		},
		why: "by index",
	}, {
		name: "names that are not different where they are stored",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Env: []corev1.EnvVar{{Name: "E", Value: "1"}}}}
		},
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers = []corev1.Container{{Name: "a", Env: []corev1.EnvVar{{Name: "E", Value: "1"}, {Name: "E", Value: "2"}}}}
		},
		why: "by index",
	}, {
		name: "quantities",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("1000m"), "memory": resource.MustParse("1Gi")}
		},
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("2Gi")}
		},
		want: []mirror.Loss{{Path: "spec.template.spec.containers[0].resources.limits[memory]", Sent: `"1Gi"`, Stored: `"2Gi"`}},
		why:  "1000m is 1",
	}, {
		name: "inlined fields",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
		},
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "v"}}
		},
		want: []mirror.Loss{{Path: "spec.template.spec.volumes[0].emptyDir", Sent: "{}"}},
		why:  "an empty object was asked for",
	}, {
		name: "an empty list",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].Args = []string{}
			j.Spec.Template.Annotations = map[string]string{}
		},
		stored: none,
		why:    "it is not in the request",
	}, {
		name: "an empty value of a map",
		sent: func(j *batchv1.Job) { j.Spec.Template.Labels = map[string]string{"a": ""} },
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Labels = map[string]string{"a": "b"}
		},
		want: []mirror.Loss{{Path: "spec.template.metadata.labels[a]", Sent: `""`, Stored: `"b"`}},
		why:  "the empty string is a label value",
	}, {
		name: "what has no JSON form",
		sent: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.IntOrString{Type: 7, IntVal: 1}}}}
		},
		stored: func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(1)}}}
		},
		want: []mirror.Loss{{Path: "spec.template.spec.containers[0].livenessProbe.tcpSocket.port", Sent: "{7 1 }", Stored: "1"}},
		why:  "malformed input does not panic",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sent, stored := build(t, planner(t), storedJob()), build(t, planner(t), storedJob())
			tt.sent(sent)
			tt.stored(stored)
			sentBefore, storedBefore := sent.DeepCopy(), stored.DeepCopy()
			if diff := cmp.Diff(tt.want, mirror.Lost(sent, stored)); diff != "" {
				t.Errorf("Lost (-want +got):\n%s%s", diff, tt.why)
			}
			if !reflect.DeepEqual(sent, sentBefore) || !reflect.DeepEqual(stored, storedBefore) {
				t.Error("Lost changed a Job")
			}
		})
	}
}

func TestLossString(t *testing.T) {
	for loss, want := range map[mirror.Loss]string{
		{Path: "spec.suspend", Sent: "false"}:                 "spec.suspend: sent false, not stored",
		{Path: "spec.suspend", Sent: "false", Stored: "true"}: "spec.suspend: sent false, stored true",
	} {
		if got := loss.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

// TestNothingIsLostOnTheWire sends full Jobs through JSON: whatever is in them arrives.
func TestNothingIsLostOnTheWire(t *testing.T) {
	for _, manual := range []bool{false, true} {
		sent := build(t, planner(t), fullJob(t, manual))
		stored := &batchv1.Job{}
		if err := json.Unmarshal([]byte(toJSON(t, sent)), stored); err != nil {
			t.Fatal(err)
		}
		if lost := mirror.Lost(sent, stored); lost != nil {
			t.Errorf("lost on the wire: %v", lost)
		}
	}
}

// TestLostFindsEveryLeaf takes each leaf of a full mirror away in turn, and each is missed.
func TestLostFindsEveryLeaf(t *testing.T) {
	sent := build(t, planner(t), fullJob(t, true))
	stored := sent.DeepCopy()
	leaves := 0
	eachLeaf(reflect.ValueOf(&stored.Spec).Elem(), "spec", func(path string) {
		leaves++
		if lost := mirror.Lost(sent, stored); len(lost) == 0 || !strings.HasPrefix(path, lost[0].Path) {
			t.Errorf("%s was removed, and Lost says %v", path, lost)
		}
	})
	if leaves < 500 {
		t.Errorf("only %d leaves were tried", leaves)
	}
	if lost := mirror.Lost(sent, stored); lost != nil {
		t.Errorf("with every leaf back in its place: %v", lost)
	}
}

// eachLeaf takes away the leaves of v, one at a time, and calls visit while they are away. Paths
// are as in Lost.
func eachLeaf(v reflect.Value, path string, visit func(path string)) {
	switch v.Interface().(type) {
	case resource.Quantity, metav1.Time, intstr.IntOrString:
		zeroed(v, path, visit)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			eachLeaf(v.Elem(), path, visit)
			zeroed(v, path, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			at := path
			if name := jsonName(v.Type().Field(i)); name != "" {
				at += "." + name
			}
			eachLeaf(v.Field(i), at, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachLeaf(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			value := v.MapIndex(key)
			v.SetMapIndex(key, reflect.Value{})
			visit(fmt.Sprintf("%s[%s]", path, key))
			v.SetMapIndex(key, value)
		}
	default:
		zeroed(v, path, visit)
	}
}

func zeroed(v reflect.Value, path string, visit func(path string)) {
	value := reflect.New(v.Type()).Elem()
	value.Set(v)
	v.SetZero()
	visit(path)
	v.Set(value)
}
