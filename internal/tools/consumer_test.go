// SPDX-License-Identifier: Apache-2.0

package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// modules is how many modules a program that uses the whole library and nothing else has to know (`go list -m all`),
// itself included, and linked how many of them are in its binary. Both only go down without a good reason.
const modules, linked = 61, 19

const consumer = `package main

import (
	"fmt"

	"github.com/managedby-dev/managedby/jobmanagedby"
	"github.com/managedby-dev/managedby/mirror"
	"github.com/managedby-dev/managedby/statusvalidate"
)

func main() {
	p, err := mirror.New(mirror.Policy{Controller: "acme.io/dispatcher", Origin: "mgmt-1"})
	fmt.Println(p.Decide(mirror.State{}), err, jobmanagedby.JobController, len(statusvalidate.Rules()) > 0)
}
`

// TestConsumer builds a program outside of the repository on the library, and runs it.
func TestConsumer(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("main.go", consumer)
	write("go.mod", "module example.com/consumer\n\ngo 1.24.0\n\nrequire github.com/managedby-dev/managedby v0.0.0\n\nreplace github.com/managedby-dev/managedby => "+root+"\n")
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(out))
	}
	run("go", "mod", "tidy")
	run("go", "build", "-o", "consumer", ".")
	if got := run(filepath.Join(dir, "consumer")); got != "nothing <nil> kubernetes.io/job-controller true" {
		t.Errorf("it says %q", got)
	}
	if n := len(strings.Split(run("go", "list", "-m", "all"), "\n")); n != modules {
		t.Errorf("%d modules, recorded are %d", n, modules)
	}
	if n := strings.Count(run("go", "version", "-m", "consumer"), "\tdep\t"); n != linked {
		t.Errorf("%d modules are linked, recorded are %d", n, linked)
	}
}
