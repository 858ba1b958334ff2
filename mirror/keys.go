// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Keys are the keys under which the identity of a mirror is stamped on it, and those of a Job whose
// mirror [Planner.Decide] looks after. Origin is a label, so that mirrors can be listed and watched by
// it; the others are annotations, because a name or UID may be longer than the 63 bytes of a label
// value, and finalizers.
//
// An empty field has the default in its comment, where acme.io stands for the part of
// Policy.Controller before the first slash.
type Keys struct {
	Origin     string // acme.io/mirror-origin, a label: Policy.Origin
	Local      string // acme.io/mirror-local: namespace/name of the local Job
	UID        string // acme.io/mirror-local-uid: its UID
	Generation string // acme.io/mirror-local-generation: its metadata.generation when this was sent
	LastSent   string // acme.io/mirror-last-sent: the fields that can change later, as they were sent; absent if it does not fit
	Hold       string // acme.io/mirror-hold, a finalizer of the mirror, and an annotation: see Policy.HoldMirror
	Dispatch   string // acme.io/mirror-dispatch, an annotation of the local Job: the dispatch record
	Cleanup    string // acme.io/mirror-cleanup, a finalizer of the local Job: there may be a mirror to delete
}

// key is one of the Keys, with the name of its field and the default without domain.
type key struct {
	name     string
	value    *string
	fallback string
}

// all lists the fields of k in their order.
func (k *Keys) all() []key {
	return []key{
		{"Origin", &k.Origin, "mirror-origin"},
		{"Local", &k.Local, "mirror-local"},
		{"UID", &k.UID, "mirror-local-uid"},
		{"Generation", &k.Generation, "mirror-local-generation"},
		{"LastSent", &k.LastSent, "mirror-last-sent"},
		{"Hold", &k.Hold, "mirror-hold"},
		{"Dispatch", &k.Dispatch, "mirror-dispatch"},
		{"Cleanup", &k.Cleanup, "mirror-cleanup"},
	}
}

// withDefaults returns k with each empty key filled in.
func (k Keys) withDefaults(controller string) Keys {
	domain, _, _ := strings.Cut(controller, "/")
	for _, key := range k.all() {
		if *key.value == "" {
			*key.value = domain + "/" + key.fallback
		}
	}
	return k
}

// reservedKeys mean something to Kubernetes itself.
var reservedKeys = []string{
	batchv1.JobTrackingFinalizer, metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents, corev1.LastAppliedConfigAnnotation,
}

// validate checks the keys that are not empty: each a qualified name, none used twice, and none
// that the Job API itself uses.
func (k Keys) validate(fldPath *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for _, key := range k.all() {
		path, value := fldPath.Child(key.name), *key.value
		if value == "" {
			continue
		}
		for _, msg := range validation.IsQualifiedName(value) {
			errs = append(errs, field.Invalid(path, value, msg))
		}
		if seen[value] {
			errs = append(errs, field.Duplicate(path, value))
		}
		if isGenerated(value) || slices.Contains(reservedKeys, value) {
			errs = append(errs, field.Forbidden(path, value+" belongs to Kubernetes"))
		}
		seen[value] = true
	}
	return errs
}
