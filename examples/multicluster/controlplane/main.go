// SPDX-License-Identifier: Apache-2.0

// Command controlplane is the kube-apiserver or the kube-controller-manager of a Kubernetes release, by its
// first argument. Both in one program take half the time to link. The release is that of the go.mod which it
// is built with: releases has one for each.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata" // a CronJob may name a time zone

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

var components = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
}

func main() {
	if len(os.Args) < 2 || components[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: controlplane kube-apiserver|kube-controller-manager FLAGS")
		os.Exit(2)
	}
	command := components[os.Args[1]]()
	os.Args = os.Args[1:]
	os.Exit(cli.Run(command))
}
