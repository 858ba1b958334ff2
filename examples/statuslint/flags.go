// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/managedby-dev/managedby/internal/cli"
	"github.com/managedby-dev/managedby/internal/jobfile"
	"github.com/managedby-dev/managedby/jobmanagedby"
)

const usage = `Says what is wrong with the status of Jobs: what an API server refuses, by which
rule, in which releases, and how to mend it; and what it lets pass and clients
trip over. Nothing is sent to a cluster.

  COMMAND FILE...
        Jobs as they are, from "kubectl get jobs -o yaml"
  COMMAND -old FILE -new FILE
        writes to the status of Jobs: as they are stored, and as they are sent
  COMMAND -audit FILE
        the writes to the status of Jobs in an API server's audit log
  COMMAND -error FILE
        an API server's answer to a write it refused: the Status object in JSON,
        or its message, as kubectl prints it or as it stands in a log:
        Job.batch "a" is invalid: status.failed: Invalid value: 1: ...

FILE is "-" for standard input. Jobs are YAML or JSON, in one or several
documents, each a Job, a JobList or a List; those of -old and -new are matched
by namespace and name. What is no Job, or no audit event, is passed over with a
warning.

A finding about a stored Job does not mean that it is in danger: most rules are
looked at only when a write changes what they are about.

  -release LIST      releases of the API server: one or several, separated by
                     commas, or "all" for the newest patches of 1.30 to 1.37.
                     Default: the newest patches that are strict by default,
                     1.32 to 1.37. One that is newer is taken for 1.37
  -o FORMAT          text (the default), json, or sarif (2.1.0)
  -width COLUMNS     width of the text (default 80)
  -h                 this text

In PATH as kubectl-statuslint it is a plugin:

  go build -o kubectl-statuslint ./examples/statuslint
  kubectl get jobs -A -o yaml | kubectl statuslint -

Text is in colour on a terminal, unless NO_COLOR is set. Exit status: 0 if there
is nothing to report, 1 if there is, 2 if the input is unusable.
`

// options are what the flags say.
type options struct {
	files    []string // Jobs as they are
	old, new string
	audit    string
	answer   string // of -error
	releases []jobmanagedby.Release
	format   string
	width    int
}

// files, old, audit and answer: one of them is set.

func parseFlags(args []string) (options, error) {
	var o options
	var release string
	fs := flag.NewFlagSet("statuslint", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.old, "old", "", "")
	fs.StringVar(&o.new, "new", "", "")
	fs.StringVar(&o.audit, "audit", "", "")
	fs.StringVar(&o.answer, "error", "", "")
	fs.StringVar(&release, "release", "", "")
	fs.StringVar(&o.format, "o", "text", "")
	fs.IntVar(&o.width, "width", 80, "")
	err := fs.Parse(args)
	for err == nil && fs.NArg() > 0 { // flags may come after files, as they may in kubectl
		o.files = append(o.files, fs.Arg(0))
		err = fs.Parse(fs.Args()[1:])
	}
	if err == nil {
		err = o.check(fs)
	}
	if err != nil {
		return options{}, err
	}
	if release == "" {
		release = strings.Join(strictPatches(), ",")
	}
	if o.releases, err = cli.ParseReleases(release); err != nil {
		return options{}, fmt.Errorf("-release: %w", err)
	}
	return o, nil
}

// strictPatches are the newest patches of the releases that have the strict rules by default.
func strictPatches() (names []string) {
	for _, name := range cli.NewestPatches() {
		if r, err := jobmanagedby.ParseRelease(name); err == nil && r.HonorsManagedBy() {
			names = append(names, name)
		}
	}
	return names
}

// check is about flags as a whole.
func (o options) check(fs *flag.FlagSet) error {
	if err := cli.CheckEmpty(fs); err != nil {
		return err
	}
	switch {
	case o.old == "" && o.new != "":
		return errors.New("-old: it is missing, but -new is there")
	case o.old != "" && o.new == "":
		return errors.New("-new: it is missing, but -old is there")
	case o.format != "text" && o.format != "json" && o.format != "sarif":
		return fmt.Errorf("-o: %q is not text, json or sarif", o.format)
	}
	if err := cli.CheckWidth(o.width); err != nil {
		return err
	}
	return o.checkInputs()
}

// checkInputs is about what is to be read: one kind of thing, and standard input once.
func (o options) checkInputs() error {
	kinds, inputs := 0, slices.Concat(o.files, []string{o.old, o.new, o.audit, o.answer})
	for _, given := range []bool{len(o.files) > 0, o.old != "", o.audit != "", o.answer != ""} {
		if given {
			kinds++
		}
	}
	stdin := 0
	for _, name := range inputs {
		if name == jobfile.Stdin {
			stdin++
		}
	}
	switch {
	case kinds == 0:
		return errors.New("there is nothing to read: name a file with Jobs, or - for standard input")
	case kinds > 1:
		return errors.New("files with Jobs, -old and -new, -audit, -error: give one of them, not several")
	case stdin > 1:
		return errors.New("only one file can be standard input")
	}
	return nil
}
