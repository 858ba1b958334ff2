// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

import "slices"

// Reasons that only [Kind.Decide] has, for kinds other than Job.
const (
	// ReasonIgnored: the operator keeps the field and runs the object all the same. Hazard: two
	// controllers run it. TrainJob before 2.3.0, and JAXJob.
	ReasonIgnored Reason = "Ignored"
	// ReasonNotAllowed: the kind has a closed set of names, and this is none of them. Hazard: the
	// object cannot be created so, and nobody of the set answers to it.
	ReasonNotAllowed Reason = "NotAllowed"
	// ReasonParked: nobody has looked at the value, and it is no name of a controller. Hazard: the
	// operator leaves the object alone, and so will everybody. MPIJob, AppWrapper, and Tekton's.
	ReasonParked Reason = "Parked"
	// ReasonNoField: the kind has no such field. No hazard, as nothing was asked for.
	ReasonNoField Reason = "NoField"
)

// KindReasons returns every reason that [Kind.Decide] has, those of [Reasons] included, in a fixed order
// and in a slice of the caller's own. Summaries of the latter speak of spec.managedBy and of the built-in
// controller; read for them the kind's field and its operator.
func KindReasons() []ReasonInfo {
	infos := make([]ReasonInfo, 0, len(kindMessages))
	for _, m := range kindMessages {
		infos = append(infos, rowOf(m.reason).ReasonInfo)
	}
	return infos
}

// kindRowOf returns the row of a reason for kinds other than Job. What Skip and Hazard are is the
// same for every kind.
func kindRowOf(r Reason) reasonRow {
	row := rowOf(r)
	row.message = kindMessages[slices.IndexFunc(kindMessages[:], func(m kindMessage) bool { return m.reason == r })].format
	return row
}

// kindReasonRows are the reasons that a Job does not have.
var kindReasonRows = []reasonRow{
	{ReasonInfo: ReasonInfo{ReasonIgnored, false, true,
		"the field names another controller, but this release of the operator runs the object all the same"}},
	{ReasonInfo: ReasonInfo{ReasonNotAllowed, true, true,
		"the field names a controller that is not in the closed set of the kind, so that the object cannot be created"}},
	{ReasonInfo: ReasonInfo{ReasonParked, true, true,
		"the field holds something that is no controller's name, which nobody has refused: the operator skips the object and " +
			"nobody else answers to it"}},
	{ReasonInfo: ReasonInfo{ReasonNoField, false, false, "the kind has no field to name its controller: the operator runs the object"}},
}

type kindMessage struct {
	reason Reason
	format string // %[1] is the name, %[2] the operator and release, %[3] the path, %[4] the kind, %[5] what to do
}

var kindMessages = [...]kindMessage{
	{ReasonUnset, "%[3]s is not set: %[2]s runs the %[4]s"},
	{ReasonReservedName, "%[3]s is %[1]s, the name of the operator: %[2]s runs the %[4]s"},
	{ReasonDelegated, "%[3]s is %[1]q: %[2]s skips the %[4]s; if nothing happens, check that a controller of exactly this name is installed"},
	{ReasonEmptyName, "%[3]s is %[1]q: %[2]s skips the %[4]s and nobody answers to an empty name; create it anew without the field " +
		"or with the name of a controller"},
	{ReasonGateOff, "%[3]s is %[1]q, but JobManagedBy is off in %[2]s, which runs the %[4]s too; turn the gate on, or %[5]s"},
	{ReasonReleaseTooOld, "%[3]s is %[1]q, but %[2]s does not know the field and runs the %[4]s too; %[5]s"},
	{ReasonIgnored, "%[3]s is %[1]q, but %[2]s runs the %[4]s all the same; %[5]s, and keep other controllers away until then"},
	{ReasonNotAllowed, "%[3]s is %[1]q, which the kind %[4]s cannot have: beside the name of the operator it takes %[5]s only"},
	{ReasonParked, "%[3]s is %[1]q, which is no name of a controller, and nobody has checked that: %[2]s skips the %[4]s, and it waits " +
		"for ever; create it anew with a name such as acme.io/dispatcher"},
	{ReasonNoField, "the kind %[4]s has no field to name its controller, and %[2]s runs it: %[5]s"},
}
