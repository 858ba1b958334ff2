package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
	"github.com/managedby-dev/managedby/examples/multicluster/jobs"
	"github.com/managedby-dev/managedby/examples/multicluster/manifests"
)

// binary is the program, built once, in a directory that goes with the last test.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaryDir, "multicluster")
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// program is a controller in a process of its own.
type program struct {
	cmd  *exec.Cmd
	log  *lockedBuffer
	done chan struct{}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// launch starts it; it is killed when the test ends.
func launch(t *testing.T, args ...string) *program {
	t.Helper()
	path, err := binary()
	must(t, err)
	p := &program{cmd: exec.Command(path, append([]string{"controller"}, args...)...), log: &lockedBuffer{}, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	must(t, p.cmd.Start())
	go func() { _ = p.cmd.Wait(); close(p.done) }()
	t.Cleanup(func() {
		p.end(syscall.SIGKILL)
		if t.Failed() {
			lines := strings.Split(p.log.String(), "\n")
			t.Logf("the controller's log ends:\n%s", strings.Join(lines[max(0, len(lines)-20):], "\n"))
		}
	})
	return p
}

// end sends a signal and returns the exit code.
func (p *program) end(s syscall.Signal) int {
	_ = p.cmd.Process.Signal(s)
	<-p.done
	return p.cmd.ProcessState.ExitCode()
}

// wait returns the exit code of a program that ends by itself.
func (p *program) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-p.done:
	case <-time.After(time.Minute):
		t.Fatalf("it does not end:\n%s", p.log)
	}
	return p.cmd.ProcessState.ExitCode()
}

// kubeconfig is a file for the dispatcher's service account. The address may be another than the cluster's.
func kubeconfig(t *testing.T, c *cluster.Cluster, change func(*rest.Config)) string {
	t.Helper()
	config, err := fleet.DispatcherConfig(context.Background(), c)
	must(t, err)
	if change != nil {
		change(config)
	}
	path, err := c.Kubeconfig(strings.ReplaceAll(t.Name(), "/", "-")+fmt.Sprint(time.Now().UnixNano())+".kubeconfig", config)
	must(t, err)
	return path
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	return l.Addr().String()
}

var quiet = []string{"-metrics-bind-address=0", "-health-probe-bind-address=0"}

// What is wrong at the start is said in a line, with exit code 2, and nothing is changed anywhere.
func TestControllerRefusesToStart(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	management, worker := kubeconfig(t, f.Management, nil), kubeconfig(t, f.Workers[0], nil)
	marks := []int64{auditMark(t, f.Management), auditMark(t, f.Workers[0])}
	broken := filepath.Join(t.TempDir(), "broken")
	must(t, os.WriteFile(broken, []byte("{"), 0o600))
	badToken := func(config *rest.Config) { config.BearerToken = "nobody" }
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"no management", []string{"-worker", "a=" + worker}, "-management is missing"},
		{"no worker", []string{"-management", management}, "-worker is missing"},
		{"worker without a name", []string{"-management", management, "-worker", worker}, "want name=file"},
		{"worker twice", []string{"-management", management, "-worker", "a=" + worker, "-worker", "a=" + worker}, "twice"},
		{"no such flag", []string{"-namespace", "x"}, "not defined"},
		{"no such file", []string{"-management", broken + "-not", "-worker", "a=" + worker}, "no such file"},
		{"bad kubeconfig", []string{"-management", broken, "-worker", "a=" + worker}, "management cluster"},
		{"bad kubeconfig of a worker", []string{"-management", management, "-worker", "a=" + broken}, "worker a"},
		{"unreachable", []string{"-management", kubeconfig(t, f.Management, func(c *rest.Config) { c.Host = "https://" + freePort(t) }), "-worker", "a=" + worker}, "refused"},
		{"bad token", []string{"-management", kubeconfig(t, f.Management, badToken), "-worker", "a=" + worker}, "management cluster"},
		{"missing rights", []string{"-management", kubeconfig(t, f.Management, func(c *rest.Config) {
			c.BearerToken = withoutRights(t, f.Management)
		}), "-worker", "a=" + worker}, "rights are missing: get jobs.batch"},
		{"missing rights on a worker", []string{"-management", management, "-worker", "a=" + kubeconfig(t, f.Workers[0], func(c *rest.Config) {
			c.BearerToken = withoutRights(t, f.Workers[0])
		})}, "worker a: rights are missing"},
		{"gate off", []string{"-management", management, "-worker", "a=" + worker, "-management-gate", "off"}, "true or false"},
		{"bad controller", []string{"-management", management, "-worker", "a=" + worker, "-controller", "nodomain"}, "Controller"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := launch(t, append(test.args, quiet...)...)
			if code := p.wait(t); code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			if !strings.Contains(p.log.String(), test.want) {
				t.Errorf("it says:\n%s\nwant %q in it", p.log, test.want)
			}
		})
	}
	t.Run("nothing was changed", func(t *testing.T) {
		for i, c := range []*cluster.Cluster{f.Management, f.Workers[0]} {
			for _, call := range callsSince(t, c, marks[i]) {
				if call.Verb != "get" && call.ObjectRef.Resource != "selfsubjectaccessreviews" {
					t.Errorf("%s: %s", c.Name, call.name())
				}
			}
		}
	})
}

// A management cluster that ignores spec.managedBy is refused.
func TestControllerRefusesAnOldManagementCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a control plane of 1.30; the releases are tested without one in jobmanagedby")
	}
	old := sharedFleet(t, cluster.Newest, "1.30.14").Workers[0] // with a manifest that gives too few rights, which is looked at later
	p := launch(t, append(quiet, "-management", kubeconfig(t, old, nil), "-worker", "a="+kubeconfig(t, old, nil))...)
	if code := p.wait(t); code != 2 || !strings.Contains(p.log.String(), "ignores spec.managedBy") {
		t.Errorf("exit code %d:\n%s", code, p.log)
	}
}

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

// With -once every Job gets one step, read from the API servers.
func TestControllerOnce(t *testing.T) {
	f := sharedFleet(t, cluster.Newest, cluster.Newest)
	management, h := admin(t, f.Management), &hand{t: t}
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
	must(t, c.List(t.Context(), list, client.InNamespace(fleet.Namespace)))
	for _, e := range list.Items {
		if e.Regarding.Name == job {
			all[e.Reason] = true
		}
	}
	return all
}

// withoutRights is the token of a service account that has none.
func withoutRights(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	token, err := c.Token(t.Context(), fleet.Namespace, "nobody")
	must(t, err)
	return token
}
