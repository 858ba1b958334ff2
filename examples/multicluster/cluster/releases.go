// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// releasesDir has a .mod for each release that can be started, below this module's root.
const releasesDir = "controlplane/releases"

// CheckReleases says what is wrong with one of the releases: its control plane cannot be built here.
func CheckReleases(releases ...string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	there, err := releasesIn(filepath.Join(root, releasesDir))
	if err != nil {
		return err
	}
	for _, release := range releases {
		if !slices.Contains(there, release) {
			return fmt.Errorf("there is no control plane of %q, but of %s; go -C examples/multicluster run ./addrelease adds one",
				release, strings.Join(there, ", "))
		}
	}
	return nil
}

// releasesIn are in their order.
func releasesIn(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var releases []string
	for _, file := range files {
		if name, isModFile := strings.CutSuffix(file.Name(), ".mod"); isModFile {
			releases = append(releases, name)
		}
	}
	slices.SortFunc(releases, func(a, b string) int {
		if version.MustParseSemantic(a).LessThan(version.MustParseSemantic(b)) {
			return -1
		}
		return 1
	})
	return releases, nil
}
