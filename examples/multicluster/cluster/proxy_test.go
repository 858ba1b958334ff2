// SPDX-License-Identifier: Apache-2.0

package cluster_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/managedby-dev/managedby/examples/multicluster/cluster"
)

// echo answers each line with itself.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					fmt.Fprintln(conn, lines.Text())
				}
			}()
		}
	}()
	return l.Addr().String()
}

// ask sends a line and waits for the answer.
func ask(conn net.Conn, patience time.Duration) error {
	if _, err := fmt.Fprintln(conn, "hello"); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	_, err := bufio.NewReader(conn).ReadString('\n')
	return err
}

func TestProxy(t *testing.T) {
	proxy, err := cluster.NewProxy(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", proxy.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	conn := dial()
	if err := ask(conn, 5*time.Second); err != nil {
		t.Fatalf("before: %v", err)
	}
	proxy.Cut()
	for name, c := range map[string]net.Conn{"an old connection": conn, "a new connection": dial()} {
		if err := ask(c, 100*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s while it is cut: %v, want no answer", name, err)
		}
	}
	proxy.Mend()
	if err := ask(dial(), 5*time.Second); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
