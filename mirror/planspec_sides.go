// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/json"
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// side is what one side says about the fields of a mirror: its own labels and annotations without
// the identity, and the spec without generated labels in the template.
type side struct {
	spec                batchv1.JobSpec
	labels, annotations map[string]string
}

// sentSide is what a record says.
type sentSide struct {
	side
	spent               int64
	digest              string
	scalars, everything bool // what of it is known
}

// readRecord reads the last-sent annotation. Of one that cannot be read, nothing is known.
func readRecord(text string) sentSide {
	var r struct {
		V           int                    `json:"v"`
		Spent       int64                  `json:"spent"`
		Spec        batchv1.JobSpec        `json:"spec"`
		Labels      map[string]string      `json:"labels"`
		Annotations map[string]string      `json:"annotations"`
		Template    corev1.PodTemplateSpec `json:"template"`
		Digest      string                 `json:"digest"`
	}
	if json.Unmarshal([]byte(text), &r) != nil || r.V != lastSentVersion {
		return sentSide{}
	}
	r.Spec.Template = r.Template
	return sentSide{
		side:  side{spec: r.Spec, labels: r.Labels, annotations: r.Annotations},
		spent: max(r.Spent, 0), digest: r.Digest,
		scalars: true, everything: r.Digest == "",
	}
}

// wantedOf returns what the local Job asks of its mirror: what Build would make of it. The result
// shares memory with local.
func (p *Planner) wantedOf(local *batchv1.Job, spent int64) side {
	meta := p.metadata(local, p.TargetOf(local))
	w := side{spec: local.Spec, labels: meta.Labels, annotations: meta.Annotations}
	w.spec.ActiveDeadlineSeconds = left(w.spec.ActiveDeadlineSeconds, spent)
	if !p.policy.KeepTTL {
		w.spec.TTLSecondsAfterFinished = nil
	}
	if !hasManualSelector(&local.Spec) {
		w.spec.Template.Labels = copyWithoutGenerated(local.Spec.Template.Labels)
	}
	return w
}

// sideOf returns the side of a mirror whose selector is generated or not. The result shares memory
// with remote.
func (p *Planner) sideOf(remote *batchv1.Job, manual bool) side {
	s := side{spec: remote.Spec, labels: maps.Clone(remote.Labels), annotations: maps.Clone(remote.Annotations)}
	for key := range p.drop.own {
		delete(s.labels, key)
		delete(s.annotations, key)
	}
	if !manual {
		s.spec.Template.Labels = copyWithoutGenerated(remote.Spec.Template.Labels)
	}
	return s
}

// editable returns a side whose maps and lists can be changed without changing s. What they hold is
// shared.
func (s side) editable() side {
	for _, f := range mapFields {
		m := f.of(&s)
		*m = maps.Clone(*m)
	}
	pod := &s.spec.Template.Spec
	pod.Tolerations, pod.SchedulingGates = slices.Clone(pod.Tolerations), slices.Clone(pod.SchedulingGates)
	pod.Containers, pod.InitContainers = slices.Clone(pod.Containers), slices.Clone(pod.InitContainers)
	return s
}

// shortened returns an editable side with what a record holds of s.
func (s side) shortened() side {
	s = s.editable()
	for _, f := range mapFields {
		m := *f.of(&s)
		for key, value := range m {
			m[key] = shorten(value)
		}
	}
	return s
}

// scalarFields are the scalars of JobSpec that can change.
var scalarFields = []struct {
	name  string
	value func(*batchv1.JobSpec) string
	copy  func(to, from *batchv1.JobSpec)
	safe  bool // no queue is known to change it
}{
	{"suspend",
		func(s *batchv1.JobSpec) string { return jsonOf(ptr.To(suspendsSpec(s))) },
		func(to, from *batchv1.JobSpec) { to.Suspend = from.Suspend }, false},
	{"parallelism",
		func(s *batchv1.JobSpec) string { return jsonOf(s.Parallelism) },
		func(to, from *batchv1.JobSpec) { to.Parallelism = from.Parallelism }, false},
	{"completions",
		func(s *batchv1.JobSpec) string { return jsonOf(s.Completions) },
		func(to, from *batchv1.JobSpec) { to.Completions = from.Completions }, false},
	{"activeDeadlineSeconds",
		func(s *batchv1.JobSpec) string { return jsonOf(s.ActiveDeadlineSeconds) },
		func(to, from *batchv1.JobSpec) { to.ActiveDeadlineSeconds = from.ActiveDeadlineSeconds }, false},
	{"backoffLimit",
		func(s *batchv1.JobSpec) string { return jsonOf(s.BackoffLimit) },
		func(to, from *batchv1.JobSpec) { to.BackoffLimit = from.BackoffLimit }, true},
	{"maxFailedIndexes",
		func(s *batchv1.JobSpec) string { return jsonOf(s.MaxFailedIndexes) },
		func(to, from *batchv1.JobSpec) { to.MaxFailedIndexes = from.MaxFailedIndexes }, true},
	{"podReplacementPolicy",
		func(s *batchv1.JobSpec) string { return jsonOf(s.PodReplacementPolicy) },
		func(to, from *batchv1.JobSpec) { to.PodReplacementPolicy = from.PodReplacementPolicy }, true},
	{"ttlSecondsAfterFinished",
		func(s *batchv1.JobSpec) string { return jsonOf(s.TTLSecondsAfterFinished) },
		func(to, from *batchv1.JobSpec) { to.TTLSecondsAfterFinished = from.TTLSecondsAfterFinished }, true},
}

// jsonOf returns a value in JSON, "" for nil.
func jsonOf[T any](value *T) string {
	if value == nil {
		return ""
	}
	data, _ := json.Marshal(value) // only types that have a form in JSON
	return string(data)
}

func suspendsSpec(spec *batchv1.JobSpec) bool { return ptr.Deref(spec.Suspend, false) }

// class says which conditions a field can change under.
type class string

const (
	freely     class = "freely"
	annotation class = "annotation" // as long as all of them are not too large
	directive  class = "directive"  // as the template of a Job that is suspended and at rest
	resources  class = "resources"  // likewise, from 1.36 on
	scalar     class = "scalar"
)

// mapFields are the maps that are compared key by key.
var mapFields = []struct {
	path  string
	class class
	of    func(*side) *map[string]string
}{
	{metadataLabels, freely, func(s *side) *map[string]string { return &s.labels }},
	{metadataAnnotations, annotation, func(s *side) *map[string]string { return &s.annotations }},
	{"spec.template.metadata.labels", directive, func(s *side) *map[string]string { return &s.spec.Template.Labels }},
	{"spec.template.metadata.annotations", directive, func(s *side) *map[string]string { return &s.spec.Template.Annotations }},
	{"spec.template.spec.nodeSelector", directive, func(s *side) *map[string]string { return &s.spec.Template.Spec.NodeSelector }},
}
