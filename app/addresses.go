package main

import (
	"net"
	"net/netip"
	"sync"
)

// perAddress is a listener that allows each address a number of connections at once, and perNetwork
// times as many each network of IPv6. It closes further ones, so that none of them can take all that a
// server has.
type perAddress struct {
	net.Listener
	most int

	mu   sync.Mutex
	open map[string]int
}

// perNetwork is small, since a host can have all addresses of its network, and more than one, since the
// pods of many tenants can share it.
const perNetwork = 4

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
		host, network := origin(c.RemoteAddr().String())
		if p.enter(host, network) {
			return &counted{Conn: c, leave: sync.OnceFunc(func() { p.leave(host, network) })}, nil
		}
		_ = c.Close()
	}
}

// origin returns an address without its port, and its network of 64 bits; "": it is not of IPv6.
func origin(from string) (host, network string) {
	a, err := netip.ParseAddrPort(from)
	if err != nil {
		return from, ""
	}
	ip := a.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String(), ""
	}
	return ip.String(), netip.PrefixFrom(ip, 64).Masked().String()
}

func (p *perAddress) enter(host, network string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[host] >= p.most || network != "" && p.open[network] >= perNetwork*p.most {
		return false
	}
	p.open[host]++
	if network != "" {
		p.open[network]++
	}
	return true
}

func (p *perAddress) leave(host, network string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, of := range []string{host, network} {
		if p.open[of]--; p.open[of] <= 0 {
			delete(p.open, of)
		}
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
