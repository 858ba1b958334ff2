// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// Releases lists the releases that can be asked, the oldest first.
func Releases() ([]string, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(root, modFile("*")))
	if err != nil {
		return nil, err
	}
	releases := make([]string, len(files))
	for i, file := range files {
		releases[i] = strings.TrimSuffix(filepath.Base(file), ".mod")
	}
	slices.SortFunc(releases, compareReleases)
	return releases, nil
}

func compareReleases(a, b string) int {
	if version.MustParseSemantic(a).LessThan(version.MustParseSemantic(b)) {
		return -1
	}
	return 1
}

// build brings the oracle for a release up to date and returns its path. It takes a minute or more
// the first time, and less than a second when there is nothing to do: go build leaves the program
// in the cache alone when it is what it would build.
func build(release string) (string, error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	program := filepath.Join(cache, "oracle-"+release)
	cmd := exec.Command("go", "build", "-modfile="+modFile(release), "-o", program, ".")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("oracle %s: %w\n%s", release, err, out)
	}
	return program, nil
}

// cacheDir makes the directory for the programs: in the user's cache or, without a home or where it
// cannot be written to, among the temporary files.
func cacheDir() (string, error) {
	if cache, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(cache, "managedby")
		if err := os.MkdirAll(dir, 0o700); err == nil {
			return dir, nil
		}
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("managedby-%d", os.Getuid()))
	return dir, os.MkdirAll(dir, 0o700)
}

func modFile(release string) string { return filepath.Join("releases", release+".mod") }

// moduleRoot is the directory of the oracle's go.mod, below which the tests run.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(string(bytes.TrimSpace(out))), nil
}
