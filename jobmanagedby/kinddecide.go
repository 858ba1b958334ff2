// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
)

// ParseOperator reads the version of a kind's operator as it prints it: "v2.3.0", "0.6.0",
// "v1.4.0-rc.1". Other than for Kubernetes itself ([ParseRelease]), every major version will do. A
// pre-release counts as its release. The error is a [*ParseError].
func ParseOperator(gitVersion string) (Release, error) {
	v, err := version.Parse(strings.TrimSpace(gitVersion))
	if err != nil {
		return Release{}, &ParseError{Field: "gitVersion", Value: gitVersion, Err: err}
	}
	return Release{Version: v}, nil
}

// Decide says what the operator of the kind, in the given release, does with the object, as [Decide] does
// for a Job. For the built-in kinds the release is that of the kube-controller-manager, for all others the
// operator's own version ([ParseOperator]), and one without a Version is the newest known here. That of
// a Job is, to the message, what [Decide] says.
//
// The errors are [*KindError] and [*MalformedError]: what cannot be read is never taken for not
// managed. A kind without the field has [ReasonNoField].
func (k Kind) Decide(u *unstructured.Unstructured, operator Release) (Decision, error) {
	if k.NoField != "" {
		return k.decision(ReasonNoField, k.Operator, operator), nil
	}
	name, isSet, err := k.managedBy(u)
	if err != nil {
		return Decision{}, err
	}
	var value *string
	if isSet {
		value = &name
	}
	if k.isJob() {
		return Decide(&batchv1.Job{Spec: batchv1.JobSpec{ManagedBy: value}}, operator), nil
	}
	return k.decision(k.reasonFor(value, operator), *k.orReserved(value), operator), nil
}

func (k Kind) isJob() bool { return k.Group == batchv1.GroupName && k.Kind == "Job" }

// isBuiltIn reports whether a kube-controller-manager runs the kind, and the gate counts.
func (k Kind) isBuiltIn() bool { return k.Reserved == JobController }

func (k Kind) reasonFor(name *string, operator Release) Reason {
	switch {
	case k.isBuiltIn():
		return reasonFor(name, operator)
	case name == nil:
		return ReasonUnset
	case *name == k.Reserved:
		return ReasonReservedName
	case !reaches(operator, k.Since):
		return ReasonReleaseTooOld
	case k.HonoredSince == "" || !reaches(operator, k.HonoredSince):
		return ReasonIgnored
	case *name == "":
		return ReasonEmptyName
	case k.Checked != CheckedByNobody && !k.isAllowed(*name):
		return ReasonNotAllowed
	case k.Form == FormAny && len(ValidateName(*name, field.NewPath(k.Field))) > 0:
		return ReasonParked
	}
	return ReasonDelegated
}

// reaches reports whether a release is a given one or later. One without a version is the newest.
func reaches(r Release, since string) bool {
	v, err := version.Parse(since)
	if err != nil || !usable(r.Version) {
		return err == nil
	}
	return r.AtLeast(v.Major(), v.Minor(), v.Patch())
}

func (k Kind) decision(reason Reason, name string, operator Release) Decision {
	row := kindRowOf(reason)
	return Decision{
		Skip: row.Skip, Controller: name, Reason: reason,
		Message: fmt.Sprintf(row.message, name, k.runner(operator), k.Field, k.Kind, k.remedy(reason)),
	}
}

// runner names the operator and its release.
func (k Kind) runner(r Release) string {
	switch {
	case k.isBuiltIn():
		return k.Operator + " " + r.String()
	case k.Operator == "":
		return "the operator"
	case usable(r.Version):
		return k.Operator + " " + r.Version.String()
	}
	return k.Operator
}

// remedy is what to do, where that depends on the kind.
func (k Kind) remedy(reason Reason) string {
	switch {
	case reason == ReasonNoField:
		return k.NoField
	case reason == ReasonNotAllowed:
		return strings.Join(k.Allowed, " or ")
	case k.HonoredSince == "":
		return "no release honours it"
	}
	return "upgrade to " + k.HonoredSince + " or later"
}
