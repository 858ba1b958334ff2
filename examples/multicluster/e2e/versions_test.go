// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

// kinds are Jobs that end in different ways, and in the same on every release.
var kinds = []struct {
	name string
	make []jobs.Change
	when func(*batchv1.Job) bool // it is time for the turn
	turn jobs.Change             // something that the user does
	want string
}{
	{name: "plain", make: []jobs.Change{jobs.Runs("500ms")},
		want: `Complete+SuccessCriteriaMet active=0 succeeded=1 failed=0 indexes=""`},
	{name: "parallel", make: []jobs.Change{jobs.Pods(2, 4), jobs.Runs("500ms")},
		want: `Complete+SuccessCriteriaMet active=0 succeeded=4 failed=0 indexes=""`},
	{name: "indexed", make: []jobs.Change{jobs.Pods(3, 3), jobs.Indexed, jobs.Runs("500ms")},
		want: `Complete+SuccessCriteriaMet active=0 succeeded=3 failed=0 indexes="0-2"`},
	{name: "failing", make: []jobs.Change{jobs.Exits("1"), jobs.BackoffLimit(0), jobs.Runs("500ms")},
		want: `Failed+FailureTarget active=0 succeeded=0 failed=1 indexes=""`},
	{name: "failing-slowly", make: []jobs.Change{jobs.Exits("1"), jobs.BackoffLimit(0), jobs.Runs("500ms"),
		jobs.Pods(2, 2), jobs.Indexed, jobs.OnlyIndex("0"), jobs.StopsIn("2s")},
		want: `Failed+FailureTarget active=0 succeeded=0 failed=2 indexes=""`},
	{name: "too-slow", make: []jobs.Change{jobs.Forever, jobs.Deadline(2)},
		want: `Failed+FailureTarget active=0 succeeded=0 failed=1 indexes=""`},
	{name: "suspended", make: []jobs.Change{jobs.Suspend(true), jobs.Runs("500ms")}, when: is(batchv1.JobSuspended), turn: jobs.Suspend(false),
		want: `Complete+SuccessCriteriaMet active=0 succeeded=1 failed=0 indexes=""`},
	{name: "paused", make: []jobs.Change{jobs.Runs("3s")}, when: hasReady(1), turn: jobs.Suspend(true),
		want: `Suspended active=0 succeeded=0 failed=0 indexes=""`},
	{name: "elastic", make: []jobs.Change{jobs.Runs("3s"), jobs.Indexed, jobs.Pods(1, 1)}, when: hasReady(1), turn: jobs.Pods(2, 2),
		want: `Complete+SuccessCriteriaMet active=0 succeeded=2 failed=0 indexes="0,1"`},
}

// summary is what a user sees of a Job, but for times.
func summary(job *batchv1.Job) string {
	var conditions []string
	for _, c := range job.Status.Conditions {
		if c.Status == "True" {
			conditions = append(conditions, string(c.Type))
		}
	}
	slices.Sort(conditions)
	return fmt.Sprintf("%s active=%d succeeded=%d failed=%d indexes=%q", strings.Join(conditions, "+"),
		job.Status.Active, job.Status.Succeeded, job.Status.Failed, job.Status.CompletedIndexes)
}

// Whatever the releases of the management cluster and the workers, the Jobs end in the same way, and the API
// server refuses no status.
func TestVersions(t *testing.T) {
	for _, pair := range releasePairs() {
		t.Run(pair.management+" with workers "+pair.worker, func(t *testing.T) {
			f := sharedFleet(t, pair.management, pair.worker)
			mark := auditMark(t, f.Management)
			run(t, f, nil)
			playKinds(t, admin(t, f.Management), func(kind, want, got string) {
				t.Logf("%-15s %s", kind, got)
				if got != want {
					t.Errorf("%s: want %s", kind, want)
				}
			})
			calls := callsSince(t, f.Management, mark)
			if refused := refusedStatuses(calls); len(refused) > 0 {
				t.Errorf("%d status writes were refused, the first: %+v", len(refused), refused[0])
			}
			t.Log(tally(calls))
		})
	}
}

// playKinds runs a Job of each kind to its end, or until it is suspended for good.
func playKinds(t *testing.T, c client.Client, result func(kind, want, got string)) {
	t.Helper()
	h := &hand{t: t}
	for _, kind := range kinds {
		createAll(t, c, jobs.New("kind-"+kind.name, kind.make...))
	}
	for _, kind := range kinds {
		name := "kind-" + kind.name
		if kind.turn != nil {
			h.waitFor(c, name, "its turn", kind.when)
			h.retryEdit(c, name, kind.turn)
		}
	}
	for _, kind := range kinds {
		name, end := "kind-"+kind.name, finished
		if kind.name == "paused" {
			end = func(job *batchv1.Job) bool { return is(batchv1.JobSuspended)(job) && job.Status.Active == 0 }
		}
		h.waitFor(c, name, "its end", end)
		result(kind.name, kind.want, summary(h.get(c, name)))
	}
}

// retryEdit is for a Job that the dispatcher changes too.
func (h *hand) retryEdit(c client.Client, name string, change jobs.Change) {
	h.t.Helper()
	eventually(h.t, 10*time.Second, name+" is edited", func() bool {
		job := h.get(c, name)
		changed := job.DeepCopy()
		change(changed)
		return c.Patch(h.t.Context(), changed, client.MergeFrom(job)) == nil
	})
}

// tally counts calls by what they are, and by their answer.
func tally(calls []call) string {
	count := map[string]int{}
	for _, c := range calls {
		key := c.name()
		if c.ResponseStatus.Code >= 400 {
			key += fmt.Sprintf(" (%d)", c.ResponseStatus.Code)
		}
		count[key]++
	}
	var lines []string
	for key, n := range count {
		lines = append(lines, fmt.Sprintf("%d %s", n, key))
	}
	slices.SortFunc(lines, func(a, b string) int {
		_, a, _ = strings.Cut(a, " ")
		_, b, _ = strings.Cut(b, " ")
		return cmp.Compare(a, b)
	})
	return strings.Join(lines, ", ")
}
