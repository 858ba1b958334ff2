// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"io"
	"net"
	"sync"
)

// Proxy is a way to a cluster that can be cut.
type Proxy struct {
	target   string
	listener net.Listener

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
	freed chan struct{} // closed when it is not cut
}

// NewProxy listens on loopback until it is closed.
func NewProxy(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{target: target, listener: listener, conns: map[net.Conn]bool{}, freed: make(chan struct{})}
	close(p.freed)
	go p.accept()
	return p, nil
}

// Address is where it listens.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Cut makes everything that is sent disappear, in both directions, as in a network that drops packets: nobody
// is told.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.cut {
		p.cut, p.freed = true, make(chan struct{})
	}
}

// Mend ends the connections of the time before, and lets new ones through.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		p.cut = false
		close(p.freed)
		p.closeAll()
	}
}

// Close ends everything.
func (p *Proxy) Close() {
	p.Mend()
	_ = p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closeAll()
}

func (p *Proxy) closeAll() {
	for conn := range p.conns {
		_ = conn.Close()
	}
	clear(p.conns)
}

func (p *Proxy) accept() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.track(conn)
		go p.serve(conn)
	}
}

func (p *Proxy) track(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[conn] = true
}

// wait returns at once unless the proxy is cut.
func (p *Proxy) wait() {
	p.mu.Lock()
	freed := p.freed
	p.mu.Unlock()
	<-freed
}

func (p *Proxy) forget(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = conn.Close()
	delete(p.conns, conn)
}

func (p *Proxy) serve(conn net.Conn) {
	defer p.forget(conn)
	p.wait()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	p.track(server)
	defer p.forget(server)
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{server, conn}, {conn, server}} {
		go func() {
			p.copy(way[0], way[1])
			done <- struct{}{}
		}()
	}
	<-done
}

func (p *Proxy) copy(to io.Writer, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.wait()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
