// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// validateTarget returns why no Job with that spec can be created and run under a name. The
// namespace is a DNS label and the name a DNS subdomain. Where the worker generates the selector,
// the name is also a label value. For an Indexed Job the name of its last pod's host,
// name-(completions-1), is a DNS label. Without these the create is refused on every release from
// 1.29 on, and on older ones the pods are.
//
// The field is always that of the mirror's name, though the API server says spec.template.labels of
// a name that is too long for a label.
//
// Source: ValidateJobCreate (ValidateJob before 1.37) and validateNameAllowsCompletions in
// pkg/apis/batch/validation/validation.go; manageJob in pkg/controller/job/job_controller.go.
func validateTarget(target types.NamespacedName, spec *batchv1.JobSpec) field.ErrorList {
	suffix := hostSuffix(spec)
	if isDNSLabel(target.Namespace) && isDNSLabel(target.Name) && len(target.Name)+len(suffix) <= validation.DNS1123LabelMaxLength {
		return nil // a DNS label is all the rest as well
	}
	var errs field.ErrorList
	report := func(name, value, detail string, msgs []string) {
		for _, msg := range msgs {
			errs = append(errs, field.Invalid(field.NewPath("metadata", name), value, detail+msg))
		}
	}
	report("namespace", target.Namespace, "", validation.IsDNS1123Label(target.Namespace))
	report("name", target.Name, "", validation.IsDNS1123Subdomain(target.Name))
	if !hasManualSelector(spec) {
		report("name", target.Name, "as the value of the job-name label: ", validation.IsValidLabelValue(target.Name))
	}
	if suffix != "" {
		report("name", target.Name, "as host name "+target.Name+suffix+" of a pod: ", validation.IsDNS1123Label(target.Name+suffix))
	}
	return errs
}

// hostSuffix returns what follows the name of an Indexed Job in the host name of its last pod, and
// nothing for other Jobs and for one that has no pods.
func hostSuffix(spec *batchv1.JobSpec) string {
	completions := ptr.Deref(spec.Completions, 0)
	if ptr.Deref(spec.CompletionMode, batchv1.NonIndexedCompletion) != batchv1.IndexedCompletion || completions <= 0 {
		return ""
	}
	return "-" + strconv.Itoa(int(completions-1))
}

// isDNSLabel reports what validation.IsDNS1123Label does, without a regular expression.
func isDNSLabel(s string) bool {
	if s == "" || len(s) > validation.DNS1123LabelMaxLength || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
