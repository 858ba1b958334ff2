// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"fmt"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/oracle/jobspec"
)

type specEdit func(*jobspec.Generator, *batchv1.Job)

// whileSuspended changes the template once or twice.
func whileSuspended(g *jobspec.Generator, j *batchv1.Job) {
	for range g.IntN(3) {
		if ptr.Deref(j.Spec.Suspend, false) {
			templateEdits[g.IntN(len(templateEdits))](g, j)
		}
	}
}

// ifIndexed scales an elastic Job.
func ifIndexed(j *batchv1.Job, n *int32) {
	if *j.Spec.CompletionMode == batchv1.IndexedCompletion {
		j.Spec.Completions, j.Spec.Parallelism = n, n
	}
}

// userEdits are what a user may do to a Job. Most are accepted, some only while it is suspended.
var userEdits = []specEdit{
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.Suspend = ptr.To(!ptr.Deref(j.Spec.Suspend, false)) },
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.Parallelism = ptr.To(g.Int32N(9)) },
	func(g *jobspec.Generator, j *batchv1.Job) { ifIndexed(j, ptr.To(g.Int32N(2000))) },
	func(g *jobspec.Generator, j *batchv1.Job) { ifIndexed(j, j.Spec.Parallelism) },
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To(g.Int64()) },
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = nil },
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.BackoffLimit = ptr.To(g.Int32()) },
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.BackoffLimit = nil },
	func(g *jobspec.Generator, j *batchv1.Job) {
		if j.Spec.BackoffLimitPerIndex != nil {
			j.Spec.MaxFailedIndexes = ptr.To(g.Int32N(20))
		}
	},
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.MaxFailedIndexes = nil },
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.PodReplacementPolicy = ptr.To(batchv1.Failed) },
	func(g *jobspec.Generator, j *batchv1.Job) {
		j.Spec.PodReplacementPolicy = ptr.To(batchv1.TerminatingOrFailed)
	},
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.TTLSecondsAfterFinished = ptr.To(g.Int32()) },
	func(g *jobspec.Generator, j *batchv1.Job) { setKey(g, &j.Labels, "u") },
	func(g *jobspec.Generator, j *batchv1.Job) { setKey(g, &j.Annotations, "u") },
	func(g *jobspec.Generator, j *batchv1.Job) { clear(j.Annotations) },
	whileSuspended, whileSuspended, whileSuspended, whileSuspended, whileSuspended,
	func(g *jobspec.Generator, j *batchv1.Job) {
		whileSuspended(g, j)
		j.Spec.Suspend = ptr.To(false)
	},
}

// templateEdits are what a user may do while the Job is suspended.
var templateEdits = []specEdit{
	func(g *jobspec.Generator, j *batchv1.Job) { setKey(g, &j.Spec.Template.Labels, "u") },
	func(g *jobspec.Generator, j *batchv1.Job) { setKey(g, &j.Spec.Template.Annotations, "u") },
	func(g *jobspec.Generator, j *batchv1.Job) { setKey(g, &j.Spec.Template.Spec.NodeSelector, "u") },
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.Template.Spec.NodeSelector = nil },
	func(g *jobspec.Generator, j *batchv1.Job) { addToleration(g, j) },
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.Template.Spec.Tolerations = nil },
	func(g *jobspec.Generator, j *batchv1.Job) {
		j.Spec.Template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: fmt.Sprintf("u.io/%d", g.IntN(3))}}
	},
	func(g *jobspec.Generator, j *batchv1.Job) { j.Spec.Template.Spec.SchedulingGates = nil },
	func(g *jobspec.Generator, j *batchv1.Job) {
		setNodeAffinity(j, &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: anyNode(g)})
	},
	func(g *jobspec.Generator, j *batchv1.Job) { setNodeAffinity(j, nil) },
	func(g *jobspec.Generator, j *batchv1.Job) {
		if a := j.Spec.Template.Spec.Affinity; a != nil && a.PodAffinity == nil && a.PodAntiAffinity == nil {
			j.Spec.Template.Spec.Affinity = nil
		}
	},
	func(g *jobspec.Generator, j *batchv1.Job) { setResources(g, j.Spec.Template.Spec.Containers) },
	func(g *jobspec.Generator, j *batchv1.Job) { setResources(g, j.Spec.Template.Spec.InitContainers) },
}

// workerEdits are what a queue or a webhook may do to a mirror.
var workerEdits = []specEdit{
	userEdits[0], userEdits[1], userEdits[2], userEdits[7], userEdits[8],
	func(g *jobspec.Generator, j *batchv1.Job) { setKey(g, &j.Labels, "w") },
	func(g *jobspec.Generator, j *batchv1.Job) { setKey(g, &j.Annotations, "w") },
	func(g *jobspec.Generator, j *batchv1.Job) { setKey(g, &j.Spec.Template.Labels, "w") },
	func(g *jobspec.Generator, j *batchv1.Job) { setKey(g, &j.Spec.Template.Spec.NodeSelector, "w") },
	func(g *jobspec.Generator, j *batchv1.Job) { addToleration(g, j) },
	func(g *jobspec.Generator, j *batchv1.Job) {
		gates := &j.Spec.Template.Spec.SchedulingGates
		*gates = append(*gates, corev1.PodSchedulingGate{Name: "w.io/w"})
	},
	func(g *jobspec.Generator, j *batchv1.Job) {
		pod := &j.Spec.Template.Spec
		pod.Containers = append([]corev1.Container{{Name: "sidecar-w", Image: "s", TerminationMessagePolicy: "File", ImagePullPolicy: "Always"}}, pod.Containers...)
	},
	func(g *jobspec.Generator, j *batchv1.Job) {
		j.Spec.Template.Spec.Containers[0].Image = "w.example.com/x"
	},
}

func setKey(g *jobspec.Generator, m *map[string]string, key string) {
	*m = maps.Clone(*m)
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[fmt.Sprintf("%s.io/%d", key, g.IntN(3))] = fmt.Sprint(g.IntN(3))
}

func addToleration(g *jobspec.Generator, j *batchv1.Job) {
	list := &j.Spec.Template.Spec.Tolerations
	*list = append(*list, corev1.Toleration{Key: fmt.Sprintf("k%d", g.IntN(9)), Operator: corev1.TolerationOpExists})
}

func anyNode(g *jobspec.Generator) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{fmt.Sprint(g.IntN(3))}}},
	}}}
}

func setNodeAffinity(j *batchv1.Job, node *corev1.NodeAffinity) {
	affinity := ptr.Deref(j.Spec.Template.Spec.Affinity, corev1.Affinity{})
	affinity.NodeAffinity = node
	j.Spec.Template.Spec.Affinity = &affinity
}

func setResources(g *jobspec.Generator, list []corev1.Container) {
	for i := range list {
		list[i].Resources = corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse(fmt.Sprintf("%dm", 1000+g.IntN(3000)))}}
	}
}
