// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/managedby-dev/managedby/internal/oracle/wire"
)

// filter answers lines with lines, several at a time and in order.
type filter struct {
	defaults wire.Request
	answer   func(wire.Request) wire.Response
	workers  int
}

// maxBatch is how many lines go to a worker at once, where as many are waiting.
const maxBatch = 32

// batch is lines on their way through a worker.
type batch struct {
	lines [][]byte
	out   chan []byte // gets the answers, once
}

func (f filter) run(in io.Reader, out io.Writer) error {
	todo, inOrder := make(chan batch), make(chan batch, 4*f.workers)
	readErr := make(chan error, 1)
	for range f.workers {
		go f.work(todo)
	}
	go func() { readErr <- read(in, todo, inOrder) }()
	if err := write(out, inOrder); err != nil {
		return err
	}
	return <-readErr
}

// read makes batches of the lines that have arrived: whoever asks one thing at a time is answered at
// once.
func read(in io.Reader, todo, inOrder chan<- batch) error {
	defer close(inOrder)
	defer close(todo)
	r := bufio.NewReaderSize(in, 1<<20)
	for {
		lines, err := readLines(r)
		if len(lines) > 0 {
			b := batch{lines: lines, out: make(chan []byte, 1)}
			inOrder <- b
			todo <- b
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func readLines(r *bufio.Reader) ([][]byte, error) {
	var lines [][]byte
	for {
		line, err := r.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
		if err != nil || r.Buffered() == 0 || len(lines) == maxBatch {
			return lines, err
		}
	}
}

func (f filter) work(todo <-chan batch) {
	for b := range todo {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		for _, line := range b.lines {
			if err := enc.Encode(f.answerLine(line)); err != nil {
				panic(err) // a response is made of strings and of JSON that was marshalled before
			}
		}
		b.out <- out.Bytes()
	}
}

func (f filter) answerLine(line []byte) wire.Response {
	req := f.defaults
	if err := json.Unmarshal(line, &req); err != nil {
		return wire.Response{Errors: []wire.Error{}, Failure: err.Error()}
	}
	return f.answer(req)
}

func write(out io.Writer, inOrder <-chan batch) error {
	for b := range inOrder {
		if _, err := out.Write(<-b.out); err != nil {
			return err
		}
	}
	return nil
}
