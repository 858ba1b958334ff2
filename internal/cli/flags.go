// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"flag"
	"fmt"
)

// CheckEmpty says which flag was set to nothing.
func CheckEmpty(fs *flag.FlagSet) error {
	var empty error
	fs.Visit(func(f *flag.Flag) {
		if f.Value.String() == "" && empty == nil {
			empty = fmt.Errorf("-%s: it is empty", f.Name)
		}
	})
	return empty
}

// CheckWidth says whether text of that width is fit to be read.
func CheckWidth(width int) error {
	const narrowest, widest = 60, 1000
	switch {
	case width < narrowest:
		return fmt.Errorf("-width: %d is too narrow, %d is the least", width, narrowest)
	case width > widest:
		return fmt.Errorf("-width: %d is too wide, %d is the most", width, widest)
	}
	return nil
}
