package main

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/work"
)

// TestAttackConnections: the internet gets so many connections and no more; each has memory of its
// own. When one ends, the next is answered.
func TestAttackConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{log: zap.NewNop(), hooks: l, failed: make(chan error, 1)}
	s.serveInternet(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "ok") }))
	t.Cleanup(func() { _ = s.servers[0].Close() })
	answered := func() (net.Conn, *bufio.Reader) {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := c.Write([]byte("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		return c, bufio.NewReader(c)
	}
	var first net.Conn
	for range maxConnections {
		c, r := answered()
		if _, err := http.ReadResponse(r, nil); err != nil {
			t.Fatal(err)
		}
		first = c
	}
	c, r := answered()
	_ = c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if _, err := r.Peek(1); err == nil {
		t.Error("one more was answered")
	}
	first.Close()
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
		t.Errorf("it is not answered later: %v", err)
	}
}

// TestAttackWorkerConnections: tests in a runner's pod reach the port for workers. Who has no
// credential keeps no connection.
func TestAttackWorkerConnections(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{log: zap.NewNop(), failed: make(chan error, 1)}
	s.serveWorkers(l, nil, nil, func() []string { return []string{"the workers' credential"} })
	t.Cleanup(func() { _ = s.servers[0].Close() })
	dial := func() net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		return c
	}
	for _, ask := range []string{
		"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST " + work.Prefix + "claim HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
	} {
		c := dial()
		if _, err := c.Write([]byte(ask)); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(c)
		got, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, got.Body)
		if _, err := r.ReadByte(); !got.Close || !errors.Is(err, io.EOF) {
			t.Errorf("%q: status %d, the connection stays open (%v)", ask, got.StatusCode, err)
		}
	}
}

// TestAttackOneAddress: connections of an address beyond its number are closed at once, and one
// that ends makes room for another.
func TestAttackOneAddress(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newPerAddress(inner, 2)
	t.Cleanup(func() { _ = l.Close() })
	accepted := make(chan net.Conn, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		return c
	}
	dial()
	dial()
	first := <-accepted
	<-accepted
	if _, err := dial().Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a third connection is not closed: %v", err)
	}
	_ = first.Close()
	_ = first.Close() // twice, as servers do
	dial()
	select {
	case <-accepted:
	case <-time.After(20 * time.Second):
		t.Error("there is no room after one has ended")
	}
	if _, err := dial().Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a closed connection made room for two: %v", err)
	}
}

// TestAttackWithoutTotalLimits: processes that start processes use up a machine whose limits hold
// for each of them only. odfix does not start there, unless its container or its operator allows
// it.
func TestAttackWithoutTotalLimits(t *testing.T) {
	var o isolationOptions
	if err := o.enough("no cgroups", false); err == nil || !strings.Contains(err.Error(), "--pids-limit") ||
		!strings.Contains(err.Error(), "--weak-limits") {
		t.Errorf("%v", err)
	}
	if err := o.enough("no cgroups", true); err != nil {
		t.Errorf("in a container with limits: %v", err)
	}
	o.weak = true
	if err := o.enough("no cgroups", false); err != nil {
		t.Errorf("the operator allows it: %v", err)
	}
}

// TestLeftFolders: sources and artifacts of a process that was killed are removed at the next
// start, and those of a running one are not.
func TestLeftFolders(t *testing.T) {
	work := t.TempDir()
	left := filepath.Join(work, "odfix-serve-left", "odfix-job-1")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(left), "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	one, first, err := temporary(work, "odfix-serve-")
	if err != nil {
		t.Fatal(err)
	}
	two, second, err := temporary(work, "odfix-serve-")
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{left: false, one: true, two: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := errors.Join(first(), second()); err != nil {
		t.Error(err)
	}
	if all, _ := os.ReadDir(work); len(all) > 0 {
		t.Errorf("left: %v", all)
	}
}
