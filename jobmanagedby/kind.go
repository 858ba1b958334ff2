// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is what is known of a kind of workload that can name its controller: where the field is, who
// looks at it, and how the rest of the object is read. It is plain data. [Kinds] has the known ones;
// one of your own is a value too, checked by [CheckKind], and nothing has to be registered.
//
// Paths are written as in "spec.runPolicy.managedBy". In them name[] stands for every element of a
// list, name[key=value] for the elements whose member key is that string, and name[key] for a member
// whose name has dots.
//
// The methods work on *unstructured.Unstructured. They answer for an object of this GroupKind and one
// of these Versions, and refuse every other ([*KindError]); what is malformed is a [*MalformedError]
// with the path, and never read as "not managed".
type Kind struct {
	schema.GroupKind

	// Versions are the served API versions that have the field, the one to use first.
	Versions []string
	// Operator is who runs the object where the field does not say otherwise, in words.
	Operator string

	// NoField is why there is no field; then the columns about the field are empty. It is empty for a
	// kind that has it.
	NoField string

	// Field is the path of the field, a string.
	Field string
	// Reserved is the name of the operator: an object that has it is run like one without the field.
	Reserved string
	// Defaulted says that the API server puts Reserved where the field is not set.
	Defaulted bool
	// Allowed is the closed set of values beside Reserved; nil is open to names of your own.
	Allowed []string
	// Form is what a value has to look like.
	Form Form
	// MaxLength is the greatest length of a value in bytes, 0 for any.
	MaxLength int
	// Checked is who refuses a value that is not as Allowed, Form and MaxLength say. With
	// [CheckedByNobody] these are documentation.
	Checked Checked
	// Change is which changes of a stored value are refused.
	Change Change
	// Since is the first release of the operator that has the field. An earlier one drops it without
	// an error and runs the object.
	Since string
	// HonoredSince is the first release whose operator leaves an object of another controller alone;
	// empty if none does.
	HonoredSince string

	// Suspend is how the object is suspended.
	Suspend Suspend
	// Status is the path of the status: "status", which the CRD has to have as a subresource.
	Status string
	// StatusNeeds are the paths of strings that a status has to have for the API server to take it. Empty ones will
	// do.
	StatusNeeds []string
	// Finish are the rules by which the result is read, the first that holds; none for a kind that
	// never finishes.
	Finish []FinishRule
	// Started are signs in the status that it has run; any of them is enough.
	Started []Test

	// Nested are the paths inside the object at which the same field occurs again, for the children
	// that the operator creates.
	Nested []string
	// Embedded are the paths of whole objects inside the object, with an apiVersion and a kind, which
	// may be one of [Kinds].
	Embedded []string
	// JobTemplates are the paths of batch/v1 Job templates: objects with a spec that is that of a Job.
	JobTemplates []string
	// SelfDelete is what to change in a copy, so that it does not delete itself before its result is
	// read.
	SelfDelete []Edit
	// ServerSet is what others than the user put in and will put in again where a copy is created.
	ServerSet []Edit

	// Note is what else a person should know.
	Note string
	// Source is where the facts were read, and the release.
	Source string
}

// Form is what a value of the field has to look like.
type Form string

const (
	// FormAny is every string, the empty one included.
	FormAny Form = "Any"
	// FormDomainPath is a domain-prefixed path, as in a Job: see [ValidateName].
	FormDomainPath Form = "DomainPath"
)

// Checked is who refuses a value that must not be.
type Checked string

const (
	CheckedByNobody    Checked = "Nobody"    // every string is stored
	CheckedByAPIServer Checked = "APIServer" // validation of a built-in kind
	CheckedByCRD       Checked = "CRD"       // CEL rules of the CRD: nothing else has to run
	CheckedByWebhook   Checked = "Webhook"   // none where the operator's webhook is not installed
)

// Change is which changes of a stored field are refused.
type Change string

const (
	// ChangeNever refuses every change, to set and to remove the field included.
	ChangeNever Change = "Never"
	// ChangeValueNever refuses another value, but the field can be set later, and removed.
	ChangeValueNever Change = "ValueNever"
	// ChangeUnchecked refuses nothing, although the documentation says that the field is immutable.
	ChangeUnchecked Change = "Unchecked"
	// ChangeAllowed refuses nothing, by design: the field is in a template and counts for what is
	// created from it later.
	ChangeAllowed Change = "Allowed"
)

