// SPDX-License-Identifier: Apache-2.0

// Command addrelease makes the oracle answer for another Kubernetes release. It writes
// releases/VERSION.mod and .sum from the go.mod that the release was built with, and moves go.mod on
// where the release is the newest. Run it in the directory of the oracle's go.mod:
//
//	go run ./addrelease 1.37.2
//
// A module whose version the module proxy does not have can be taken from another, and a prerelease leaves go.mod
// alone:
//
//	go run ./addrelease 1.38.0-beta.0 sigs.k8s.io/structured-merge-diff/v7=v7.0.0
package main

import (
	"log"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/managedby-dev/managedby/internal/kubemod"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 || strings.HasPrefix(os.Args[1], "-") {
		log.Fatal("usage: go run ./addrelease 1.MINOR.PATCH [MODULE=VERSION ...]")
	}
	if err := add(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func add(release string, instead []string) error {
	upstream, err := kubemod.Fetch(release)
	if err != nil {
		return err
	}
	replacements, err := kubemod.Replacements(instead)
	if err != nil {
		return err
	}
	edits := append(upstream.Edits(release), replacements...)
	file := filepath.Join("releases", release+".mod")
	if err := os.WriteFile(file, []byte("module github.com/managedby-dev/managedby/internal/oracle\n"), 0o644); err != nil {
		return err
	}
	if err := kubemod.Edit(file, edits); err != nil {
		return err
	}
	// Loading the oracle, without the packages that use it, adds what is missing.
	if _, err := kubemod.Go(".", "list", "-mod=mod", "-modfile="+file, "-deps", "."); err != nil {
		return err
	}
	newer, err := newerThanMain(release)
	if err != nil || !newer || kubemod.IsPrerelease(release) {
		return err
	}
	if err := kubemod.Edit("go.mod", edits); err != nil {
		return err
	}
	_, err = kubemod.Go(".", "mod", "tidy")
	return err
}

func newerThanMain(release string) (bool, error) {
	main, err := kubemod.Read("go.mod")
	if err != nil {
		return false, err
	}
	for _, r := range main.Require {
		if r.Path == kubemod.Kubernetes {
			return version.MustParseSemantic(r.Version).LessThan(version.MustParseSemantic(release)), nil
		}
	}
	return true, nil
}
