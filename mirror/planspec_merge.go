package mirror

import (
	"reflect"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
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

// keysOf returns the keys of two maps in order.
func keysOf(a, b map[string]string) []string {
	all := sorted(a, nil)
	for key := range b {
		if _, ok := a[key]; !ok {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

func optional(value string, ok bool) string {
	if !ok {
		return ""
	}
	return jsonOf(&value)
}

func pairSize(key, value string, ok bool) int {
	if !ok {
		return 0
	}
	return len(key) + len(value)
}

// put sets or deletes a key.
func put(m *map[string]string, key, value string, ok bool) {
	if !ok {
		delete(*m, key)
		return
	}
	if *m == nil {
		*m = map[string]string{}
	}
	(*m)[key] = value
}

// compareSet compares a list whose order does not matter, and which has no names, element by
// element.
func compareSet[T any](m *merge, path string, of func(*side) *[]T) {
	sent, want, mirror := texts(*of(&m.sent.side)), texts(*of(&m.want)), texts(*of(&m.mirror))
	after, record := of(&m.after), of(&m.record)
	for _, element := range union(*of(&m.want), *of(&m.mirror)) {
		key := jsonOf(&element)
		s := sides{here(sent, key), here(want, key), here(mirror, key)}
		m.add(difference{
			Difference: Difference{Field: path, Local: s.want, Mirror: s.mirror},
			class:      directive,
			send:       func() { *after = with(*after, element, s.want != "") },
			keep:       func() { *record = with(*record, element, s.sent != "") },
		}, s, m.sent.everything, false)
	}
}

func texts[T any](list []T) map[string]bool {
	set := make(map[string]bool, len(list))
	for i := range list {
		set[jsonOf(&list[i])] = true
	}
	return set
}

func here(set map[string]bool, key string) string {
	if !set[key] {
		return ""
	}
	return key
}

// union returns the elements of a, and those of b that are not in a, each once.
func union[T any](a, b []T) []T {
	var all []T
	seen := map[string]bool{}
	for _, element := range slices.Concat(a, b) {
		if key := jsonOf(&element); !seen[key] {
			seen[key] = true
			all = append(all, element)
		}
	}
	return all
}

// with returns a list with, or without, an element.
func with[T any](list []T, element T, present bool) []T {
	key := jsonOf(&element)
	list = slices.DeleteFunc(list, func(e T) bool { return jsonOf(&e) == key })
	if present {
		list = append(list, element)
	}
	return list
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

func namedContainers(list []corev1.Container) map[string]*corev1.Container {
	named := make(map[string]*corev1.Container, len(list))
	for i := range list {
		named[list[i].Name] = &list[i]
	}
	return named
}

func resourceText(r corev1.ResourceRequirements) string {
	if len(r.Limits)+len(r.Requests)+len(r.Claims) == 0 {
		return ""
	}
	return jsonOf(&r)
}

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
	selector := "the worker generates its own"
	if hasManualSelector(&local.Spec) {
		return
	}
	ours("spec.selector", jsonOf(local.Spec.Selector), jsonOf(remote.Spec.Selector), selector)
	for _, key := range sortedGenerated {
		value, ok := local.Spec.Template.Labels[key]
		has, there := remote.Spec.Template.Labels[key]
		ours("spec.template.metadata.labels["+key+"]", optional(value, ok), optional(has, there), selector)
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
	const scheduling = "spec.scheduling"
	return len(path) >= len(scheduling) && path[:len(scheduling)] == scheduling
}

// sortedGenerated are the labels that isGenerated knows.
var sortedGenerated = []string{batchv1.ControllerUidLabel, batchv1.JobNameLabel, legacyUIDLabel, legacyNameLabel}
