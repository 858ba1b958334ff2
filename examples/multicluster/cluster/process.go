// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// process is a program that runs until it is stopped, and its log.
type process struct {
	path string
	args []string
	log  string

	mu   sync.Mutex
	cmd  *exec.Cmd
	done <-chan struct{} // closed when it has ended
}

// start starts it, again if it has run before.
func (p *process) start() error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(p.path, p.args...)
	cmd.Stdout, cmd.Stderr = log, log
	done, err := Launch(cmd)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cmd, p.done = cmd, done
	return nil
}

// Launch starts a command; done is closed when it has ended. It is in a process group of its own, so that a
// Ctrl-C in the terminal does not reach it before its turn, and on Linux it does not outlive this process.
func Launch(cmd *exec.Cmd) (done <-chan struct{}, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // the kernel takes the end of this thread for that of the parent
		defer close(ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	return ended, <-started
}

// signal ends the process and returns when it has ended. One that has not started or has ended is left
// alone.
func (p *process) signal(s syscall.Signal, patience time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(s)
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	p.cmd = nil
}

func (p *process) stop() { p.signal(syscall.SIGTERM, 5*time.Second) }

func (p *process) kill() { p.signal(syscall.SIGKILL, time.Second) }

// ended returns an error with the end of the log if the process does not run.
func (p *process) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return fmt.Errorf("%s was stopped", p.path)
	}
	select {
	case <-p.done:
		return fmt.Errorf("%s has ended (%v):\n%s", p.path, p.cmd.ProcessState, tail(p.log, 2000))
	default:
		return nil
	}
}

func tail(file string, size int) []byte {
	content, err := os.ReadFile(file)
	if err != nil {
		return []byte(err.Error())
	}
	return content[max(0, len(content)-size):]
}
