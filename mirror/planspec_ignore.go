// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"reflect"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ignores reports whether Policy.IgnoreFields names a path, or something that it is in.
func (p *Planner) ignores(path string) bool {
	for _, ignored := range p.policy.IgnoreFields {
		if rest, ok := strings.CutPrefix(path, ignored); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// ignoresKey is ignores for a key of a map, without making the path.
func (p *Planner) ignoresKey(path, key string) bool {
	for _, ignored := range p.policy.IgnoreFields {
		rest, ok := strings.CutPrefix(ignored, path)
		if ok && (rest == "" || len(rest) == len(key)+2 && rest[1:len(rest)-1] == key) {
			return true
		}
	}
	return false
}

// validateIgnoreFields returns what is wrong with Policy.IgnoreFields: a path begins with
// metadata.labels, metadata.annotations or spec, and names a field that a Job has.
func validateIgnoreFields(paths []string) field.ErrorList {
	var errs field.ErrorList
	for i, path := range paths {
		if why := wrongPath(path); why != "" {
			errs = append(errs, field.Invalid(field.NewPath("IgnoreFields").Index(i), path, why))
		}
	}
	return errs
}

// wrongPath follows a path through the Go types.
func wrongPath(path string) string {
	if !hasRoot(path) {
		return "must begin with metadata.labels, metadata.annotations or spec"
	}
	t, rest := reflect.TypeFor[batchv1.Job](), "."+path
	for rest != "" {
		step, after := cutStep(rest)
		next, ok := follow(t, step)
		if !ok {
			return "there is no " + step + " at " + strings.TrimSuffix("."+path, rest)
		}
		t, rest = next, after
	}
	return ""
}

func hasRoot(path string) bool {
	for _, root := range []string{"metadata.labels", "metadata.annotations", "spec"} {
		if rest, ok := strings.CutPrefix(path, root); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

// cutStep cuts off ".name" or "[key]". A key may contain everything but a bracket.
func cutStep(path string) (step, rest string) {
	end := len(path)
	if path[0] == '[' {
		if i := strings.IndexByte(path, ']'); i >= 0 {
			end = i + 1
		}
	} else if i := strings.IndexAny(path[1:], ".["); i >= 0 {
		end = i + 1
	}
	return path[:end], path[end:]
}

// follow returns the type that a step leads to.
func follow(t reflect.Type, step string) (reflect.Type, bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case isLeaf(t):
		return nil, false
	case step[0] == '[':
		ok := (t.Kind() == reflect.Map || t.Kind() == reflect.Slice) && len(step) > len("[]") && step[len(step)-1] == ']'
		if !ok {
			return nil, false
		}
		return t.Elem(), true
	case t.Kind() != reflect.Struct:
		return nil, false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name == step[1:] {
			return f.Type, true
		} else if name == "" && f.Anonymous {
			if inner, ok := follow(f.Type, step); ok {
				return inner, true
			}
		}
	}
	return nil, false
}
