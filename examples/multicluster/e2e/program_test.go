// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
)

var keepLogs = flag.String("controller-logs", "", "`directory` for the logs of the controllers")

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
	done <-chan struct{}
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
	p := &program{cmd: exec.Command(path, append([]string{"controller"}, args...)...), log: &lockedBuffer{}}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.done, err = cluster.Launch(p.cmd)
	must(t, err)
	stop := whileRunning(func() { p.end(syscall.SIGKILL) })
	t.Cleanup(func() {
		stop()
		if strings.Contains(p.log.String(), "DATA RACE") { // where it is built with GOFLAGS=-race
			t.Error("the controller has a data race")
		}
		if *keepLogs != "" {
			must(t, os.WriteFile(filepath.Join(*keepLogs, fmt.Sprintf("controller-%d.log", p.cmd.Process.Pid)), []byte(p.log.String()), 0o600))
		}
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
