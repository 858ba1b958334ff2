// SPDX-License-Identifier: Apache-2.0

package dispatcher

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/managedby-dev/managedby/mirror"
)

// deaf takes all writes and keeps none.
type deaf struct{ client.Writer }

func (deaf) Delete(context.Context, client.Object, ...client.DeleteOption) error { return nil }

func (deaf) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return nil
}

// deafStatus is the same for a status.
type deafStatus struct{ client.SubResourceWriter }

func (deafStatus) Patch(context.Context, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
	return nil
}

// sees is a cluster whose cache and API server have a Job, or none.
func sees(cached, live *batchv1.Job) Cluster {
	always := func(job *batchv1.Job, isLive bool) func(context.Context, types.NamespacedName) Sighting {
		return func(context.Context, types.NamespacedName) Sighting {
			return Sighting{Job: job.DeepCopy(), Known: true, Live: isLive}
		}
	}
	return Cluster{Writer: deaf{}, Status: deafStatus{}, Cached: always(cached, false), Live: always(live, true)}
}

// dispatched is a Job before and after it was sent to worker a, and its mirror there.
func dispatched(t *testing.T, planner *mirror.Planner) (before, after, remote *batchv1.Job) {
	t.Helper()
	before = &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "research", Name: "training", UID: "local", ResourceVersion: "1", Generation: 1,
			Finalizers: []string{"dispatcher.example.com/mirror-cleanup"}},
		Spec: batchv1.JobSpec{ManagedBy: ptr.To(Controller), Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "training:1"}},
		}}},
	}
	plan := planner.Decide(mirror.State{
		Key: client.ObjectKeyFromObject(before), Local: mirror.Live(before), Mirror: mirror.Live(nil), Elsewhere: mirror.OtherWorkers(),
		Worker: "a", Wanted: true, Now: metav1.Now(),
	})
	if len(plan.Actions) != 2 || plan.Actions[0].Kind != mirror.Claim || plan.Actions[1].Kind != mirror.CreateMirror {
		t.Fatalf("planned %v", plan)
	}
	after, remote = before.DeepCopy(), plan.Actions[1].Job
	if err := json.Unmarshal(plan.Actions[0].Patch, after); err != nil {
		t.Fatal(err)
	}
	after.ResourceVersion, remote.ResourceVersion, remote.UID = "2", "1", "remote"
	return before, after, remote
}

// A cache of the management cluster that is behind does not know where the Job was sent. That worker b has fewer
// mirrors is no reason to take it off worker a.
func TestStaleLocalJobIsNotMoved(t *testing.T) {
	policy := mirror.Policy{Controller: Controller, Origin: "management"}
	planner, err := mirror.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	before, after, remote := dispatched(t, planner)
	for _, test := range []struct {
		name   string
		cached *batchv1.Job
		pinned string
		evicts bool
	}{
		{"current", after, "", false},
		{"behind", before, "", false},
		{"moved by the user", after, "b", true},
		{"behind, and moved by the user", before, "b", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			cached, live := test.cached.DeepCopy(), after.DeepCopy()
			if test.pinned != "" {
				metav1.SetMetaDataAnnotation(&live.ObjectMeta, WorkerAnnotation, test.pinned)
				metav1.SetMetaDataAnnotation(&cached.ObjectMeta, WorkerAnnotation, test.pinned)
			}
			a, b := worker("a", true, 1), worker("b", true, 0)
			for _, w := range []*Worker{a, b} {
				w.unprobed = planner
			}
			a.Cluster, b.Cluster = sees(remote, remote), sees(nil, nil)
			report, err := NewReport(prometheus.NewRegistry(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var outcomes []mirror.Outcome
			report.Listen = func(_ *batchv1.Job, _ string, plan mirror.Plan) { outcomes = append(outcomes, plan.Outcome) }
			r := &Reconciler{Management: sees(cached, live), Workers: []*Worker{a, b}, Report: report}
			if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(live)}); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(outcomes, mirror.Evicting) != test.evicts {
				t.Errorf("the outcomes are %v", outcomes)
			}
		})
	}
}
