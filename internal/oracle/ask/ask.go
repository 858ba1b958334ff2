// SPDX-License-Identifier: Apache-2.0

// Package ask lets Go tests ask the API servers of many releases: it builds the oracle for a release,
// keeps the program in the user's cache, starts it and talks to it in batches.
package ask

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// Oracle is a process that answers. It is for one goroutine at a time. After an error of any method
// it can only be closed.
type Oracle struct {
	config Config
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer // complete when cmd.Wait has returned
}

// For starts an oracle that is closed at the end of the test.
func For(t testing.TB, c Config) *Oracle {
	t.Helper()
	o, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// Start builds the oracle for a configuration, if need be, and starts it.
func Start(c Config) (*Oracle, error) {
	program, err := build(c.Release)
	if err != nil {
		return nil, err
	}
	o := &Oracle{config: c}
	o.cmd = exec.Command(program, "-feature-gates="+c.FeatureGates, "-emulated-version="+c.EmulatedVersion)
	o.cmd.Stderr = &o.stderr
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.out = bufio.NewReaderSize(out, 1<<20)
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	if err := o.checkRelease(); err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// Close ends the process, which stops when there is nothing more to read, and waits for it.
func (o *Oracle) Close() error {
	o.in.Close()
	if err := o.cmd.Wait(); err != nil {
		return o.wrap(fmt.Errorf("%w\n%s", err, &o.stderr))
	}
	return nil
}

func (o *Oracle) wrap(err error) error { return fmt.Errorf("oracle %v: %w", o.config, err) }

// checkRelease makes sure that the right program answers.
func (o *Oracle) checkRelease() error {
	server, err := o.About()
	if err != nil {
		return err
	}
	if server.Release != "v"+o.config.Release {
		return o.wrap(fmt.Errorf("it is %s", server.Release))
	}
	return nil
}

// About says what it is that answers.
func (o *Oracle) About() (wire.Server, error) {
	answers, err := o.Ask([]wire.Request{{Op: wire.About}})
	if err != nil {
		return wire.Server{}, err
	}
	return *answers[0].About, nil
}

// Ask asks many things at once, which is much faster than one by one: thousands are a good number.
// The answers are in the order of the requests. It is an error if a request gets no verdict.
func (o *Oracle) Ask(requests []wire.Request) ([]wire.Response, error) {
	lines, err := Lines(requests)
	if err != nil {
		return nil, err
	}
	return o.AskLines(lines)
}

// Lines marshals requests.
func Lines(requests []wire.Request) ([][]byte, error) {
	lines := make([][]byte, len(requests))
	for i := range requests {
		line, err := json.Marshal(&requests[i])
		if err != nil {
			return nil, err
		}
		lines[i] = append(line, '\n')
	}
	return lines, nil
}

// AskLines asks what Lines has made, so that several releases can be asked the same.
func (o *Oracle) AskLines(lines [][]byte) ([]wire.Response, error) {
	written := make(chan error, 1)
	go func() { written <- o.write(lines) }()
	answers, err := o.read(len(lines))
	if err != nil {
		err = o.wrap(err)
		// Nobody reads its answers any more: it would never read the rest of the requests.
		if kill := o.cmd.Process.Kill(); kill != nil && !errors.Is(kill, os.ErrProcessDone) {
			err = errors.Join(err, kill)
		}
		<-written
		return nil, err
	}
	return answers, <-written
}

func (o *Oracle) write(lines [][]byte) error {
	w := bufio.NewWriterSize(o.in, 1<<20)
	for _, line := range lines {
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return w.Flush()
}

func (o *Oracle) read(n int) ([]wire.Response, error) {
	answers := make([]wire.Response, n)
	for i := range answers {
		line, err := o.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("no answer to request %d of %d: %w", i, n, err)
		}
		if err := json.Unmarshal(line, &answers[i]); err != nil {
			return nil, err
		}
		if failure := answers[i].Failure; failure != "" {
			return nil, fmt.Errorf("no verdict on request %d of %d: %s", i, n, failure)
		}
	}
	return answers, nil
}

// Job marshals a Job as a typed client does: whole seconds, no zero times. What a client cannot send,
// such as a quantity that was made by hand and is not one, makes it panic.
func Job(job *batchv1.Job) json.RawMessage {
	body, err := json.Marshal(job)
	if err != nil {
		panic(err)
	}
	return body
}
