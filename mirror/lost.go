// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"fmt"
	"reflect"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Loss is one field of a Job that the worker did not keep as it was sent.
type Loss struct {
	Path   string // such as "spec.podReplacementPolicy" or "spec.template.spec.containers[0].image"
	Sent   string // JSON
	Stored string // JSON; empty if the worker has nothing there
}

// String returns the loss on one line. Programs must not depend on its form.
func (l Loss) String() string {
	s := fmt.Sprintf("%s: sent %s, not stored", l.Path, l.Sent)
	if l.Stored != "" {
		s = fmt.Sprintf("%s: sent %s, stored %s", l.Path, l.Sent, l.Stored)
	}
	return printable(s)
}

// Lost says which fields of a mirror the worker did not keep: sent is what [Planner.Build]
// returned, stored what the API server answered to the create. A release that does not know a
// field, or has its feature gate off, drops it without an error; a webhook may change anything.
// Nothing is lost if and only if the result is empty.
//
// Name, namespace, labels, annotations, finalizers and the spec are compared, by what they are in
// JSON, so that 1000m and 1 are the same quantity. What sent leaves out is never lost: the server's
// defaults and a webhook's additions are no loss. Elements of a list are found by their name where
// all have different ones (containers, volumes, env), and by their index elsewhere; an index in a
// path is that in sent. Of a value that is missing as a whole, only the outermost path is given.
// Paths come in the order of the Go fields, keys of maps in alphabetical order.
//
// A field that the Go types of this program do not know was not sent, and is not missed.
//
// Lost panics if a Job is nil.
func Lost(sent, stored *batchv1.Job) []Loss {
	var found losses
	found.compare(nil, reflect.ValueOf(createdFieldsOf(sent)), reflect.ValueOf(createdFieldsOf(stored)))
	return found
}

// createdFields are the fields of a Job that a create request decides.
type createdFields struct {
	Metadata struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
		Finalizers  []string          `json:"finalizers"`
	} `json:"metadata"`
	Spec *batchv1.JobSpec `json:"spec"`
}

func createdFieldsOf(job *batchv1.Job) createdFields {
	f := createdFields{Spec: &job.Spec}
	f.Metadata.Name, f.Metadata.Namespace = job.Name, job.Namespace
	f.Metadata.Labels, f.Metadata.Annotations = job.Labels, job.Annotations
	f.Metadata.Finalizers = job.Finalizers
	return f
}

type losses []Loss

// report notes a loss. A zero stored means that nothing is there.
func (l *losses) report(path *field.Path, sent, stored reflect.Value) {
	loss := Loss{Path: path.String(), Sent: toJSON(sent)}
	if stored.IsValid() && !stored.IsZero() {
		loss.Stored = toJSON(stored)
	}
	*l = append(*l, loss)
}

// compare reports what of sent is not in stored. Both are of one type.
func (l *losses) compare(path *field.Path, sent, stored reflect.Value) {
	if isLeaf(sent.Type()) {
		if toJSON(sent) != toJSON(stored) {
			l.report(path, sent, stored)
		}
		return
	}
	switch sent.Kind() {
	case reflect.Pointer:
		if stored.IsNil() {
			l.report(path, sent, reflect.Value{})
			return
		}
		l.compare(path, sent.Elem(), stored.Elem())
	case reflect.Struct:
		l.compareStruct(path, sent, stored)
	case reflect.Map:
		l.compareMap(path, sent, stored)
	default: // reflect.Slice
		l.compareList(path, sent, stored)
	}
}

// compareStruct leaves out zero values: they are not in the request, or ask for the default.
func (l *losses) compareStruct(path *field.Path, sent, stored reflect.Value) {
	for i := range sent.NumField() {
		if !sent.Field(i).IsZero() {
			l.compare(child(path, sent.Type().Field(i)), sent.Field(i), stored.Field(i))
		}
	}
}

func (l *losses) compareMap(path *field.Path, sent, stored reflect.Value) {
	for _, key := range sortedStrings(sent) {
		at := path.Key(key.String())
		if value := stored.MapIndex(key); value.IsValid() {
			l.compare(at, sent.MapIndex(key), value)
		} else {
			l.report(at, sent.MapIndex(key), value)
		}
	}
}

func (l *losses) compareList(path *field.Path, sent, stored reflect.Value) {
	named := byName(stored)
	if byName(sent) == nil {
		named = nil
	}
	for i := range sent.Len() {
		element, match := sent.Index(i), reflect.Value{}
		if named != nil {
			match = named[nameOf(element)]
		} else if i < stored.Len() {
			match = stored.Index(i)
		}
		if match.IsValid() {
			l.compare(path.Index(i), element, match)
		} else {
			l.report(path.Index(i), element, match)
		}
	}
}
