// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
)

// merge is a three-way merge under way. A record is made of what is wanted, with what cannot be sent
// put back to what was sent before.
type merge struct {
	*Planner
	pair         Pair
	sent         sentSide
	want, mirror side
	after        side // the mirror as it is to become
	record       side // what is recorded as sent
	pending      bool
	entries      []*difference
	fixed        []Difference // what cannot be sent in any case
	finish       []func()     // what carryOut does at its end
}

// difference is a difference that may be sent.
type difference struct {
	Difference
	class class
	size  int    // of the annotations, by how much it grows
	send  func() // puts what is wanted on the mirror
	keep  func() // puts what was sent before into the record
}

// sides are the values of one field: what was sent, what is wanted and what the mirror has.
type sides struct{ sent, want, mirror string }

// merge compares the sides and decides about each difference.
func (p *Planner) merge(pair Pair) *merge {
	m := &merge{Planner: p, pair: pair, sent: readRecord(pair.Remote.Annotations[p.policy.Keys.LastSent])}
	if suspends(pair.Local) && p.policy.Suspend != SuspendAtCreation {
		m.sent.spent = 0 // the deadline runs from the start when it is resumed
	}
	m.want = p.wantedOf(pair.Local, m.sent.spent)
	m.mirror = p.sideOf(pair.Remote, hasManualSelector(&pair.Local.Spec))
	m.after, m.record = m.mirror.editable(), m.want.shortened()
	m.recognizeDigest()
	m.compareScalars()
	m.compareMaps()
	compareSet(m, "spec.template.spec.tolerations", func(s *side) *[]corev1.Toleration { return &s.spec.Template.Spec.Tolerations })
	compareSet(m, "spec.template.spec.schedulingGates", func(s *side) *[]corev1.PodSchedulingGate { return &s.spec.Template.Spec.SchedulingGates })
	m.compareNodeAffinity()
	m.compareResources("containers", func(s *side) []corev1.Container { return s.spec.Template.Spec.Containers })
	m.compareResources("initContainers", func(s *side) []corev1.Container { return s.spec.Template.Spec.InitContainers })
	m.compareRest()
	m.compareOurs()
	m.gate()
	m.carryOut()
	return m
}

// recognizeDigest replaces the digest of what was sent by what is wanted, if that is the same.
func (m *merge) recognizeDigest() {
	if m.sent.digest != "" && m.sent.digest == m.newRecord(m.record).digest() {
		spec := m.sent.spec
		m.sent.side, m.sent.everything = m.want.shortened(), true
		for _, f := range scalarFields {
			f.copy(&m.sent.side.spec, &spec)
		}
	}
}

func (m *merge) newRecord(s side) lastSent {
	return sentRecord{pending: m.pending, spent: m.sent.spent, spec: &s.spec, labels: s.labels, annotations: s.annotations, asIs: true}.text(nil)
}

// add decides what a difference is, as far as the three sides say it. Safe is what may be sent
// without knowing what was.
func (m *merge) add(e difference, s sides, known, safe bool) {
	switch {
	case s.want == s.mirror:
		return
	case m.ignores(e.Field):
		e.keep()
		return
	case !known && safe:
		e.Kind, e.Why = ToSend, "it is not known what was sent"
	case !known:
		e.Kind, e.Why = Undecided, "it is not known what was sent"
	case s.want == s.sent:
		e.Kind = SetByWorker
	default:
		e.Kind, e.Overrides = ToSend, s.mirror != s.sent
	}
	m.entries = append(m.entries, &e)
}

func (m *merge) compareScalars() {
	for _, f := range scalarFields {
		s := sides{f.value(&m.sent.spec), f.value(&m.want.spec), f.value(&m.mirror.spec)}
		m.add(difference{
			Difference: Difference{Field: "spec." + f.name, Local: s.want, Mirror: s.mirror},
			class:      scalar,
			send:       func() { f.copy(&m.after.spec, &m.want.spec) },
			keep:       func() { f.copy(&m.record.spec, &m.sent.spec) },
		}, s, m.sent.scalars, f.safe)
	}
}

