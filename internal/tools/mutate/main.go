// SPDX-License-Identifier: Apache-2.0

// Command mutate breaks the code on purpose, one place at a time, and counts how often the tests notice.
//
//	go -C internal/tools run ./mutate -n 60 -seed 1 -at-least 95 ../../statusvalidate/rules.go ../../mirror/repairs.go
//
// A mutant turns a condition round, swaps an operator, drops a statement, or drops a row of a table. It
// is caught if the tests of its package, which must pass without it, fail or hang. One that does not
// compile is not counted, and another is drawn. Nothing is written into the tree: mutants go to the
// compiler as an overlay. Survivors are listed with what was changed. The exit status is 1 if fewer than
// -at-least percent were caught, 2 if there is nothing to say.
//
// Some mutants do the same as the original. They are known by equivalent.txt, which gives the lines
// before and after and the reason, and they are not tried. An entry there that is no mutant of its file any more is
// an error, so that the list cannot outlive the code that it is about.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

func main() {
	n := flag.Int("n", 60, "how many mutants to try; 0: all there are")
	seed := flag.Uint64("seed", 1, "seed of the choice")
	atLeast := flag.Float64("at-least", 95, "percentage of mutants that must be caught")
	workers := flag.Int("workers", runtime.NumCPU(), "mutants tried at a time")
	flag.Parse()

	all, equivalent, err := candidates(flag.Args())
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutate: %v\n", err)
		os.Exit(2)
	}
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if *n == 0 {
		*n = len(all)
	}
	fmt.Printf("%d mutants possible and %d known to be equivalent, trying %d (-seed=%d)\n",
		len(all), equivalent, min(*n, len(all)), *seed)

	r := report{queue: all, want: *n}
	r.run(*workers)
	fmt.Printf("%d of %d mutants caught (%.1f %%), %d did not compile\n", r.caught, r.caught+r.survived, r.percent(), r.stillborn)
	if r.caught+r.survived == 0 || r.percent() < *atLeast {
		fmt.Printf("that is less than %v %%\n", *atLeast)
		os.Exit(1)
	}
}

// candidates are the mutants of the files worth trying; the tests of their packages pass without any.
func candidates(paths []string) (all []mutant, equivalent int, err error) {
	all, err = mutantsOf(paths)
	if err != nil {
		return nil, 0, err
	}
	known, err := parseEquivalents(equivalentText)
	if err != nil {
		return nil, 0, err
	}
	found := len(all)
	if all, err = without(all, known, paths); err != nil {
		return nil, 0, err
	}
	if len(all) == 0 {
		return nil, 0, fmt.Errorf("no mutants in %q", paths)
	}
	return all, found - len(all), testsPass(paths)
}

// testsPass tries the first file of each package as it is.
func testsPass(paths []string) error {
	tried := map[string]bool{}
	for _, path := range paths {
		if dir := filepath.Dir(path); !tried[dir] {
			tried[dir] = true
			if (mutant{path: path}).try() != survived {
				return fmt.Errorf("the tests in %s fail without a mutant", dir)
			}
		}
	}
	return nil
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
		fmt.Printf("SURVIVED %v\n%s\n", m, m.diff())
	default:
		r.caught++
	}
}
