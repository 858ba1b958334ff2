// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed" // of the list of equivalent mutants
	"fmt"
	"path/filepath"
	"strings"
)

// equivalentText has an entry for each mutant that does the same as the original: the file, the lines
// before with a minus and after with a plus, as survivors are printed, and the reason. Blank lines stand
// between entries.
//
//go:embed equivalent.txt
var equivalentText string

// equivalent is an entry: a mutant by its text, so that it is found again when other lines move.
type equivalent struct{ file, diff string }

func parseEquivalents(text string) (all []equivalent, err error) {
	for _, entry := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if entry == "" {
			continue
		}
		lines := strings.Split(entry, "\n")
		reason := strings.TrimPrefix(lines[len(lines)-1], "why: ")
		if len(lines) < 3 || reason == lines[len(lines)-1] || reason == "" {
			return nil, fmt.Errorf("an equivalent mutant has a file, a diff and a line that begins with why, not\n%s", entry)
		}
		all = append(all, equivalent{file: lines[0], diff: strings.Join(lines[1:len(lines)-1], "\n")})
	}
	return all, nil
}

// without leaves known equivalents out. It is an error if one of a file among paths is not there.
func without(mutants []mutant, known []equivalent, paths []string) (rest []mutant, err error) {
	seen := map[equivalent]bool{}
	for _, m := range mutants {
		seen[m.id()] = true
	}
	skip := map[equivalent]bool{}
	for _, e := range known {
		for _, path := range paths {
			if fileOf(path) == e.file && !seen[e] {
				return nil, fmt.Errorf("equivalent.txt has what is no mutant of %s:\n%s", e.file, e.diff)
			}
		}
		skip[e] = true
	}
	for _, m := range mutants {
		if !skip[m.id()] {
			rest = append(rest, m)
		}
	}
	return rest, nil
}

func (m mutant) id() equivalent { return equivalent{fileOf(m.path), m.diff()} }

// fileOf is the path from the root of the repository, for a file one directory deep.
func fileOf(path string) string {
	return filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
}

// diff is the mutant as the lines that it changes, without their indentation.
func (m mutant) diff() string {
	var b strings.Builder
	for _, line := range trimmedLines(m.before + m.old + m.after) {
		b.WriteString("- " + line + "\n")
	}
	for _, line := range trimmedLines(m.before + m.text + m.after) {
		b.WriteString("+ " + line + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func trimmedLines(text string) (lines []string) {
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
