// Command mutate breaks the code on purpose, one place at a time, and counts how often the tests notice.
//
//	go -C internal/tools run ./mutate -n 60 -seed 1 -at-least 95 ../../statusvalidate/rules.go ../../mirror/repairs.go
//
// A mutant turns a condition round, swaps an operator, drops a statement, or drops a row of a table. It
// is caught if the tests of its package fail or hang. One that does not compile is not counted, and
// another is drawn. Nothing is written into the tree: mutants go to the compiler as an overlay. Survivors
// are listed with what was changed. The exit status is 1 if fewer than -at-least percent were caught.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
)

func main() {
	n := flag.Int("n", 60, "how many mutants to try; 0: all there are")
	seed := flag.Uint64("seed", 1, "seed of the choice")
	atLeast := flag.Float64("at-least", 95, "percentage of mutants that must be caught")
	workers := flag.Int("workers", runtime.NumCPU(), "mutants tried at a time")
	flag.Parse()

	all, err := mutantsOf(flag.Args())
	if err != nil || len(all) == 0 {
		fmt.Fprintf(os.Stderr, "mutate: no mutants in %v: %v\n", flag.Args(), err)
		os.Exit(2)
	}
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if *n == 0 {
		*n = len(all)
	}
	fmt.Printf("%d mutants possible, trying %d (-seed=%d)\n", len(all), min(*n, len(all)), *seed)

	r := report{queue: all, want: *n}
	r.run(*workers)
	fmt.Printf("%d of %d mutants caught (%.1f %%), %d did not compile\n", r.caught, r.caught+r.survived, r.percent(), r.stillborn)
	if r.caught+r.survived == 0 || r.percent() < *atLeast {
		fmt.Printf("that is less than %v %%\n", *atLeast)
		os.Exit(1)
	}
}

// report counts the outcomes of mutants, from several goroutines.
type report struct {
	sync.Mutex
	queue                       []mutant
	want                        int
	caught, survived, stillborn int
}

func (r *report) percent() float64 { return 100 * float64(r.caught) / float64(r.caught+r.survived) }

// run tries mutants until there are as many results as are wanted; each worker finishes the one it
// has begun.
func (r *report) run(workers int) {
	var done sync.WaitGroup
	for range workers {
		done.Add(1)
		go func() {
			defer done.Done()
			for m, ok := r.next(); ok; m, ok = r.next() {
				r.count(m, m.try())
			}
		}()
	}
	done.Wait()
}

func (r *report) next() (m mutant, ok bool) {
	r.Lock()
	defer r.Unlock()
	if len(r.queue) == 0 || r.caught+r.survived >= r.want {
		return mutant{}, false
	}
	m, r.queue = r.queue[0], r.queue[1:]
	return m, true
}

func (r *report) count(m mutant, o outcome) {
	r.Lock()
	defer r.Unlock()
	switch o {
	case stillborn:
		r.stillborn++
	case survived:
		r.survived++
		fmt.Printf("SURVIVED %v\n", m)
	default:
		r.caught++
	}
}
