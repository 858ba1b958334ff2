package statusvalidate

import (
	"fmt"
	"math/bits"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// Validator answers for one API server, or for several. The zero Validator answers for the newest
// release known here, with its gates at their defaults; an upgrade of this module can therefore make
// it refuse more. Validators can be compared with ==, and are safe for concurrent use.
type Validator struct {
	rows rowSet // empty: those of the newest release
}

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

// For returns the Validator that answers as an API server of that release does.
//
// A release newer than the newest known here is taken for it. One older than 1.30 checks the counts
// and the uncounted pods only.
func For(apiServer jobmanagedby.Release) Validator {
	return Validator{rows: rowsOf(apiServer)}
}

// ForAll returns a Validator that accepts what every one of the API servers accepts: that is what
// to ask during a rolling upgrade, when the next write may reach any of them. Its violations
// are those of all of them, each once, in the order of the rules; where releases differ in the type
// of an error, it is the oldest one's.
//
// Without arguments it answers for every release with the strict rules on by default, 1.32.0 to the
// newest known here. That set grows with this module, and with it what is refused.
func ForAll(apiServers ...jobmanagedby.Release) Validator {
	if len(apiServers) == 0 {
		apiServers = strictByDefault()
	}
	var rows rowSet
	for _, r := range apiServers {
		rows |= rowsOf(r)
	}
	return Validator{rows: rows.strictest()}
}

// strictest leaves out the rows that a row above them makes superfluous: the looser versions of
// the same rule.
func (rows rowSet) strictest() rowSet {
	seen := map[Rule]bool{}
	for i := range table {
		if !rows.has(i) {
			continue
		}
		if seen[table[i].rule] {
			rows &^= 1 << i
		}
		seen[table[i].rule] = true
	}
	return rows
}

func (rows rowSet) has(i int) bool { return rows&(1<<i) != 0 }

// first returns the place of the first row; there must be one.
func (rows rowSet) first() int { return bits.TrailingZeros64(uint64(rows)) }

// rowsAt has the rows that are looked at if one part of a status changes, by that part, and at the
// end those that are looked at always.
var rowsAt = func() (at [len(changeNames) + 1]rowSet) {
	for i := range table {
		if table[i].when == anything {
			at[len(changeNames)] |= 1 << i
		}
		for c := range changeNames {
			if table[i].when&(1<<c) != 0 {
				at[c] |= 1 << i
			}
		}
	}
	return at
}()

// lookedAt returns the rows that an update which changes c calls for.
func lookedAt(c changes) rowSet {
	rows := rowsAt[len(changeNames)]
	for ; c != 0; c &= c - 1 {
		rows |= rowsAt[bits.TrailingZeros16(uint16(c))]
	}
	return rows
}

func (v Validator) enabled() rowSet {
	if v.rows == 0 {
		return newestRows
	}
	return v.rows
}

// Allows reports whether the API server would accept the update: whether [Validator.Validate] would
// return nothing. It allocates nothing, unless more than 32 uncounted pods are to be compared.
func (v Validator) Allows(c Change) bool {
	f := factsOf(c)
	for rows := v.enabled() & lookedAt(f.changed); rows != 0; rows &= rows - 1 {
		if table[rows.first()].broken(f) {
			return false
		}
	}
	return true
}

// Validate returns what the API server would object to in the status of c.New, in its order, and
// nil if and only if it would accept the update.
//
// As there, most rules are looked at only if the update changes what they are about (ratcheting): a Job whose
// status breaks a rule already can still be updated in other respects. Also as there, the rules
// hold for every Job, not only for those with spec.managedBy.
//
// Values are compared as a typed client puts them on the wire: times as instants in whole seconds,
// a zero time as none. A Job has a condition if any entry of that type has that status. Where the
// spec leaves completions, parallelism or completionMode out, the API server's defaults count.
//
// Validate panics if one of the Jobs is nil, and on no other input. It changes neither, and what it
// returns shares no memory with them. It allocates nothing if it returns nil, with the exception
// [Validator.Allows] names.
func (v Validator) Validate(c Change) Violations {
	f := factsOf(c)
	var vs Violations
	for rows := v.enabled() & lookedAt(f.changed); rows != 0; rows &= rows - 1 {
		if r := &table[rows.first()]; r.broken(f) {
			vs = r.report(vs, f)
		}
	}
	return vs
}

// report adds what the API server answers to an update that breaks the rule.
func (r *row) report(vs Violations, f facts) Violations {
	for _, err := range r.errs(f, textOf[r.rule].summary) {
		vs = append(vs, &Violation{Rule: r.rule, Err: err})
	}
	return vs
}

// strictByDefault returns the first patch of every minor release whose JobManagedBy gate is on by default.
// Later patches only relax rules, so that the first one speaks for all.
func strictByDefault() (releases []jobmanagedby.Release) {
	for minor := jobmanagedby.Newest().Version.Minor(); ; minor-- {
		r := jobmanagedby.Release{Version: version.MustParseGeneric(fmt.Sprintf("1.%d.0", minor))}
		if !r.HonorsManagedBy() {
			return releases
		}
		releases = append(releases, r)
	}
}
