// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

// Hazard is a way in which a kind does not do what people expect of the field. Values are stable.
type Hazard string

const (
	HazardNeverHonored  Hazard = "NeverHonored"  // no release leaves the object alone
	HazardHonoredLate   Hazard = "HonoredLate"   // the first releases with the field do not
	HazardClosedSet     Hazard = "ClosedSet"     // few names are taken
	HazardAnyString     Hazard = "AnyString"     // every name is, misspelt ones too
	HazardSetLater      Hazard = "SetLater"      // of an object that somebody runs already
	HazardNotImmutable  Hazard = "NotImmutable"  // it can change hands while it runs
	HazardNestedManager Hazard = "NestedManager" // the field is in its children, too
)

// HazardInfo is a row of [Kind.Hazards].
type HazardInfo struct {
	Hazard  Hazard
	Summary string
}

// Hazards returns the hazards of the kind, read off its columns, in a fixed order.
func (k Kind) Hazards() (hazards []HazardInfo) {
	for _, row := range hazardRows {
		if k.NoField == "" && row.holds(k) {
			hazards = append(hazards, row.HazardInfo)
		}
	}
	return hazards
}

var hazardRows = [...]struct {
	HazardInfo
	holds func(Kind) bool
}{
	{HazardInfo{HazardNeverHonored, "the operator runs the object whatever the field says"},
		func(k Kind) bool { return k.HonoredSince == "" }},
	{HazardInfo{HazardHonoredLate, "releases that have the field may run the object all the same"},
		func(k Kind) bool { return k.HonoredSince != "" && k.HonoredSince != k.Since }},
	{HazardInfo{HazardClosedSet, "a controller of your own cannot be named"},
		func(k Kind) bool { return len(k.Allowed) > 0 && k.Checked != CheckedByNobody }},
	{HazardInfo{HazardAnyString, "any string is taken, whatever the documentation says, and the object then waits for ever"},
		func(k Kind) bool { return k.Checked == CheckedByNobody && k.HonoredSince != "" }},
	{HazardInfo{HazardSetLater, "the field can be set on an object that runs, and removed again"},
		func(k Kind) bool { return k.Change == ChangeValueNever }},
	{HazardInfo{HazardNotImmutable, "said to be immutable, and every change is taken"},
		func(k Kind) bool { return k.Change == ChangeUnchecked }},
	{HazardInfo{HazardNestedManager, "the field occurs inside the object again, and holds up the children in a copy"},
		func(k Kind) bool { return len(k.Nested)+len(k.Embedded) > 0 }},
}
