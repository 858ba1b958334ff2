// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// Config is an API server, as far as it matters here.
type Config struct {
	Release         string // one of Releases, such as 1.37.2
	FeatureGates    string // as for kube-apiserver, such as JobManagedBy=false
	EmulatedVersion string // such as 1.34
}

const (
	gateOn  = "JobManagedBy=true"
	gateOff = "JobManagedBy=false"
)

// Configs lists every release with its gates as shipped and, where the release has a choice, with
// JobManagedBy the other way round. The environment variable ORACLE_RELEASES, a list of releases with
// spaces between, makes the list shorter.
func Configs() ([]Config, error) {
	releases, err := Releases()
	if err != nil {
		return nil, err
	}
	only := strings.Fields(os.Getenv("ORACLE_RELEASES"))
	var all []Config
	for _, release := range releases {
		if len(only) > 0 && !slices.Contains(only, release) {
			continue
		}
		all = append(all, Config{Release: release})
		if gates := otherGates(release); gates != "" {
			all = append(all, Config{Release: release, FeatureGates: gates})
		}
	}
	return all, nil
}

// otherGates is how to set JobManagedBy against the default, or "" where it is locked or gone.
func otherGates(release string) string {
	switch minor := version.MustParseSemantic(release).Minor(); {
	case minor < 32:
		return gateOn
	case minor < 35:
		return gateOff
	}
	return ""
}

// APIServer says the same in the words of jobmanagedby.
func (c Config) APIServer() jobmanagedby.Release {
	r := jobmanagedby.Release{Version: version.MustParseSemantic(c.Release)}
	if c.EmulatedVersion != "" {
		r.Emulation = version.MustParseGeneric(c.EmulatedVersion)
	}
	if on := c.FeatureGates == gateOn; on || c.FeatureGates == gateOff {
		r.Gate = &on
	}
	return r
}

// String is short and can be part of a file name: 1.30.14, 1.30.14+gate, 1.32.13-gate, 1.37.2@1.34.
// Gates other than JobManagedBy are written out.
func (c Config) String() string {
	s := c.Release
	if c.EmulatedVersion != "" {
		s += "@" + c.EmulatedVersion
	}
	switch c.FeatureGates {
	case "":
		return s
	case gateOn:
		return s + "+gate"
	case gateOff:
		return s + "-gate"
	}
	return s + "," + c.FeatureGates
}
