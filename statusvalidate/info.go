// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"fmt"
	"strings"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// RuleInfo describes a rule.
type RuleInfo struct {
	Rule    Rule
	Summary string // what must be so
	Remedy  string // what to write instead
	// LookedAt says what an update must change for the rule to be looked at; "always" if it need
	// not change anything.
	LookedAt string
	// Strict is true for the rules behind the API server's JobManagedBy gate, which is on by default
	// from 1.32 and cannot be switched off from 1.35.
	Strict bool
	// Versions of the rule, at least one. There are several where a release relaxed it or changed
	// the type of its error.
	Versions []RuleVersion
}

// RuleVersion is a rule as a range of releases has it.
type RuleVersion struct {
	// Releases is the range in words: "1.31 and later".
	Releases string

	held held
}

// HoldsIn reports whether an API server of that release enforces the rule.
func (i RuleInfo) HoldsIn(apiServer jobmanagedby.Release) bool {
	for _, v := range i.Versions {
		if v.held.in(apiServer) {
			return true
		}
	}
	return false
}

// String returns the id, the releases and the summary on one line.
func (i RuleInfo) String() string {
	names := make([]string, len(i.Versions))
	for j, v := range i.Versions {
		names[j] = v.Releases
	}
	return fmt.Sprintf("%s (%s; %s): %s", i.Rule, strings.Join(names, "; "), i.LookedAt, i.Summary)
}

// Rules returns every rule, in the order in which the API server reports them. It is made from the
// table that [Validator.Validate] walks; the caller may change the result.
func Rules() []RuleInfo {
	var infos []RuleInfo
	for i := range table {
		r := &table[i]
		if i == 0 || table[i-1].rule != r.rule {
			infos = append(infos, RuleInfo{
				Rule: r.rule, Summary: textOf[r.rule].summary, Remedy: textOf[r.rule].remedy,
				LookedAt: r.when.String(), Strict: r.held.strict,
			})
		}
		last := &infos[len(infos)-1]
		last.Versions = append(last.Versions, RuleVersion{Releases: r.held.String(), held: r.held})
	}
	return infos
}

// changeNames are in the order of the bits of changes.
var changeNames = [...]string{
	"Complete", "Failed", "FailureTarget", "SuccessCriteriaMet", "finished", "active", "ready", "terminating",
	"startTime", "completionTime", "uncountedTerminatedPods", "completedIndexes", "failedIndexes",
}

func (c changes) String() string {
	if c == anything {
		return "always"
	}
	var names []string
	for i, name := range changeNames {
		if c&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ") + " changes"
}
