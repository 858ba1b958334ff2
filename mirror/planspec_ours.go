// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"reflect"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// compareRest compares what neither side can change. What the types of the oldest release that this
// package builds with do not have is not recorded, and may have been changed by either.
func (m *merge) compareRest() {
	want, mirror := rest(&m.want.spec), rest(&m.mirror.spec)
	if reflect.DeepEqual(want, mirror) {
		return
	}
	var d twoSides
	d.compare(field.NewPath("spec"), reflect.ValueOf(want), reflect.ValueOf(mirror))
	for _, found := range d.found {
		found.Kind = SetByWorker
		if isUnrecorded(found.Field) {
			found.Kind, found.Why = Undecided, "the field is not recorded"
		}
		m.fix(found)
	}
}

// fix notes a difference about which there is nothing to decide.
func (m *merge) fix(d Difference) {
	if d.Local != d.Mirror && !m.ignores(d.Field) {
		m.fixed = append(m.fixed, d)
	}
}

// compareOurs notes what Build leaves out, replaces and adds.
func (m *merge) compareOurs() {
	local, remote := m.pair.Local, m.pair.Remote
	ours := func(field, local, mirror, why string) {
		m.fix(Difference{Field: field, Kind: OnPurpose, Local: local, Mirror: mirror, Why: why})
	}
	ours("metadata.namespace", jsonOf(&local.Namespace), jsonOf(&remote.Namespace), "Policy.Target")
	ours("metadata.name", jsonOf(&local.Name), jsonOf(&remote.Name), "Policy.Target")
	for _, path := range []string{metadataLabels, metadataAnnotations} {
		m.leftOut(path, ours)
	}
	m.managedBy(ours)
	if !m.policy.KeepTTL && m.mirror.spec.TTLSecondsAfterFinished == nil {
		ours("spec.ttlSecondsAfterFinished", jsonOf(local.Spec.TTLSecondsAfterFinished), "", "Policy.KeepTTL")
	}
	if whole := local.Spec.ActiveDeadlineSeconds; whole != nil && m.sent.spent > 0 && reflect.DeepEqual(m.want.spec.ActiveDeadlineSeconds, m.mirror.spec.ActiveDeadlineSeconds) {
		ours("spec.activeDeadlineSeconds", jsonOf(whole), jsonOf(m.mirror.spec.ActiveDeadlineSeconds), "what earlier mirrors have left")
	}
	m.generatedSelector(ours)
}

// generatedSelector notes what the worker generates.
func (m *merge) generatedSelector(ours func(field, local, mirror, why string)) {
	const why = "the worker generates its own"
	local, remote := &m.pair.Local.Spec, &m.pair.Remote.Spec
	if hasManualSelector(local) {
		return
	}
	ours("spec.selector", jsonOf(local.Selector), jsonOf(remote.Selector), why)
	for _, key := range sortedGenerated {
		value, ok := local.Template.Labels[key]
		has, there := remote.Template.Labels[key]
		ours("spec.template.metadata.labels["+key+"]", optional(value, ok), optional(has, there), why)
	}
}

// managedBy is ours if the mirror has what Build gave it.
func (m *merge) managedBy(ours func(field, local, mirror, why string)) {
	d := Difference{Field: "spec.managedBy", Local: jsonOf(m.pair.Local.Spec.ManagedBy), Mirror: jsonOf(m.pair.Remote.Spec.ManagedBy)}
	if d.Mirror == "" && m.policy.WorkerManagedBy == "" || d.Mirror == jsonOf(&m.policy.WorkerManagedBy) {
		ours(d.Field, d.Local, d.Mirror, "Policy.WorkerManagedBy")
		return
	}
	d.Kind = SetByWorker
	m.fix(d)
}

// leftOut notes the keys of the local Job that do not belong on the mirror and are not there, and the
// identity.
func (m *merge) leftOut(path string, ours func(field, local, mirror, why string)) {
	local, remote := metadataMap(m.pair.Local, path), metadataMap(m.pair.Remote, path)
	for _, key := range keysOf(local, remote) {
		value, ok := local[key]
		has, there := remote[key]
		at := path + "[" + key + "]"
		if m.drop.own[key] {
			ours(at, optional(value, ok), optional(has, there), "identity")
		} else if ok && !there && !m.keeps(m.pair.Local, path, key, value) {
			ours(at, optional(value, ok), "", "left out")
		}
	}
}

// isUnrecorded reports whether either side may have changed a field that the record does not have.
func isUnrecorded(path string) bool {
	return strings.HasPrefix(path, "spec.scheduling")
}

// sortedGenerated are the labels that isGenerated knows.
var sortedGenerated = []string{batchv1.ControllerUidLabel, batchv1.JobNameLabel, legacyUIDLabel, legacyNameLabel}
