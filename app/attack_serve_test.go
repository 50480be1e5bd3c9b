package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/doctor"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/work"
)

// TestAttackConnections: the internet gets so many connections and no more; each has memory of its
// own. Idle, slow and unsigned ones do not keep out a new one, which takes the place of the oldest.
func TestAttackConnections(t *testing.T) {
	l := listen(t)
	s := &server{log: zap.NewNop(), hooks: l, failed: make(chan error, 1)}
	s.serveInternet(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = r.Body.Read(make([]byte, 100)) // net/http waits before it closes a connection with the rest of a body
		say(w, http.StatusOK, "ok")
		if r.ContentLength > 0 {
			<-r.Context().Done()
		}
	}))
	t.Cleanup(func() { _ = s.servers[0].Close() })
	const answered = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	var held []net.Conn
	for i := range github.MaxConnections {
		c := dial(t, l)
		held = append(held, c)
		text := []string{answered, "POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{", "POST /webh"}[i%3]
		if _, err := c.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if text != answered {
			continue
		}
		if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		c := dial(t, l)
		if _, err := c.Write([]byte(answered)); err != nil {
			t.Fatal(err)
		}
		if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
			t.Errorf("the new connection is not answered: %v", err)
		}
		if _, err := io.Copy(io.Discard, held[i]); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the oldest connection stays open")
		}
	}
}

// TestAttackCrowdedStore: others cannot end a delivery that is being stored. Its connection is the
// newest again when it is answered.
func TestAttackCrowdedStore(t *testing.T) {
	l := listen(t)
	storing, stored := make(chan struct{}), make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/webhook" {
			signedDelivery(r.Context())
			storing <- struct{}{}
			<-stored
		}
		say(w, http.StatusOK, "ok")
	})}
	evictConnections(server)
	go func() { _ = server.Serve(newEvictingListener(l, 2, 0)) }()
	t.Cleanup(func() { _ = server.Close() })
	ask := func(c net.Conn, path string) *bufio.Reader {
		if _, err := c.Write([]byte("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		return bufio.NewReader(c)
	}
	answer := func(c net.Conn, path string, r *bufio.Reader) {
		t.Helper()
		got, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		_, _ = io.Copy(io.Discard, got.Body)
	}
	delivery := dial(t, l)
	r := ask(delivery, "/webhook")
	<-storing
	var last net.Conn
	for range 3 {
		last = dial(t, l)
		answer(last, "/", ask(last, "/"))
	}
	close(stored)
	answer(delivery, "/webhook", r)
	answer(delivery, "/", ask(delivery, "/")) // idle, after the answer
	other := dial(t, l)
	answer(other, "/", ask(other, "/"))
	if _, err := io.Copy(io.Discard, last); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the older connection of another sender stays open")
	}
	answer(delivery, "/", ask(delivery, "/"))
}

// TestAttackConnectionsAtOnce: there are never more open connections than places, however many come
// and however long the server takes to notice that one is closed.
func TestAttackConnectionsAtOnce(t *testing.T) {
	inner := listen(t)
	l := newEvictingListener(inner, 2, 0)
	t.Cleanup(func() { _ = l.Close() })
	accepted := make(chan net.Conn, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	var all []*evictableConn
	for range 5 {
		dial(t, inner)
		all = append(all, (<-accepted).(*evictableConn))
	}
	for i, g := range all {
		if closed := g.context.Err() != nil; closed != (i < 3) {
			t.Errorf("connection %d of 5 is closed: %v", i+1, closed)
		}
	}
	for range 2 { // twice, as servers do
		_ = all[0].Close()
	}
	if len(l.places) != 2 {
		t.Errorf("%d places are taken", len(l.places))
	}
	for _, g := range all[3:] {
		g.in.mu.Lock()
		g.preventEviction()
		g.in.mu.Unlock()
	}
	dial(t, inner) // waits for a place: both others bring deliveries
	_ = l.Close()
	if _, open := <-accepted; open {
		t.Error("a closed listener accepts")
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func dial(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// TestAttackWorkerConnections: tests in a runner's pod reach the port for workers. Who has no
// credential keeps no connection.
func TestAttackWorkerConnections(t *testing.T) {
	l := listen(t)
	s := &server{log: zap.NewNop(), failed: make(chan error, 1)}
	s.serveWorkers(l, nil, nil, func() []string { return []string{"the workers' credential"} })
	t.Cleanup(func() { _ = s.servers[0].Close() })
	for _, ask := range []string{
		"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST " + work.Prefix + "claim HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
	} {
		c := dial(t, l)
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
	inner := listen(t)
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
	dial(t, inner)
	dial(t, inner)
	first := <-accepted
	<-accepted
	if _, err := dial(t, inner).Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a third connection is not closed: %v", err)
	}
	_ = first.Close()
	_ = first.Close() // twice, as servers do
	dial(t, inner)
	select {
	case <-accepted:
	case <-time.After(20 * time.Second):
		t.Error("there is no room after one has ended")
	}
	if _, err := dial(t, inner).Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a closed connection made room for two: %v", err)
	}
}

// TestAttackAddressesOfOneNetwork: whoever has an IPv6 network has all its addresses. They get some
// connections together, and one address leaves room for the others.
func TestAttackAddressesOfOneNetwork(t *testing.T) {
	for from, want := range map[string][2]string{
		"192.0.2.7:443": {"192.0.2.7", ""}, "[::ffff:192.0.2.7]:443": {"192.0.2.7", ""}, "pipe": {"pipe", ""},
		"[2001:db8:1:2:3:4:5:6]:443": {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"}, "[fe80::1%eth0]:80": {"fe80::1", "fe80::/64"},
	} {
		if host, network := origin(from); host != want[0] || network != want[1] {
			t.Errorf("%s: %s in %q", from, host, network)
		}
	}
	p, taken := newPerAddress(nil, 2), 0
	for i := range 20 {
		host, network := origin(fmt.Sprintf("[2001:db8::%d]:1", 1+i/4))
		if p.enter(host, network) {
			taken++
		}
		if i == 3 && taken != 2 {
			t.Errorf("one address has %d connections", taken)
		}
	}
	if taken != 2*perNetwork {
		t.Errorf("a network has %d connections", taken)
	}
	p.leave(origin("[2001:db8::1]:1"))
	if !p.enter(origin("[2001:db8::9]:1")) || p.enter(origin("[2001:db8::9]:2")) || !p.enter(origin("[2001:db8:0:1::9]:1")) {
		t.Error("a place that was left, or another network")
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

// TestAttackWatchesOfAllJobs: jobs of one user share its epoll watches. odfix does not start where
// one job can use them up, and says what to do, unless its operator allows it.
func TestAttackWatchesOfAllJobs(t *testing.T) {
	err := startError(doctor.Watches(5_000_000, 33_554_432, false))
	for _, want := range []string{"may have 5000000", "sysctl -w fs.epoll.max_user_watches=33554432", "as root"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: without %q", err, want)
		}
	}
	for want, got := range map[doctor.Grade]doctor.Finding{doctor.Bad: doctor.Watches(1, 2, false), doctor.Warning: doctor.Watches(1, 2, true),
		doctor.Good: doctor.Watches(2, 2, false)} {
		if got.Grade != want {
			t.Errorf("%+v", got)
		}
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
