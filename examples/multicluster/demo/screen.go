package demo

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// screen shows the table: on a terminal in place, and elsewhere a line for each row that changes.
type screen struct {
	out      io.Writer
	terminal bool
	started  time.Time
	lines    int      // drawn, and to be overwritten
	said     []string // by row, where there is no terminal
	record   *recording
}

func (s *screen) show(rows []row) {
	lines := []string{header()}
	for _, r := range rows {
		lines = append(lines, r.withAge())
	}
	s.record.frame(time.Since(s.started), lines)
	if !s.terminal {
		s.say(rows)
		return
	}
	if s.lines > 0 {
		fmt.Fprintf(s.out, "\x1b[%dA", s.lines)
	}
	for _, line := range lines {
		fmt.Fprintf(s.out, "\x1b[2K%s\n", line)
	}
	s.lines = len(lines)
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
