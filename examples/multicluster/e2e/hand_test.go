// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/mirror"
)

// hand is a dispatcher without caches and events, which takes a step when it is told. What it takes for a
// cache is a read that does not count as live.
type hand struct {
	t          *testing.T
	reconciler *dispatcher.Reconciler
	policy     mirror.Policy
	management client.Client // an administrator's, as are those of the workers
	workers    map[string]client.Client
	down       map[string]bool // clusters that do not answer
	plans      []string        // of the last step, one for each worker that had one
}

func newHand(t *testing.T, f *fleet.Fleet, change func(*mirror.Policy)) *hand {
	t.Helper()
	h := &hand{t: t, workers: map[string]client.Client{}, down: map[string]bool{}, management: admin(t, f.Management)}
	h.policy = mirror.Policy{
		Controller: dispatcher.Controller, Origin: strings.ToLower(strings.NewReplacer("/", "-", " ", "-").Replace(t.Name())),
	}
	if change != nil {
		change(&h.policy)
	}
	report, err := dispatcher.NewReport(prometheus.NewRegistry(), nil)
	must(t, err)
	report.Listen = func(_ *batchv1.Job, worker string, plan mirror.Plan) {
		h.plans = append(h.plans, worker+": "+short(plan))
	}
	h.reconciler = &dispatcher.Reconciler{Management: h.cluster(t, fleet.Management, f.Management), Report: report}
	for _, c := range f.Workers {
		config, err := fleet.DispatcherConfig(t.Context(), c)
		must(t, err)
		w, err := dispatcher.NewWorker(c.Name, config, h.policy)
		must(t, err)
		w.Cluster = h.cluster(t, c.Name, c)
		w.Probe(t.Context())
		h.reconciler.Workers = append(h.reconciler.Workers, w)
		h.workers[c.Name] = admin(t, c)
	}
	return h
}

// cluster has the dispatcher's rights.
func (h *hand) cluster(t *testing.T, name string, c *cluster.Cluster) dispatcher.Cluster {
	t.Helper()
	config, err := fleet.DispatcherConfig(t.Context(), c)
	must(t, err)
	cl, err := client.New(config, client.Options{})
	must(t, err)
	answers := func() bool { return !h.down[name] }
	made := dispatcher.NewCluster(cl, cl, cl, answers)
	live := made.Live
	made.Live = func(ctx context.Context, key types.NamespacedName) dispatcher.Sighting {
		if !answers() {
			return dispatcher.Sighting{}
		}
		return live(ctx, key)
	}
	return made
}

// step lets the dispatcher look at a Job once, and checks what it planned: "worker: outcome actions".
func (h *hand) step(name string, want ...string) {
	h.t.Helper()
	h.plans = nil
	_, err := h.reconciler.Reconcile(h.t.Context(), reconcile.Request{NamespacedName: keyOf(name)})
	must(h.t, err)
	if !slices.Equal(h.plans, want) {
		h.t.Fatalf("planned %q, want %q", h.plans, want)
	}
}

// dispatch creates a Job and its mirror, and waits until the status of one that does not end stays as it is:
// otherwise a delete may come too late.
func (h *hand) dispatch(job *batchv1.Job, worker string) {
	h.t.Helper()
	h.create(h.management, job)
	h.step(job.Name, worker+": Dispatching AddFinalizer")
	h.step(job.Name, worker+": Dispatching Claim CreateMirror")
	if job.Spec.Template.Annotations[cluster.RunsFor] == cluster.Forever {
		h.waitFor(h.workers[worker], job.Name, "runs", hasReady(1))
	}
}

func (h *hand) create(c client.Client, job *batchv1.Job) {
	h.t.Helper()
	must(h.t, c.Create(h.t.Context(), job))
	h.t.Cleanup(func() { h.purge(c, job.Name) })
}

// purge removes a Job whatever holds it.
func (h *hand) purge(c client.Client, name string) {
	h.purgeJob(c, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: fleet.Namespace, Name: name}})
}

func (h *hand) purgeJob(c client.Client, job *batchv1.Job) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = c.Patch(ctx, job, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
	_ = c.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
	_ = c.Patch(ctx, job, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
}

// edit changes a Job.
func (h *hand) edit(c client.Client, name string, changes ...func(*batchv1.Job)) {
	h.t.Helper()
	job := h.get(c, name)
	changed := job.DeepCopy()
	for _, change := range changes {
		change(changed)
	}
	must(h.t, c.Patch(h.t.Context(), changed, client.MergeFrom(job)))
}

func (h *hand) delete(c client.Client, name string, policy metav1.DeletionPropagation) {
	h.t.Helper()
	must(h.t, c.Delete(h.t.Context(), h.get(c, name), client.PropagationPolicy(policy)))
}

func (h *hand) get(c client.Client, name string) *batchv1.Job {
	h.t.Helper()
	job := find(h.t, c, name)
	if job == nil {
		h.t.Fatalf("there is no Job %s", name)
	}
	return job
}

func (h *hand) waitGone(c client.Client, name string) {
	h.t.Helper()
	eventually(h.t, 20*time.Second, name+" is gone", func() bool { return find(h.t, c, name) == nil })
}

func (h *hand) waitFor(c client.Client, name, what string, is func(*batchv1.Job) bool) {
	h.t.Helper()
	eventually(h.t, 30*time.Second, name+": "+what, func() bool { job := find(h.t, c, name); return job != nil && is(job) })
}

// waitIs waits for a condition.
func (h *hand) waitIs(c client.Client, name string, condition batchv1.JobConditionType) {
	h.t.Helper()
	h.waitFor(c, name, string(condition), is(condition))
}

func is(condition batchv1.JobConditionType) func(*batchv1.Job) bool {
	return func(job *batchv1.Job) bool {
		return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
			return c.Type == condition && c.Status == "True"
		})
	}
}

func hasReady(n int32) func(*batchv1.Job) bool {
	return func(job *batchv1.Job) bool { return job.Status.Ready != nil && *job.Status.Ready == n }
}

// find returns nil for a Job that is not there.
func find(t *testing.T, c client.Client, name string) *batchv1.Job {
	t.Helper()
	job := &batchv1.Job{}
	err := c.Get(t.Context(), keyOf(name), job)
	if apierrors.IsNotFound(err) {
		return nil
	}
	must(t, err)
	return job
}

func keyOf(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: fleet.Namespace, Name: name}
}

// short is a plan's outcome and the kinds of its actions.
func short(plan mirror.Plan) string {
	words := []string{string(plan.Outcome)}
	for _, action := range plan.Actions {
		words = append(words, string(action.Kind))
	}
	return strings.Join(words, " ")
}

func admin(t *testing.T, c *cluster.Cluster) client.Client {
	t.Helper()
	cl, err := client.New(c.Config("admin"), client.Options{})
	must(t, err)
	return cl
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
