// SPDX-License-Identifier: Apache-2.0

package mirror_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/jobgen"
	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

var (
	seed  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the generated Jobs")
	pairs = flag.Int("pairs", 200_000, "how many pairs of Jobs to generate")
)

// managements are the control planes that generated pairs are planned for, in turn.
var managements = func() map[string][]jobmanagedby.Release {
	release := func(v string, gate *bool) jobmanagedby.Release {
		return jobmanagedby.Release{Version: version.MustParseGeneric(v), Gate: gate}
	}
	one := func(r jobmanagedby.Release) []jobmanagedby.Release { return []jobmanagedby.Release{r} }
	on, off := ptr.To(true), ptr.To(false)
	return map[string][]jobmanagedby.Release{
		"1.30.14": one(release("1.30.14", nil)), "1.30.14+gate": one(release("1.30.14", on)),
		"1.31.14": one(release("1.31.14", nil)), "1.31.14+gate": one(release("1.31.14", on)),
		"1.32.2": one(release("1.32.2", nil)), "1.32.13": one(release("1.32.13", nil)), "1.32.13-gate": one(release("1.32.13", off)),
		"1.33.13": one(release("1.33.13", nil)), "1.34.0": one(release("1.34.0", nil)), "1.34.4": one(release("1.34.4", nil)),
		"1.34.4-gate": one(release("1.34.4", off)), "1.35.4": one(release("1.35.4", nil)),
		"1.36.3": one(release("1.36.3", nil)), "1.37.2": one(release("1.37.2", nil)),
		"every strict release": nil,
		"1.31.14 and 1.32.2":   {release("1.31.14", nil), release("1.32.2", nil)},
	}
}()

var managementNames = slices.Sorted(maps.Keys(managements))

// TestProjectStatusProperties checks the promises of ProjectStatus over generated pairs, a quarter of
// them with malformed statuses on either side.
func TestProjectStatusProperties(t *testing.T) {
	t.Logf("-seed=%d -pairs=%d", *seed, *pairs)
	n := *pairs
	if testing.Short() {
		n /= 10
	}
	g, clock := jobgen.New(*seed), rand.New(rand.NewPCG(*seed, 1))
	outcomes, rules := map[mirror.StatusOutcome]int{}, map[statusvalidate.Rule]int{}
	for i := range n {
		wild := i%4 == 0
		next := g.Pair
		if wild {
			next = g.WildPair
		}
		local, remote := next()
		name := managementNames[i/4%len(managementNames)]
		c := &checked{pair: mirror.Pair{Local: local, Remote: remote}, opts: mirror.StatusOptions{
			Validator: statusvalidate.ForAll(managements[name]...),
			Now:       metav1.Unix(1_760_000_000+clock.Int64N(600), 0),
		}, wild: wild}
		c.run()
		outcomes[c.plan.Outcome]++
		for _, a := range c.plan.Adjustments {
			rules[a.Rule]++
		}
		if len(c.faults) > 0 {
			t.Fatalf("pair %d, management %s, plan %v\nlocal: %s\nremote: %s\nwritten: %s\nfaults:\n%s", i, name, c.plan,
				show(local), show(remote), showStatus(c.plan.Status), strings.Join(c.faults, "\n"))
		}
	}
	t.Logf("outcomes: %v", outcomes)
	t.Logf("adjustments: %v", rules)
	for _, o := range mirror.StatusOutcomes() {
		if o != mirror.NotManaged && o != mirror.Resuming && outcomes[o] == 0 {
			t.Errorf("no pair had the outcome %s: the generator does not reach it", o)
		}
	}
}

// checked is a plan under examination.
type checked struct {
	pair   mirror.Pair
	opts   mirror.StatusOptions
	wild   bool // one of the sides may be malformed
	plan   mirror.StatusPlan
	faults []string
}

func (c *checked) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *checked) run() {
	before := mirror.Pair{Local: c.pair.Local.DeepCopy(), Remote: c.pair.Remote.DeepCopy()}
	c.plan = mirror.ProjectStatus(c.pair, c.opts)
	if !reflect.DeepEqual(before, c.pair) {
		c.fault("inputs changed: %s", cmp.Diff(before, c.pair))
	}
	if c.plan.Why == "" {
		c.fault("no reason given")
	}
	c.admissible()
	c.hidesStart()
	c.arrives()
	c.copiedAsItIs()
	c.minimal()
	c.ordered()
	c.settled()
	c.sharesNothing(before)
}

// allows asks what the management API server would say to a status.
func (c *checked) allows(s *batchv1.JobStatus) bool {
	return c.opts.Validator.Allows(statusvalidate.Change{Old: c.pair.Local, New: &batchv1.Job{Status: *s}})
}

