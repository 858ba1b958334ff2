// SPDX-License-Identifier: Apache-2.0

// Package kubemod makes a go.mod file take the modules that a Kubernetes release was built with, for programs
// that are made from the release's sources. It asks the go command, and is no part of the library.
package kubemod

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// Kubernetes is the path of the module with the sources.
const Kubernetes = "k8s.io/kubernetes"

// Mod is a go.mod file as `go mod edit -json` prints it, as far as it matters here.
type Mod struct {
	Go      string
	Godebug []struct{ Key, Value string }
	Require []Version
	Replace []struct{ Old, New Version }
}

// Version is a module, or a directory where Version is empty.
type Version struct{ Path, Version string }

// Read reads a go.mod file.
func Read(file string) (mod Mod, err error) {
	return mod, goJSON(&mod, "mod", "edit", "-json", file)
}

var released = regexp.MustCompile(`^1\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$`)

// Fetch reads the go.mod of a Kubernetes release, such as 1.37.2 or 1.38.0-beta.0, from the module proxy.
func Fetch(release string) (Mod, error) {
	if !released.MatchString(release) {
		return Mod{}, fmt.Errorf("%q is no release: want 1.MINOR.PATCH, or one like 1.38.0-beta.0", release)
	}
	var module struct{ GoMod string }
	if err := goJSON(&module, "mod", "download", "-json", Kubernetes+"@v"+release); err != nil {
		return Mod{}, err
	}
	return Read(module.GoMod)
}

// Edits are the arguments of `go mod edit` that make a go.mod take what a release was built with, by its own
// go.mod. Upstream replaces its staging modules by directories of its repository, which are published as
// v0.MINOR.PATCH.
func (m Mod) Edits(release string) []string {
	edits := []string{"-go=" + m.Go, "-require=" + Kubernetes + "@v" + release}
	for _, g := range m.Godebug {
		edits = append(edits, "-godebug="+g.Key+"="+g.Value)
	}
	staging := "v0" + strings.TrimPrefix(release, "1")
	for _, r := range m.Replace {
		to := r.New
		if strings.HasPrefix(to.Path, "./staging/") {
			to = Version{r.Old.Path, staging}
		}
		edits = append(edits, Replacement(r.Old.Path, to))
	}
	return edits
}

// Replacement is the argument of `go mod edit` that replaces all versions of a module by another module.
func Replacement(path string, by Version) string {
	return "-replace=" + path + "=" + by.Path + "@" + by.Version
}

// Replacements are the arguments of `go mod edit` for modules given as MODULE=VERSION: that version is taken
// instead of the one that the release was built with.
func Replacements(modules []string) (edits []string, err error) {
	for _, module := range modules {
		path, version, ok := strings.Cut(module, "=")
		if !ok {
			return nil, fmt.Errorf("%q: want MODULE=VERSION", module)
		}
		edits = append(edits, Replacement(path, Version{path, version}))
	}
	return edits, nil
}

// IsPrerelease reports whether a release is none yet.
func IsPrerelease(release string) bool { return strings.Contains(release, "-") }

// Edit changes a go.mod file.
func Edit(file string, edits []string) error {
	_, err := Go(".", append(append([]string{"mod", "edit"}, edits...), file)...)
	return err
}

// Go runs the go command in a directory and returns what it prints.
func Go(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

func goJSON(into any, args ...string) error {
	out, err := Go(".", args...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}
