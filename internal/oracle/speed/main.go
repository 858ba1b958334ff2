// Command speed runs the library and the code of Kubernetes on the same inputs in one process, and prints
// how many times faster the library is.
//
//	go run ./speed
package main

import (
	"flag"
	"fmt"
	"os"
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
	target       float64 // of the ratio theirs to ours
	free         bool    // ours must not allocate
}

func main() {
	rounds := flag.Int("rounds", 9, "how often each pair is measured; the medians are printed")
	flag.Parse()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what\tours\tallocs\tcompared with\ttheirs\tallocs\tratio\ttarget\t")
	missed := 0
	for _, r := range rows() {
		if !r.print(w, *rounds) {
			missed++
		}
	}
	w.Flush()
	fmt.Printf("%d targets missed\n", missed)
	growth(*rounds)
}

// print measures the two sides in turns.
func (r row) print(w *tabwriter.Writer, rounds int) (met bool) {
	var ours, theirs, ratios []float64
	for range rounds {
		a, b := cost(r.ours), cost(r.theirF)
		ours, theirs, ratios = append(ours, a), append(theirs, b), append(ratios, b/a)
	}
	ratio, allocs := median(ratios), testing.AllocsPerRun(10, r.ours)
	met = ratio >= r.target && (!r.free || allocs == 0)
	verdict := map[bool]string{true: "met", false: "MISSED"}[met]
	fmt.Fprintf(w, "%s\t%.0f ns\t%.0f\t%s\t%.0f ns\t%.0f\t%.2f×\t%.3g× %s\t\n",
		r.name, median(ours), allocs, r.theirs, median(theirs), testing.AllocsPerRun(10, r.theirF), ratio, r.target, verdict)
	return met
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
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
