// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"sync"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

var numPlans = flag.Int("plans", 10_000, "how many plans for a status each API server is asked about, in each test of plans")

// planned is a pair of Jobs with what else a plan depends on but for the release.
type planned struct {
	mirror.Pair
	opts mirror.StatusOptions
	body []byte // Local as a client sends it, up to the value of its status
}

// with returns the body with a status.
func (p planned) with(status *batchv1.JobStatus) []byte {
	value, err := json.Marshal(status)
	if err != nil {
		panic(err)
	}
	return append(append(bytes.Clone(p.body), value...), '}')
}

// write is the question whether Local may be given the status.
func (p planned) write(status *batchv1.JobStatus) []byte {
	return line(p.with(&p.Local.Status), p.with(status), "")
}

// bodyOf leaves out a status, and what is behind it.
func bodyOf(job *batchv1.Job, i int) []byte {
	bare := *job
	bare.Status = batchv1.JobStatus{}
	body, found := bytes.CutSuffix(slim(&bare, i), []byte("{}}"))
	if !found {
		panic("the status is not the last field of a Job")
	}
	return body
}

// randomOptions leaves the Validator to the release.
func randomOptions(random *rand.Rand) mirror.StatusOptions {
	return mirror.StatusOptions{
		Now:           metav1.Unix(1_760_000_000+random.Int64N(600), random.Int64N(2)*5e8),
		StampTerminal: random.IntN(2) == 0,
		Untold:        random.IntN(4) == 0,
	}
}

// tally counts plans by server and outcome.
type tally struct {
	mu       sync.Mutex
	outcomes map[mirror.StatusOutcome]int
	plans    int
	writes   int
}

func (c *tally) count(plan mirror.StatusPlan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.outcomes == nil {
		c.outcomes = map[mirror.StatusOutcome]int{}
	}
	c.outcomes[plan.Outcome]++
	c.plans++
	if plan.Status != nil {
		c.writes++
	}
}

func (c *tally) report(t *testing.T) {
	t.Logf("%d plans, %d writes: %v", c.plans, c.writes, c.outcomes)
	if c.writes == 0 {
		t.Error("nothing was to be written")
	}
}

// TestPlan asks about every status that ProjectStatus wants to write, for well-formed and for malformed
// pairs. None must be refused.
func TestPlan(t *testing.T) {
	g, random := jobgen.New(*seed), rand.New(rand.NewPCG(*seed, 1))
	generate := func(n int) (chunk []planned) {
		for i := range n {
			draw := g.Pair
			if i%2 == 0 {
				draw = g.WildPair
			}
			local, remote := draw()
			chunk = append(chunk, planned{mirror.Pair{Local: local, Remote: remote}, randomOptions(random), bodyOf(local, i)})
		}
		return chunk
	}
	var all tally
	stream(t, *numPlans, generate, func(s *server, chunk []planned) {
		var asked steps
		for _, p := range chunk {
			asked.plan(s, p)
		}
		asked.settle(s, &all)
	})
	all.report(t)
}

// steps are plans of one server, and questions about those that write.
type steps struct {
	plans  []mirror.StatusPlan
	lines  [][]byte
	askers []int // the plan that a line is about
}

func (a *steps) plan(s *server, p planned) mirror.StatusPlan {
	p.opts.Validator = statusvalidate.For(s.APIServer())
	plan := mirror.ProjectStatus(p.Pair, p.opts)
	a.plans = append(a.plans, plan)
	if plan.Status != nil {
		a.lines = append(a.lines, p.write(plan.Status))
		a.askers = append(a.askers, len(a.plans)-1)
	}
	return plan
}

func (a *steps) settle(s *server, all *tally) {
	for i, answer := range s.answers(a.lines) {
		if len(answer.Errors) > 0 {
			s.fault("refused: %s\nplan: %v\n%s", show(answer.Errors), a.plans[a.askers[i]], a.lines[i])
		}
	}
	for _, plan := range a.plans {
		all.count(plan)
	}
}

// life is a Job from the creation of its mirror on: what a controller sees, one after the other.
type life struct {
	local *batchv1.Job
	seen  []planned // Local is nil
	turns []bool    // before which the user suspends or resumes the local Job
}

// TestTrajectory plays whole lives: each plan is written, and the next one is made for what was stored. None
// of the writes must be refused, and a plan that was written must have nothing more to write.
func TestTrajectory(t *testing.T) {
	g, random := jobgen.New(*seed), rand.New(rand.NewPCG(*seed, 2))
	generate := func(n int) (chunk []life) {
		for plans := 0; plans < n; plans += len(chunk[len(chunk)-1].seen) {
			chunk = append(chunk, randomLife(g, random))
		}
		return chunk
	}
	var all tally
	stream(t, *numPlans, generate, func(s *server, chunk []life) {
		var asked steps
		for i, l := range chunk {
			asked.play(s, l, i)
		}
		asked.settle(s, &all)
	})
	all.report(t)
}

// randomLife is a life seen by a controller that misses some states of the mirror, and whose cache is
// sometimes a few behind.
func randomLife(g *jobgen.Gen, random *rand.Rand) (l life) {
	local, mirrors := g.Life()
	l.local = local
	for i := 0; i < len(mirrors); i++ {
		if random.IntN(6) == 0 {
			i = max(i-random.IntN(3), 0)
		} else if random.IntN(6) == 0 && i+1 < len(mirrors) {
			i++
		}
		l.seen = append(l.seen, planned{Pair: mirror.Pair{Remote: mirrors[i]}, opts: randomOptions(random)})
		l.turns = append(l.turns, random.IntN(20) == 0)
	}
	return l
}

func (a *steps) play(s *server, l life, i int) {
	local := *l.local
	for j, p := range l.seen {
		if l.turns[j] {
			local.Spec.Suspend = ptr.To(!*local.Spec.Suspend)
		}
		p.Local, p.body = &local, bodyOf(&local, i)
		plan := a.plan(s, p)
		if plan.Status == nil {
			continue
		}
		local.Status = stored(plan.Status)
		p.opts.Validator = statusvalidate.For(s.APIServer())
		if again := mirror.ProjectStatus(p.Pair, p.opts); again.Status != nil {
			s.fault("not settled: %v, then %v\n%s", plan, again, a.lines[len(a.lines)-1])
		}
	}
}

// stored is what comes back of a status that was written.
func stored(status *batchv1.JobStatus) (back batchv1.JobStatus) {
	value, err := json.Marshal(status)
	if err == nil {
		err = json.Unmarshal(value, &back)
	}
	if err != nil {
		panic(err)
	}
	return back
}

// TestBlindCopy counts how often the remote status of a well-formed pair is refused when it is copied as
// it is. It is what ProjectStatus is for, and cannot be nothing.
func TestBlindCopy(t *testing.T) {
	g := jobgen.New(*seed)
	generate := func(n int) (lines [][]byte) {
		for i := range n {
			local, remote := g.Pair()
			p := planned{Pair: mirror.Pair{Local: local, Remote: remote}, body: bodyOf(local, i)}
			lines = append(lines, p.write(&remote.Status))
		}
		return lines
	}
	servers := stream(t, *numPairs, generate, func(s *server, lines [][]byte) { s.answers(lines) })
	for _, s := range servers {
		t.Logf("%-13v refuses %d of %d, %.1f %%", s.Config, s.refused, s.asked, 100*float64(s.refused)/float64(s.asked))
		if s.APIServer().HonorsManagedBy() && s.refused == 0 {
			t.Errorf("%v refuses nothing", s.Config)
		}
	}
}
