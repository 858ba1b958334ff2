// SPDX-License-Identifier: Apache-2.0

// Command addrelease makes the control plane of another Kubernetes release available. It writes
// controlplane/releases/VERSION.mod and .sum from the go.mod that the release was built with. Run it in the
// directory of this module's go.mod:
//
//	go run ./addrelease 1.37.2
//
// A staging module whose version of that release the module proxy does not have can be taken from another patch
// level, where nothing that runs is in it (kube-controller-manager imports the controllers of EndpointSlices, and
// the clusters here do not start them):
//
//	go run ./addrelease 1.32.13 k8s.io/endpointslice=v0.32.12
package main

import (
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/managedby-dev/managedby/internal/kubemod"
)

const dir = "controlplane"

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
	file := filepath.Join("releases", release+".mod")
	const header = "module github.com/managedby-dev/managedby/examples/multicluster/controlplane\n"
	if err := os.WriteFile(filepath.Join(dir, file), []byte(header), 0o644); err != nil {
		return err
	}
	if err := kubemod.Edit(filepath.Join(dir, file), append(upstream.Edits(release), replacements...)); err != nil {
		return err
	}
	_, err = kubemod.Go(dir, "mod", "tidy", "-modfile="+file)
	return err
}
