// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// parse allows flags alone. With -h it prints them, and answers flag.ErrHelp.
func parse(set *flag.FlagSet, args []string) error {
	set.SetOutput(io.Discard) // who calls it prints the error
	set.Usage = func() {}
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Printf("usage: multicluster %s [FLAGS]\n\n", set.Name())
		set.SetOutput(os.Stdout)
		set.PrintDefaults()
		return err
	case err != nil:
		return fmt.Errorf("%w (-h lists the flags)", err)
	case set.NArg() > 0:
		return fmt.Errorf("unexpected argument %q (-h lists the flags)", set.Arg(0))
	}
	return nil
}
