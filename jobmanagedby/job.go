// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	batchv1 "k8s.io/api/batch/v1"
)

// JobController is the reserved name of the built-in controller. A Job that carries it is run exactly
// like one without the field, but the API server does not take the two for the same: see
// [ValidateUpdate].
const JobController = batchv1.JobControllerName

// ManagedBy returns the controller that spec.managedBy makes responsible for the Job, which is
// [JobController] where the field is not set.
//
// It says what the Job asks for. Whether the built-in controller of a given release acts on it is for
// [Decide]. The empty string, which no API server from 1.30 on stores, is returned as it is: it names
// nobody, and the built-in controller does not take it for unset.
func ManagedBy(job *batchv1.Job) string { return managedBy(job.Spec.ManagedBy) }

// TemplateManagedBy is [ManagedBy] for the Jobs that will be created from a template, such as
// spec.jobTemplate of a CronJob.
func TemplateManagedBy(template *batchv1.JobTemplateSpec) string {
	return managedBy(template.Spec.ManagedBy)
}

func managedBy(name *string) string {
	if name == nil {
		return JobController
	}
	return *name
}

// IsManagedBy reports whether [ManagedBy] returns controller: names are compared byte for byte. Ask
// it at every reconcile, not only in a watch filter. A queued key may by then stand for another Job,
// deleted and created again under the same name.
func IsManagedBy(job *batchv1.Job, controller string) bool { return ManagedBy(job) == controller }

// BuiltInSkips reports whether the built-in controller leaves the Job alone wherever the field is
// honoured, that is by default from 1.32 and always from 1.35: if and only if the field is set, and
// not to [JobController]. For older releases, and for a reason, ask [Decide].
//
// Source: managedByExternalController in pkg/controller/job/job_controller.go, 1.30 to 1.38; the
// empty string is a foreign name there too.
func BuiltInSkips(job *batchv1.Job) bool { return ManagedBy(job) != JobController }