func (c *checked) admissible() {
	if c.plan.Status != nil && !c.allows(c.plan.Status) {
		c.fault("the status to write is refused")
	}
	if c.plan.Status != nil && (c.plan.Outcome == mirror.Conflict || c.plan.Outcome == mirror.Invalid || c.plan.Outcome == mirror.Finished || c.plan.Outcome == mirror.InSync) {
		c.fault("%s writes a status", c.plan.Outcome)
	}
	if c.plan.Outcome == mirror.Invalid && len(c.plan.Violations) == 0 {
		c.fault("Invalid without violations")
	}
	// A local status to which even a no-op update is refused is malformed for that release: 1.30 with a
	// SuccessCriteriaMet that a later release has stored.
	if !c.wild && c.plan.Outcome == mirror.Invalid && c.allows(&c.pair.Local.Status) {
		c.fault("Invalid, though neither side is malformed")
	}
}

// hidesStart checks that a suspended Job without startTime gets none until it is finished.
func (c *checked) hidesStart() {
	local := c.pair.Local
	if c.plan.Status != nil && verdict(c.plan.Status) == [2]bool{} && ptr.Deref(local.Spec.Suspend, false) &&
		local.Status.StartTime.IsZero() && !c.plan.Status.StartTime.IsZero() {
		c.fault("a suspended Job gets a startTime")
	}
}

func verdict(s *batchv1.JobStatus) (v [2]bool) {
	for _, c := range s.Conditions {
		if c.Status == corev1.ConditionTrue {
			v[0] = v[0] || c.Type == batchv1.JobComplete
			v[1] = v[1] || c.Type == batchv1.JobFailed
		}
	}
	return v
}

// shown is the local status after the plan.
func (c *checked) shown() *batchv1.JobStatus {
	if c.plan.Status != nil {
		return c.plan.Status
	}
	return &c.pair.Local.Status
}

// arrives checks that a terminal result is shown, unless the outcome says why not, and that none
// changes.
func (c *checked) arrives() {
	remote, local := verdict(&c.pair.Remote.Status), verdict(&c.pair.Local.Status)
	if local != [2]bool{} && c.plan.Status != nil {
		c.fault("a finished Job is written to")
	}
	switch c.plan.Outcome {
	case mirror.Conflict, mirror.Invalid, mirror.Terminating:
		return
	}
	if remote != [2]bool{} && verdict(c.shown()) != remote {
		c.fault("the result does not arrive")
	}
	if remote == [2]bool{} && verdict(c.shown()) != local {
		c.fault("a result out of nothing")
	}
}

// guarded reports whether a guard of the design applies, so that an acceptable status is not copied
// field for field.
func (c *checked) guarded() bool {
	for _, a := range c.plan.Adjustments {
		if a.Rule == "" {
			return true
		}
	}
	return false
}

// deferred reports whether the design defers: a suspended Job whose mirror has not stopped.
func (c *checked) deferred() bool {
	local, remote := c.pair.Local, c.pair.Remote
	return ptr.Deref(local.Spec.Suspend, false) && verdict(&remote.Status) == [2]bool{} &&
		(!ptr.Deref(remote.Spec.Suspend, false) || remote.Status.Active > 0)
}

// folded reports whether the remote has a Suspended entry twice: the API server takes any entry for a
// resumption, and one of them goes.
func (c *checked) folded() bool {
	return len(onlyType(c.pair.Remote.Status.Conditions, batchv1.JobSuspended)) > 1
}

func (c *checked) copiedAsItIs() {
	blind := c.allows(&c.pair.Remote.Status)
	if !blind || verdict(&c.pair.Local.Status) != [2]bool{} || c.deferred() {
		return
	}
	for _, a := range c.plan.Adjustments {
		if a.Rule != "" && !c.folded() {
			c.fault("acceptable as it is, but adjusted: %v", a)
		}
	}
	if c.plan.Outcome == mirror.Invalid || c.plan.Outcome == mirror.Terminating || c.plan.Outcome == mirror.Conflict {
		c.fault("acceptable as it is, but %s", c.plan.Outcome)
	}
	if c.plan.Status != nil && !c.guarded() {
		if !reflect.DeepEqual(c.pair.Remote.Status, *c.plan.Status) {
			c.fault("acceptable as it is, but not copied: %s", cmp.Diff(c.pair.Remote.Status, *c.plan.Status))
		}
	}
}

// minimal takes back one repair at a time, which must make the status refused.
func (c *checked) minimal() {
	if c.plan.Status == nil {
		return
	}
	for _, a := range c.plan.Adjustments {
		if a.Rule == "" {
			continue
		}
		back := c.plan.Status.DeepCopy()
		takeBack(back, &c.pair.Remote.Status, a.Field)
		if reflect.DeepEqual(back, c.plan.Status) {
			c.fault("%v changes nothing", a)
		} else if c.allows(back) {
			c.fault("%v is not necessary", a)
		}
	}
}

