// SPDX-License-Identifier: Apache-2.0

package jobmanagedby

// gateStage is what the JobManagedBy gate is from one release on.
type gateStage struct {
	major, minor uint   // the first release of the stage
	name         string // as people say it
	on           bool   // honoured unless set otherwise
	settable     bool   // --feature-gates may set it otherwise
}

// gateStages is the life of the gate, newest first. Source: JobManagedBy in
// pkg/features/kube_features.go of 1.30 to 1.37 (1.32: versioned_kube_features.go); in 1.38.0-beta.0
// it is gone and nothing asks for it; in 1.29 neither the gate nor the field exists.
var gateStages = [...]gateStage{
	{1, 38, "gone", true, false},
	{1, 35, "locked on", true, false},
	{1, 32, "beta, on by default", true, true},
	{1, 30, "alpha, off by default", false, true},
	{0, 0, "no field", false, false},
}

// gate returns the stage that decides for r: by the emulated version as long as the binary has the
// gate at all (feature_gate.go of k8s.io/component-base; a version before the first stage is
// pre-alpha there, that is off and locked).
func (r Release) gate() gateStage {
	if r.emulates() && !r.AtLeast(gateStages[0].major, gateStages[0].minor, 0) {
		r.Version = r.Emulation
	}
	last := len(gateStages) - 1
	for _, g := range gateStages[:last] {
		if r.AtLeast(g.major, g.minor, 0) {
			return g
		}
	}
	return gateStages[last]
}

// emulates reports whether there is an emulated version that can be: none is newer than its binary.
func (r Release) emulates() bool {
	return usable(r.Emulation) && r.AtLeast(r.Emulation.Major(), r.Emulation.Minor(), 0)
}

// knowsField reports whether the gate decides at all, settable or not.
func (g gateStage) knowsField() bool { return g.on || g.settable }
