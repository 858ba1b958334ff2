// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"fmt"
	"slices"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// IndexesWellFormed is what the rules about index lists ask.
func IndexesWellFormed(list string, completions int32) bool { return !malformed(list, completions) }

// Overlap is what the rule about two index lists asks.
func Overlap(completed, failed string, completions int32) (index int64, found bool) {
	return overlap(completed, failed, completions)
}

// Landings returns every patch release at which a row of the table begins or ends.
func Landings() (names []string) {
	for i := range table {
		for _, p := range append(table[i].held.since, table[i].held.until...) {
			names = append(names, p.String())
		}
	}
	return names
}

// Mutant is the table with something wrong in one row.
type Mutant struct {
	Name        string
	SwitchedOff bool // the row is
	table       []row
}

// Apply makes the package run on the mutant until undo is called. A Validator is good for one
// table only.
func (m Mutant) Apply() (undo func()) {
	original := table
	set := func(rows []row) {
		table = rows
		newestRows, lookedAtFor = rowsOf(jobmanagedby.Release{}), rowsByChange()
	}
	set(m.table)
	return func() { set(original) }
}

// Mutants returns the table with each row switched off, looked at for other changes, held by other
// releases, and swapped with the next one.
func Mutants() (all []Mutant) {
	for i := range table {
		add := func(what string, change func(rows []row)) {
			rows := slices.Clone(table)
			change(rows)
			name := fmt.Sprintf("%s (%v) %s", table[i].rule, table[i].held, what)
			all = append(all, Mutant{Name: name, SwitchedOff: rows[i].when == 0, table: rows})
		}
		add("is switched off", func(rows []row) { rows[i].when = 0 })
		for what, when := range otherRatchets(table[i].when) {
			add(what, func(rows []row) { rows[i].when = when })
		}
		add("is strict or not, the other way round", func(rows []row) { rows[i].held.strict = !rows[i].held.strict })
		for j, p := range table[i].held.since {
			if p.minor == 0 {
				continue // it is held in all releases
			}
			add("is held from another release on", func(rows []row) { rows[i].held.since = shifted(rows[i].held.since, j) })
		}
		for j := range table[i].held.until {
			add("is held to another release", func(rows []row) { rows[i].held.until = shifted(rows[i].held.until, j) })
		}
		if i+1 < len(table) {
			add("is swapped with the next row", func(rows []row) { rows[i], rows[i+1] = rows[i+1], rows[i] })
		}
	}
	return all
}

func otherRatchets(when changes) map[string]changes {
	const someChange = anything - 1
	if when == anything {
		return map[string]changes{"is looked at only if something changes": someChange}
	}
	others := map[string]changes{"is always looked at": anything}
	for kind := range kindsOfChange {
		if bit := changes(1 << kind); when&bit != 0 && when != bit {
			others[fmt.Sprintf("is not looked at if %v", bit)] = when &^ bit
		}
	}
	return others
}

// shifted moves one point of a landing to the next patch.
func shifted(l landing, i int) landing {
	l = slices.Clone(l)
	l[i].patch++
	return l
}
