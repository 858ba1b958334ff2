// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
)

// The table is drawn over itself, so no line may take two of the terminal's.
func TestScreenKeepsToTheTerminal(t *testing.T) {
	var out bytes.Buffer
	s := &screen{out: &out, width: 40, started: time.Now()}
	plain := row{name: "plain", managedBy: strings.Repeat("x", 36), worker: "worker-a", conditions: []batchv1.JobConditionType{"Complete"}}
	s.show([]row{plain, plain})
	s.show([]row{plain, plain})
	const up = "\x1b[3A"
	if n := strings.Count(out.String(), up); n != 1 {
		t.Errorf("it goes up %d times, want once:\n%q", n, &out)
	}
	for line := range strings.Lines(strings.ReplaceAll(out.String(), up, "")) {
		if text := strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "\x1b[2K"); len(text) > 40 {
			t.Errorf("a line of %d columns on a terminal of 40: %q", len(text), text)
		}
	}
}

// Without a terminal only the rows that change are said.
func TestScreenWithoutTerminal(t *testing.T) {
	var out bytes.Buffer
	s := &screen{out: &out, started: time.Now()}
	s.show([]row{{name: "one"}, {name: "two"}})
	s.show([]row{{name: "one", age: time.Minute}, {name: "two", active: 1}})
	if got := strings.Count(out.String(), "\n"); got != 4 {
		t.Errorf("%d lines, want a header and three rows:\n%s", got, &out)
	}
}

// What does not move shows the last picture. Spaces are kept, and a text shows from its frame to the next.
func TestRecording(t *testing.T) {
	r, at := &recording{title: "title"}, time.Unix(0, 0)
	r.frame(at, []string{"same", "a  b"})
	r.frame(at.Add(5*time.Second), []string{"same", "a  c", "<late>"})
	file := filepath.Join(t.TempDir(), "svg")
	if err := r.write(file); err != nil {
		t.Fatal(err)
	}
	picture, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`visibility="visible">same</text>`,
		`visibility="hidden">a` + "\u00a0\u00a0" + `b<animate`, `keyTimes="0;0.0000;0.5000"/></text>`,
		`visibility="visible">a` + "\u00a0\u00a0" + `c<animate`, `visibility="visible">&lt;late&gt;<animate`, `keyTimes="0;0.5000;1.0000"/></text>`,
	} {
		if !strings.Contains(string(picture), want) {
			t.Errorf("no %s in\n%s", want, picture)
		}
	}
}
