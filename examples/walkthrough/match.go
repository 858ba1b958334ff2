// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/managedby-dev/managedby/internal/jobfile"
)

// pair is a Job and what is taken for its mirror.
type pair struct {
	about         string
	local, remote jobfile.Sourced
}

// pairs returns what to walk through, and warnings about what is not.
func (o options) pairs(stdin io.Reader) ([]pair, []string, error) {
	if o.builtIn() {
		pairs, err := builtInPairs()
		return pairs, nil, err
	}
	locals, warnings, err := jobfile.Read(o.local, stdin)
	if err != nil {
		return nil, nil, err
	}
	remotes, more, err := jobfile.Read(o.remote, stdin)
	if err != nil {
		return nil, nil, err
	}
	matched, alone, err := jobfile.Match(locals, remotes)
	if err != nil {
		return nil, nil, err
	}
	var pairs []pair
	for _, m := range matched {
		pairs = append(pairs, pair{about: fmt.Sprintf("%v; %v", m[0].At, m[1].At), local: m[0], remote: m[1]})
	}
	warnings = append(warnings, more...)
	if len(alone) > 0 {
		warnings = append(warnings, jobfile.Alone(alone, remotes[0].At.File))
	}
	return pairs, warnings, nil
}