// Suspend is how an object is suspended: a field that is true, or a field that is some string.
type Suspend struct {
	Path string // empty: it cannot be
	// Value is the string that suspends; empty for a boolean. A field with another string in it is
	// in use for something else, such as a cancellation.
	Value string
}

// FinishRule is a row of how a result is read.
type FinishRule struct {
	If     []Test // all have to hold
	Result Result
	// At is the path of the time since when that is so, in RFC 3339; empty if the status does not say.
	At string
}

// Result is whether an object has finished, and how.
type Result string

const (
	Unfinished Result = ""          // there is none yet
	Succeeded  Result = "Succeeded" // it has done what it was for
	Failed     Result = "Failed"    // it has not, and will not
)

// Test holds where any value at the path is as said. A path that names nothing has no value.
type Test struct {
	Path string
	// Is is the string, or "true" for a boolean, that the value has to be. Empty: anything but null,
	// "", 0, false and empty lists and objects.
	Is string
	// Not turns the answer round: no value is as said.
	Not bool
}

// Edit is a change of an object. Nothing happens where the path names nothing.
type Edit struct {
	Path string
	If   []Test // all have to hold of the object
	// Is, where it is not empty, restricts the change to values that are this string.
	Is string
	// Set is the new value; nil takes out what the path names: a member, or the elements of a list.
	Set any
	// Why is for people.
	Why string
}

//go:generate go test -run ^TestKinds(Document|InReadme)$ -update-kinds .

// Kinds returns the known kinds, those without the field at the end, in a slice of the caller's own
// that shares no memory with another call's. The table is in KINDS.md too.
//
// MPIJob is there twice, since two operators serve a kind of that name, in different versions; every
// other GroupKind once.
func Kinds() []Kind {
	kinds := append(builtInKinds(), jobSetKinds()...)
	kinds = append(kinds, trainingKinds()...)
	kinds = append(kinds, rayKinds()...)
	kinds = append(kinds, otherKinds()...)
	return append(kinds, kindsWithoutField()...)
}

// known is what [Kinds] returns, made once, and never changed or handed out.
var known = Kinds()

// ForKind returns the known kind of that name, and false for one that is not known. Of a kind that is
// known not to have the field NoField says why. Of the two MPIJobs it returns that of mpi-operator
// (v2beta1); [ForVersionKind] tells them apart. The Kind shares no memory with another call's.
func ForKind(gk schema.GroupKind) (Kind, bool) {
	return find(func(k *Kind) bool { return k.GroupKind == gk })
}

// ForVersionKind is [ForKind] for one version, as an object's GroupVersionKind has it. It answers
// false also where the kind is known and the version is not: the field may be elsewhere there. For
// kinds without the field every version will do.
func ForVersionKind(gvk schema.GroupVersionKind) (Kind, bool) {
	return find(func(k *Kind) bool {
		return k.GroupKind == gvk.GroupKind() && (k.NoField != "" || k.serves(gvk.Version))
	})
}

func find(is func(*Kind) bool) (Kind, bool) {
	for i := range known {
		if is(&known[i]) {
			return known[i].clone(), true
		}
	}
	return Kind{}, false
}

// clone returns a copy that shares no memory.
func (k Kind) clone() Kind {
	for _, list := range []*[]string{&k.Versions, &k.Allowed, &k.StatusNeeds, &k.Nested, &k.Embedded, &k.JobTemplates} {
		*list = slices.Clone(*list)
	}
	k.Started, k.Finish = slices.Clone(k.Started), slices.Clone(k.Finish)
	for i := range k.Finish {
		k.Finish[i].If = slices.Clone(k.Finish[i].If)
	}
	for _, edits := range []*[]Edit{&k.SelfDelete, &k.ServerSet} {
		*edits = slices.Clone(*edits)
		for i := range *edits {
			(*edits)[i].If = slices.Clone((*edits)[i].If)
		}
	}
	return k
}
