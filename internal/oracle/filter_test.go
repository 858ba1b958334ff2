// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// slow answers early requests late, so that workers finish out of order.
func slow(req wire.Request) wire.Response {
	if len(req.ID) < 3 {
		time.Sleep(time.Millisecond)
	}
	return wire.Response{ID: req.ID, Failure: req.Op}
}

func TestFilterKeepsOrder(t *testing.T) {
	const n = 10 * maxBatch
	var in, out, want bytes.Buffer
	for i := range n {
		fmt.Fprintf(&in, "{\"id\":%d}\n\n", i)
		fmt.Fprintf(&want, `{"id":%d,"errors":null,"failure":"default"}`+"\n", i)
	}
	f := filter{defaults: wire.Request{Op: "default"}, answer: slow, workers: 8}
	if err := f.run(&in, &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != want.String() {
		t.Errorf("got\n%s\nwant\n%s", &out, &want)
	}
}

func TestFilterAnswersGarbage(t *testing.T) {
	const in = `{"id":1}` + "\n" + `nonsense` + "\n" + `{"op":"given"}` // no newline at the end
	var out bytes.Buffer
	f := filter{defaults: wire.Request{Op: "default"}, answer: slow, workers: 1}
	if err := f.run(strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	var failures []string
	for dec := json.NewDecoder(&out); dec.More(); {
		var r wire.Response
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		failures = append(failures, r.Failure)
	}
	if len(failures) != 3 || failures[0] != "default" || !strings.Contains(failures[1], "invalid character") || failures[2] != "given" {
		t.Errorf("got %q", failures)
	}
}

// Somebody who types waits for an answer before the next question.
func TestFilterAnswersAtOnce(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- filter{answer: slow, workers: 2}.run(inR, outW) }()
	dec := json.NewDecoder(outR)
	for i := range 3 {
		fmt.Fprintf(inW, "{\"id\":%d}\n", i)
		var r wire.Response
		if err := dec.Decode(&r); err != nil || string(r.ID) != fmt.Sprint(i) {
			t.Fatalf("answer %+v, %v; want id %d", r, err, i)
		}
	}
	inW.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestFilterErrors(t *testing.T) {
	broken := errors.New("broken")
	inR, inW := io.Pipe()
	go inW.CloseWithError(broken)
	if err := (filter{answer: slow, workers: 1}).run(inR, io.Discard); !errors.Is(err, broken) {
		t.Errorf("reading: got %v", err)
	}
	outR, outW := io.Pipe()
	outR.CloseWithError(broken)
	if err := (filter{answer: slow, workers: 1}).run(strings.NewReader(`{}`), outW); !errors.Is(err, broken) {
		t.Errorf("writing: got %v", err)
	}
}
