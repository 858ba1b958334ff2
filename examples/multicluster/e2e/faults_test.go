// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"flag"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
)

var faultJobs = flag.Int("fault-jobs", 200, "how many Jobs run in each fault; -short takes a tenth")

// outage is how long what was broken stays so.
const outage = 5 * time.Second

// fault is something that breaks while Jobs run.
type fault struct {
	name   string
	breaks func(*faultWorld)
	mends  func(*faultWorld)
}

// faultWorld is a fleet with a dispatcher in a process of its own, that reaches one worker through a proxy.
type faultWorld struct {
	whole, t   *testing.T // t is that of the round
	fleet      *fleet.Fleet
	proxy      *cluster.Proxy
	args       []string
	dispatcher *program
}

// launch starts a dispatcher that lives until the end of the whole test.
func (w *faultWorld) launch() { w.dispatcher = launch(w.whole, w.args...) }

// restart starts it again where it has lost its lease and ended, as a Deployment does.
func (w *faultWorld) restart() {
	select {
	case <-w.dispatcher.done:
		w.launch()
	default:
	}
}

func kills(pick func(*fleet.Fleet) *cluster.Cluster, component cluster.Component) fault {
	return fault{
		breaks: func(w *faultWorld) { pick(w.fleet).Kill(component) },
		mends: func(w *faultWorld) {
			must(w.t, pick(w.fleet).Restart(component))
			must(w.t, pick(w.fleet).WaitReady(w.t.Context()))
		},
	}
}

func named(name string, f fault) fault {
	f.name = name
	return f
}

func faults() []fault {
	management := func(f *fleet.Fleet) *cluster.Cluster { return f.Management }
	worker := func(f *fleet.Fleet) *cluster.Cluster { return f.Workers[0] }
	return []fault{
		{name: "none", breaks: func(*faultWorld) {}, mends: func(*faultWorld) {}},
		{name: "kill -9 dispatcher", breaks: func(w *faultWorld) { w.dispatcher.end(syscall.SIGKILL) }, mends: (*faultWorld).launch},
		named("kill -9 worker's kube-apiserver", kills(worker, cluster.APIServer)),
		named("kill -9 management kube-apiserver", kills(management, cluster.APIServer)),
		named("kill -9 worker's etcd", kills(worker, cluster.Etcd)),
		named("kill -9 worker's kube-controller-manager", kills(worker, cluster.ControllerManager)),
		{name: "worker cut off", breaks: func(w *faultWorld) { w.proxy.Cut() }, mends: func(w *faultWorld) { w.proxy.Mend() }},
	}
}

// Whatever breaks while Jobs run: each ends as its mirror does, none runs twice because of us, and nothing is
// left when they are deleted.
func TestFaults(t *testing.T) {
	f := ownFleet(t, cluster.Newest, cluster.Newest)
	n := *faultJobs
	if testing.Short() {
		n /= 10
	}
	proxy, err := cluster.NewProxy(f.Workers[0].Address())
	must(t, err)
	t.Cleanup(proxy.Close)
	w := &faultWorld{whole: t, t: t, fleet: f, proxy: proxy}
	w.args = append([]string{
		"-management", kubeconfig(t, f.Management, nil), "-keep-finished", "1h", "-exclusive-origin", "-hold-mirror",
		"-worker", workerA + "=" + kubeconfig(t, f.Workers[0], func(c *rest.Config) { c.Host = "https://" + proxy.Address() }),
		"-worker", workerB + "=" + kubeconfig(t, f.Workers[1], nil),
	}, quiet...)
	w.launch()
	var report strings.Builder
	table := tabwriter.NewWriter(&report, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "fault\tJobs\tunfinished then\tall finished after\tlost\tran twice\tleft behind\tclean after")
	for i, fault := range faults() {
		t.Run(fault.name, func(t *testing.T) {
			w.t = t
			r := w.round(fault, fmt.Sprintf("fault-%d", i), n)
			fmt.Fprintf(table, "%s\t%d\t%d\t%.1fs\t%d\t%d\t%d\t%.1fs\n", fault.name, n, r.affected, r.recovered.Seconds(), r.lost, r.twice, r.left, r.clean.Seconds())
			if r.lost > 0 || r.twice > 0 || r.left > 0 {
				t.Errorf("lost %d, ran twice %d, left behind %d", r.lost, r.twice, r.left)
			}
		})
	}
	must(t, table.Flush())
	t.Logf("a lease is good for 15s, and what breaks is broken for %v\n%s", outage, &report)
}

// faultOutcome is what became of the Jobs of a round.
type faultOutcome struct {
	affected          int // unfinished when it broke
	lost, twice, left int
	recovered, clean  time.Duration // since it was mended
}

func (w *faultWorld) round(f fault, prefix string, n int) faultOutcome {
	var o faultOutcome
	marks := marksOf(w.t, w.fleet)
	management := admin(w.t, w.fleet.Management)
	w.create(management, prefix, n)
	eventually(w.t, 2*time.Minute, "a tenth of the Jobs has finished", func() bool { return w.unfinished(management, prefix) <= n*9/10 })
	o.affected = w.unfinished(management, prefix)
	f.breaks(w)
	if f.name != "none" {
		time.Sleep(outage)
	}
	f.mends(w)
	mended := time.Now()
	eventually(w.t, 5*time.Minute, "all Jobs have finished", func() bool {
		w.restart()
		return w.unfinished(management, prefix) == 0
	})
	o.recovered = time.Since(mended)
	o.lost = w.differing(management, prefix, n)
	o.twice = w.twice(marks, prefix)
	deleted := time.Now()
	must(w.t, management.DeleteAllOf(w.t.Context(), &batchv1.Job{}, client.InNamespace(fleet.Namespace), client.MatchingLabels{"round": prefix},
		client.PropagationPolicy(background)))
	for time.Since(deleted) < 2*time.Minute {
		if o.left = w.left(management, prefix); o.left == 0 {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	o.clean = time.Since(deleted)
	return o
}
