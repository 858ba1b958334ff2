// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// Build returns the mirror of a Job: what to create on the worker.
//
// A mirror starts empty, so nothing is in it but what is listed here: the namespace and name that
// [Planner.TargetOf] gives; the Job's labels and annotations, less those by which other tools would
// claim it ([DefaultDropKeys], Policy.DropKey); a copy of the spec; the identity ([Keys]); and with
// Policy.HoldMirror a finalizer. In the spec,
//
//   - managedBy is Policy.WorkerManagedBy, or not set;
//   - ttlSecondsAfterFinished is not set, unless Policy.KeepTTL;
//   - selector and generated labels are left for the worker to generate, with the mirror's own UID and
//     name: the four labels go from the template whatever their value, and from the Job's labels (where
//     a Job created without labels of its own shows the template's) if the value is the generated
//     one. With manualSelector true they are the user's, and stay.
//
// The result shares no memory with local, carries no type, UID, owner, other finalizer or status, and is
// the same, byte for byte, whenever Build is asked again for the same Job. It is meant to be
// created and never to be applied over a mirror that exists: the worker's selector and labels would
// be in the way.
//
// What a management API server accepted, a worker API server of the same release accepts as a
// mirror.
//
// Build refuses a Job with one of these errors, the first that holds: [*NotManagedError],
// [*BeingDeletedError], [*FinishedError], [*NoIdentityError], [*NotAdmittedError], [*NameError],
// [*TooLargeError]. It panics if local is nil.
func (p *Planner) Build(local *batchv1.Job) (*batchv1.Job, error) { return p.build(local, 0) }

// build is Build for a Job whose earlier mirrors have used up so many seconds of its
// activeDeadlineSeconds: the mirror gets what is left, which is never negative.
func (p *Planner) build(local *batchv1.Job, spent int64) (*batchv1.Job, error) {
	if err := p.refuse(local); err != nil {
		return nil, err
	}
	target := p.TargetOf(local)
	if err := p.admit(local, target); err != nil {
		return nil, err
	}
	mirror := &batchv1.Job{ObjectMeta: p.metadata(local, target)}
	p.copySpec(&mirror.Spec, &local.Spec)
	mirror.Spec.ActiveDeadlineSeconds = left(mirror.Spec.ActiveDeadlineSeconds, spent)
	var few [1024]byte
	r := sentRecord{spent: spent, spec: &mirror.Spec, labels: mirror.Labels, annotations: mirror.Annotations}
	sent := r.text(few[:0]) // first, for the identity is no part of it
	p.stamp(&mirror.ObjectMeta, local)
	room := apivalidation.TotalAnnotationSizeLimitB - sizeOf(mirror.Annotations) - p.holdSize()
	if room < 0 {
		return nil, &TooLargeError{Job: keyOf(local), Size: apivalidation.TotalAnnotationSizeLimitB - room, Limit: apivalidation.TotalAnnotationSizeLimitB}
	}
	if record := sent.fit(room - len(p.policy.Keys.LastSent)); record != "" {
		mirror.Annotations[p.policy.Keys.LastSent] = record
	}
	return mirror, nil
}

// left returns what is left of a deadline. It shares the memory of one that is whole.
func left(deadline *int64, spent int64) *int64 {
	if deadline == nil || spent <= 0 {
		return deadline
	}
	return ptr.To(max(*deadline-spent, 0))
}

// sizeOf returns the size of annotations as the API server counts it.
//
// Source: ValidateAnnotationsSize in k8s.io/apimachinery/pkg/api/validation.
func sizeOf(annotations map[string]string) int {
	size := 0
	for key, value := range annotations {
		size += len(key) + len(value)
	}
	return size
}

// refuse returns why a Job is not to run anywhere.
func (p *Planner) refuse(local *batchv1.Job) error {
	job := keyOf(local)
	if !jobmanagedby.IsManagedBy(local, p.policy.Controller) {
		return &NotManagedError{Job: job, Controller: p.policy.Controller, ManagedBy: jobmanagedby.ManagedBy(local)}
	}
	if local.DeletionTimestamp != nil {
		return &BeingDeletedError{Job: job}
	}
	if verdict, ok := verdictOf(local); ok {
		return &FinishedError{Job: job, Condition: verdict}
	}
	if field, ok := lacking(local); ok {
		return &NoIdentityError{Job: job, Field: field}
	}
	return nil
}

