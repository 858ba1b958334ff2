// SPDX-License-Identifier: Apache-2.0

package longrun

import (
	"slices"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/managedby-dev/managedby/mirror"
)

// faults are controllers that are wrong in one place, with what has to be found within so many seeds.
var faults = []struct {
	name  string
	fault fault
	want  []string
	seeds int
}{
	{
		"delete without preconditions", fault{deletion: func(o *metav1.DeleteOptions) { o.Preconditions = nil }},
		[]string{"is lost", "touched"}, later,
	},
	{
		"delete in the background", fault{deletion: func(o *metav1.DeleteOptions) { o.PropagationPolicy = ptr.To(metav1.DeletePropagationBackground) }},
		[]string{"does not come to rest", "goes while its pods run", "runs twice"}, later,
	},
	{
		"mirrors are not held", by(func(p *mirror.Policy) { p.HoldMirror = false }),
		[]string{"is lost", "goes while its pods run", "runs twice"}, later,
	},
	{
		"losses are not counted", by(func(p *mirror.Policy) { p.MaxAttempts, p.OnMirrorLost = 0, mirror.RecreateMirror }),
		[]string{"more often than MaxAttempts", "is to fail when its mirror is lost"}, soon,
	},
	{
		"mirrors are kept for ever", by(func(p *mirror.Policy) { p.KeepFinished = -1 }),
		[]string{"the mirror of a finished Job is left"}, soon,
	},
	{
		"another release validates", by(func(p *mirror.Policy) { p.Management = releases("v1.30.4") }),
		[]string{"a write is refused"}, soon,
	},
	{
		"the retry delay is a year", by(func(p *mirror.Policy) { p.RetryDelay = 365 * 24 * time.Hour }),
		[]string{"the next attempt is waited for"}, later,
	},
	{
		"the status is copied as it is", each(mirror.WriteStatus, copyBlindly),
		[]string{"a write is refused", "come to rest"}, soon,
	},
	{
		"claim without resourceVersion", each(mirror.Claim, withoutVersion),
		[]string{"a Job that has finished", "twice", "goes while", "a refusal is no news", "is to fail when its mirror is lost"}, later,
	},
	{
		"no claim", without(mirror.Claim),
		[]string{"a Job that is gone", "a Job that has finished", "without the finalizer", "twice", "is left", "kept out by nobody"}, soon,
	},
	{
		"no finalizer", seeingLocal(func(job *batchv1.Job) {
			if !slices.Contains(job.Finalizers, cleanupKey) {
				job.Finalizers = append(job.Finalizers, cleanupKey)
			}
		}),
		[]string{"a Job without the finalizer"}, soon,
	},
	{
		"the finalizer never goes", without(mirror.RemoveFinalizer),
		[]string{"a deleted Job is not let go"}, soon,
	},
	{
		"the mirror is never deleted", without(mirror.DeleteMirror),
		[]string{"is left", "not let go", "no result", "goes while its pods run", "come to rest"}, soon,
	},
	{
		"the mirror is never released", without(mirror.ReleaseMirror),
		[]string{"come to rest"}, soon,
	},
	{
		"the status is never written", without(mirror.WriteStatus),
		[]string{"no result", "is lost", "come to rest"}, soon,
	},
	{
		"unknown is gone", fault{see: func(v *view) { v.here = orGone(v.here) }},
		[]string{"a mirror of a deleted Job is left", "a Job that is gone", "a Job that has finished"}, later,
	},
	{
		"elsewhere is not looked at", fault{see: func(v *view) {
			for i := range v.elsewhere {
				v.elsewhere[i] = orGone(seen{})
			}
		}},
		[]string{"runs twice", "is left", "goes while"}, soon,
	},
	{
		"the mirror of a deleted Job is not looked for", fault{see: func(v *view) {
			if v.local.job != nil && v.local.job.DeletionTimestamp != nil {
				v.here = orGone(seen{})
			}
		}},
		[]string{"is left", "a Job that is gone"}, soon,
	},
	{
		"live reads are not believed", fault{see: func(v *view) { v.here.live = false }},
		[]string{"live reads for ever"}, soon,
	},
	{
		"a deletion is a failure", fault{see: func(v *view) {
			v.here = changed(v.here, func(job *batchv1.Job) {
				if job.DeletionTimestamp != nil {
					job.DeletionTimestamp = ptr.To(metav1.NewTime(job.DeletionTimestamp.AddDate(1, 0, 0)))
				}
			})
		}},
		[]string{"a deletion becomes a failure"}, soon,
	},
	{
		"whatever has the name is adopted", fault{see: func(v *view) {
			if v.local.job != nil {
				v.here = changed(v.here, func(job *batchv1.Job) { adopt(job, v.local.job) })
			}
		}},
		[]string{"touched"}, soon,
	},
	{
		"a Job runs again after its result", seeingLocal(func(job *batchv1.Job) {
			if verdict(job) != "" {
				job.Status.Conditions = nil
			}
		}),
		[]string{"a Job that has finished", "a terminal result changes", "come to rest", "a write is refused"}, soon,
	},
	{
		"a suspension counts as run", dispatching(func(job *batchv1.Job) {
			job.Status.Conditions = slices.DeleteFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == batchv1.JobSuspended })
		}),
		[]string{"was suspended counts"}, later,
	},
	{
		"the dispatcher is not listened to", fault{see: func(v *view) { v.wanted = false }},
		[]string{"no result"}, soon,
	},
	{
		"a plan is never empty", fault{plan: func(v view, p *mirror.Plan) {
			if len(p.Actions) == 0 && v.local.job != nil {
				p.Actions = append(p.Actions, note(v.local.job))
			}
		}},
		[]string{"does not come to rest"}, soon,
	},
}

// adopt gives a Job the identity of the mirror of another.
func adopt(job, local *batchv1.Job) {
	metav1.SetMetaDataLabel(&job.ObjectMeta, "acme.io/mirror-origin", "mgmt-1")
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, "acme.io/mirror-local", jobKey.String())
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, "acme.io/mirror-local-uid", string(local.UID))
}

// note is an action that writes and says nothing.
func note(local *batchv1.Job) mirror.Action {
	return mirror.Action{
		Kind: mirror.AddFinalizer, Object: jobKey, UID: local.UID,
		Patch: encode(map[string]any{"metadata": map[string]any{"uid": local.UID, "resourceVersion": local.ResourceVersion, "annotations": map[string]any{"seen": "yes"}}}),
	}
}

// Some faults show at once, others need a rare order of events.
const (
	soon  = 50
	later = 400
)

// TestFaults holds the simulation to what it is for: each of these controllers is found out.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() && tt.seeds > soon {
				t.Skip("it takes too many lives")
			}
			for seed := range uint64(tt.seeds) {
				l := live(t, seed, tt.fault)
				if l.violation == "" {
					continue
				}
				t.Logf("seed %d: %s", seed, l.violation)
				if !slices.ContainsFunc(tt.want, func(want string) bool { return strings.Contains(l.violation, want) }) {
					t.Errorf("got %q, want one of %q\n%s", l.violation, tt.want, strings.Join(l.trace[max(0, len(l.trace)-30):], "\n"))
				}
				return
			}
			t.Errorf("not found within %d seeds", tt.seeds)
		})
	}
}
