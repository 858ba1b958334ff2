// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
	"github.com/managedby-dev/managedby/examples/multicluster/manifests"
)

// The program does what the library does, with its flags: a lease, probes, metrics, events. A worker that is
// down from the start does not stop it, and it ends without a word when it is told to.
func TestControllerRuns(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	management, h := admin(t, f.Management), &hand{t: t}
	metrics, health := freePort(t), freePort(t)
	p := launch(t, "-management", kubeconfig(t, f.Management, nil), "-worker", workerA+"="+kubeconfig(t, f.Workers[0], nil),
		"-worker", "down="+kubeconfig(t, f.Workers[1], func(c *rest.Config) { c.Host = "https://" + freePort(t) }),
		"-metrics-bind-address", metrics, "-health-probe-bind-address", health, "-origin", "controller-runs", "-leader-elect-lease", "3s")
	createAll(t, management, jobs.New("controller-runs"), jobs.New("controller-down", jobs.On("down")))
	h.waitIs(management, "controller-runs", batchv1.JobComplete)
	for _, path := range []string{"/healthz", "/readyz"} {
		if _, code := get(t, "http://"+health+path); code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
	}
	body, _ := get(t, "http://"+metrics+"/metrics")
	for _, want := range []string{
		`dispatcher_actions_total{action="CreateMirror",result="done",worker="worker-a"} 1`,
		`dispatcher_plans_total{outcome="Invalid",worker="worker-a"} 0`,
		`controller_runtime_reconcile_total`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in the metrics", want)
		}
	}
	eventually(t, 20*time.Second, "the Jobs have events", func() bool {
		return reasons(t, management, "controller-runs")["Dispatching"] && reasons(t, management, "controller-down")["Unreachable"]
	})
	lease := &coordinationv1.Lease{}
	must(t, management.Get(t.Context(), client.ObjectKey{Namespace: manifests.Namespace, Name: dispatcher.Lease}, lease))
	if code := p.end(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d after SIGTERM:\n%s", code, p.log)
	}
	must(t, management.Get(t.Context(), client.ObjectKey{Namespace: manifests.Namespace, Name: dispatcher.Lease}, lease))
	if lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
		t.Errorf("the lease is still held by %s", *lease.Spec.HolderIdentity)
	}
	if !strings.Contains(p.log.String(), `"outcome":"Dispatching"`) {
		t.Error("the log is not structured")
	}
}

// What a worker refuses is said in an event, and does not stop the other Jobs.
func TestWorkerRefusesAMirror(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	run(t, f, nil)
	management, h := admin(t, f.Management), &hand{t: t}
	must(t, f.Management.EnsureNamespace(t.Context(), "not-on-workers"))
	job := jobs.New("refused", jobs.On(workerA))
	job.Namespace = "not-on-workers"
	must(t, management.Create(t.Context(), job))
	t.Cleanup(func() { h.purgeJob(management, job) })
	eventually(t, 20*time.Second, "an event says it", func() bool { return reasons(t, management, "refused")["Failed"] })
	createAll(t, management, jobs.New("nowhere", jobs.On("no-such-worker")), jobs.New("not-refused", jobs.On(workerA)))
	h.waitIs(management, "not-refused", batchv1.JobComplete)
	eventually(t, 20*time.Second, "an event says that there is no such worker", func() bool { return reasons(t, management, "nowhere")["NoSuchWorker"] })
}

// With -once every Job gets one step, read from the API servers.
func TestControllerOnce(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	management, h := admin(t, f.Management), &hand{t: t}
	bad := jobs.New("controller-once-bad", jobs.On(workerA))
	bad.Namespace = "not-on-workers"
	must(t, f.Management.EnsureNamespace(t.Context(), bad.Namespace))
	createAll(t, management, jobs.New("controller-once", jobs.On(workerA)))
	args := append([]string{
		"-once", "-management", kubeconfig(t, f.Management, nil), "-origin", "controller-once",
		"-worker", workerA + "=" + kubeconfig(t, f.Workers[0], nil), "-worker", workerB + "=" + kubeconfig(t, f.Workers[1], nil),
	}, quiet...)
	step := func() {
		t.Helper()
		p := launch(t, args...)
		if code := p.wait(t); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, p.log)
		}
	}
	step() // the finalizer
	step() // the mirror
	worker := admin(t, f.Workers[0])
	h.waitIs(worker, "controller-once", batchv1.JobComplete)
	step() // the result
	h.waitIs(management, "controller-once", batchv1.JobComplete)
	step() // the mirror goes
	h.waitGone(worker, "controller-once")
	step() // the finalizer goes
	if job := h.get(management, "controller-once"); len(job.Finalizers) > 0 {
		t.Errorf("finalizers: %v", job.Finalizers)
	}
	must(t, management.Create(t.Context(), bad))
	t.Cleanup(func() { h.purgeJob(management, bad) })
	createAll(t, management, jobs.New("controller-once-good", jobs.On(workerA)))
	step() // both finalizers
	p := launch(t, args...)
	if code := p.wait(t); code != 1 || !strings.Contains(p.log.String(), "not-on-workers") {
		t.Errorf("exit code %d with a Job that the worker refuses:\n%s", code, p.log)
	}
	h.waitIs(worker, "controller-once-good", batchv1.JobComplete)
}

func get(t *testing.T, url string) (string, int) {
	t.Helper()
	response, err := http.Get(url)
	must(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return string(body), response.StatusCode
}

// reasons are those of the events on a Job.
func reasons(t *testing.T, c client.Client, job string) map[string]bool {
	t.Helper()
	list, all := &eventsv1.EventList{}, map[string]bool{}
	must(t, c.List(t.Context(), list))
	for _, e := range list.Items {
		if e.Regarding.Name == job {
			all[e.Reason] = true
		}
	}
	return all
}
