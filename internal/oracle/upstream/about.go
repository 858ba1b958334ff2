// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"errors"
	"runtime/debug"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

func about() (wire.Response, error) {
	release, err := release()
	return wire.Response{About: &wire.Server{Release: release, JobManagedBy: managedByGate()}}, err
}

// release is the version of k8s.io/kubernetes that this program was built with.
func release() (string, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", errors.New("built without module support")
	}
	for _, dep := range info.Deps {
		if dep.Path == "k8s.io/kubernetes" {
			return dep.Version, nil
		}
	}
	return "", errors.New("built without k8s.io/kubernetes")
}
