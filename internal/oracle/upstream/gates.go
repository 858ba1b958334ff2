// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"errors"

	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

const jobManagedBy featuregate.Feature = "JobManagedBy"

// SetGates sets what the flags --emulated-version and --feature-gates of the API server set, for the
// whole process; empty strings change nothing. It fails for a gate that the release does not have or
// has locked.
func SetGates(emulatedVersion, gates string) error {
	if emulatedVersion != "" {
		if err := emulate(emulatedVersion); err != nil {
			return err
		}
	}
	return utilfeature.DefaultMutableFeatureGate.Set(gates)
}

// emulate asks for a method that the gates have from 1.31 on.
func emulate(emulatedVersion string) error {
	v, err := version.ParseGeneric(emulatedVersion)
	if err != nil {
		return err
	}
	gates, ok := utilfeature.DefaultMutableFeatureGate.(interface {
		SetEmulationVersion(*version.Version) error
	})
	if !ok {
		return errors.New("this release cannot emulate another")
	}
	return gates.SetEmulationVersion(v)
}

// managedByGate is nil where there is no such gate.
func managedByGate() *bool {
	if _, known := utilfeature.DefaultMutableFeatureGate.GetAll()[jobManagedBy]; !known {
		return nil
	}
	on := utilfeature.DefaultFeatureGate.Enabled(jobManagedBy)
	return &on
}
