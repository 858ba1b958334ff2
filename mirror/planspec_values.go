// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// This file has what the comparison of maps and lists needs. A value that is not there is "".

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

// edits are elements to put into a list, and others to take out, all at once: one by one would be quadratic.
type edits[T any] struct {
	in  []T
	out map[string]bool // by their JSON
}

func (e *edits[T]) set(element T, present bool) {
	if e.out == nil {
		e.out = map[string]bool{}
	}
	e.out[jsonOf(&element)] = true
	if present {
		e.in = append(e.in, element)
	}
}

// apply changes the list. What is put in goes behind the others.
func (e *edits[T]) apply(list *[]T) {
	if len(e.out) == 0 {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(*list), func(element T) bool { return e.out[jsonOf(&element)] })
	*list = append(rest, e.in...)
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
