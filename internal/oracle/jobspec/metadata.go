// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"fmt"
	"maps"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// names chooses namespace and name, many as long as is possible and a few too long.
func (g *Generator) names(job *batchv1.Job) {
	job.Namespace = g.dns(pick(g, 1, 7, 63))
	most := 63
	indexed := ptr.Deref(job.Spec.CompletionMode, "") == batchv1.IndexedCompletion && *job.Spec.Completions > 0
	if indexed {
		most -= len(fmt.Sprintf("-%d", *job.Spec.Completions-1))
	}
	job.Spec.ManualSelector = pick(g, nil, ptr.To(false), ptr.To(true))
	length := pick(g, 1, 5, 1+g.IntN(most), most-1, most)
	switch {
	case g.oneIn(50):
		length = most + 1
	case !indexed && ptr.Deref(job.Spec.ManualSelector, false) && g.oneIn(4):
		job.Name = strings.Join([]string{g.dns(63), g.dns(63), g.dns(63), g.dns(61)}, ".") // 253
		return
	}
	job.Name = g.dns(length)
	if !indexed && length > 4 && g.oneIn(4) {
		job.Name = g.dns(1) + "." + g.dns(length-2)
	}
}

// metadata sets labels and annotations of the Job and its template, and what else a user may set. Half
// of the Jobs have no labels of their own, so that a server shows those of the template there.
func (g *Generator) metadata(job *batchv1.Job) {
	template := &job.Spec.Template
	if g.oneIn(2) {
		job.Labels = g.marks(job)
	}
	if g.oneIn(2) {
		job.Annotations = g.annotations()
		maps.Copy(job.Annotations, g.marks(job))
	}
	if g.oneIn(2) {
		template.Labels = g.labels()
	}
	if g.oneIn(3) {
		template.Annotations = g.annotations()
	}
	if g.oneIn(20) {
		template.Name, template.Namespace, template.Finalizers = g.word(), g.word(), []string{"example.com/hold"}
	}
	if g.oneIn(5) {
		job.Finalizers = []string{"example.com/hold"}
	}
	if g.oneIn(5) {
		job.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "batch/v1", Kind: "CronJob", Name: g.word(), UID: g.UID(),
			Controller: ptr.To(true), BlockOwnerDeletion: maybe(g, true, false),
		}}
	}
}

// marks are labels, and among them those that Build leaves out or replaces.
func (g *Generator) marks(job *batchv1.Job) map[string]string {
	m := g.labels()
	for range g.IntN(3) {
		row := pick(g, mirror.DefaultDropKeys()...)
		if strings.HasSuffix(row.Key, "/") {
			row.Key += g.word()
		}
		m[row.Key] = row.Value
	}
	if g.oneIn(8) && len(job.Name) <= 63 {
		m[pick(g, "job-name", "batch.kubernetes.io/job-name")] = pick(g, job.Name, "other")
	}
	if g.oneIn(8) { // the local Job's own UID gets there when the server shows the template's labels
		m[pick(g, "controller-uid", "batch.kubernetes.io/controller-uid")] = "other"
	}
	return m
}

func (g *Generator) annotations() map[string]string {
	m := map[string]string{}
	for range 1 + g.IntN(4) {
		key, _ := g.label()
		m[key] = g.text()
	}
	return m
}

// selector makes a manual selector, or one of the few that may stand beside the generated one.
func (g *Generator) selector(job *batchv1.Job) {
	spec := &job.Spec
	if ptr.Deref(spec.ManualSelector, false) {
		g.manualSelector(job)
		return
	}
	switch {
	case g.oneIn(10) && len(job.Name) <= 63:
		spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{pick(g, "job-name", "batch.kubernetes.io/job-name"): job.Name}}
	case g.oneIn(10):
		spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "absent", Operator: metav1.LabelSelectorOpDoesNotExist}}}
	case g.oneIn(10) && len(job.Name) <= 63:
		if spec.Template.Labels == nil {
			spec.Template.Labels = map[string]string{}
		}
		spec.Template.Labels[pick(g, "job-name", "batch.kubernetes.io/job-name")] = job.Name
	}
}

// manualSelector selects by one label of the template, which may be one of those that are generated
// for other Jobs.
func (g *Generator) manualSelector(job *batchv1.Job) {
	spec := &job.Spec
	key := pick(g, "app", "job-name", "batch.kubernetes.io/job-name", "controller-uid", "example.com/run")
	value := pick(g, "x", g.word())
	if strings.HasSuffix(key, "job-name") && len(job.Name) <= 63 {
		value = pick(g, job.Name, value)
	}
	if spec.Template.Labels == nil {
		spec.Template.Labels = map[string]string{}
	}
	spec.Template.Labels[key] = value
	if g.oneIn(2) {
		spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
		return
	}
	spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: key, Operator: metav1.LabelSelectorOpIn, Values: []string{value, "y"}},
		{Key: key, Operator: metav1.LabelSelectorOpExists},
	}}
}
