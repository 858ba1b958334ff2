// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateName returns what would be said of a value of the field when an object is created: by the API
// server, the CRD or the operator's webhook, as Kind.Checked says. Where nobody looks it is nil whatever
// the name, and what is wrong with a name is for [Kind.Delegate] and [Kind.Decide] to say.
//
// The type of an error is that of the source: a CRD rule makes Invalid of a value outside a closed
// set, a webhook NotSupported. Texts are our own where [ValidateName] is not asked.
func (k Kind) ValidateName(name string, fldPath *field.Path) field.ErrorList {
	switch {
	case k.NoField != "" || k.Checked == CheckedByNobody:
		return nil
	case k.Form == FormDomainPath:
		return ValidateName(name, fldPath)
	case k.MaxLength > 0 && len(name) > k.MaxLength:
		return field.ErrorList{field.TooLong(fldPath, name, k.MaxLength)}
	case k.isAllowed(name):
		return nil
	case k.Checked == CheckedByWebhook:
		return field.ErrorList{field.NotSupported(fldPath, name, append([]string{k.Reserved}, k.Allowed...))}
	}
	return field.ErrorList{field.Invalid(fldPath, name, (&NotAllowedError{Name: name, Allowed: k.Allowed}).Error())}
}

// isAllowed reports whether a name is in the set of the kind; in an open one every name is.
func (k Kind) isAllowed(name string) bool {
	return len(k.Allowed) == 0 || name == k.Reserved || slices.Contains(k.Allowed, name)
}

// Allows reports whether a change of the field of a stored object, from one value to another, nil for
// none, gets past Kind.Change. It says nothing of the new value itself, for which there is
// [Kind.ValidateName]. A kind without the field allows none.
func (k Kind) Allows(from, to *string) bool {
	if k.Defaulted { // none is not stored
		from, to = k.orReserved(from), k.orReserved(to)
	}
	switch k.Change {
	case ChangeNever:
		return equal(from, to)
	case ChangeValueNever:
		return from == nil || to == nil || *from == *to
	}
	return k.NoField == ""
}

func (k Kind) orReserved(name *string) *string {
	if name == nil {
		return &k.Reserved
	}
	return name
}

// Delegate sets the field of an object that is about to be created, where it is not set or set to
// Kind.Reserved. With an error the object stays as it was. Where it names the controller already
// there is nothing to do and no error, also for an object that exists. The object is changed on purpose: pass
// a copy of one from a cache.
//
// The errors, for errors.As, are [*NoFieldError], [*KindError], [*MalformedError], and a
// [*DelegateError] around one of these, in the order in which they are looked for:
//   - [*ReservedNameError]: the name is that of the operator.
//   - [*NotHonoredError]: no release of the operator would leave the object alone.
//   - [*NotAllowedError]: the kind has a closed set of names, and somebody holds it to that.
//   - [*NameError]: the name is no domain-prefixed path. Kinds where nobody looks are held to it too, for
//     they would wait for ever on a name with a slip in it.
//   - [*TakenError]: the object names another controller, or has the empty string in the field.
//   - [*ExistsError]: the object exists, and the field is meant to be immutable, whether or not
//     somebody sees to it. Where it is mutable (Kind.Change is [ChangeAllowed]) this does not come.
func (k Kind) Delegate(u *unstructured.Unstructured, controller string) error {
	name, isSet, err := k.managedBy(u)
	if err != nil {
		return err
	}
	if err := k.checkController(controller); err != nil {
		return k.refuse(err)
	}
	switch {
	case isSet && name == controller:
		return nil
	case isSet && name != k.Reserved:
		return k.refuse(&TakenError{Controller: controller, Current: name})
	}
	if err := k.mayChange(u); err != nil {
		return err
	}
	return k.put(u, k.Field, controller)
}

// Default is for a mutating webhook, for CREATE: it sets the field to controller where it is not set or
// set to Kind.Reserved, and reports whether it did. As [Default], it overwrites no other value, and leaves an
// object with a resourceVersion alone unless the field is mutable; and a name that [Kind.Delegate] would refuse changes nothing. The
// errors are [*NoFieldError], [*KindError] and [*MalformedError], and then nothing is changed.
func (k Kind) Default(u *unstructured.Unstructured, controller string) (bool, error) {
	name, isSet, err := k.managedBy(u)
	if err != nil || isSet && name != k.Reserved || k.checkController(controller) != nil {
		return false, err
	}
	resourceVersion, _, err := k.text(u, "metadata.resourceVersion")
	if err != nil || resourceVersion != "" && k.Change != ChangeAllowed {
		return false, err
	}
	err = k.put(u, k.Field, controller)
	return err == nil, err
}

// mayChange returns why the field of an object cannot be changed any more.
func (k Kind) mayChange(u *unstructured.Unstructured) error {
	uid, _, err := k.text(u, "metadata.uid")
	if err != nil {
		return err
	}
	resourceVersion, _, err := k.text(u, "metadata.resourceVersion")
	if err != nil || uid == "" && resourceVersion == "" || k.Change == ChangeAllowed {
		return err
	}
	return k.refuse(existsError(u.GetNamespace(), u.GetName(), uid, resourceVersion))
}

// checkController returns why no object of the kind can be handed to a controller.
func (k Kind) checkController(controller string) error {
	switch {
	case controller == k.Reserved:
		return &ReservedNameError{Name: controller}
	case k.HonoredSince == "":
		return &NotHonoredError{Operator: k.Operator}
	case k.Checked != CheckedByNobody && !k.isAllowed(controller):
		return &NotAllowedError{Name: controller, Allowed: slices.Clone(k.Allowed)}
	}
	if errs := ValidateName(controller, field.NewPath(k.Field)); len(errs) > 0 {
		return &NameError{Name: controller, Errs: errs}
	}
	return nil
}
