// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"fmt"
	"strings"
)

// DifferenceKind says what becomes of a difference between a local Job and its mirror. Values are
// stable and may be logged and counted; new ones may be added in a minor version.
type DifferenceKind string

const (
	// ToSend means that the local Job has changed since it was last sent, and that the patch tells the
	// mirror.
	ToSend DifferenceKind = "ToSend"
	// NotYet means that the local Job has changed, and that the worker will take the change when the
	// mirror has come to rest: after the suspend that is being sent, or when its pods are gone. A
	// resume waits as well while such a change does, because the Job would run without it.
	NotYet DifferenceKind = "NotYet"
	// Immutable means that the local Job has changed, and that the worker's API server refuses this
	// change to the mirror as it stands. It is looked at again in every plan.
	Immutable DifferenceKind = "Immutable"
	// SetByWorker means that the local Job is as it was sent and the mirror is not: a queue, a webhook
	// or a default of the worker made the difference. It is left alone.
	SetByWorker DifferenceKind = "SetByWorker"
	// Undecided means that nobody knows what was sent, and so who made the difference. It is left
	// alone, and from then on counts as SetByWorker: change the local Job again to send it.
	Undecided DifferenceKind = "Undecided"
	// OnPurpose means that the mirror is meant to differ, by what [Planner.Build] leaves out, replaces
	// and adds, or by the Policy. Its value is "Ours".
	OnPurpose DifferenceKind = "Ours"
)

// DifferenceKinds returns every kind there is, in the order in which a plan lists them, in a slice
// of the caller's own.
func DifferenceKinds() []DifferenceKind {
	return []DifferenceKind{ToSend, NotYet, Immutable, SetByWorker, Undecided, OnPurpose}
}

// SpecRule is the check of the API server that a change does not pass. Values are stable and may be
// logged and counted; new ones may be added in a minor version.
type SpecRule string

const (
	CompletionsImmutable   SpecRule = "CompletionsImmutable"   // completions alone may not change
	IndexLimits            SpecRule = "IndexLimits"            // limits of an Indexed Job that do not go together
	HostNameTooLong        SpecRule = "HostNameTooLong"        // of the last pod, with so many completions
	TemplateStarted        SpecRule = "TemplateStarted"        // the pod template of a mirror that has a startTime
	TemplateNotSuspended   SpecRule = "TemplateNotSuspended"   // of one that runs
	TemplateActivePods     SpecRule = "TemplateActivePods"     // of one that has pods left
	TemplateNotYetReported SpecRule = "TemplateNotYetReported" // of one that does not say Suspended=True yet
	ResourcesImmutable     SpecRule = "ResourcesImmutable"     // the resources of containers, before 1.36
	AnnotationsTooLarge    SpecRule = "AnnotationsTooLarge"    // annotations beyond 256 KiB
)

// specRules says of each rule what stands behind it.
//
// Source: validationOptionsForJob and shouldAllowMutablePodTemplate in
// pkg/registry/batch/job/strategy.go; validateCompletions, validatePodTemplateUpdate, validateJobSpec
// and ValidateJob (validateNameAllowsCompletions from 1.37) in pkg/apis/batch/validation/validation.go;
// ValidateAnnotationsSize in k8s.io/apimachinery/pkg/api/validation. 1.30 to 1.37.
var specRules = [...]struct {
	rule SpecRule
	why  string
}{
	{CompletionsImmutable, "completions may change on an Indexed Job alone, and only to the value that parallelism has"},
	{IndexLimits, "maxFailedIndexes, parallelism and completions do not go together with what the worker set"},
	{HostNameTooLong, "the host name of the last pod would be no DNS label"},
	{TemplateStarted, "before 1.36 the pod template is frozen once the mirror has a startTime"},
	{TemplateNotSuspended, "the pod template is frozen unless the mirror is suspended"},
	{TemplateActivePods, "from 1.36 on the pod template is frozen while the mirror has active pods"},
	{TemplateNotYetReported, "the pod template is frozen until the worker has reported Suspended=True"},
	{ResourcesImmutable, "before 1.36 the resources of containers are frozen"},
	{AnnotationsTooLarge, "the annotations of the mirror would be too large"},
}

// SpecRules returns every rule there is, in a slice of the caller's own.
func SpecRules() []SpecRule {
	all := make([]SpecRule, len(specRules))
	for i, r := range specRules {
		all[i] = r.rule
	}
	return all
}

func (r SpecRule) why() string {
	for _, row := range specRules {
		if row.rule == r {
			return row.why
		}
	}
	return ""
}

// Difference is one field, or one key of a map or element of a list, in which a mirror is not what
// the local Job asks for.
type Difference struct {
	// Field is its path. Keys of maps, and elements of a list that have names, stand in brackets:
	// "metadata.labels[team]", "spec.template.spec.containers[main].resources". Elements of other lists
	// go by their index, and tolerations and scheduling gates by the path of the whole list.
	Field string

	Kind DifferenceKind

	// Rule is what the API server would refuse, for NotYet and Immutable. It is empty for the others.
	Rule SpecRule

	// Local is what the local Job asks for and Mirror what the mirror has, both in JSON; empty if there
	// is nothing.
	Local, Mirror string

	// Overrides says of a difference ToSend that the worker had changed the field as well, and loses
	// its value.
	Overrides bool

	// Why says more, for people; it may be empty. Programs must not depend on its text.
	Why string
}

// String returns "spec.suspend: ToSend, local true, mirror false", on one line whatever the values
// are. Programs must not depend on its form.
func (d Difference) String() string {
	s := fmt.Sprintf("%s: %s, local %s, mirror %s", d.Field, d.Kind, orNone(d.Local), orNone(d.Mirror))
	if d.Overrides {
		s += ", overrides the worker"
	}
	if d.Rule != "" {
		s += " (" + string(d.Rule) + ")"
	}
	return printable(s)
}

func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return value
}

// SpecPlan is what to change on a mirror. The zero SpecPlan changes nothing.
type SpecPlan struct {
	// Patch is the body of a JSON merge patch (application/merge-patch+json) for the mirror, nil if there is nothing to
	// write. It carries the mirror's UID and resourceVersion, so that the worker refuses it with a
	// conflict if the mirror is no longer the one of the plan: read it again then, and plan anew.
	Patch []byte

	// Differences are listed by kind, in the order of [DifferenceKinds].
	Differences []Difference

	// Stale says that the local Job is older than what the mirror was sent: it comes from a cache that
	// lags behind. Nothing is sent then.
	Stale bool
}

// Of returns the differences of one kind.
func (p SpecPlan) Of(kind DifferenceKind) []Difference {
	var some []Difference
	for _, d := range p.Differences {
		if d.Kind == kind {
			some = append(some, d)
		}
	}
	return some
}

// String returns the plan on one line, without the differences on purpose. Programs must not depend
// on its text.
func (p SpecPlan) String() string {
	var b strings.Builder
	switch {
	case p.Stale:
		b.WriteString("nothing to send, the local Job is stale")
	case p.Patch == nil:
		b.WriteString("nothing to send")
	case len(p.Of(ToSend)) == 0:
		b.WriteString("send the record alone")
	default:
		b.WriteString("send")
	}
	separator := ": "
	for _, d := range p.Differences {
		if d.Kind != OnPurpose {
			b.WriteString(separator + d.String())
			separator = "; "
		}
	}
	return b.String()
}
