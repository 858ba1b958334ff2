// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/demo"
)

func runDemo(ctx context.Context, args []string) int {
	set := flag.NewFlagSet("demo", flag.ContinueOnError)
	var o demo.Options
	o.Width, _, _ = term.GetSize(int(os.Stdout.Fd())) // 0 where it is no terminal
	set.StringVar(&o.Management, "management", cluster.Newest, "`release` of the management cluster")
	set.StringVar(&o.Worker, "worker", cluster.Newest, "`release` of the workers")
	set.StringVar(&o.SVG, "svg", "", "write a picture of the run to a `file`")
	set.DurationVar(&o.Patience, "timeout", 3*time.Minute, "how long the Jobs may take")
	logFile := set.String("log", filepath.Join(os.TempDir(), "multicluster-demo.log"), "`file` for the dispatcher's log")
	if err := parse(set, args); errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "multicluster demo:", err)
		return exitRefuse
	}
	if err := checkDemo(o); err != nil {
		fmt.Fprintln(os.Stderr, "multicluster demo:", err)
		return exitRefuse
	}
	log, err := os.Create(*logFile)
	if err == nil {
		defer log.Close()
		logTo(log, true)
		err = demo.Run(ctx, os.Stdout, o)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(os.Stderr, "multicluster demo: interrupted; nothing is left running")
		return exitInterrupted
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("it was not over within -timeout %v: %w", o.Patience, err)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "multicluster demo:", err)
		return exitFailed
	}
	return exitOK
}

// checkDemo finds what would end the run after it has begun.
func checkDemo(o demo.Options) error {
	if o.Patience <= 0 {
		return fmt.Errorf("-timeout %v leaves no time", o.Patience)
	}
	if o.SVG != "" {
		file, err := os.OpenFile(o.SVG, os.O_CREATE|os.O_WRONLY, 0o644) // an older picture stays until there is a new one
		if err != nil {
			return fmt.Errorf("-svg: %w", err)
		}
		_ = file.Close() // nothing was written
	}
	return cluster.CheckReleases(o.Management, o.Worker)
}
