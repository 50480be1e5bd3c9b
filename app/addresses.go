package main

import (
	"net"
	"net/netip"
	"sync"
)

// perAddress is a listener that allows each address, see network, a number of connections at once. It
// closes further ones, so that one address cannot take all that a server has.
type perAddress struct {
	net.Listener
	most int

	mu   sync.Mutex
	open map[string]int
}

func newPerAddress(l net.Listener, most int) *perAddress {
	return &perAddress{Listener: l, most: most, open: map[string]int{}}
}

// Accept implements net.Listener.
func (p *perAddress) Accept() (net.Conn, error) {
	for {
		c, err := p.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := network(c.RemoteAddr().String())
		if p.enter(host) {
			return &counted{Conn: c, leave: sync.OnceFunc(func() { p.leave(host) })}, nil
		}
		_ = c.Close()
	}
}

// network is what counts as one address: of IPv6, the network of 64 bits, since one host can have all
// its addresses.
func network(from string) string {
	a, err := netip.ParseAddrPort(from)
	if err != nil {
		return from
	}
	host := a.Addr().Unmap().WithZone("")
	if host.Is4() {
		return host.String()
	}
	return netip.PrefixFrom(host, 64).Masked().String()
}

func (p *perAddress) enter(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[host] >= p.most {
		return false
	}
	p.open[host]++
	return true
}

func (p *perAddress) leave(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[host]--; p.open[host] <= 0 {
		delete(p.open, host)
	}
}

// counted is a connection that counts until it is closed.
type counted struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