// admit returns why a Job is not to run as target.
func (p *Planner) admit(local *batchv1.Job, target types.NamespacedName) error {
	if p.policy.Admit != nil {
		if err := p.policy.Admit(local, target); err != nil {
			return &NotAdmittedError{Job: keyOf(local), Target: target, Err: err}
		}
	}
	if errs := validateTarget(target, &local.Spec); len(errs) > 0 {
		return &NameError{Job: keyOf(local), Target: target, Errs: errs}
	}
	return nil
}

// verdictOf returns the terminal condition of a finished Job: any entry that is True, not the first
// of its type.
func verdictOf(job *batchv1.Job) (verdict batchv1.JobConditionType, finished bool) {
	for _, c := range job.Status.Conditions {
		if c.Status == corev1.ConditionTrue && (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) {
			return c.Type, true
		}
	}
	return "", false
}

// metadata returns the metadata of the mirror, without the identity and the last-sent record.
func (p *Planner) metadata(local *batchv1.Job, target types.NamespacedName) metav1.ObjectMeta {
	const stamps = 4
	meta := metav1.ObjectMeta{
		Namespace:   target.Namespace,
		Name:        target.Name,
		Labels:      make(map[string]string, len(local.Labels)+1),
		Annotations: make(map[string]string, len(local.Annotations)+stamps),
	}
	if p.policy.HoldMirror {
		meta.Finalizers = []string{p.policy.Keys.Hold}
	}
	for key, value := range local.Labels {
		if p.keepsLabel(local, key, value) {
			meta.Labels[key] = value
		}
	}
	for key, value := range local.Annotations {
		if !p.drop.has(key, value) {
			meta.Annotations[key] = value
		}
	}
	return meta
}

// keepsLabel reports whether a label of the local Job belongs on its mirror.
func (p *Planner) keepsLabel(local *batchv1.Job, key, value string) bool {
	return !p.drop.has(key, value) && (!isGenerated(key) || hasManualSelector(&local.Spec) || value != generatedValue(key, local))
}

// copySpec copies the spec, less what the mirror is not to have. The source is a shallow copy, so
// that nothing is copied deeply only to be dropped.
func (p *Planner) copySpec(mirror *batchv1.JobSpec, local *batchv1.JobSpec) {
	from, manual := *local, hasManualSelector(local)
	from.ManagedBy = nil
	if !p.policy.KeepTTL {
		from.TTLSecondsAfterFinished = nil
	}
	if !manual {
		from.Selector = nil
		from.Template.Labels = nil
	}
	from.DeepCopyInto(mirror)
	if !manual {
		mirror.Template.Labels = copyWithoutGenerated(local.Template.Labels)
	}
	if p.policy.WorkerManagedBy != "" {
		mirror.ManagedBy = ptr.To(p.policy.WorkerManagedBy)
	}
}

func hasManualSelector(spec *batchv1.JobSpec) bool { return ptr.Deref(spec.ManualSelector, false) }

// The labels that the API server puts on the template of a Job without manualSelector, and on the
// pods. It refuses a Job that has them with other values than its own UID and name.
//
// Source: generateSelector in pkg/registry/batch/job/strategy.go, validateGeneratedSelector in
// pkg/apis/batch/validation/validation.go, 1.27 to 1.37 (the two old ones alone: to 1.26).
const (
	legacyUIDLabel  = "controller-uid"
	legacyNameLabel = "job-name"
)

func isGenerated(label string) bool {
	switch label {
	case batchv1.ControllerUidLabel, batchv1.JobNameLabel, legacyUIDLabel, legacyNameLabel:
		return true
	default:
		return false
	}
}

// generatedValue returns what the API server generated for job under one of the four labels.
func generatedValue(label string, job *batchv1.Job) string {
	if label == batchv1.JobNameLabel || label == legacyNameLabel {
		return job.Name
	}
	return string(job.UID)
}

// copyWithoutGenerated returns a copy of labels without the generated ones, or nil if none are
// left.
func copyWithoutGenerated(labels map[string]string) map[string]string {
	var rest map[string]string
	for key, value := range labels {
		if isGenerated(key) {
			continue
		}
		if rest == nil {
			rest = make(map[string]string, len(labels))
		}
		rest[key] = value
	}
	return rest
}
