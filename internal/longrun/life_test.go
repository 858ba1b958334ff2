// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

// life is one run of the simulation: the world, and what is known of it that no controller knows.
type life struct {
	rand    *rand.Rand
	policy  mirror.Policy
	traits  traits
	planner *mirror.Planner
	fault   fault
	events  []event
	strict  statusvalidate.Validator

	now        time.Time
	serial     int // of the last UID or resourceVersion
	management *cluster
	workers    []*cluster
	replicas   []*replica
	fair       bool
	fairSince  time.Time
	nested     bool // between two actions of a plan

	jobs    map[types.UID]*jobFacts
	mirrors map[types.UID]*mirrorFacts

	counts    map[string]int
	trace     []string
	violation string
}

// jobFacts are the truth about a local Job.
type jobFacts struct {
	result    string    // the type of its terminal condition
	disturbed bool      // somebody else deleted a mirror of it
	unguarded bool      // in the background, and it was not held: nobody waits for its pods
	abandoned bool      // its finalizer went before its mirror, by Policy.AbandonAfter
	claimed   time.Time // when it was sent last
	resumed   time.Time // when a user resumed it, after it had stopped, until the status shows it
	attempts  int       // for which there was a reason
	lost      int       // mirrors that disappeared on their own, and were made up for
	lostOn    string    // the worker on which one has disappeared, and is not yet made up for
}

// mirrorFacts are the truth about a mirror.
type mirrorFacts struct {
	owner     types.UID
	known     bool   // a controller has seen it, and done all that it planned then
	killed    bool   // it failed because its deletion killed its pods
	deletedBy string // who was first
	evicted   bool   // the controller was, before there was a result
	hastened  bool   // somebody deleted it in the background while it was being deleted in the foreground
}

const (
	byController = "the controller"
	byOthers     = "somebody else"
	byTTL        = "its TTL"
)

// newLife makes the world of a seed.
func newLife(seed uint64, f fault) (*life, error) {
	r := rand.New(rand.NewPCG(seed, 0))
	l := &life{
		rand: r, policy: randomPolicy(r), traits: randomTraits(r), fault: f, events: events(),
		now:  time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		jobs: map[types.UID]*jobFacts{}, mirrors: map[types.UID]*mirrorFacts{}, counts: map[string]int{},
	}
	planned := l.policy
	if f.policy != nil {
		f.policy(&planned)
	}
	planner, err := mirror.New(planned)
	if err != nil {
		return nil, err
	}
	l.planner, l.strict = planner, statusvalidate.ForAll(l.policy.Management...)
	l.management = newCluster(l, "management")
	l.workers = []*cluster{newCluster(l, "w0"), newCluster(l, "w1")}
	l.replicas = []*replica{newReplica(l, "A", 0), newReplica(l, "B", l.traits.replicaSkew)}
	l.createLocal()
	return l, nil
}

// run lets things happen, and then settle.
func (l *life) run() {
	for range 100 + l.rand.IntN(400) {
		if l.violation != "" {
			return
		}
		l.happens()
	}
	l.settle()
}

func (l *life) clusters() []*cluster { return append([]*cluster{l.management}, l.workers...) }

func (l *life) next() int {
	l.serial++
	return l.serial
}

func (l *life) logf(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	l.trace = append(l.trace, l.now.Format("02 15:04:05  ")+line[:min(len(line), 600)])
}

// violate notes the first thing that is wrong.
func (l *life) violate(format string, args ...any) {
	if l.violation == "" {
		l.violation = fmt.Sprintf(format, args...)
		l.logf("WRONG: %s", l.violation)
	}
}

func (l *life) count(event string) { l.counts[event]++ }

// anyDown reports whether some worker does not answer.
func (l *life) anyDown() bool {
	for _, c := range l.workers {
		if c.down {
			return true
		}
	}
	return false
}

// String describes the world of a life, for the trace.
func (l *life) String() string {
	p, t := l.policy, l.traits
	releases := make([]string, 0, len(p.Management))
	for _, r := range p.Management {
		releases = append(releases, r.String())
	}
	return fmt.Sprintf("hold=%v exclusive=%v keep=%v attempts=%d lost=%q condition=%q stamp=%v suspend=%q ttl=%v abandon=%v retry=%v pooled=%v management=%s worker=%s\n"+
		"old=%v indexed=%v workerSkew=%v replicaSkew=%v big=%v",
		p.HoldMirror, p.ExclusiveOrigin, p.KeepFinished, p.MaxAttempts, p.OnMirrorLost, p.Condition, p.StampTerminal, p.Suspend, p.KeepTTL, p.AbandonAfter, p.RetryDelay,
		p.Target != nil, strings.Join(releases, ","), p.Worker, t.oldWorkers, t.indexed, t.workerSkew, t.replicaSkew, t.bigJobs)
}
