// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/internal/jobfile"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

const usage = `Shows who manages a Job, what to create on the worker, and which status to write
back, by a management cluster of each release. Nothing is sent to a cluster.

  walkthrough                            four pairs of Jobs that are built in
  walkthrough -local FILE -remote FILE   yours, from "kubectl get jobs -o yaml"

FILE is YAML or JSON: Jobs, a JobList or a List, in one or several documents.
One of the two can be "-", standard input. Jobs are matched by namespace and
name. The whole next step is shown of those whose remote Job carries the keys
that a mirror has.

  -local FILE        Jobs of the management cluster, as the users created them
  -remote FILE       Jobs of the worker
  -controller NAME   the spec.managedBy value to answer to (default: each Job's
                     own, or acme.io/dispatcher)
  -origin NAME       what names the management cluster on the worker (default:
                     what the remote Job carries, else "management")
  -release LIST      releases of the management cluster, each with a plan of its
                     own: one or several, separated by commas, or "all", which
                     is the default and stands for the newest patches of 1.30 to
                     1.37. One that is newer is taken for 1.37. The last one is
                     shown in detail
  -now TIME          the time to plan for, such as 2026-03-02T10:30:00Z
                     (default: now; a fixed time for what is built in)
  -o FORMAT          text (the default) or json
  -width COLUMNS     width of the text (default 80)
  -h                 this text

Text is in colour on a terminal, unless NO_COLOR is set. Exit status: 0; 1 if a
plan is Conflict or Invalid; 2 if the input is unusable.
`

// options are what the flags say.
type options struct {
	local, remote string // both empty: the pairs that are built in
	controller    string // empty: each Job's own
	origin        string // empty: what the remote Job carries
	releases      []jobmanagedby.Release
	now           metav1.Time
	json          bool
	width         int
}

func (o options) builtIn() bool { return o.local == "" }

func parseFlags(args []string, now time.Time) (options, error) {
	var o options
	var release, at, format string
	fs := flag.NewFlagSet("walkthrough", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.local, "local", "", "")
	fs.StringVar(&o.remote, "remote", "", "")
	fs.StringVar(&o.controller, "controller", "", "")
	fs.StringVar(&o.origin, "origin", "", "")
	fs.StringVar(&release, "release", "all", "")
	fs.StringVar(&at, "now", "", "")
	fs.StringVar(&format, "o", "text", "")
	fs.IntVar(&o.width, "width", 80, "")
	if err := fs.Parse(args); err != nil {
		return options{}, err
	}
	if err := o.check(fs); err != nil {
		return options{}, err
	}
	var err error
	if o.releases, err = cli.ParseReleases(release); err != nil {
		return options{}, fmt.Errorf("-release: %w", err)
	}
	if o.json, err = wantsJSON(format); err != nil {
		return options{}, fmt.Errorf("-o: %w", err)
	}
	if o.now, err = o.time(at, now); err != nil {
		return options{}, fmt.Errorf("-now: %w", err)
	}
	return o, nil
}

// check is about flags as a whole.
func (o options) check(fs *flag.FlagSet) error {
	if fs.NArg() > 0 {
		return fmt.Errorf("%q: files go after -local and -remote", fs.Arg(0))
	}
	if err := cli.CheckEmpty(fs); err != nil {
		return err
	}
	switch {
	case o.local == "" && o.remote != "":
		return errors.New("-local: it is missing, but -remote is there")
	case o.local != "" && o.remote == "":
		return errors.New("-remote: it is missing, but -local is there")
	case o.local == jobfile.Stdin && o.remote == jobfile.Stdin:
		return errors.New("-local and -remote: only one of them can be standard input")
	}
	return cli.CheckWidth(o.width)
}

func wantsJSON(format string) (bool, error) {
	switch format {
	case "text":
		return false, nil
	case "json":
		return true, nil
	}
	return false, fmt.Errorf("%q is neither text nor json", format)
}

// time returns the time to plan for. The pairs that are built in look the same on every day.
func (o options) time(at string, now time.Time) (metav1.Time, error) {
	if at == "" && o.builtIn() {
		at = builtInTime
	}
	if at == "" {
		return metav1.NewTime(now), nil
	}
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return metav1.Time{}, fmt.Errorf("%q is no time such as %s", at, builtInTime)
	}
	return metav1.NewTime(t), nil
}
