// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/internal/objpath"
)

// MalformedError says that an object is not what its kind requires at some place: what it says about its
// controller cannot be known.
type MalformedError struct {
	GroupKind schema.GroupKind
	Path      string // with indexes: "spec.components[1].template"
	Want      string // the type that is needed: "object", "list", "string", "boolean", …
	Value     any    // what is there, nil for nothing; not copied
}

func (e *MalformedError) Error() string {
	problem := "is not"
	if e.Value == nil {
		problem = "is missing, and has to be"
	}
	return fmt.Sprintf("%s: %s %s of type %s", e.GroupKind, e.Path, problem, e.Want)
}

// malformed puts the name of the kind to an error about a path.
func (k Kind) malformed(err error) error {
	var at *objpath.Error
	if !errors.As(err, &at) {
		return err
	}
	return &MalformedError{GroupKind: k.GroupKind, Path: at.Path, Want: at.Want, Value: at.Value}
}

// KindError says that an object is not of the Kind that was asked about it, or of a version of which is
// not known where the field is.
type KindError struct {
	Kind     schema.GroupKind
	Versions []string
	Object   schema.GroupVersionKind
}

func (e *KindError) Error() string {
	return fmt.Sprintf("the object is a %s, not a %s of version %s", e.Object.GroupKind().String()+" "+e.Object.Version,
		e.Kind, strings.Join(e.Versions, " or "))
}

// NoFieldError says that objects of a kind cannot name their controller.
type NoFieldError struct {
	GroupKind schema.GroupKind
	Why       string // Kind.NoField
}

func (e *NoFieldError) Error() string {
	return fmt.Sprintf("%s has no field to name its controller: %s", e.GroupKind, e.Why)
}

// DelegateError says why an object of some kind was not delegated. It unwraps to the reason, which
// is one of those that [Kind.Delegate] lists.
type DelegateError struct {
	GroupKind schema.GroupKind
	Field     string // Kind.Field
	Err       error
	why       string
}

func (e *DelegateError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.GroupKind, e.Field, e.why)
}

// Unwrap returns Err.
func (e *DelegateError) Unwrap() error { return e.Err }

// NotAllowedError says that a kind takes names of a closed set only.
type NotAllowedError struct {
	Name    string
	Allowed []string // Kind.Allowed
}

func (e *NotAllowedError) Error() string {
	return fmt.Sprintf("%q is not taken; beside the operator's own name the kind takes %s", e.Name, strings.Join(e.Allowed, " or "))
}

// NotHonoredError says that no known release of a kind's operator leaves an object of another
// controller alone, so that two would run it.
type NotHonoredError struct {
	Operator string
}

func (e *NotHonoredError) Error() string {
	return fmt.Sprintf("no known release of %s honours the field: two controllers would run the object", e.Operator)
}

// SuspendError says that an object cannot be suspended as asked: its kind has no way, or the field is in
// use.
type SuspendError struct {
	GroupKind schema.GroupKind
	Path      string // Kind.Suspend.Path, empty if there is none
	Current   string // what the field says
}

func (e *SuspendError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s cannot be suspended", e.GroupKind)
	}
	return fmt.Sprintf("%s: not suspended: %s is %q already", e.GroupKind, e.Path, e.Current)
}

// refuse returns the DelegateError for a reason that [Delegate] has too. Its own texts speak of Jobs.
func (k Kind) refuse(err error) error {
	var (
		reserved *ReservedNameError
		taken    *TakenError
		exists   *ExistsError
	)
	why := err.Error()
	switch {
	case errors.As(err, &reserved):
		why = fmt.Sprintf("%s is %s itself, which runs every object without the field; leave it out", reserved.Name, k.Operator)
	case errors.As(err, &taken):
		why = fmt.Sprintf("not delegated to %s: it is %q, and a controller must not take an object from another", taken.Controller, taken.Current)
	case errors.As(err, &exists):
		why = fmt.Sprintf("%s exists (UID %q, resourceVersion %q) and the field is immutable; create a new object with it",
			exists.Job, exists.UID, exists.ResourceVersion)
	}
	return &DelegateError{GroupKind: k.GroupKind, Field: k.Field, Err: err, why: why}
}

// existsError is an [ExistsError] of any kind.
func existsError(namespace, name, uid, resourceVersion string) *ExistsError {
	return &ExistsError{Job: types.NamespacedName{Namespace: namespace, Name: name}, UID: types.UID(uid), ResourceVersion: resourceVersion}
}
