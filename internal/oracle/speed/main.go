// SPDX-License-Identifier: Apache-2.0

// Command speed runs the library and the code of Kubernetes on the same inputs in one process, and prints
// how many times faster the library is.
//
//	go run ./speed
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

// row is a comparison. Both sides do what they are measured for once, and panic if it goes wrong.
type row struct {
	name         string
	theirs       string // what is compared with
	ours, theirF func()
	target       float64 // of the ratio theirs to ours; 0: none
	free         bool    // ours must not allocate
}

func main() {
	rounds := flag.Int("rounds", 25, "how often each row is measured")
	flag.Parse()
	runtime.GOMAXPROCS(1) // on more, the collector uses what is idle, and the costs are those of the machine's load
	all := measure(rows(), *rounds)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tours\tallocs\tcompared with\ttheirs\tallocs\tratio\tquartiles\ttarget\t")
	verdicts := map[string]int{}
	for i := range all {
		verdict := all[i].verdict()
		verdicts[verdict]++
		all[i].print(w, verdict)
	}
	w.Flush()
	fmt.Printf("medians of %d rounds; targets: %d met, %d too close to tell, %d missed\n", *rounds, verdicts[met], verdicts[near], verdicts[missed])
	growth(*rounds)
}

// measured is a row with what each round took, sorted.
type measured struct {
	row
	oursTook, theirsTook, ratios []float64
}

// measure goes through all rows round by round, so that a disturbance of the machine spoils one round of
// several rows and not one row; and each round has a ratio of its own, of two sides measured one after the other.
func measure(rows []row, rounds int) []measured {
	all := make([]measured, len(rows))
	for range rounds {
		for i, r := range rows {
			ours, theirs := cost(r.ours), cost(r.theirF)
			m := &all[i]
			m.row, m.oursTook, m.theirsTook = r, append(m.oursTook, ours), append(m.theirsTook, theirs)
			m.ratios = append(m.ratios, theirs/ours)
		}
	}
	for _, m := range all {
		slices.Sort(m.oursTook)
		slices.Sort(m.theirsTook)
		slices.Sort(m.ratios)
	}
	return all
}

const (
	met    = "met"
	near   = "about" // more than a quarter of the rounds say otherwise
	missed = "MISSED"
)

func (m measured) verdict() string {
	low, high := quartiles(m.ratios)
	switch {
	case m.target == 0:
		return ""
	case high < m.target || m.free && testing.AllocsPerRun(10, m.ours) > 0:
		return missed
	case low < m.target:
		return near
	}
	return met
}

func (m measured) print(w io.Writer, verdict string) {
	target := "-"
	if m.target > 0 {
		target = fmt.Sprintf("%.3g× %s", m.target, verdict)
	}
	low, high := quartiles(m.ratios)
	fmt.Fprintf(w, "%s\t%.0f ns\t%.0f\t%s\t%.0f ns\t%.0f\t%.2f×\t%.2f–%.2f\t%s\t\n",
		m.name, median(m.oursTook), testing.AllocsPerRun(10, m.ours),
		m.theirs, median(m.theirsTook), testing.AllocsPerRun(10, m.theirF), median(m.ratios), low, high, target)
}

// cost is the nanoseconds of processor time that a call takes, garbage collection included. Unlike the time by
// the clock, it hardly depends on what else the machine does.
func cost(f func()) float64 {
	const enough = 30 * time.Millisecond
	for n := 1; ; n *= 2 {
		begin := processorTime()
		for range n {
			f()
		}
		if took := processorTime() - begin; took >= enough {
			return float64(took.Nanoseconds()) / float64(n)
		}
	}
}

func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		log.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func median(sorted []float64) float64 { return sorted[len(sorted)/2] }

func quartiles(sorted []float64) (low, high float64) {
	return sorted[len(sorted)/4], sorted[len(sorted)*3/4]
}
