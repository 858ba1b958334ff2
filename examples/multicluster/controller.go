// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/managedby-dev/managedby/examples/multicluster/dispatcher"
	"github.com/managedby-dev/managedby/examples/multicluster/manifests"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // it ran, and ended with an error
	exitRefuse = 2 // it did not start, and has changed nothing

	exitInterrupted = 130 // by Ctrl-C, before its end
)

// controllerFlags are those of the command.
type controllerFlags struct {
	options    dispatcher.Options
	management string
	workers    map[string]string
	gate       string
	condition  string
	once       bool
	verbose    bool
}

func parseController(args []string) (*controllerFlags, error) {
	f := &controllerFlags{workers: map[string]string{}}
	set := flag.NewFlagSet("controller", flag.ContinueOnError)
	set.StringVar(&f.management, "management", "", "kubeconfig `file` of the management cluster")
	set.Func("worker", "`name=file`: a worker and its kubeconfig; repeat it for more. Dispatch records keep the name", func(s string) error {
		name, file, ok := strings.Cut(s, "=")
		if !ok || name == "" || file == "" {
			return errors.New("want name=file")
		}
		if f.workers[name] != "" {
			return fmt.Errorf("worker %s is there twice", name)
		}
		f.workers[name] = file
		return nil
	})
	policy := &f.options.Policy
	set.StringVar(&policy.Controller, "controller", dispatcher.Controller, "the spec.managedBy of the Jobs to run; its domain is that of the manifests' keys")
	set.StringVar(&policy.Origin, "origin", "", "`name` of the management cluster on the workers (default: the UID of its namespace kube-system)")
	set.BoolVar(&policy.ExclusiveOrigin, "exclusive-origin", false, "no other management cluster uses this origin on these workers: delete mirrors whose Job is gone")
	set.BoolVar(&policy.HoldMirror, "hold-mirror", false, "keep mirrors with a finalizer until their result is read")
	set.DurationVar(&policy.KeepFinished, "keep-finished", 0, "how long to keep the mirror of a finished Job")
	set.DurationVar(&policy.AbandonAfter, "abandon-after", 0, "how long the deletion of a Job waits for a worker that does not answer; 0: for ever")
	set.StringVar(&f.condition, "condition", "", "`type` of a condition on the local Jobs that says who runs them")
	set.StringVar(&f.gate, "management-gate", "", "how the management cluster sets the feature gate JobManagedBy: true or false (default: that of its release)")
	set.BoolVar(&f.options.LeaderElection, "leader-elect", true, "take a lease, so that one of several copies works")
	set.StringVar(&f.options.LeaderElectionNamespace, "leader-elect-namespace", manifests.Namespace, "`namespace` of the lease in the management cluster")
	set.DurationVar(&f.options.LeaseDuration, "leader-elect-lease", 15*time.Second, "how long a lease is good for")
	set.StringVar(&f.options.MetricsAddress, "metrics-bind-address", ":8080", "`address` of /metrics; 0: none")
	set.StringVar(&f.options.HealthAddress, "health-probe-bind-address", ":8081", "`address` of /healthz and /readyz; 0: none")
	set.IntVar(&f.options.Concurrency, "concurrency", 4, "how many Jobs to look at at a time")
	set.BoolVar(&f.once, "once", false, "take one step for each Job, and end; no lease is taken")
	set.BoolVar(&f.verbose, "v", false, "log plans without actions too")
	if err := parse(set, args); err != nil {
		return nil, err
	}
	return f, f.resolve()
}

// resolve reads the kubeconfigs.
func (f *controllerFlags) resolve() (err error) {
	switch {
	case f.management == "":
		return errors.New("-management is missing")
	case len(f.workers) == 0:
		return errors.New("-worker is missing")
	}
	f.options.Policy.Condition = batchv1.JobConditionType(f.condition)
	switch f.gate {
	case "":
	case "true", "false":
		on := f.gate == "true"
		f.options.ManagementGate = &on
	default:
		return errors.New("-management-gate is true or false")
	}
	if f.once {
		f.options.LeaderElection, f.options.MetricsAddress, f.options.HealthAddress = false, "0", "0"
	}
	if f.options.Management, err = readKubeconfig(f.management); err != nil {
		return fmt.Errorf("management cluster: %w", err)
	}
	f.options.Workers = map[string]*rest.Config{}
	for name, file := range f.workers {
		if f.options.Workers[name], err = readKubeconfig(file); err != nil {
			return fmt.Errorf("worker %s: %w", name, err)
		}
	}
	return nil
}

func readKubeconfig(file string) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if clientcmd.IsEmptyConfig(err) {
		return nil, fmt.Errorf("%s has no current context with a cluster", file)
	} else if err != nil {
		return nil, err
	}
	config.QPS, config.UserAgent = -1, "dispatcher" // the API server limits by itself
	return config, nil
}

func runController(ctx context.Context, args []string) int {
	flags, err := parseController(args)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "multicluster controller:", err)
		return exitRefuse
	}
	logTo(os.Stderr, flags.verbose)
	checking, cancel := context.WithTimeout(ctx, 30*time.Second)
	d, err := dispatcher.New(checking, flags.options)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "multicluster controller:", err)
		return exitRefuse
	}
	run := d.Start
	if flags.once {
		run = d.Once
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "multicluster controller:", err)
		return exitFailed
	}
	return exitOK
}

// logTo sends all logs to one place, as JSON.
func logTo(out io.Writer, verbose bool) {
	level := slog.LevelInfo
	if verbose {
		level = slog.Level(-1)
	}
	logger := logr.FromSlogHandler(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level}))
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
}

func runManifests(_ context.Context, args []string) int {
	all := map[string][]byte{"management": manifests.Management, "worker": manifests.Worker}
	if len(args) != 1 || all[args[0]] == nil {
		fmt.Fprint(os.Stderr, usage)
		return exitRefuse
	}
	_, _ = os.Stdout.Write(all[args[0]])
	return exitOK
}
