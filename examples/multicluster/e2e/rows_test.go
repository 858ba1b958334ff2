// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"os"
	"regexp"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
	"github.com/managedby-dev/managedby/mirror"
)

const (
	foreground = metav1.DeletePropagationForeground
	background = metav1.DeletePropagationBackground
)

func exclusive(p *mirror.Policy) { p.ExclusiveOrigin = true }

func held(p *mirror.Policy) { p.HoldMirror = true }

// scenario brings a row of the table of Decide about on real API servers.
type scenario struct {
	rows   []string
	name   string // of the Job
	policy func(*mirror.Policy)
	play   func(*hand, string)
}

var scenarios = []scenario{
	{rows: []string{"Dispatch", "Sync", "Retire", "Finished"}, name: "life", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Runs("500ms")), workerA)
		h.waitIs(h.workers[workerA], name, batchv1.JobComplete)
		h.step(name, "worker-a: Copied WriteStatus")
		h.waitIs(h.management, name, batchv1.JobComplete)
		h.step(name, "worker-a: Finished DeleteMirror")
		h.waitGone(h.workers[workerA], name)
		h.step(name, "worker-a: Finished RemoveFinalizer")
		h.step(name, "worker-a: Finished")
	}},
	{rows: []string{"Retire", "Finished"}, name: "held", policy: held, play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Runs("500ms")), workerA)
		h.waitIs(h.workers[workerA], name, batchv1.JobComplete)
		h.step(name, "worker-a: Copied WriteStatus")
		h.step(name, "worker-a: Finished DeleteMirror ReleaseMirror")
		h.waitGone(h.workers[workerA], name)
		h.step(name, "worker-a: Finished RemoveFinalizer")
	}},
	{rows: []string{"LocalUnknown"}, name: "unknown", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.down["management"] = true
		h.step(name, "worker-a: ")
		h.down["management"] = false
	}},
	{rows: []string{"Orphan"}, name: "orphan", policy: exclusive, play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.purge(h.management, name)
		h.step(name, "worker-a: Orphan DeleteMirror")
		h.waitGone(h.workers[workerA], name)
	}},
	{rows: []string{"Orphan"}, name: "orphan-reported", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.purge(h.management, name)
		h.step(name, "worker-a: Orphan")
		h.get(h.workers[workerA], name)
		h.purge(h.workers[workerA], name)
	}},
	{rows: []string{"LocalGone"}, name: "gone", play: func(h *hand, name string) {
		h.create(h.workers[workerB], jobs.New(name, jobs.Unmanaged, jobs.Forever))
		h.step(name, "worker-b: Gone")
	}},
	{rows: []string{"NotManaged"}, name: "unmanaged", play: func(h *hand, name string) {
		h.create(h.management, jobs.New(name, jobs.Unmanaged, jobs.On(workerA)))
		h.step(name, "worker-a: NotManaged")
	}},
	{rows: []string{"Incomplete"}, name: "incomplete", play: func(h *hand, name string) {
		h.create(h.management, jobs.New(name))
		planner, err := mirror.New(h.policy)
		must(h.t, err)
		// The reconciler always says the worker and the time.
		plan := planner.Decide(mirror.State{Local: mirror.Live(h.get(h.management, name)), Mirror: mirror.Live(nil)})
		if plan.Outcome != mirror.Incomplete {
			h.t.Fatalf("planned %v", plan)
		}
	}},
	{rows: []string{"CleanUp", "LetGo"}, name: "clean-up", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.delete(h.management, name, background)
		h.step(name, "worker-a: CleaningUp DeleteMirror")
		h.waitGone(h.workers[workerA], name)
		h.step(name, "worker-a: CleanedUp RemoveFinalizer")
		h.waitGone(h.management, name)
	}},
	{rows: []string{"CleanUp"}, name: "clean-up-held", policy: held, play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.delete(h.management, name, background)
		h.step(name, "worker-a: CleaningUp DeleteMirror ReleaseMirror")
		h.waitGone(h.workers[workerA], name)
		h.step(name, "worker-a: CleanedUp RemoveFinalizer")
		h.waitGone(h.management, name)
	}},
	{rows: []string{"CleanUpElsewhere"}, name: "clean-up-elsewhere", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever, jobs.StopsIn("4s")), workerA)
		h.edit(h.management, name, jobs.On(workerB))
		h.delete(h.management, name, background)
		h.step(name, "worker-a: CleaningUp DeleteMirror")
		h.step(name, "worker-a: CleaningUp", "worker-b: CleaningUp")
		h.waitGone(h.workers[workerA], name)
		h.step(name, "worker-a: CleanedUp RemoveFinalizer")
		h.waitGone(h.management, name)
	}},
	{rows: []string{"CleanupPending"}, name: "pending", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.delete(h.management, name, background)
		h.down[workerA] = true
		h.step(name, "worker-a: CleanupPending")
		h.purge(h.workers[workerA], name)
	}},
	{rows: []string{"CleanupPending"}, name: "abandoned", policy: func(p *mirror.Policy) { p.AbandonAfter = time.Nanosecond }, play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.delete(h.management, name, background)
		h.down[workerA] = true
		h.step(name, "worker-a: Abandoned RemoveFinalizer")
		h.waitGone(h.management, name)
		h.purge(h.workers[workerA], name)
	}},
	{rows: []string{"CleanupPendingElsewhere"}, name: "pending-elsewhere", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.edit(h.management, name, jobs.On(workerB))
		h.delete(h.management, name, background)
		h.down[workerA] = true
		h.step(name, "worker-a: CleanupPending", "worker-b: CleanupPending")
		h.purge(h.workers[workerA], name)
	}},
	{rows: []string{"FinishedPending", "FinishedElsewhere"}, name: "finished-pending", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Runs("500ms")), workerA)
		h.waitIs(h.workers[workerA], name, batchv1.JobComplete)
		h.step(name, "worker-a: Copied WriteStatus")
		h.edit(h.management, name, jobs.On(workerB))
		h.down[workerA] = true
		h.step(name, "worker-a: Finished", "worker-b: Finished")
		h.purge(h.workers[workerA], name)
	}},
	{rows: []string{"BadRecord"}, name: "bad-record", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.edit(h.management, name, func(job *batchv1.Job) { job.Annotations[keyDomain+"dispatch"] = "worker-a" })
		h.step(name, "worker-a: BadRecord", "worker-b: BadRecord")
		h.purge(h.workers[workerA], name)
	}},
	{rows: []string{"Unreachable", "Elsewhere"}, name: "unreachable", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.edit(h.management, name, jobs.On(workerB))
		h.down[workerA] = true
		h.step(name, "worker-a: Unreachable", "worker-b: Elsewhere")
		h.purge(h.workers[workerA], name)
	}},
	{rows: []string{"MirrorDeleting", "Dispatch"}, name: "mirror-deleting", policy: func(p *mirror.Policy) { p.RetryDelay = time.Nanosecond }, play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever, jobs.StopsIn("3s")), workerA)
		h.step(name, "worker-a: Copied WriteStatus")
		h.delete(h.workers[workerA], name, foreground)
		h.step(name, "worker-a: MirrorDeleting")
		h.waitGone(h.workers[workerA], name)
		h.step(name, "worker-a: Dispatching Claim CreateMirror")
	}},
	{rows: []string{"Fate"}, name: "fate", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Runs("1s"), jobs.Exits("1"), jobs.BackoffLimit(0), jobs.Pods(2, 2), jobs.Indexed,
			jobs.OnlyIndex("0"), jobs.StopsIn("20s")), workerA)
		h.waitIs(h.workers[workerA], name, batchv1.JobFailureTarget)
		h.step(name, "worker-a: Copied WriteStatus")
		h.delete(h.workers[workerA], name, background)
		h.waitGone(h.workers[workerA], name)
		h.step(name, "worker-a: Concluded WriteStatus")
		h.waitIs(h.management, name, batchv1.JobFailed)
	}},
	{rows: []string{"Previous"}, name: "previous", policy: exclusive, play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.purge(h.management, name)
		h.create(h.management, jobs.New(name, jobs.On(workerA)))
		h.step(name, "worker-a: Orphan DeleteMirror")
		h.waitGone(h.workers[workerA], name)
		h.step(name, "worker-a: Dispatching AddFinalizer")
	}},
	{rows: []string{"Previous"}, name: "previous-kept", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever), workerA)
		h.purge(h.management, name)
		h.create(h.management, jobs.New(name, jobs.On(workerA)))
		h.step(name, "worker-a: Conflict")
		h.get(h.workers[workerA], name)
		h.purge(h.workers[workerA], name)
	}},
	{rows: []string{"Foreign"}, name: "foreign", play: func(h *hand, name string) {
		h.create(h.workers[workerA], jobs.New(name, jobs.Unmanaged, jobs.Forever))
		h.create(h.management, jobs.New(name, jobs.On(workerA)))
		h.step(name, "worker-a: Conflict")
		h.delete(h.management, name, background)
		h.waitGone(h.management, name)
		h.get(h.workers[workerA], name)
	}},
	{rows: []string{"Result"}, name: "result", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Runs("500ms")), workerA)
		h.waitIs(h.workers[workerA], name, batchv1.JobComplete)
		h.edit(h.management, name, jobs.On(dispatcher.Nowhere))
		h.step(name, "worker-a: Copied WriteStatus")
		h.waitIs(h.management, name, batchv1.JobComplete)
	}},
	{rows: []string{"Evict", "MirrorDeleting", "Idle", "Dispatch"}, name: "evict", play: func(h *hand, name string) {
		h.dispatch(jobs.New(name, jobs.On(workerA), jobs.Forever, jobs.StopsIn("2s")), workerA)
		h.step(name, "worker-a: Copied WriteStatus")
		h.edit(h.management, name, jobs.On(workerB))
		h.step(name, "worker-a: Evicting Claim DeleteMirror")
		h.step(name, "worker-a: MirrorDeleting", "worker-b: Elsewhere")
		h.waitGone(h.workers[workerA], name)
		h.step(name, "worker-a: Idle WriteStatus")
		h.step(name, "worker-b: Dispatching Claim CreateMirror")
		if active := h.get(h.management, name).Status.Active; active != 0 {
			h.t.Errorf("after the eviction %d pods are still active", active)
		}
	}},
	{rows: []string{"Idle"}, name: "idle-suspended", play: func(h *hand, name string) {
		h.create(h.management, jobs.New(name, jobs.Suspend(true), jobs.On(dispatcher.Nowhere)))
		h.step(name, "worker-a: Idle WriteStatus")
		h.waitIs(h.management, name, batchv1.JobSuspended)
		h.step(name, "worker-a: Idle")
	}},
}

// Each row of the table of Decide happens on real API servers, and what it plans is accepted by them.
func TestRows(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.play(newHand(t, f, s.policy), s.name)
		})
	}
}

func TestScenariosCoverTheTable(t *testing.T) {
	document, err := os.ReadFile("../../../mirror/DECIDE.md")
	must(t, err)
	covered := map[string]bool{}
	for _, s := range scenarios {
		for _, row := range s.rows {
			covered[row] = true
		}
	}
	rows := regexp.MustCompile(`(?m)^\| ([A-Z]\w+) \|`).FindAllSubmatch(document, -1)
	if len(rows) < 20 {
		t.Fatalf("DECIDE.md has a table of %d rows", len(rows))
	}
	for _, row := range rows {
		if !covered[string(row[1])] {
			t.Errorf("no scenario for the row %s", row[1])
		}
		delete(covered, string(row[1]))
	}
	for row := range covered {
		t.Errorf("a scenario for a row %s that does not exist", row)
	}
}
