// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"
)

// toStop is what has to be stopped before this process ends, also where that is too early for cleanups: after
// -timeout, or by a signal.
var toStop struct {
	sync.Mutex
	all []func()
}

// whileRunning returns a stop that may be called more than once, and is called at the end in any case.
func whileRunning(stop func()) func() {
	stop = sync.OnceFunc(stop)
	toStop.Lock()
	defer toStop.Unlock()
	toStop.all = append(toStop.all, stop)
	return stop
}

// stopAll is for the end: what is started after it is not stopped.
func stopAll() {
	toStop.Lock()
	defer toStop.Unlock()
	for i := range toStop.all {
		toStop.all[len(toStop.all)-1-i]()
	}
}

// stopEarly stops all by a signal, and a little before -timeout would end the process.
func stopEarly() {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		stopAll()
		os.Exit(1)
	}()
	limit := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration)
	if limit == 0 {
		return
	}
	time.AfterFunc(limit-min(20*time.Second, limit/2), func() {
		stopAll()
		debug.SetTraceback("all")
		panic(fmt.Sprintf("the tests take longer than -timeout=%v allows; what they had started was stopped", limit))
	})
}
