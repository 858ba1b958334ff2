// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/managedby-dev/managedby/internal/objpath"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

// PlanObjectSpec is [Planner.PlanSpec] for an object of any kind. For a Job it is the same. Of other kinds it
// sends the labels and annotations of the object, and whether it is suspended, by the field of the kind
// (Kind.Suspend); what else differs in the spec is neither sent nor reported, since it is not recorded. The paths in
// Policy.IgnoreFields are those of a Job, with spec.suspend for that field.
//
// Where the field is a string that can say something else, such as a cancellation, that is sent too, and what the
// mirror says of the kind is never overwritten, whoever wrote it: another value of the local object is then
// [Undecided]. Local and Mirror of the difference are these strings.
//
// The errors are [*jobmanagedby.NoFieldError], [*jobmanagedby.KindError] and [*jobmanagedby.MalformedError]; the plan
// is then empty. It panics if one of the objects is nil.
func (p *Planner) PlanObjectSpec(kind jobmanagedby.Kind, pair ObjectPair) (SpecPlan, error) {
	typed, err := typedPair(kind, pair)
	if err != nil {
		return SpecPlan{}, err
	}
	if isJob(kind) {
		return p.PlanSpec(typed), nil
	}
	return p.planObjectSpec(kind, pair, typed)
}

// planObjectSpec is PlanObjectSpec where the typed forms are there.
func (p *Planner) planObjectSpec(kind jobmanagedby.Kind, pair ObjectPair, typed Pair) (SpecPlan, error) {
	local, remote := *typed.Local, *typed.Remote
	if err := p.editMetadata(kind, pair.Local, &local); err != nil {
		return SpecPlan{}, err
	}
	if p.told(Pair{Local: &local, Remote: &remote}) {
		return SpecPlan{}, nil
	}
	if *remote.Spec.ManagedBy == kind.Reserved {
		remote.Spec.ManagedBy = nil // as it was sent; the API server may have filled it in
	}
	return p.asKind(kind, pair, p.PlanSpec(Pair{Local: &local, Remote: &remote}))
}

// editMetadata takes out of the labels and annotations what [Planner.BuildObject] does.
func (p *Planner) editMetadata(kind jobmanagedby.Kind, local *unstructured.Unstructured, typed *batchv1.Job) error {
	inMetadata := func(e jobmanagedby.Edit) bool { return strings.HasPrefix(e.Path, "metadata.") }
	edits := p.edits(kind)
	if !slices.ContainsFunc(edits, inMetadata) {
		return nil
	}
	bare := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": local.GetAPIVersion(), "kind": local.GetKind(), "spec": local.Object["spec"],
		"metadata": map[string]any{"labels": anyMap(typed.Labels), "annotations": anyMap(typed.Annotations)},
	}}
	for _, edit := range edits {
		if !inMetadata(edit) {
			continue // the spec is the local object's own
		}
		if err := edit.Apply(bare); err != nil {
			return err
		}
	}
	typed.Labels, typed.Annotations = bare.GetLabels(), bare.GetAnnotations()
	return nil
}

// asKind turns the plan for a Job into one for an object.
func (p *Planner) asKind(kind jobmanagedby.Kind, pair ObjectPair, plan SpecPlan) (SpecPlan, error) {
	var patch map[string]any
	_ = json.Unmarshal(plan.Patch, &patch) // ours, and without numbers; nothing if there is none
	wanted, _ := patch["spec"].(map[string]any)
	delete(patch, "spec")
	spec, refused, err := p.specChange(kind, pair, wanted["suspend"])
	if err != nil {
		return SpecPlan{}, err
	}
	plan.Differences = asKindDifferences(kind, pair, plan.Differences, refused, len(spec) > 0)
	if len(spec) > 0 && patch != nil {
		patch["spec"] = spec
	}
	if refused && patch != nil {
		p.keepSent(patch, pair.Remote)
	}
	if refused && len(spec) == 0 && !changesMetadata(patch) {
		patch, plan.Patch = nil, nil
	}
	if patch != nil {
		plan.Patch, _ = json.Marshal(patch) // it was JSON before
	}
	return plan, nil
}