func (m *merge) compareMaps() {
	for _, f := range mapFields {
		sent, want, mirror := *f.of(&m.sent.side), *f.of(&m.want), *f.of(&m.mirror)
		after, record := f.of(&m.after), f.of(&m.record)
		for _, key := range keysOf(want, mirror) {
			value, wanted := want[key]
			has, there := mirror[key]
			old, was := sent[key]
			s := sides{optional(old, was), optional(shorten(value), wanted), optional(shorten(has), there)}
			m.add(difference{
				Difference: Difference{Field: f.path + "[" + key + "]", Local: optional(value, wanted), Mirror: optional(has, there)},
				class:      f.class,
				size:       pairSize(key, value, wanted) - pairSize(key, has, there),
				send:       func() { put(after, key, value, wanted) },
				keep:       func() { put(record, key, old, was) },
			}, s, m.sent.everything, f.class != directive && !there)
		}
	}
}

// compareSet compares a list whose order does not matter, and which has no names, element by
// element.
func compareSet[T any](m *merge, path string, of func(*side) *[]T) {
	sent, want, mirror := texts(*of(&m.sent.side)), texts(*of(&m.want)), texts(*of(&m.mirror))
	after, record := &edits[T]{}, &edits[T]{}
	m.finish = append(m.finish, func() { after.apply(of(&m.after)); record.apply(of(&m.record)) })
	for _, element := range union(*of(&m.want), *of(&m.mirror)) {
		key := jsonOf(&element)
		s := sides{here(sent, key), here(want, key), here(mirror, key)}
		m.add(difference{
			Difference: Difference{Field: path, Local: s.want, Mirror: s.mirror},
			class:      directive,
			send:       func() { after.set(element, s.want != "") },
			keep:       func() { record.set(element, s.sent != "") },
		}, s, m.sent.everything, false)
	}
}

func (m *merge) compareNodeAffinity() {
	node := func(s *side) *corev1.NodeAffinity {
		if a := s.spec.Template.Spec.Affinity; a != nil && a.NodeAffinity != nil && !reflect.ValueOf(*a.NodeAffinity).IsZero() {
			return a.NodeAffinity
		}
		return nil
	}
	set := func(s *side, from *side) {
		pod := &s.spec.Template.Spec
		pod.Affinity = withNodeAffinity(pod.Affinity, node(from))
	}
	s := sides{jsonOf(node(&m.sent.side)), jsonOf(node(&m.want)), jsonOf(node(&m.mirror))}
	m.add(difference{
		Difference: Difference{Field: "spec.template.spec.affinity.nodeAffinity", Local: s.want, Mirror: s.mirror},
		class:      directive,
		send:       func() { set(&m.after, &m.want) },
		keep:       func() { set(&m.record, &m.sent.side) },
	}, s, m.sent.everything, false)
}

// compareResources compares the resources of the containers that are on both sides.
func (m *merge) compareResources(list string, of func(*side) []corev1.Container) {
	sent, mirror := namedContainers(of(&m.sent.side)), namedContainers(of(&m.mirror))
	after, record := namedContainers(of(&m.after)), namedContainers(of(&m.record))
	for _, c := range of(&m.want) {
		if mirror[c.Name] == nil {
			continue // found by compareRest
		}
		var old corev1.ResourceRequirements
		if sent[c.Name] != nil {
			old = sent[c.Name].Resources
		}
		s := sides{resourceText(old), resourceText(c.Resources), resourceText(mirror[c.Name].Resources)}
		m.add(difference{
			Difference: Difference{Field: "spec.template.spec." + list + "[" + c.Name + "].resources", Local: s.want, Mirror: s.mirror},
			class:      resources,
			send:       func() { after[c.Name].Resources = c.Resources },
			keep:       func() { record[c.Name].Resources = old },
		}, s, m.sent.everything, false)
	}
}