// takeBack sets a field of s to what the remote status has there.
func takeBack(s, remote *batchv1.JobStatus, path string) {
	remote = remote.DeepCopy()
	switch field := strings.TrimPrefix(path, "status."); field {
	case "startTime":
		s.StartTime = remote.StartTime
	case "completionTime":
		s.CompletionTime = remote.CompletionTime
	case "failed":
		s.Failed = remote.Failed
	case "succeeded":
		s.Succeeded = remote.Succeeded
	case "ready":
		s.Ready = remote.Ready
	case "terminating":
		s.Terminating = remote.Terminating
	case "uncountedTerminatedPods":
		s.UncountedTerminatedPods = remote.UncountedTerminatedPods
	case "completedIndexes":
		s.CompletedIndexes = remote.CompletedIndexes
	case "failedIndexes":
		s.FailedIndexes = remote.FailedIndexes
	default:
		t := batchv1.JobConditionType(strings.TrimSuffix(strings.TrimPrefix(field, "conditions["), "]"))
		s.Conditions = append(withoutType(s.Conditions, t), onlyType(remote.Conditions, t)...)
	}
}

func withoutType(entries []batchv1.JobCondition, t batchv1.JobConditionType) (kept []batchv1.JobCondition) {
	for _, c := range entries {
		if c.Type != t {
			kept = append(kept, c)
		}
	}
	return kept
}

func onlyType(entries []batchv1.JobCondition, t batchv1.JobConditionType) (kept []batchv1.JobCondition) {
	for _, c := range entries {
		if c.Type == t {
			kept = append(kept, c)
		}
	}
	return kept
}

// ordered checks that the remote's conditions stand in their order in front, and the others behind
// them in theirs.
func (c *checked) ordered() {
	if c.plan.Status == nil || c.plan.Outcome == mirror.Deferred {
		return
	}
	place := map[batchv1.JobConditionType]int{}
	for i, condition := range c.pair.Remote.Status.Conditions {
		if _, seen := place[condition.Type]; !seen {
			place[condition.Type] = i
		}
	}
	additions := map[batchv1.JobConditionType]int{batchv1.JobFailureTarget: 2001, batchv1.JobSuccessCriteriaMet: 2002, batchv1.JobSuspended: 2003}
	last := -1
	for _, condition := range c.plan.Status.Conditions {
		p, remote := place[condition.Type]
		if !remote {
			if p = additions[condition.Type]; p == 0 {
				p = 1000
			}
		}
		if p < last || p == last && p != 1000 {
			c.fault("condition %s is out of order", condition.Type)
		}
		last = p
	}
}

// settled carries the plan out and plans again, at once and an hour later.
func (c *checked) settled() {
	local := c.pair.Local.DeepCopy()
	local.Status = *c.shown().DeepCopy()
	for _, later := range []time.Duration{0, 7 * time.Second, time.Hour} {
		opts := c.opts
		opts.Now.Time = opts.Now.Add(later)
		again := mirror.ProjectStatus(mirror.Pair{Local: local, Remote: c.pair.Remote}, opts)
		if again.Status != nil && !(c.plan.Outcome == mirror.Terminating && later >= c.plan.RequeueAfter && c.plan.RequeueAfter > 0) {
			c.fault("planned again after %v, it writes: %v\n%s", later, again, cmp.Diff(local.Status, *again.Status))
		}
		if c.plan.Outcome == mirror.Terminating && c.plan.RequeueAfter > 0 && later >= c.plan.RequeueAfter && (again.Status == nil || verdict(again.Status) == [2]bool{}) {
			c.fault("the grace period has passed after %v, but the result does not arrive: %v", later, again)
		}
	}
}

// sharesNothing writes over everything in the plan and looks at the inputs.
func (c *checked) sharesNothing(before mirror.Pair) {
	if c.plan.Status == nil {
		return
	}
	s := c.plan.Status.DeepCopy()
	scribble(reflect.ValueOf(c.plan.Status))
	if !reflect.DeepEqual(before, c.pair) {
		c.fault("the plan shares memory with the inputs: %s", cmp.Diff(before, c.pair))
	}
	c.plan.Status = s
}

func show(job *batchv1.Job) string {
	spec := job.Spec.DeepCopy()
	spec.Template = corev1.PodTemplateSpec{}
	return cmp.Diff(batchv1.Job{}, batchv1.Job{Spec: *spec, Status: job.Status})
}

func showStatus(s *batchv1.JobStatus) string {
	if s == nil {
		return "nothing"
	}
	return cmp.Diff(batchv1.JobStatus{}, *s)
}
