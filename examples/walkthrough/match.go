package main

import (
	"fmt"
	"io"
	"strings"
)

// pair is a Job and what is taken for its mirror.
type pair struct {
	about         string
	local, remote sourced
}

// pairs returns what to walk through, and warnings about what is not.
func (o options) pairs(stdin io.Reader) ([]pair, []string, error) {
	if o.builtIn() {
		pairs, err := builtInPairs()
		return pairs, nil, err
	}
	locals, warnings, err := readJobs(o.local, stdin)
	if err != nil {
		return nil, nil, err
	}
	remotes, more, err := readJobs(o.remote, stdin)
	if err != nil {
		return nil, nil, err
	}
	pairs, alone := match(locals, remotes)
	if len(pairs) == 0 {
		return nil, nil, noMatch(locals, remotes)
	}
	warnings = append(warnings, more...)
	if len(alone) > 0 {
		warnings = append(warnings, fmt.Sprintf("%s: not in %s, and passed over: %s", alone[0].at.file, remotes[0].at.file, some(alone)))
	}
	return pairs, warnings, nil
}

func readJobs(path string, stdin io.Reader) (jobs []sourced, warnings []string, err error) {
	name, data, err := readFile(path, stdin)
	if err != nil {
		return nil, nil, err
	}
	if jobs, warnings, err = parseJobs(name, data); err != nil {
		return nil, nil, err
	}
	return jobs, warnings, unique(jobs)
}

// unique says which Job is there twice.
func unique(jobs []sourced) error {
	first := map[string]place{}
	for _, j := range jobs {
		if at, seen := first[j.key()]; seen {
			return j.at.error("metadata.name", "Job %s is there twice, first in %v", j.key(), at)
		}
		first[j.key()] = j.at
	}
	return nil
}

// match pairs the Jobs by namespace and name, in the order of the local ones.
func match(locals, remotes []sourced) (pairs []pair, alone []sourced) {
	byKey := map[string]sourced{}
	for _, r := range remotes {
		byKey[r.key()] = r
	}
	for _, l := range locals {
		r, ok := byKey[l.key()]
		if !ok {
			alone = append(alone, l)
			continue
		}
		pairs = append(pairs, pair{about: fmt.Sprintf("%v; %v", l.at, r.at), local: l, remote: r})
	}
	return pairs, alone
}

func noMatch(locals, remotes []sourced) error {
	return locals[0].at.error("metadata.name", "no Job matches by namespace and name: %s has %s, %s has %s",
		locals[0].at.file, some(locals), remotes[0].at.file, some(remotes))
}

// some names a few Jobs and says how many more there are.
func some(jobs []sourced) string {
	const few = 5
	var names []string
	for i, j := range jobs {
		if i == few {
			names = append(names, fmt.Sprintf("and %d more", len(jobs)-few))
			break
		}
		names = append(names, j.key())
	}
	return strings.Join(names, ", ")
}
