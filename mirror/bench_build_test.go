// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// BenchmarkBuild compares Build with the copy of the whole Job that any client makes at least once.
func BenchmarkBuild(b *testing.B) {
	p := planner(b)
	for _, bb := range []struct {
		name  string
		local *batchv1.Job
	}{
		{"manual", fixture(b, "manual")},
		{"indexed", fixture(b, "indexed")},
		{"applied", fixture(b, "applied")},
		{"large", largeJob(b)},
	} {
		b.Run("job="+bb.name+"/do=build", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Build(bb.local); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("job="+bb.name+"/do=deepcopy", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bb.local.DeepCopy()
			}
		})
	}
}

// largeJob returns a Job with a sidecar, 40 variables and 8 volumes.
func largeJob(b *testing.B) *batchv1.Job {
	job := fixture(b, "applied")
	pod := &job.Spec.Template.Spec
	main := &pod.Containers[0]
	for i := range 40 {
		main.Env = append(main.Env, corev1.EnvVar{Name: fmt.Sprintf("VARIABLE_%d", i), ValueFrom: &corev1.EnvVarSource{
			ConfigMapKeyRef: &corev1.ConfigMapKeySelector{Key: "key"},
		}})
	}
	for i := range 8 {
		name := fmt.Sprintf("volume-%d", i)
		pod.Volumes = append(pod.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
			ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}},
		}})
		main.VolumeMounts = append(main.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: "/" + name})
	}
	pod.Containers = append(pod.Containers, *main.DeepCopy())
	pod.Containers[1].Name = "sidecar"
	return job
}
