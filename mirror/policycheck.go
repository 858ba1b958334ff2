// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateLifecycle checks the knobs of [Planner.PlanSpec] and [Planner.Decide].
func validateLifecycle(p Policy) field.ErrorList {
	errs := validateChoice("Suspend", p.Suspend, SuspendFollows, SuspendAtCreation)
	errs = append(errs, validateIgnoreFields(p.IgnoreFields)...)
	errs = append(errs, validateNotNegative("AbandonAfter", int64(p.AbandonAfter), p.AbandonAfter)...)
	errs = append(errs, validateChoice("OnMirrorLost", p.OnMirrorLost, RecreateMirror, FailJob)...)
	errs = append(errs, validateNotNegative("MaxAttempts", int64(p.MaxAttempts), p.MaxAttempts)...)
	errs = append(errs, validateNotNegative("RetryDelay", int64(p.RetryDelay), p.RetryDelay)...)
	return append(errs, validateCondition(p.Condition)...)
}

func validateChoice[T ~string](name string, value T, known ...T) field.ErrorList {
	for _, k := range known {
		if value == k {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(field.NewPath(name), value, known)}
}

func validateNotNegative(name string, value int64, shown any) field.ErrorList {
	if value >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath(name), shown, "must not be negative")}
}

func validateCondition(kind batchv1.JobConditionType) field.ErrorList {
	path := field.NewPath("Condition")
	if kind == "" {
		return nil
	}
	if known(kind) {
		return field.ErrorList{field.Forbidden(path, string(kind)+" belongs to the Job API")}
	}
	var errs field.ErrorList
	for _, msg := range validation.IsQualifiedName(string(kind)) {
		errs = append(errs, field.Invalid(path, kind, msg))
	}
	return errs
}
