// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"errors"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/managedby-dev/managedby/internal/objpath"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

// BuildObject is [Planner.Build] for an object of any kind: what to create on the worker. For a Job it
// is the same mirror, and fields of the spec that this program's Go types do not know are kept.
//
// The mirror has the apiVersion and kind of local, the metadata that Build gives, and a copy of the
// spec; no status, and nothing else that may stand beside these. In the spec, and nowhere else,
//
//   - the field is taken out, at its own path and at every nested place, also in embedded objects
//     ([jobmanagedby.Kind.ClearAll]), or is Policy.WorkerManagedBy;
//   - what makes the object delete itself goes (Kind.SelfDelete), unless Policy.KeepTTL, annotations
//     included;
//   - what others have put in for this cluster goes (Kind.ServerSet);
//   - labels that the Job API generates go from the pod templates of Job templates without manualSelector,
//     as Build has it for the Job itself.
//
// Everything else in the spec is as it was, suspension included.
//
// Policy.WorkerManagedBy has to be a name that the kind takes; the name of the built-in Job controller is
// left out for other kinds. Policy.Target is asked about a Job that has the metadata of the object and
// nothing else, and instead of Policy.Admit it is Policy.AdmitObject that is asked, except about Jobs. Where
// Admit is set and AdmitObject is not, objects of other kinds are refused.
//
// BuildObject refuses an object with one of the errors of Build, where FinishedError.Condition is the
// [jobmanagedby.Result] for other kinds than Job, or with [*jobmanagedby.NoFieldError], [*jobmanagedby.KindError],
// [*jobmanagedby.MalformedError] or [*jobmanagedby.DelegateError] (for WorkerManagedBy). It panics if local
// is nil. The mirror shares no memory with local, which is not changed.
func (p *Planner) BuildObject(kind jobmanagedby.Kind, local *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return p.buildObject(kind, local, 0)
}

// buildObject is BuildObject for a Job whose earlier mirrors have used up so many seconds of its
// activeDeadlineSeconds, as [Planner.build] has it.
func (p *Planner) buildObject(kind jobmanagedby.Kind, local *unstructured.Unstructured, spent int64) (*unstructured.Unstructured, error) {
	job, err := p.refuseObject(kind, local)
	if err != nil {
		return nil, err
	}
	target := p.TargetOf(job)
	if err := p.admitObject(kind, local, job, target); err != nil {
		return nil, err
	}
	spec, err := objpath.Copy(local.Object["spec"], "spec")
	if at := (*objpath.Error)(nil); asPathError(err, &at) {
		return nil, malformed(kind, at)
	}
	meta := p.metadata(job, target)
	mirror := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": local.GetAPIVersion(), "kind": local.GetKind(), "spec": spec,
		"metadata": map[string]any{"labels": anyMap(meta.Labels), "annotations": anyMap(meta.Annotations)},
	}}
	if err := p.editObject(kind, mirror); err != nil {
		return nil, err
	}
	shortenDeadline(mirror, job, spent)
	meta.Labels, meta.Annotations = mirror.GetLabels(), mirror.GetAnnotations()
	if err := p.stampObject(kind, mirror, &meta, job, spent); err != nil {
		return nil, err
	}
	return mirror, nil
}

func anyMap(m map[string]string) map[string]any {
	object := make(map[string]any, len(m))
	for key, value := range m {
		object[key] = value
	}
	return object
}

func asPathError(err error, target **objpath.Error) bool { return errors.As(err, target) }

// refuseObject returns why an object is not to run anywhere; and, if it is, the Job that it is, or for
// other kinds one with its metadata.
func (p *Planner) refuseObject(kind jobmanagedby.Kind, local *unstructured.Unstructured) (*batchv1.Job, error) {
	name, err := kind.ManagedBy(local)
	if err != nil {
		return nil, err
	}
	if err := checkMetadata(kind, local); err != nil {
		return nil, err
	}
	if isJob(kind) {
		job, err := jobOf(kind, local)
		if err == nil {
			err = p.refuse(job)
		}
		return job, err
	}
	job := metadataOf(local)
	if name != p.policy.Controller {
		return nil, &NotManagedError{Job: keyOf(job), Controller: p.policy.Controller, ManagedBy: name}
	}
	if local.GetDeletionTimestamp() != nil {
		return nil, &BeingDeletedError{Job: keyOf(job)}
	}
	result, err := kind.Finished(local)
	if err != nil {
		return nil, err
	}
	if result != jobmanagedby.Unfinished {
		return nil, &FinishedError{Job: keyOf(job), Condition: batchv1.JobConditionType(result)}
	}
	if field, ok := lacking(job); ok {
		return nil, &NoIdentityError{Job: keyOf(job), Field: field}
	}
	return job, nil
}

