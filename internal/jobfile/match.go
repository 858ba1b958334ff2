// SPDX-License-Identifier: Apache-2.0

package jobfile

import (
	"fmt"
	"io"
	"strings"
)

// Read returns the Jobs of a file, or of standard input, and warnings about what was passed over. A Job
// that is there twice is an error.
func Read(path string, stdin io.Reader) (jobs []Sourced, warnings []string, err error) {
	name, data, err := ReadFile(path, stdin)
	if err != nil {
		return nil, nil, err
	}
	if jobs, warnings, err = Parse(name, data); err != nil {
		return nil, nil, err
	}
	return jobs, warnings, unique(jobs)
}

// unique says which Job is there twice.
func unique(jobs []Sourced) error {
	first := map[string]Place{}
	for _, j := range jobs {
		if at, seen := first[j.Key()]; seen {
			return j.At.Errorf("metadata.name", "Job %s is there twice, first in %v", j.Key(), at)
		}
		first[j.Key()] = j.At
	}
	return nil
}

// Match pairs the Jobs of two files by namespace and name, in the order of the first one, and returns those
// of the first one that are alone. It is an error if none has a partner.
func Match(ours, theirs []Sourced) (pairs [][2]Sourced, alone []Sourced, err error) {
	byKey := map[string]Sourced{}
	for _, t := range theirs {
		byKey[t.Key()] = t
	}
	for _, o := range ours {
		if t, ok := byKey[o.Key()]; ok {
			pairs = append(pairs, [2]Sourced{o, t})
		} else {
			alone = append(alone, o)
		}
	}
	if len(pairs) == 0 {
		err = ours[0].At.Errorf("metadata.name", "no Job matches by namespace and name: %s has %s, %s has %s",
			ours[0].At.File, Names(ours), theirs[0].At.File, Names(theirs))
	}
	return pairs, alone, err
}

// Alone is a warning about Jobs that are in one file and not in the other.
func Alone(alone []Sourced, other string) string {
	return fmt.Sprintf("%s: not in %s, and passed over: %s", alone[0].At.File, other, Names(alone))
}

// Names names a few Jobs and says how many more there are.
func Names(jobs []Sourced) string {
	const few = 5
	var names []string
	for i, j := range jobs {
		if i == few {
			names = append(names, fmt.Sprintf("and %d more", len(jobs)-few))
			break
		}
		names = append(names, j.Key())
	}
	return strings.Join(names, ", ")
}
