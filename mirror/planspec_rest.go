// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"reflect"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// rest returns a spec without what is compared elsewhere: what may change, and what Build replaces.
// The result shares memory with spec.
func rest(spec *batchv1.JobSpec) batchv1.JobSpec {
	r := *spec
	for _, f := range scalarFields {
		f.copy(&r, &batchv1.JobSpec{})
	}
	r.Selector, r.ManagedBy = nil, nil
	r.Template.Labels, r.Template.Annotations = nil, nil
	pod := &r.Template.Spec
	pod.NodeSelector, pod.Tolerations, pod.SchedulingGates = nil, nil, nil
	pod.Affinity = withNodeAffinity(pod.Affinity, nil)
	pod.Containers = withoutResources(pod.Containers)
	pod.InitContainers = withoutResources(pod.InitContainers)
	return r
}

// withNodeAffinity returns a with another node affinity, or nil if nothing is in it then.
func withNodeAffinity(a *corev1.Affinity, node *corev1.NodeAffinity) *corev1.Affinity {
	var changed corev1.Affinity
	if a != nil {
		changed = *a
	}
	changed.NodeAffinity = node
	if changed == (corev1.Affinity{}) {
		return nil
	}
	return &changed
}

func withoutResources(list []corev1.Container) []corev1.Container {
	list = slices.Clone(list)
	for i := range list {
		list[i].Resources = corev1.ResourceRequirements{}
	}
	return list
}

// twoSides collects the places in which two values of one type differ.
type twoSides struct {
	found []Difference
}

// report notes a difference. An invalid or zero value is one that is not there.
func (d *twoSides) report(path *field.Path, local, mirror reflect.Value) {
	d.found = append(d.found, Difference{Field: path.String(), Local: textOf(local), Mirror: textOf(mirror)})
}

func textOf(v reflect.Value) string {
	if !v.IsValid() || v.IsZero() {
		return ""
	}
	return toJSON(v)
}

func (d *twoSides) compare(path *field.Path, local, mirror reflect.Value) {
	t := local.Type()
	switch {
	case isLeaf(t):
		if toJSON(local) != toJSON(mirror) {
			d.report(path, local, mirror)
		}
	case t.Kind() == reflect.Pointer:
		if local.IsNil() != mirror.IsNil() {
			d.report(path, local, mirror)
		} else if !local.IsNil() {
			d.compare(path, local.Elem(), mirror.Elem())
		}
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			d.compare(child(path, t.Field(i)), local.Field(i), mirror.Field(i))
		}
	case t.Kind() == reflect.Map:
		d.compareMap(path, local, mirror)
	default: // reflect.Slice
		d.compareList(path, local, mirror)
	}
}

func (d *twoSides) compareMap(path *field.Path, local, mirror reflect.Value) {
	for _, key := range sortedStrings(local) {
		d.pair(path.Key(key.String()), local.MapIndex(key), mirror.MapIndex(key))
	}
	for _, key := range sortedStrings(mirror) {
		if !local.MapIndex(key).IsValid() {
			d.report(path.Key(key.String()), reflect.Value{}, mirror.MapIndex(key))
		}
	}
}

// pair compares two elements of which the second may be missing.
func (d *twoSides) pair(path *field.Path, local, mirror reflect.Value) {
	if mirror.IsValid() {
		d.compare(path, local, mirror)
	} else {
		d.report(path, local, mirror)
	}
}

func (d *twoSides) compareList(path *field.Path, local, mirror reflect.Value) {
	if names, others := byName(local), byName(mirror); names != nil && others != nil {
		d.compareNamed(path, local, mirror, names, others)
		return
	}
	for i := range max(local.Len(), mirror.Len()) {
		switch at := path.Index(i); {
		case i >= local.Len():
			d.report(at, reflect.Value{}, mirror.Index(i))
		case i >= mirror.Len():
			d.report(at, local.Index(i), reflect.Value{})
		default:
			d.compare(at, local.Index(i), mirror.Index(i))
		}
	}
}

func (d *twoSides) compareNamed(path *field.Path, local, mirror reflect.Value, names, others map[string]reflect.Value) {
	for i := range local.Len() {
		name := nameOf(local.Index(i))
		d.pair(path.Key(name), local.Index(i), others[name])
	}
	for i := range mirror.Len() {
		if name := nameOf(mirror.Index(i)); !names[name].IsValid() {
			d.report(path.Key(name), reflect.Value{}, mirror.Index(i))
		}
	}
}
