// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
)

// Decision is what the built-in controller does with a Job, and why.
type Decision struct {
	// Skip is true where the built-in controller leaves the Job alone.
	Skip bool
	// Controller is the one that the Job asks for, as [ManagedBy] returns it. With a hazard it is
	// not, or not alone, the one that acts.
	Controller string
	Reason     Reason
	// Message is one line for a person: what happens and, where that is not what was asked for, what
	// to do. Its wording may change; compare Reason.
	Message string
}

// Reason says why the built-in controller runs or skips a Job. The values are stable and fit for an
// event reason or a metric label. [Reasons] explains them.
type Reason string

const (
	ReasonUnset         Reason = "Unset"         // the field is not set
	ReasonReservedName  Reason = "ReservedName"  // it is [JobController]
	ReasonDelegated     Reason = "Delegated"     // it is another controller, and honoured
	ReasonEmptyName     Reason = "EmptyName"     // it is the empty string, which names nobody
	ReasonGateOff       Reason = "GateOff"       // the release knows it and does not honour it
	ReasonReleaseTooOld Reason = "ReleaseTooOld" // the release does not know it
)

// Hazard reports whether the Job will not be run by exactly one controller: the field is set and not
// honoured, so that two will fight over the Job, or it names nobody.
func (r Reason) Hazard() bool { return rowOf(r).Hazard }

// ReasonInfo is a row of [Reasons].
type ReasonInfo struct {
	Reason  Reason
	Skip    bool // what Decision.Skip is with this reason, always
	Hazard  bool // what Hazard returns
	Summary string
}

// Reasons returns every reason that [Decide] has, in a fixed order and in a slice of the caller's own.
func Reasons() []ReasonInfo {
	infos := make([]ReasonInfo, 0, len(reasonRows))
	for _, row := range reasonRows {
		infos = append(infos, row.ReasonInfo)
	}
	return infos
}

// Decide says what the built-in controller in a kube-controller-manager of the given release does with
// the Job. It is the release and the gate of the kube-controller-manager that holds the leader lease
// that count, not those of the API server: either can be older than the other.
//
// A stored field outlives the gate, so a Job that was delegated while the gate was on comes under two
// controllers when it is switched off, or when an older kube-controller-manager takes the lease. The
// reason is then a [Reason.Hazard]. The name is not checked for its form; see [ValidateName].
//
// Source: managedByExternalController and syncJob in pkg/controller/job/job_controller.go, 1.30 to
// 1.38.
func Decide(job *batchv1.Job, controllerManager Release) Decision {
	name := ManagedBy(job)
	row := rowOf(reasonFor(job.Spec.ManagedBy, controllerManager))
	return Decision{
		Skip:       row.Skip,
		Controller: name,
		Reason:     row.Reason,
		Message:    fmt.Sprintf(row.message, name, controllerManager),
	}
}

func reasonFor(name *string, r Release) Reason {
	switch {
	case name == nil:
		return ReasonUnset
	case *name == JobController:
		return ReasonReservedName
	case !r.gate().knowsField():
		return ReasonReleaseTooOld
	case !r.HonorsManagedBy():
		return ReasonGateOff
	case *name == "":
		return ReasonEmptyName
	}
	return ReasonDelegated
}

// reasonRow is everything that is known of a reason.
type reasonRow struct {
	ReasonInfo
	message string // a format: %[1] is the name in spec.managedBy, %[2] the release
}

// rowOf returns the zero row for a reason that is not in the table.
func rowOf(r Reason) reasonRow {
	for _, rows := range [...][]reasonRow{reasonRows[:], kindReasonRows} {
		for i := range rows {
			if rows[i].Reason == r {
				return rows[i]
			}
		}
	}
	return reasonRow{}
}

var reasonRows = [...]reasonRow{{
	ReasonInfo{ReasonUnset, false, false, "spec.managedBy is not set: the built-in controller runs the Job"},
	"spec.managedBy is not set: the built-in controller (%[1]s) of kube-controller-manager " +
		"%[2]s runs the Job",
}, {
	ReasonInfo{ReasonReservedName, false, false,
		"spec.managedBy is the reserved name of the built-in controller, which runs the Job as " +
			"if it were not set"},
	"spec.managedBy is the reserved name %[1]s: the built-in controller of " +
		"kube-controller-manager %[2]s runs the Job",
}, {
	ReasonInfo{ReasonDelegated, true, false,
		"spec.managedBy names another controller: the built-in controller skips the Job"},
	"spec.managedBy is %[1]q: the built-in controller of kube-controller-manager %[2]s skips " +
		"the Job; if nothing happens, check that a controller of exactly this name is installed",
}, {
	ReasonInfo{ReasonEmptyName, true, true,
		"spec.managedBy is the empty string: the built-in controller skips the Job and nobody " +
			"else answers to it"},
	"spec.managedBy is %[1]q: the built-in controller of kube-controller-manager %[2]s skips " +
		"the Job and nobody answers to an empty name; create the Job anew without the field or " +
		"with the name of a controller",
}, {
	ReasonInfo{ReasonGateOff, false, true,
		"spec.managedBy names another controller, but the JobManagedBy gate is off: the built-in " +
			"controller runs the Job too"},
	"spec.managedBy is %[1]q, but JobManagedBy is off in kube-controller-manager %[2]s: the " +
		"built-in controller runs the Job too; turn the gate on there and in every " +
		"kube-apiserver or upgrade to 1.32 or later, and keep the other controller away from the " +
		"Job until then",
}, {
	ReasonInfo{ReasonReleaseTooOld, false, true,
		"spec.managedBy names another controller, but the release does not know the field: the " +
			"built-in controller runs the Job too"},
	"spec.managedBy is %[1]q, but kube-controller-manager %[2]s does not know the field: the " +
		"built-in controller runs the Job too; upgrade to 1.32 or later, and keep the other " +
		"controller away from the Job until then",
}}
