// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// screen shows the table: on a terminal in place, and elsewhere a line for each row that changes.
type screen struct {
	out     io.Writer
	width   int // of the terminal; 0: it is none
	started time.Time
	lines   int      // drawn, and to be overwritten
	said    []string // by row, where there is no terminal
	table   []string // the last one
	record  *recording
}

func (s *screen) show(rows []row) {
	lines := []string{header()}
	for _, r := range rows {
		lines = append(lines, r.withAge())
	}
	s.table = lines
	s.record.frame(time.Now(), lines)
	if s.width == 0 {
		s.say(rows)
		return
	}
	if s.lines > 0 {
		fmt.Fprintf(s.out, "\x1b[%dA", s.lines)
	}
	for _, line := range lines {
		fmt.Fprintf(s.out, "\x1b[2K%s\n", line[:min(len(line), s.width)]) // a longer one would take two lines
	}
	s.lines = len(lines)
}

// end says how it all ended, below the table.
func (s *screen) end(lines ...string) {
	lines = append([]string{""}, lines...)
	fmt.Fprintln(s.out, strings.Join(lines, "\n"))
	s.record.frame(time.Now(), append(s.table, lines...))
}

func (s *screen) say(rows []row) {
	if s.said == nil {
		s.said = make([]string, len(rows))
		fmt.Fprintln(s.out, "  time  "+strings.TrimRight(strings.TrimSuffix(header(), "AGE"), " "))
	}
	for i, r := range rows {
		if line := r.String(); line != s.said[i] {
			fmt.Fprintf(s.out, "%5.1fs  %s\n", time.Since(s.started).Seconds(), line)
			s.said[i] = line
		}
	}
}
