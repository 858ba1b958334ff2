// SPDX-License-Identifier: Apache-2.0

// Command oracle answers questions about Jobs with the registry strategies of one Kubernetes release,
// the one of the go.mod that it is built with: a stream of JSON lines in, a stream of JSON lines out,
// in the same order. README.md has the questions.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"k8s.io/klog/v2"

	"github.com/managedby-dev/managedby/internal/oracle/upstream"
	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

func main() {
	var defaults wire.Request
	gates := flag.String("feature-gates", "", "as for kube-apiserver, such as JobManagedBy=false")
	emulated := flag.String("emulated-version", "", "as for kube-apiserver, such as 1.34")
	flag.StringVar(&defaults.Op, "op", wire.Status, "what is asked where a request does not say: status, update, create or about")
	flag.BoolVar(&defaults.Typed, "typed", false, "take Old and New through the Go types, as a typed client does")
	flag.BoolVar(&defaults.Metadata, "metadata", false, "keep the errors of metadata in the answer about a status")
	flag.BoolVar(&defaults.Rules, "rules", false, "say which option of the strategy each error of a status is due to")
	flag.BoolVar(&defaults.Stored, "stored", false, "answer with the object that would be stored")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "requests to answer at a time")
	flag.Parse()
	if err := upstream.SetGates(*emulated, *gates); err != nil {
		fail(err)
	}
	silenceLog()
	debug.SetGCPercent(400) // a sixth faster: there is little that lives longer than a request
	f := filter{defaults: defaults, answer: upstream.Answer, workers: *workers}
	if err := f.run(os.Stdin, os.Stdout); err != nil {
		fail(err)
	}
}

// silenceLog drops what the registry finds odd about an object and logs for every request.
func silenceLog() {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "oracle:", err)
	os.Exit(1)
}
