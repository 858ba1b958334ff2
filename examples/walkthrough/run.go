// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/managedby-dev/managedby/internal/cli"
)

const (
	exitDone    = 0
	exitRefused = 1 // a plan is Conflict or Invalid
	exitUsage   = 2 // the input is unusable
)

// run is the program. It reads standard input only if one of the files is "-", and writes to
// standard output only when all of the input has been understood.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, now time.Time) int {
	opts, err := parseFlags(args, now)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return exitDone
	}
	if err != nil {
		return fail(stderr, fmt.Errorf("%w (-h shows what there is)", err))
	}
	pairs, warnings, err := opts.pairs(stdin)
	if err != nil {
		return fail(stderr, err)
	}
	report, err := walk(pairs, opts)
	if err != nil {
		return fail(stderr, err)
	}
	for _, w := range append(cli.Notes(opts.releases), warnings...) {
		fmt.Fprintln(stderr, "walkthrough: warning:", cli.Visible(w))
	}
	var out bytes.Buffer
	if opts.json {
		err = writeJSON(&out, report)
	} else {
		err = writeText(&out, report, opts.introduction(), &page{cli.Page{Palette: cli.Palette{On: cli.TakesColour(stdout)}, Width: opts.width}})
	}
	if err == nil {
		_, err = out.WriteTo(stdout)
	}
	if err != nil {
		return fail(stderr, err)
	}
	if report.refused() {
		return exitRefused
	}
	return exitDone
}

func fail(stderr io.Writer, err error) int {
	fmt.Fprintln(stderr, "walkthrough:", cli.Visible(err.Error()))
	return exitUsage
}
