// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/objpath"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

// This file and its neighbours do for an object of any kind ([jobmanagedby.Kind]) what the others do
// for Jobs.

// ObjectPair is a local object and the one on the worker, as [Pair] is of Jobs.
type ObjectPair struct{ Local, Remote *unstructured.Unstructured }

// RelateObject is [Planner.Relate] for an object of any kind: the same identity, on the same keys. Both
// objects have to be of the kind; that is not looked at. Metadata that cannot be read is none, so that
// the answer is then [Foreign].
//
// Policy.Target is asked about a Job that has the metadata of the object and nothing else.
func (p *Planner) RelateObject(pair ObjectPair) Relation {
	if pair.Remote == nil {
		return ""
	}
	var local *batchv1.Job
	if pair.Local != nil {
		local = metadataOf(pair.Local)
	}
	return p.relationOf(local, metadataOf(pair.Remote))
}

// TargetOfObject is [Planner.TargetOf] for an object of any kind.
func (p *Planner) TargetOfObject(local *unstructured.Unstructured) types.NamespacedName {
	return p.TargetOf(metadataOf(local))
}

// metadataOf returns a Job with the metadata of an object, as far as identity goes. It says manualSelector,
// since labels that the Job API generates are generated for no other kind.
func metadataOf(u *unstructured.Unstructured) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID(), ResourceVersion: u.GetResourceVersion(),
			Generation: u.GetGeneration(), Labels: u.GetLabels(), Annotations: u.GetAnnotations(),
		},
		Spec: batchv1.JobSpec{ManualSelector: ptr.To(true)},
	}
}

func isJob(k jobmanagedby.Kind) bool { return k.Group == batchv1.GroupName && k.Kind == "Job" }

// jobOf returns a Job given as any object. What cannot be read is a [*jobmanagedby.MalformedError].
func jobOf(k jobmanagedby.Kind, u *unstructured.Unstructured) (*batchv1.Job, error) {
	job := &batchv1.Job{}
	converter := runtime.DefaultUnstructuredConverter
	if converter.FromUnstructured(u.Object, job) == nil {
		return job, nil
	}
	for _, part := range []string{"metadata", "spec", "status"} {
		one := map[string]any{part: u.Object[part]}
		if converter.FromUnstructured(one, &batchv1.Job{}) != nil {
			return nil, malformed(k, &objpath.Error{Path: narrow(one, part), Want: "Job " + part, Value: u.Object[part]})
		}
	}
	return nil, malformed(k, &objpath.Error{Path: "apiVersion", Want: "Job"})
}

// narrow returns the place in a part of a Job without which it could be read.
func narrow(object map[string]any, part string) string {
	inner, isObject := object[part].(map[string]any)
	if !isObject {
		return part
	}
	at := ""
	for name, value := range inner {
		one := map[string]any{part: map[string]any{name: value}}
		if runtime.DefaultUnstructuredConverter.FromUnstructured(one, &batchv1.Job{}) != nil && (at == "" || name < at) {
			at = name
		}
	}
	if at == "" {
		return part
	}
	return part + "." + at
}

// malformed is an error about a path as jobmanagedby has it.
func malformed(k jobmanagedby.Kind, err *objpath.Error) error {
	return &jobmanagedby.MalformedError{GroupKind: k.GroupKind, Path: err.Path, Want: err.Want, Value: err.Value}
}

// valueAt returns the value at a plain path, of the type T, or none.
func valueAt[T any](k jobmanagedby.Kind, u *unstructured.Unstructured, path, want string) (value T, err error) {
	p, err := objpath.Parse(path)
	if err != nil {
		return value, err
	}
	found, err := p.Get(u.Object)
	if at := (*objpath.Error)(nil); asPathError(err, &at) {
		return value, malformed(k, at)
	}
	if found == nil {
		return value, err
	}
	value, isT := found.(T)
	if !isT {
		return value, malformed(k, &objpath.Error{Path: path, Want: want, Value: found})
	}
	return value, nil
}
