package main

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// crowd is a listener with a number of open connections at most. When all are taken, a new
// connection takes the place of the one that was opened, or brought a signed delivery, longest ago.
// So senders of slow, empty or other requests cannot keep GitHub out. A connection stays while its
// signed delivery is being stored, and during its first moment, which a request needs to arrive.
type crowd struct {
	net.Listener
	places chan struct{} // one for each open connection
	moment time.Duration
	closed chan struct{}
	close  func() error

	mu    sync.Mutex
	older *list.List // of *guest: those that may be closed, the oldest first
}

func newCrowd(l net.Listener, most int, moment time.Duration) *crowd {
	c := &crowd{Listener: l, places: make(chan struct{}, most), moment: moment, closed: make(chan struct{}), older: list.New()}
	c.close = sync.OnceValue(func() error {
		close(c.closed)
		return l.Close()
	})
	return c
}

// Accept implements net.Listener.
func (c *crowd) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	for {
		select {
		case c.places <- struct{}{}:
			return c.enter(conn), nil
		default:
		}
		timer := time.NewTimer(c.makeRoom())
		select {
		case c.places <- struct{}{}:
			timer.Stop()
			return c.enter(conn), nil
		case <-c.closed:
			timer.Stop()
			_ = conn.Close()
			return nil, net.ErrClosed
		case <-timer.C:
		}
	}
}

// Close implements net.Listener. Open connections stay.
func (c *crowd) Close() error { return c.close() }

// makeRoom closes the oldest connection, if it had its first moment. It returns how long to wait for
// a place before the next call.
func (c *crowd) makeRoom() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.older.Front()
	if e == nil {
		return c.moment // all bring deliveries; one of them will end
	}
	g := e.Value.(*guest)
	if left := c.moment - time.Since(g.since); left > 0 {
		return left
	}
	g.busy()
	g.cancel()
	_ = g.Conn.Close()
	g.leave() // its server may need a moment to notice
	return 0
}

func (c *crowd) enter(conn net.Conn) *guest {
	g := &guest{Conn: conn, in: c}
	g.context, g.cancel = context.WithCancel(context.Background())
	g.leave = sync.OnceFunc(func() { <-c.places })
	c.mu.Lock()
	defer c.mu.Unlock()
	g.may()
	return g
}

// guest is a connection of a crowd. Its fields since and place belong to the crowd's lock.
type guest struct {
	net.Conn
	in      *crowd
	context context.Context // ends when the connection is closed
	cancel  func()
	leave   func()
	since   time.Time
	place   *list.Element // nil: it may not be closed, or is closed
}

func (g *guest) may() {
	g.since = time.Now()
	g.place = g.in.older.PushBack(g)
}

func (g *guest) busy() {
	if g.place != nil {
		g.in.older.Remove(g.place)
		g.place = nil
	}
}

// Close implements net.Conn.
func (g *guest) Close() error {
	g.in.mu.Lock()
	g.busy()
	g.in.mu.Unlock()
	g.cancel()
	defer g.leave()
	return g.Conn.Close()
}

type guestKey struct{}

// welcome prepares a server whose listener is a crowd. Requests on a connection that is closed for
// another one end.
func welcome(s *http.Server) {
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		g, ok := c.(*guest)
		if !ok {
			return ctx
		}
		ctx, cancel := context.WithCancel(ctx)
		context.AfterFunc(g.context, cancel)
		return context.WithValue(ctx, guestKey{}, g)
	}
	s.ConnState = func(c net.Conn, state http.ConnState) {
		g, ok := c.(*guest)
		if !ok || state != http.StateIdle {
			return
		}
		g.in.mu.Lock()
		defer g.in.mu.Unlock()
		if g.place == nil && g.context.Err() == nil {
			g.may()
		}
	}
}

// signedDelivery notes that the connection of a request brings a signed delivery: it stays open
// until the delivery is answered, and then counts as new.
func signedDelivery(ctx context.Context) {
	if g, ok := ctx.Value(guestKey{}).(*guest); ok {
		g.in.mu.Lock()
		defer g.in.mu.Unlock()
		g.busy()
	}
}
