// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
	"github.com/managedby-dev/managedby/mirror"
)

// story is a Job of the demonstration: how it is made, what happens to it, and how it ends.
type story struct {
	name string
	make []jobs.Change
	when func(row) bool                                           // it is time for the turn
	turn func(context.Context, client.Client, *batchv1.Job) error // once; nil: nothing happens to it
	ends string                                                   // Complete, Failed, deleted, or an outcome
}

const (
	workerA = "worker-a"
	workerB = "worker-b"

	takenName = "taken-name" // of a Job on worker B that is nobody's mirror
)

// stories are told at the same time.
func stories() []story {
	return []story{
		{name: "plain", make: made(jobs.Runs("2s")), ends: "Complete"},
		{name: "parallel", make: made(jobs.Runs("3s"), jobs.Pods(3, 6)), ends: "Complete"},
		{name: "indexed", make: made(jobs.Runs("4s"), jobs.Pods(4, 4), jobs.Indexed), ends: "Complete"},
		{name: "failing", make: made(jobs.Runs("3s"), jobs.Exits("1"), jobs.BackoffLimit(0)), ends: "Failed"},
		{name: "too-slow", make: made(jobs.Forever, jobs.Deadline(5)), ends: "Failed"},
		{name: "suspended", make: made(jobs.Runs("2s"), jobs.Suspend(true)),
			when: has(batchv1.JobSuspended), turn: update(jobs.Suspend(false)), ends: "Complete"},
		{name: "elastic", make: made(jobs.Runs("5s"), jobs.Pods(2, 2), jobs.Indexed),
			when: active(2), turn: update(jobs.Pods(4, 4)), ends: "Complete"},
		{name: "first-wins", make: made(jobs.Runs("3s"), jobs.Pods(3, 3), jobs.Indexed, jobs.SucceedsWith("0")), ends: "Complete"},
		{name: "moved", make: made(jobs.Runs("6s"), jobs.On(workerA)),
			when: active(1), turn: update(jobs.On(workerB)), ends: "Complete"},
		{name: "not-ours", make: made(jobs.Runs("3s"), jobs.Unmanaged), ends: "Complete"},
		{name: takenName, make: made(jobs.Runs("2s"), jobs.On(workerB)), ends: string(mirror.Conflict)},
		{name: "deleted", make: made(jobs.Forever, jobs.Pods(2, 2)),
			when: active(2), turn: remove, ends: "deleted"},
	}
}

func made(changes ...jobs.Change) []jobs.Change { return changes }

func (s story) job() *batchv1.Job { return jobs.New(s.name, s.make...) }

func active(n int32) func(row) bool { return func(r row) bool { return r.active == n && r.ready == n } }

func has(condition batchv1.JobConditionType) func(row) bool {
	return func(r row) bool { return r.is(condition) }
}

func update(change jobs.Change) func(context.Context, client.Client, *batchv1.Job) error {
	return func(ctx context.Context, c client.Client, job *batchv1.Job) error {
		changed := job.DeepCopy()
		change(changed)
		return c.Patch(ctx, changed, client.MergeFrom(job))
	}
}

func remove(ctx context.Context, c client.Client, job *batchv1.Job) error {
	return c.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
}
