// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import "github.com/managedby-dev/managedby/jobmanagedby"

// Validator answers for one API server, or for several. The zero Validator answers for the newest
// release known here, with its gates at their defaults; an upgrade of this module can therefore
// make it refuse more. Validators can be compared with ==, and are safe for concurrent use.
type Validator struct {
	differs rowSet // the rows in which it is unlike the newest release
}

// For returns the Validator that answers as an API server of that release does.
//
// A release newer than the newest known here is taken for it. One older than 1.30 checks the counts
// and the uncounted pods only.
func For(apiServer jobmanagedby.Release) Validator {
	return validator(rowsOf(apiServer))
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
	return validator(rows.strictest())
}

func validator(rows rowSet) Validator { return Validator{differs: rows ^ newestRows} }

func (v Validator) rows() rowSet { return v.differs ^ newestRows }

// Allows reports whether the API server would accept the update: whether [Validator.Validate] would
// return nothing. It allocates nothing, unless more than 32 uncounted pods are to be compared.
func (v Validator) Allows(c Change) bool {
	f := factsOf(c)
	for rows := v.rows() & lookedAt(f.changed); rows != 0; rows &= rows - 1 {
		if table[rows.first()].broken(f) {
			return false
		}
	}
	return true
}

// Validate returns what the API server would object to in the status of c.New, in its order, and
// nil if and only if it would accept the update.
//
// As there, most rules are looked at only if the update changes what they are about (ratcheting): a
// Job whose status breaks a rule already can still be updated in other respects. Also as there, the
// rules hold for every Job, not only for those with spec.managedBy.
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
	for rows := v.rows() & lookedAt(f.changed); rows != 0; rows &= rows - 1 {
		if r := &table[rows.first()]; r.broken(f) {
			vs = r.report(vs, f)
		}
	}
	return vs
}

// Broken returns the rules that Validate would report violations of, in its order, each once, and nil
// if the API server would accept the update. It is Validate for programs that look at nothing else:
// no errors are made.
func (v Validator) Broken(c Change) (rules []Rule) {
	f := factsOf(c)
	for rows := v.rows() & lookedAt(f.changed); rows != 0; rows &= rows - 1 {
		if r := &table[rows.first()]; r.broken(f) {
			rules = append(rules, r.rule)
		}
	}
	return rules
}

// report adds what the API server answers to an update that breaks the rule.
func (r *row) report(vs Violations, f facts) Violations {
	for _, err := range r.errs(f, textOf[r.rule].summary) {
		vs = append(vs, &Violation{Rule: r.rule, Err: err})
	}
	return vs
}
