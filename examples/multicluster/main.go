// SPDX-License-Identifier: Apache-2.0

// Command multicluster runs the Jobs of a management cluster on workers. It is a small but complete
// controller on the library of this repository.
//
//	go -C examples/multicluster run . demo
//	go -C examples/multicluster run . controller -management KUBECONFIG -worker name=KUBECONFIG ...
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `usage: multicluster COMMAND [FLAGS]

  demo         start three Kubernetes control planes here, and run a dozen Jobs on them
  controller   run the dispatcher against clusters of your own
  manifests    print what the dispatcher needs in a cluster: manifests management | manifests worker

-h after demo or controller lists its flags.
`

var commands = map[string]func(context.Context, []string) int{
	"demo": runDemo, "controller": runController, "manifests": runManifests,
}

func main() {
	if len(os.Args) == 2 && (os.Args[1] == "-h" || os.Args[1] == "--help" || os.Args[1] == "help") {
		fmt.Print(usage)
		return
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		if len(os.Args) > 1 {
			fmt.Fprintf(os.Stderr, "multicluster: there is no command %q\n\n", os.Args[1])
		}
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := commands[os.Args[1]](ctx, os.Args[2:])
	stop()
	os.Exit(code)
}
