// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
)

// carryOut puts what is sent on the mirror, and what is not back into the record.
func (m *merge) carryOut() {
	for _, e := range m.entries {
		switch e.Kind {
		case ToSend:
			e.send()
		case NotYet, Immutable:
			m.pending = true
			e.keep()
		case OnPurpose: // Policy.Suspend
			e.keep()
		}
	}
	for _, f := range m.finish {
		f()
	}
}

// recordSize is the size of the annotations that a patch writes anew.
func (m *merge) recordSize() int {
	size, keys, annotations := 0, &m.policy.Keys, m.pair.Remote.Annotations
	for _, key := range []string{keys.LastSent, keys.Generation} {
		value, ok := annotations[key]
		size += pairSize(key, value, ok)
	}
	return size
}

// document is the part of a Job that a patch may change.
type document struct {
	Metadata struct {
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Spec batchv1.JobSpec `json:"spec"`
}

// fields returns a side in JSON, with the stamps that a patch writes: generation and record. Maps
// are there even if they are empty: a patch must never remove a whole one, for a side does not have
// the identity, nor the generated labels.
func (m *merge) fields(s side, generation, sent string) map[string]any {
	var d document
	d.Metadata.Labels, d.Metadata.Annotations, d.Spec = s.labels, maps.Clone(s.annotations), m.changeable(&s.spec)
	put(&d.Metadata.Annotations, m.policy.Keys.Generation, generation, generation != "")
	put(&d.Metadata.Annotations, m.policy.Keys.LastSent, sent, sent != "")
	data, _ := json.Marshal(d) // no Job fails that a decoder has made
	var fields map[string]any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // an int64 does not fit into a float64
	_ = decoder.Decode(&fields)
	for _, f := range mapFields {
		ensureObject(fields, strings.Split(f.path, "."))
	}
	return fields
}

// changeable returns what a patch may change of a spec; of the containers, only when it does.
func (m *merge) changeable(spec *batchv1.JobSpec) batchv1.JobSpec {
	var c batchv1.JobSpec
	for _, f := range scalarFields {
		f.copy(&c, spec)
	}
	from, to := &spec.Template, &c.Template
	to.Labels, to.Annotations = from.Labels, from.Annotations
	to.Spec.NodeSelector, to.Spec.Affinity = from.Spec.NodeSelector, from.Spec.Affinity
	to.Spec.Tolerations, to.Spec.SchedulingGates = from.Spec.Tolerations, from.Spec.SchedulingGates
	if m.sends(resources) {
		to.Spec.Containers, to.Spec.InitContainers = from.Spec.Containers, from.Spec.InitContainers
	}
	return c
}

// sends reports whether anything of a class is sent, or anything at all for the empty one.
func (m *merge) sends(c class) bool {
	return slices.ContainsFunc(m.entries, func(e *difference) bool { return e.Kind == ToSend && (c == "" || e.class == c) })
}

// ensureObject makes what a path leads to an object.
func ensureObject(in map[string]any, path []string) {
	for _, name := range path {
		inner, ok := in[name].(map[string]any)
		if !ok {
			inner = map[string]any{}
			in[name] = inner
		}
		in = inner
	}
}

// patch returns the merge patch that makes the mirror what it is to become, or nil.
func (m *merge) patch() []byte {
	keys, annotations := &m.policy.Keys, m.pair.Remote.Annotations
	generation := m.generation()
	size := sizeOf(m.after.annotations) + m.identitySize() + pairSize(keys.Generation, generation, true) + len(keys.LastSent) +
		m.markSize(m.pair.Remote)
	sent := m.newRecord(m.record).fit(apivalidation.TotalAnnotationSizeLimitB - size)
	if !m.sends("") && annotations[keys.Generation] == generation && annotations[keys.LastSent] == sent {
		return nil
	}
	patch := diff(
		m.fields(m.mirror, annotations[keys.Generation], annotations[keys.LastSent]),
		m.fields(m.after, generation, sent))
	metadata, ok := patch["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		patch["metadata"] = metadata
	}
	metadata["uid"], metadata["resourceVersion"] = m.pair.Remote.UID, m.pair.Remote.ResourceVersion
	data, _ := json.Marshal(patch) // nothing in it can fail
	return data
}

func (m *merge) generation() string { return strconv.FormatInt(m.pair.Local.Generation, 10) }

// identitySize is the size of the annotations of the identity, but for what a patch writes anew.
func (m *merge) identitySize() int {
	size := 0
	for key, value := range m.pair.Remote.Annotations {
		if m.drop.own[key] {
			size += len(key) + len(value)
		}
	}
	return size - m.recordSize()
}
