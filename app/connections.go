package main

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// evictingListener is a listener with a number of open connections at most. When all are taken, a new
// connection takes the place of the one that was opened, or brought a signed delivery, longest ago.
// So senders of slow, empty or other requests cannot keep GitHub out. A connection stays while its
// signed delivery is being stored, and during its first moment, which a request needs to arrive.
type evictingListener struct {
	net.Listener
	places chan struct{} // one for each open connection
	moment time.Duration
	closed chan struct{}
	close  func() error

	mu    sync.Mutex
	older *list.List // of *evictableConn: those that may be closed, the oldest first
}

func newEvictingListener(l net.Listener, most int, moment time.Duration) *evictingListener {
	c := &evictingListener{Listener: l, places: make(chan struct{}, most), moment: moment, closed: make(chan struct{}), older: list.New()}
	c.close = sync.OnceValue(func() error {
		close(c.closed)
		return l.Close()
	})
	return c
}

// Accept implements net.Listener.
func (c *evictingListener) Accept() (net.Conn, error) {
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
func (c *evictingListener) Close() error { return c.close() }

// makeRoom closes the oldest connection, if it had its first moment. It returns how long to wait for
// a place before the next call.
func (c *evictingListener) makeRoom() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.older.Front()
	if e == nil {
		return c.moment // all bring deliveries; one of them will end
	}
	g := e.Value.(*evictableConn)
	if left := c.moment - time.Since(g.since); left > 0 {
		return left
	}
	g.preventEviction()
	g.cancel()
	_ = g.Conn.Close()
	g.leave() // its server may need a moment to notice
	return 0
}

func (c *evictingListener) enter(conn net.Conn) *evictableConn {
	g := &evictableConn{Conn: conn, in: c}
	g.context, g.cancel = context.WithCancel(context.Background())
	g.leave = sync.OnceFunc(func() { <-c.places })
	c.mu.Lock()
	defer c.mu.Unlock()
	g.allowEviction()
	return g
}

// evictableConn is a connection of an evictingListener. The lock of that guards since and place.
type evictableConn struct {
	net.Conn
	in      *evictingListener
	context context.Context // ends when the connection is closed
	cancel  func()
	leave   func()
	since   time.Time
	place   *list.Element // nil: it may not be closed, or is closed
}

func (g *evictableConn) allowEviction() {
	g.since = time.Now()
	g.place = g.in.older.PushBack(g)
}

func (g *evictableConn) preventEviction() {
	if g.place != nil {
		g.in.older.Remove(g.place)
		g.place = nil
	}
}

// Close implements net.Conn.
func (g *evictableConn) Close() error {
	g.in.mu.Lock()
	g.preventEviction()
	g.in.mu.Unlock()
	g.cancel()
	defer g.leave()
	return g.Conn.Close()
}

type evictableKey struct{}

// evictConnections prepares a server whose listener is an evictingListener. Requests on a connection that is closed for
// another one end.
func evictConnections(s *http.Server) {
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		g, ok := c.(*evictableConn)
		if !ok {
			return ctx
		}
		ctx, cancel := context.WithCancel(ctx)
		context.AfterFunc(g.context, cancel)
		return context.WithValue(ctx, evictableKey{}, g)
	}
	s.ConnState = func(c net.Conn, state http.ConnState) {
		g, ok := c.(*evictableConn)
		if !ok || state != http.StateIdle {
			return
		}
		g.in.mu.Lock()
		defer g.in.mu.Unlock()
		if g.place == nil && g.context.Err() == nil {
			g.allowEviction()
		}
	}
}

// signedDelivery notes that the connection of a request brings a signed delivery: it stays open
// until the delivery is answered, and then counts as new.
func signedDelivery(ctx context.Context) {
	if g, ok := ctx.Value(evictableKey{}).(*evictableConn); ok {
		g.in.mu.Lock()
		defer g.in.mu.Unlock()
		g.preventEviction()
	}
}
