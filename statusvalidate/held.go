// SPDX-License-Identifier: Apache-2.0

package statusvalidate

import (
	"fmt"
	"strings"

	"github.com/managedby-dev/managedby/jobmanagedby"
)

// patch is a release of Kubernetes 1: its minor and patch number.
type patch struct{ minor, patch uint }

func (p patch) String() string { return fmt.Sprintf("1.%d.%d", p.minor, p.patch) }

// landing says from which releases on something is so: a fix lands in the patch releases of
// several branches, in rising order, and is in every minor release after the last of them.
type landing []patch

// reached reports whether r is at or behind the landing. No landing at all is never reached.
func (l landing) reached(r jobmanagedby.Release) bool {
	if len(l) == 0 {
		return false
	}
	for _, p := range l {
		if r.AtLeast(1, p.minor, p.patch) && !r.AtLeast(1, p.minor+1, 0) {
			return true
		}
	}
	return r.AtLeast(1, l[len(l)-1].minor+1, 0)
}

// String names patch releases only where they matter: "1.31" is 1.31.0.
func (l landing) String() string {
	names := make([]string, len(l))
	for i, p := range l {
		names[i] = strings.TrimSuffix(p.String(), ".0")
	}
	return strings.Join(names, ", ")
}

// held says which releases hold a rule.
type held struct {
	since, until landing
	strict       bool // only where the API server's JobManagedBy gate is on
}

func (h held) in(r jobmanagedby.Release) bool {
	return h.since.reached(r) && !h.until.reached(r) && (!h.strict || r.HonorsManagedBy())
}

func (h held) String() string {
	s := "all"
	if h.since[0].minor > 0 {
		s = h.since.String() + " and later"
	}
	if len(h.until) > 0 {
		s = fmt.Sprintf("from %v, before %v", h.since, h.until)
	}
	return s
}

// The releases of the table. The points are those at which pkg/apis/batch/validation or the status
// strategy of pkg/registry/batch/job changed.
var (
	everyRelease = held{since: landing{{0, 0}}}
	since130     = held{since: landing{{30, 0}}}
	only130      = held{since: landing{{30, 0}}, until: landing{{31, 0}}}

	strict130 = held{since: landing{{30, 0}}, strict: true}
	strict131 = held{since: landing{{31, 0}}, strict: true}

	// A suspended Job of zero completions may finish without ever having started.
	zeroCompletions       = landing{{32, 7}, {33, 3}, {34, 0}}
	beforeZeroCompletions = held{since: landing{{30, 0}}, until: zeroCompletions, strict: true}
	sinceZeroCompletions  = held{since: zeroCompletions, strict: true}

	// A Job that resumes may start anew.
	resume       = landing{{32, 10}, {33, 6}, {34, 2}, {35, 0}}
	beforeResume = held{since: landing{{30, 0}}, until: resume, strict: true}
	resumeTo135  = held{since: resume, until: landing{{36, 0}}, strict: true}
	since136     = held{since: landing{{36, 0}}, strict: true}
)
