// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// coverage counts in how many Jobs a field was not zero, by its path in JSON without indexes.
type coverage map[string]int

func (c coverage) add(job *batchv1.Job) {
	seen := map[string]bool{}
	visit(reflect.ValueOf(job.Spec), "spec", seen)
	for path := range seen {
		c[path]++
	}
}

// visit marks the fields below v that are not zero.
func visit(v reflect.Value, path string, seen map[string]bool) {
	if v.IsZero() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		visit(v.Elem(), path, seen)
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), path, seen)
		}
	case reflect.Struct:
		seen[path] = true
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				visit(v.Field(i), joinJSON(path, f), seen)
			}
		}
		return
	}
	seen[path] = true
}

// joinJSON appends the name of a field, unless it is inlined.
func joinJSON(path string, f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return path
	}
	return path + "." + name
}

// report wants every field of JobSpec and PodSpec to have been set, but for the one that no template
// may have, and lists what else was never set.
func (c coverage) report(t *testing.T, strict bool) {
	const pod = "spec.template.spec"
	for prefix, of := range map[string]reflect.Type{"spec": reflect.TypeFor[batchv1.JobSpec](), pod: reflect.TypeFor[corev1.PodSpec]()} {
		for i := range of.NumField() {
			path := joinJSON(prefix, of.Field(i))
			t.Logf("%7d Jobs with %s", c[path], path)
			if strict && c[path] == 0 && path != pod+".ephemeralContainers" {
				t.Errorf("no Job had %s", path)
			}
		}
	}
	all := map[string]bool{}
	fieldsOf(reflect.TypeFor[batchv1.JobSpec](), "spec", all)
	var never []string
	for path := range all {
		if c[path] == 0 && !strings.Contains(path, ".ephemeralContainers") {
			never = append(never, path)
		}
	}
	slices.Sort(never)
	t.Logf("%d of %d fields below spec were set; never: %s", len(all)-len(never), len(all), strings.Join(never, " "))
}

// fieldsOf lists the paths of all fields of a type, down to where JSON has a value.
func fieldsOf(t reflect.Type, path string, all map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		fieldsOf(t.Elem(), path, all)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() {
				fieldsOf(f.Type, joinJSON(path, f), all)
			}
		}
	}
	all[path] = true
}