// specChange is the merge patch of the spec of the mirror. It is refused where another value is in the way of the
// suspension.
func (p *Planner) specChange(kind jobmanagedby.Kind, pair ObjectPair, suspend any) (change map[string]any, refused bool, err error) {
	before, _ := pair.Remote.Object["spec"].(map[string]any)
	copied, err := objpath.Copy(before, "spec")
	if at := (*objpath.Error)(nil); asPathError(err, &at) {
		return nil, false, malformed(kind, at)
	}
	after := &unstructured.Unstructured{Object: map[string]any{"apiVersion": pair.Remote.GetAPIVersion(), "kind": pair.Remote.GetKind(), "spec": copied}}
	if suspended, isSet := suspend.(bool); isSet {
		err = kind.SetSuspended(after, suspended)
	}
	if other := (*jobmanagedby.SuspendError)(nil); errors.As(err, &other) {
		err, refused = nil, true
	}
	if err != nil {
		return nil, false, err
	}
	inTheWay, err := p.carryCancellation(kind, pair.Local, after)
	return diff(before, after.Object["spec"].(map[string]any)), refused || inTheWay, err
}

// carryCancellation gives the mirror what the field for the suspension says beside that, unless the mirror says
// something else of the kind already, which is in the way: nobody knows who did.
func (p *Planner) carryCancellation(kind jobmanagedby.Kind, local, mirror *unstructured.Unstructured) (inTheWay bool, err error) {
	if kind.Suspend.Value == "" || p.ignores("spec.suspend") {
		return false, nil
	}
	text, err := valueAt[string](kind, local, kind.Suspend.Path, "string")
	if err != nil || text == "" || text == kind.Suspend.Value {
		return false, err
	}
	has, err := valueAt[string](kind, mirror, kind.Suspend.Path, "string")
	if err != nil || has != "" && has != kind.Suspend.Value {
		return has != text, err
	}
	path, err := objpath.Parse(kind.Suspend.Path)
	if err != nil {
		return false, err
	}
	return false, path.Set(mirror.Object, text)
}

// asKindDifferences gives the differences the paths of the kind, and the values of a suspension that is a string. A
// change of the spec that is none of the suspension is a cancellation, and a difference of its own.
func asKindDifferences(kind jobmanagedby.Kind, pair ObjectPair, ds []Difference, refused, changed bool) []Difference {
	about := -1
	for i := range ds {
		switch ds[i].Field {
		case "spec.managedBy":
			ds[i].Field = kind.Field
		case "spec.suspend":
			ds[i].Field, about = kind.Suspend.Path, i
		}
	}
	if about < 0 && (changed || refused) {
		ds, about = slices.Insert(ds, 0, Difference{Field: kind.Suspend.Path, Kind: ToSend}), 0
	}
	if about < 0 {
		return ds
	}
	switch d := &ds[about]; {
	case refused && d.Kind == ToSend:
		d.Kind, d.Overrides, d.Why = Undecided, false, "the field says something else on the mirror"
	case changed && d.Kind != ToSend:
		d.Kind, d.Overrides, d.Why = ToSend, true, "a cancellation goes before the worker's suspension"
	}
	if d := &ds[about]; kind.Suspend.Value != "" {
		d.Local, d.Mirror = suspendText(kind, pair.Local), suspendText(kind, pair.Remote)
	}
	return ds
}

// suspendText is what an object says where its suspension is a string, in JSON; empty if it is not there.
func suspendText(kind jobmanagedby.Kind, u *unstructured.Unstructured) string {
	text, err := valueAt[string](kind, u, kind.Suspend.Path, "string")
	if err != nil || text == "" {
		return ""
	}
	return jsonOf(&text)
}

// keepSent leaves in the last-sent record what it says of the suspension.
func (p *Planner) keepSent(patch map[string]any, remote *unstructured.Unstructured) {
	key := p.policy.Keys.LastSent
	metadata, _ := patch["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	text, _ := annotations[key].(string)
	var before, after map[string]any
	if json.Unmarshal([]byte(text), &after) != nil || json.Unmarshal([]byte(remote.GetAnnotations()[key]), &before) != nil {
		delete(annotations, key) // there is no record, or one of another form
		return
	}
	after["spec"] = before["spec"]
	if reflect.DeepEqual(before, after) { // the members may be in another order
		delete(annotations, key)
		return
	}
	data, _ := json.Marshal(after) // it was JSON before
	annotations[key] = string(data)
}

// changesMetadata reports whether a patch writes more than its preconditions.
func changesMetadata(patch map[string]any) bool {
	metadata, _ := patch["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	return len(labels)+len(annotations) > 0
}
