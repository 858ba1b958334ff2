// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
	"github.com/managedby-dev/managedby/examples/multicluster/fleet"
)

var verbose = flag.Bool("plans", false, "log what the dispatcher does")

// The names of the workers.
const (
	workerA = "worker-a"
	workerB = "worker-b"
)

var binaryDir string

// shared are the fleets that tests use together, by their releases.
var shared = struct {
	sync.Mutex
	fleets map[string]*fleet.Fleet
}{fleets: map[string]*fleet.Fleet{}}

func TestMain(m *testing.M) {
	flag.Parse()
	out := io.Discard
	if *verbose {
		out = os.Stderr
	}
	logger := logr.FromSlogHandler(slog.NewTextHandler(out, nil))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
	stopEarly()
	var err error
	if binaryDir, err = os.MkdirTemp("", "multicluster-"); err != nil {
		panic(err)
	}
	whileRunning(func() { _ = os.RemoveAll(binaryDir) })
	code := m.Run()
	stopAll()
	os.Exit(code)
}

// sharedFleet is a management cluster and two workers that the other tests use too.
func sharedFleet(t *testing.T, management, worker string) *fleet.Fleet {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	key := management + " " + worker
	if shared.fleets[key] == nil {
		shared.fleets[key], _ = startFleet(t, management, worker)
	}
	return shared.fleets[key]
}

// ownFleet is one that is stopped when the test ends.
func ownFleet(t *testing.T, management, worker string) *fleet.Fleet {
	t.Helper()
	f, stop := startFleet(t, management, worker)
	t.Cleanup(stop)
	return f
}

func startFleet(t *testing.T, management, worker string) (f *fleet.Fleet, stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	started := time.Now()
	f, err := fleet.Start(ctx, os.Stderr, cluster.Options{Release: management},
		cluster.Options{Name: workerA, Release: worker}, cluster.Options{Name: workerB, Release: worker})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, "management %s and two workers %s answer after %v\n", management, worker, time.Since(started).Round(100*time.Millisecond))
	return f, whileRunning(f.Stop)
}

// eventually waits for something to become true.
func eventually(t *testing.T, patience time.Duration, what string, is func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !is() {
		if time.Now().After(deadline) {
			t.Fatalf("after %v still not: %s", patience, what)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