// admitObject returns why an object is not to run as target.
func (p *Planner) admitObject(kind jobmanagedby.Kind, local *unstructured.Unstructured, job *batchv1.Job, target types.NamespacedName) error {
	if isJob(kind) {
		return p.admit(job, target)
	}
	err := errors.New("Policy.Admit speaks of Jobs only, and there is no Policy.AdmitObject")
	switch {
	case p.policy.AdmitObject != nil:
		err = p.policy.AdmitObject(local, target)
	case p.policy.Admit == nil:
		err = nil
	}
	if err != nil {
		return &NotAdmittedError{Job: keyOf(job), Target: target, Err: err}
	}
	if errs := validateObjectTarget(target); len(errs) > 0 {
		return &NameError{Job: keyOf(job), Target: target, Errs: errs}
	}
	return nil
}

// validateObjectTarget returns why no object can be created under a name, as far as that is the same
// for every kind.
func validateObjectTarget(target types.NamespacedName) (errs field.ErrorList) {
	for _, msg := range validation.IsDNS1123Label(target.Namespace) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "namespace"), target.Namespace, msg))
	}
	for _, msg := range validation.IsDNS1123Subdomain(target.Name) {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), target.Name, msg))
	}
	return errs
}

// shortenDeadline gives a Job what is left of its deadline. Other kinds have spent nothing.
func shortenDeadline(mirror *unstructured.Unstructured, job *batchv1.Job, spent int64) {
	if deadline := left(job.Spec.ActiveDeadlineSeconds, spent); deadline != nil && spent > 0 {
		mirror.Object["spec"].(map[string]any)["activeDeadlineSeconds"] = *deadline
	}
}

// edits are what BuildObject changes of an object, beside the field.
func (p *Planner) edits(kind jobmanagedby.Kind) []jobmanagedby.Edit {
	if p.policy.KeepTTL {
		return kind.ServerSet
	}
	return slices.Concat(kind.ServerSet, kind.SelfDelete)
}

// editObject changes what the mirror is not to have.
func (p *Planner) editObject(kind jobmanagedby.Kind, mirror *unstructured.Unstructured) error {
	for _, edit := range p.edits(kind) {
		if err := edit.Apply(mirror); err != nil {
			return err
		}
	}
	if err := kind.ClearAll(mirror); err != nil {
		return err
	}
	if err := cleanJobTemplates(kind, mirror); err != nil {
		return err
	}
	name := p.policy.WorkerManagedBy
	if isJob(kind) && name != "" { // checked by New, and the reserved name is one like another
		mirror.Object["spec"].(map[string]any)["managedBy"] = name
		return nil
	}
	if name == "" || name == jobmanagedby.JobController || name == kind.Reserved {
		return nil
	}
	return kind.Delegate(mirror, name)
}

// stampObject writes the metadata of the mirror, with the identity and what was sent.
func (p *Planner) stampObject(kind jobmanagedby.Kind, mirror *unstructured.Unstructured, meta *metav1.ObjectMeta, local *batchv1.Job, spent int64) error {
	spec, err := sentSpec(kind, mirror)
	if err != nil {
		return err
	}
	sent := sentRecord{spent: spent, spec: spec, labels: meta.Labels, annotations: meta.Annotations}.text(nil) // first, for the identity is no part of it
	if meta.Labels == nil {
		meta.Labels = map[string]string{}
	}
	if meta.Annotations == nil {
		meta.Annotations = map[string]string{}
	}
	p.stamp(meta, local)
	room := apivalidation.TotalAnnotationSizeLimitB - sizeOf(meta.Annotations) - p.holdSize()
	if room < 0 {
		return &TooLargeError{Job: keyOf(local), Size: apivalidation.TotalAnnotationSizeLimitB - room, Limit: apivalidation.TotalAnnotationSizeLimitB}
	}
	if record := sent.fit(room - len(p.policy.Keys.LastSent)); record != "" {
		meta.Annotations[p.policy.Keys.LastSent] = record
	}
	metadata := map[string]any{
		"namespace": meta.Namespace, "name": meta.Name, "labels": anyMap(meta.Labels), "annotations": anyMap(meta.Annotations),
	}
	if p.policy.HoldMirror {
		metadata["finalizers"] = []any{p.policy.Keys.Hold}
	}
	mirror.Object["metadata"] = metadata
	return nil
}

// sentSpec returns what is recorded of a spec: all that can change of a Job, of other kinds whether it
// was suspended.
func sentSpec(kind jobmanagedby.Kind, mirror *unstructured.Unstructured) (*batchv1.JobSpec, error) {
	if isJob(kind) {
		job, err := jobOf(kind, mirror)
		if err != nil {
			return nil, err
		}
		return &job.Spec, nil
	}
	suspended, err := kind.Suspended(mirror)
	return &batchv1.JobSpec{Suspend: &suspended}, err
}
