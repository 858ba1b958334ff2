// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/internal/objpath"
)

func (k *Kind) serves(version string) bool { return slices.Contains(k.Versions, version) }

// check returns why an object cannot be asked about its controller, or changed: it is of another kind,
// or has no spec.
func (k Kind) check(u *unstructured.Unstructured) error {
	if k.NoField != "" {
		return &NoFieldError{GroupKind: k.GroupKind, Why: k.NoField}
	}
	if err := k.checkType(u); err != nil {
		return err
	}
	switch spec := u.Object["spec"].(type) {
	case map[string]any:
		return nil
	default:
		return &MalformedError{GroupKind: k.GroupKind, Path: "spec", Want: "object", Value: spec}
	}
}

// checkType returns an error if the object is of another kind or version.
func (k Kind) checkType(u *unstructured.Unstructured) error {
	if gvk := u.GroupVersionKind(); gvk.GroupKind() != k.GroupKind || !k.serves(gvk.Version) {
		return &KindError{Kind: k.GroupKind, Versions: slices.Clone(k.Versions), Object: gvk}
	}
	return nil
}

// text returns the string at a path, and whether there is one.
func (k Kind) text(u *unstructured.Unstructured, path string) (string, bool, error) {
	p, err := objpath.Parse(path)
	if err != nil {
		return "", false, err
	}
	text, isThere, err := p.GetString(u.Object)
	return text, isThere, k.malformed(err)
}

// put sets the value at a path.
func (k Kind) put(u *unstructured.Unstructured, path string, value any) error {
	p, err := objpath.Parse(path)
	if err != nil {
		return err
	}
	return k.malformed(p.Set(u.Object, value))
}

// ManagedBy returns the controller that the field makes responsible for the object, which is
// Kind.Reserved where it is not set or null. As in [ManagedBy], the empty string is returned as it is.
//
// The errors, for errors.As: [*NoFieldError], [*KindError], [*MalformedError]. It panics if the object
// is nil, as all methods do.
func (k Kind) ManagedBy(u *unstructured.Unstructured) (string, error) {
	name, isSet, err := k.managedBy(u)
	if err == nil && !isSet {
		name = k.Reserved
	}
	return name, err
}

func (k Kind) managedBy(u *unstructured.Unstructured) (name string, isSet bool, err error) {
	if err := k.check(u); err != nil {
		return "", false, err
	}
	return k.text(u, k.Field)
}

// IsManagedBy reports whether [Kind.ManagedBy] returns controller. Names are compared byte for byte.
func (k Kind) IsManagedBy(u *unstructured.Unstructured, controller string) (bool, error) {
	name, err := k.ManagedBy(u)
	return err == nil && name == controller, err
}

// Suspended reports whether the object is suspended. A field that is not set, or a string other than
// Kind.Suspend.Value, is not; nor is an object of a kind that cannot be. Kinds without the field to
// name their controller can be asked too, where they say how they are suspended.
//
// The errors are [*KindError] and [*MalformedError].
func (k Kind) Suspended(u *unstructured.Unstructured) (bool, error) {
	suspended, _, err := k.suspended(u)
	return suspended, err
}

// suspended returns the text of the field too, where it is a string.
func (k Kind) suspended(u *unstructured.Unstructured) (suspended bool, current string, err error) {
	if err := k.checkType(u); err != nil || k.Suspend.Path == "" {
		return false, "", err
	}
	if k.Suspend.Value != "" {
		current, _, err = k.text(u, k.Suspend.Path)
		return err == nil && current == k.Suspend.Value, current, err
	}
	p, err := objpath.Parse(k.Suspend.Path)
	if err != nil {
		return false, "", err
	}
	value, err := p.Get(u.Object)
	if err != nil || value == nil {
		return false, "", k.malformed(err)
	}
	suspended, isBool := value.(bool)
	if !isBool {
		return false, "", &MalformedError{GroupKind: k.GroupKind, Path: k.Suspend.Path, Want: "boolean", Value: value}
	}
	return suspended, "", nil
}

// SetSuspended changes the object so that [Kind.Suspended] returns suspended, and nothing else. Where
// that is so already, nothing is written: no false where nothing was. A string is taken out to resume. One that says
// something else, such as a cancellation, is never overwritten: the error is then a [*SuspendError], as it
// is for a kind that cannot be suspended. The others are [*KindError] and [*MalformedError]; with an error
// the object stays as it was.
func (k Kind) SetSuspended(u *unstructured.Unstructured, suspended bool) error {
	is, current, err := k.suspended(u)
	switch {
	case err != nil || is == suspended:
		return err
	case k.Suspend.Path == "" || suspended && current != "":
		return &SuspendError{GroupKind: k.GroupKind, Path: k.Suspend.Path, Current: current}
	case k.Suspend.Value == "":
		return k.put(u, k.Suspend.Path, suspended)
	case suspended:
		return k.put(u, k.Suspend.Path, k.Suspend.Value)
	}
	p, err := objpath.Parse(k.Suspend.Path)
	if err != nil {
		return err
	}
	return k.malformed(p.Remove(u.Object))
}

// Finished returns the result of the object, by the first rule of Kind.Finish that holds; [Unfinished]
// where none does, also for an object without a status. The errors are [*KindError] and
// [*MalformedError].
func (k Kind) Finished(u *unstructured.Unstructured) (Result, error) {
	rule, err := k.finished(u)
	return rule.Result, err
}

// FinishedAt returns since when the object has its result, by what its status says; the zero time if it has
// none, and if the status does not say. The errors are [*KindError] and [*MalformedError], also for a time
// that is not in RFC 3339.
func (k Kind) FinishedAt(u *unstructured.Unstructured) (time.Time, error) {
	rule, err := k.finished(u)
	if err != nil || rule.At == "" {
		return time.Time{}, err
	}
	text, isThere, err := k.text(u, rule.At)
	if err != nil || !isThere {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, &MalformedError{GroupKind: k.GroupKind, Path: rule.At, Want: "time", Value: text}
	}
	return at, nil
}

// finished returns the rule that holds, the zero rule if none does.
func (k Kind) finished(u *unstructured.Unstructured) (FinishRule, error) {
	if err := k.checkType(u); err != nil {
		return FinishRule{}, err
	}
	for _, rule := range k.Finish {
		if holds, err := holdAll(u, rule.If); err != nil || holds {
			return rule, err
		}
	}
	return FinishRule{}, nil
}

// HasStarted reports whether one of the signs of Kind.Started is in the status.
func (k Kind) HasStarted(u *unstructured.Unstructured) (bool, error) {
	if err := k.checkType(u); err != nil {
		return false, err
	}
	for _, test := range k.Started {
		if holds, err := test.Holds(u); err != nil || holds {
			return holds, err
		}
	}
	return false, nil
}
