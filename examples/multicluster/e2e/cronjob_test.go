// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
)

// Schedules that are due but once a year. The CronJob controller starts what it has missed.
const (
	firstOfJanuary  = "0 0 1 1 *"
	secondOfJanuary = "0 0 2 1 *"
)

// A CronJob whose template is ours: Forbid waits for the run of before, and Replace deletes it.
func TestCronJob(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	run(t, f, nil)
	management, worker, h := admin(t, f.Management), admin(t, f.Workers[0]), &hand{t: t}
	running := func(name string) {
		h.waitFor(management, name, "runs", hasReady(1))
		h.waitFor(worker, name, "runs", hasReady(1))
	}
	t.Run("forbid", func(t *testing.T) {
		cron := createCron(t, management, "cron-forbid", batchv1.ForbidConcurrent)
		first := due(t, management, cron, firstOfJanuary, "")
		running(first)
		makeDue(t, management, cron, secondOfJanuary)
		eventually(t, 20*time.Second, "the CronJob waits", func() bool { return reasons(t, management, cron.Name)["JobAlreadyActive"] })
		if now := jobsOf(t, management, cron.Name); len(now) != 1 || now[0] != first {
			t.Errorf("the CronJob has the Jobs %v, want %s alone", now, first)
		}
		h.delete(management, first, background)
		h.waitGone(worker, first)
		running(due(t, management, cron, secondOfJanuary, first))
	})
	t.Run("replace", func(t *testing.T) {
		cron := createCron(t, management, "cron-replace", batchv1.ReplaceConcurrent)
		first := due(t, management, cron, firstOfJanuary, "")
		running(first)
		running(due(t, management, cron, secondOfJanuary, first))
		h.waitGone(worker, first)
	})
}

// createCron creates a CronJob whose Jobs run for ever on worker A, and that goes with them when the test ends.
func createCron(t *testing.T, c client.Client, name string, policy batchv1.ConcurrencyPolicy) *batchv1.CronJob {
	t.Helper()
	template := jobs.New("", jobs.On(workerA), jobs.Forever)
	cron := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: fleet.Namespace, Name: name},
		Spec: batchv1.CronJobSpec{Schedule: firstOfJanuary, ConcurrencyPolicy: policy, JobTemplate: batchv1.JobTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Annotations: template.Annotations}, Spec: template.Spec,
		}},
	}
	must(t, c.Create(t.Context(), cron))
	t.Cleanup(func() {
		must(t, c.Delete(context.Background(), cron, client.PropagationPolicy(foreground)))
		eventually(t, 20*time.Second, name+" has no Jobs", func() bool { return len(jobsOf(t, c, name)) == 0 })
	})
	return cron
}

// makeDue gives a CronJob a schedule, as a user does, and makes it believe that it has not run for two years.
func makeDue(t *testing.T, c client.Client, cron *batchv1.CronJob, schedule string) {
	t.Helper()
	before := cron.DeepCopy()
	cron.Spec.Schedule = schedule
	must(t, c.Patch(t.Context(), cron, client.MergeFrom(before)))
	before = cron.DeepCopy()
	cron.Status.LastScheduleTime = &metav1.Time{Time: time.Now().AddDate(-2, 0, 0)}
	must(t, c.Status().Patch(t.Context(), cron, client.MergeFrom(before)))
}

// due makes a CronJob due, and returns its Job when that is another than the one before.
func due(t *testing.T, c client.Client, cron *batchv1.CronJob, schedule, before string) string {
	t.Helper()
	makeDue(t, c, cron, schedule)
	var names []string
	eventually(t, 20*time.Second, cron.Name+" has another Job", func() bool {
		names = jobsOf(t, c, cron.Name)
		return len(names) == 1 && names[0] != before
	})
	return names[0]
}

// jobsOf are the names of the Jobs of a CronJob.
func jobsOf(t *testing.T, c client.Client, cron string) []string {
	t.Helper()
	list := &batchv1.JobList{}
	must(t, c.List(context.Background(), list, client.InNamespace(fleet.Namespace)))
	var names []string
	for _, job := range list.Items {
		if owner := metav1.GetControllerOf(&job); owner != nil && owner.Name == cron {
			names = append(names, job.Name)
		}
	}
	return names
}
