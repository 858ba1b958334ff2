// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"fmt"
	"math/bits"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// rowSet is a set of rows of the table, by their place in it.
type rowSet uint64

var newestRows = rowsOf(jobmanagedby.Release{})

func rowsOf(apiServer jobmanagedby.Release) (rows rowSet) {
	for i := range table {
		if table[i].held.in(apiServer) {
			rows |= 1 << i
		}
	}
	return rows
}

// first returns the place of the first row; there must be one. To go through a set, take the first
// row away with rows &= rows - 1.
func (rows rowSet) first() int { return bits.TrailingZeros64(uint64(rows)) }

// strictest leaves out the rows that a row above them makes superfluous: the looser versions of
// the same rule.
func (rows rowSet) strictest() (strictest rowSet) {
	var last Rule
	for ; rows != 0; rows &= rows - 1 {
		if i := rows.first(); table[i].rule != last {
			strictest |= 1 << i
			last = table[i].rule
		}
	}
	return strictest
}

// lookedAtFor has the rows that each kind of change calls for, by its bit.
var lookedAtFor = rowsByChange()

func rowsByChange() (rows [kindsOfChange]rowSet) {
	for i := range table {
		for kind := range rows {
			if table[i].when&(1<<kind) != 0 {
				rows[kind] |= 1 << i
			}
		}
	}
	return rows
}

// lookedAt returns the rows that an update which makes these changes calls for.
func lookedAt(c changes) (rows rowSet) {
	for ; c != 0; c &= c - 1 {
		rows |= lookedAtFor[bits.TrailingZeros16(uint16(c))]
	}
	return rows
}

// strictByDefault returns the first patch of every minor release whose JobManagedBy gate is on by
// default. Later patches only relax rules, so that the first one speaks for all.
func strictByDefault() (releases []jobmanagedby.Release) {
	for minor := jobmanagedby.Newest().Version.Minor(); ; minor-- {
		r := jobmanagedby.Release{Version: version.MustParseGeneric(fmt.Sprintf("1.%d.0", minor))}
		if !r.HonorsManagedBy() {
			return releases
		}
		releases = append(releases, r)
	}
}
