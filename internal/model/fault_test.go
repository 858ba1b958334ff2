// SPDX-License-Identifier: Apache-2.0

package model_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/internal/model"
	"github.com/managedby-dev/managedby/mirror"
)

var faults = []struct {
	name   string
	config model.Config
	fault  wrap
	want   string
	steps  int
}{
	{
		"delete without preconditions", model.Config{Budget: model.Budget{Moves: 1}},
		each(mirror.DeleteMirror, func(_ model.View, s *model.Step) { s.Delete.Preconditions = nil }),
		"a result is lost", 15,
	},
	{
		"delete without resourceVersion", model.Config{Budget: model.Budget{Moves: 1}},
		each(mirror.DeleteMirror, func(_ model.View, s *model.Step) { s.Delete.Preconditions.ResourceVersion = nil }),
		"a result is lost", 15,
	},
	{
		"delete without preconditions, and somebody takes the name", model.Config{Budget: model.Budget{Deletes: 1, Strangers: 1}},
		each(mirror.DeleteMirror, func(_ model.View, s *model.Step) { s.Delete.Preconditions = nil }),
		"a Job that is not the controller's is touched", 15,
	},
	{
		"delete in the background", model.Config{Budget: model.Budget{Moves: 2}},
		each(mirror.DeleteMirror, func(_ model.View, s *model.Step) {
			s.Delete.PropagationPolicy = ptr.To(metav1.DeletePropagationBackground)
		}),
		"a Job runs twice", 15,
	},
	{
		"claim without resourceVersion", model.Config{Budget: model.Budget{Failovers: 1}},
		each(mirror.Claim, withoutVersion),
		"a mirror is created for a Job that has finished", 22,
	},
	{
		"create before the finalizer", model.Config{},
		local(func(job *batchv1.Job) { job.Finalizers = append(job.Finalizers, model.Keys().Cleanup) }),
		"a mirror is created for a Job without the finalizer", 3,
	},
	{
		"create without claim", model.Config{Budget: model.Budget{Failovers: 1}},
		without(mirror.Claim),
		"a mirror is created for a Job that has finished", 20,
	},
	{
		"create again after a promise", model.Config{Budget: model.Budget{Losses: 1}},
		local(withoutConditions(batchv1.JobSuccessCriteriaMet, batchv1.JobFailureTarget)),
		"a mirror is created for a Job that promises a verdict", 17,
	},
	{
		"create again after the result", model.Config{Budget: model.Budget{Losses: 1}},
		local(func(job *batchv1.Job) {
			if finished(job) {
				job.Status.Conditions = nil
			}
		}),
		"a mirror is created for a Job that has finished", 18,
	},
	{
		"unknown is gone", model.Config{Budget: model.Budget{Outages: 1, Deletes: 1}},
		seeing(func(v *model.View) {
			if !v.Mirror.Known {
				v.Mirror = gone
			}
		}),
		"the finalizer goes while there is a mirror", 11,
	},
	{
		"unknown elsewhere is gone", model.Config{Workers: 2, Budget: model.Budget{Outages: 1, Moves: 1}},
		seeing(func(v *model.View) {
			if !v.Elsewhere.Known {
				v.Elsewhere = gone
			}
		}),
		"a Job runs twice", 12,
	},
	{
		"elsewhere is not looked at", model.Config{Workers: 2, Budget: model.Budget{Moves: 1}},
		seeing(func(v *model.View) { v.Elsewhere = gone }),
		"a Job runs twice", 11,
	},
	{
		"a cache is trusted", model.Config{Budget: model.Budget{Deletes: 1}},
		seeing(func(v *model.View) { v.Local.Live, v.Mirror.Live = true, true }),
		"the finalizer goes while there is a mirror", 10,
	},
	{
		"the finalizer goes while there is a mirror", model.Config{Budget: model.Budget{Deletes: 1}},
		seeing(func(v *model.View) {
			if v.Local.Job != nil && v.Local.Job.DeletionTimestamp != nil {
				v.Mirror = gone
			}
		}),
		"the finalizer goes while there is a mirror", 10,
	},
	{
		"the finalizer never goes", model.Config{Budget: model.Budget{Deletes: 1}},
		without(mirror.RemoveFinalizer),
		"a mirror or a finalizer of a deleted Job is left", 3,
	},
	{
		"the mirror is never deleted", model.Config{Budget: model.Budget{Deletes: 1}},
		without(mirror.DeleteMirror),
		"a mirror or a finalizer of a deleted Job is left", 6,
	},
	{
		"the status is copied as it is", model.Config{OldWorker: true},
		each(mirror.WriteStatus, copyBlindly),
		"a write is refused: CompleteWithoutSuccessCriteriaMet", 12,
	},
	{
		"the status is written before it is time", model.Config{Budget: model.Budget{Suspends: 1}},
		local(func(job *batchv1.Job) { job.Spec.Suspend = ptr.To(false) }),
		"a suspended Job is started", 10,
	},
	{
		"another result is written", model.Config{},
		doing(func(v model.View, p *model.Proposal) {
			if job := v.Local.Job; finished(job) && len(p.Steps) > 0 {
				step := extra(mirror.WriteStatus, job, `{"metadata":{"resourceVersion":"1"},"status":{"conditions":[],"completionTime":null}}`)
				step.Subresource = "status"
				p.Steps = []model.Step{step}
			}
		}),
		"a write is refused: CompleteTakenBack", 16,
	},
	{
		"a deletion is a failure", model.Config{Budget: model.Budget{Moves: 1}},
		seeing(func(v *model.View) {
			v.Mirror.Job = changed(v.Mirror.Job, func(job *batchv1.Job) {
				if job.DeletionTimestamp != nil {
					job.DeletionTimestamp = &metav1.Time{Time: v.Now.Time}
				}
			})
		}),
		"a deletion becomes a failure", 17,
	},
	{
		"the status is never written", model.Config{},
		without(mirror.WriteStatus),
		"a result on a worker does not reach the local Job", 10,
	},
	{
		"the mirror is let go before its result is read", model.Config{HoldMirror: true, Budget: model.Budget{Expiries: 1}},
		doing(func(v model.View, p *model.Proposal) {
			if job := v.Mirror.Job; finished(job) && !finished(v.Local.Job) && len(job.Finalizers) > 0 {
				p.Steps = []model.Step{extra(mirror.ReleaseMirror, job, `{"metadata":{"uid":"`+string(job.UID)+`","resourceVersion":"1","finalizers":[]}}`)}
			}
		}),
		"a result is lost", 14,
	},
	{
		"a mirror of another manager is deleted", model.Config{Budget: model.Budget{Strangers: 1}},
		doing(func(v model.View, p *model.Proposal) {
			if p.Outcome == mirror.Conflict {
				p.Steps = append(p.Steps, extra(mirror.DeleteMirror, v.Mirror.Job, ""))
			}
		}),
		"a Job that is not the controller's is touched", 4,
	},
	{
		"whatever has the name is adopted", model.Config{Budget: model.Budget{Strangers: 1, Moves: 1}},
		seeing(func(v *model.View) {
			v.Mirror.Job = changed(v.Mirror.Job, func(job *batchv1.Job) {
				if v.Local.Job != nil {
					k := model.Keys()
					metav1.SetMetaDataLabel(&job.ObjectMeta, k.Origin, "management")
					metav1.SetMetaDataAnnotation(&job.ObjectMeta, k.Local, "ns/job")
					metav1.SetMetaDataAnnotation(&job.ObjectMeta, k.UID, string(v.Local.Job.UID))
				}
			})
		}),
		"a Job that is not the controller's is touched", 5,
	},
	{
		"the dispatch record is not read", model.Config{Forged: true, Budget: model.Budget{Strangers: 1, Losses: 1, Suspends: 1}},
		local(func(job *batchv1.Job) { delete(job.Annotations, model.Keys().Dispatch) }),
		"a Job that is not the controller's is touched", 20,
	},
	{
		"a plan waits in silence", model.Config{Budget: model.Budget{Losses: 1}},
		doing(func(_ model.View, p *model.Proposal) { p.Requeues = false }),
		"the controller waits, and does not say how long", 8,
	},
	{
		"a plan writes twice", model.Config{},
		doing(func(_ model.View, p *model.Proposal) {
			if len(p.Steps) == 1 && p.Steps[0].Kind != mirror.ReadLive {
				p.Steps = append(p.Steps, p.Steps[0])
			}
		}),
		"a plan spoils its own precondition", 1,
	},
	{
		"a plan is never empty", model.Config{},
		doing(func(v model.View, p *model.Proposal) {
			if len(p.Steps) == 0 && v.Local.Job != nil {
				p.Steps = append(p.Steps, extra(mirror.Claim, v.Local.Job, `{"metadata":{"uid":"`+string(v.Local.Job.UID)+`","annotations":{"seen":"`+string(v.Local.Job.UID)+`"}}}`))
			}
		}),
		"plans do not settle", 0,
	},
	{
		"a plan goes to and fro", model.Config{},
		toAndFro,
		"the controller writes for ever", 12,
	},
	{
		"a live read is not believed", model.Config{Budget: model.Budget{Deletes: 1}},
		seeing(func(v *model.View) { v.Mirror.Live = false }),
		"the controller asks for live reads for ever", 5,
	},
	{
		"the dispatcher is not listened to", model.Config{},
		seeing(func(v *model.View) { v.Wanted = false }),
		"the Job is stuck", 0,
	},
}

// TestFaults holds the search to what it is for: each of these controllers is wrong in one place, and is
// found out, after as many steps as it takes. The controller without the fault has nothing wrong with it that near.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.config
			c.Workers, c.Fault = max(c.Workers, 1), tt.fault
			r, err := model.Search(c, model.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, after %d steps and %d states\n%s", r.Violation, r.Length, r.States, r.Trace)
			if r.Violation != tt.want || r.Length != tt.steps {
				t.Errorf("got %q after %d steps, want %q after %d", r.Violation, r.Length, tt.want, tt.steps)
			}
			c.Fault = nil
			if honest, err := model.Search(c, model.Limits{Depth: max(r.Length, 1)}); err != nil || honest.Violation != "" {
				t.Errorf("without the fault: %v %s\n%s", err, honest.Violation, honest.Trace)
			}
		})
	}
}
