// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/managedby-dev/managedby/internal/cli"
)

const (
	exitClean    = 0
	exitFindings = 1
	exitUsage    = 2 // the input is unusable
)

// program is what the surroundings give to a run.
type program struct {
	name           string // how the user calls it
	stdin          io.Reader
	stdout, stderr io.Writer
	now            time.Time
}

// commandName is how the user calls the program: as a plugin of kubectl, if it has the name of one.
func commandName(path string) string {
	if strings.TrimSuffix(filepath.Base(path), ".exe") == "kubectl-statuslint" {
		return "kubectl statuslint"
	}
	return "statuslint"
}

// run reads standard input only if a file is "-", and writes to standard output only when all of the input
// has been understood.
func (p program) run(args []string) int {
	opts, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(p.stdout, p.usage())
		return exitClean
	}
	if err != nil {
		return p.fail(fmt.Errorf("%w (-h shows what there is)", err))
	}
	report, warnings, err := opts.report(p.stdin, p.now)
	if err != nil {
		return p.fail(err)
	}
	for _, w := range append(cli.Notes(opts.releases), warnings...) {
		fmt.Fprintf(p.stderr, "%s: warning: %s\n", p.name, cli.Visible(w))
	}
	var out bytes.Buffer
	if err = opts.write(&out, report, cli.Palette{On: cli.TakesColour(p.stdout)}); err == nil {
		_, err = out.WriteTo(p.stdout)
	}
	switch {
	case err != nil:
		return p.fail(err)
	case report.Errors+report.Warnings > 0:
		return exitFindings
	}
	return exitClean
}

func (p program) fail(err error) int {
	fmt.Fprintf(p.stderr, "%s: %s\n", p.name, cli.Visible(err.Error()))
	return exitUsage
}

// usage is the text that -h prints, with the name that the user knows.
func (p program) usage() string { return strings.ReplaceAll(usage, "COMMAND", p.name) }
