package isolate

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Registries are the hosts that every Room with an Exit may read from: Maven Central and npm.
var Registries = []string{"repo.maven.apache.org:443", "repo1.maven.org:443", "registry.npmjs.org:443", "registry.yarnpkg.com:443"}

// Gradle are the hosts that builds of Gradle need besides: those of its plugins, and those to which
// services.gradle.org leads for its distributions.
var Gradle = []string{"plugins.gradle.org:443", "plugins-artifacts.gradle.org:443", "services.gradle.org:443", "github.com:443",
	"release-assets.githubusercontent.com:443", "objects.githubusercontent.com:443"}

// destination is a host that an Exit leads to.
type destination struct {
	host  string // a name or an IP address; empty: the Exit does not lead there
	named bool   // by the operator
}

// find looks up HOST:PORT among the hosts that the operator names, the Registries, and further ones.
func find(address string, allow, further []string) destination {
	host, port, err := net.SplitHostPort(strings.ToLower(address))
	if err != nil {
		return destination{}
	}
	host = strings.TrimSuffix(host, ".")
	full := net.JoinHostPort(host, port)
	same := func(a string) bool { return strings.EqualFold(a, full) }
	switch {
	case slices.ContainsFunc(allow, same):
		return destination{host, true}
	case slices.ContainsFunc(Registries, same), slices.ContainsFunc(further, same):
		return destination{host, false}
	}
	return destination{}
}

// leads reports whether a connection to an address is allowed. own are the addresses of this
// machine. An operator may name a private network's host, and this machine by its address.
func (p destination) leads(at netip.AddrPort, own []netip.Addr) bool {
	a := at.Addr().Unmap().WithZone("")
	if literal, err := netip.ParseAddr(p.host); err == nil {
		return p.named && a == literal.Unmap()
	}
	if slices.Contains(own, a) || !a.IsGlobalUnicast() || in(provider, a) {
		return false
	}
	return p.named || !a.IsPrivate() && !in(inner, a)
}

func in(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// provider are addresses at which clouds serve their machines; others are link-local.
var provider = []netip.Prefix{
	netip.MustParsePrefix("168.63.129.16/32"),   // Azure
	netip.MustParsePrefix("100.100.100.200/32"), // Alibaba Cloud
	netip.MustParsePrefix("192.0.0.192/32"),     // Oracle Cloud
	netip.MustParsePrefix("161.26.0.0/16"),      // IBM Cloud
	netip.MustParsePrefix("fd00:ec2::/32"),      // Amazon
	netip.MustParsePrefix("fd20:ce::/32"),       // Google Cloud
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),
	// Forms of addresses of the other family, by which these can be reached, too.
	netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"),
}

// inner are further networks of private ones, which netip does not call private.
var inner = []netip.Prefix{
	netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("fec0::/10"),
}

// ownAddresses are those of this machine's network interfaces at present.
func ownAddresses() ([]netip.Addr, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	var out []netip.Addr
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, p.Addr().Unmap().WithZone(""))
		}
	}
	return out, nil
}

var errRefused = errors.New("odfix does not allow this host: only package registries, and what its operator names with --allow-host")

// dial connects to a host if a Room may reach it. It looks up no other name, and checks the address
// of each connection, so that a name cannot lead elsewhere later.
func (e *Exit) dial(ctx context.Context, network, address string) (net.Conn, error) {
	p := find(address, e.Allow, e.Further)
	if p.host == "" {
		e.log.add(address, false)
		return nil, errRefused
	}
	if err := e.pace.Wait(ctx); err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: patience}
	d.Control = func(_, real string, _ syscall.RawConn) error {
		own, err := ownAddresses()
		if err != nil {
			return err
		}
		if at, err := netip.ParseAddrPort(real); err != nil || !p.leads(at, own) {
			return errRefused
		}
		return nil
	}
	c, err := d.DialContext(ctx, network, address)
	e.log.add(address, !errors.Is(err, errRefused))
	return c, err
}

// Contact is a host that programs in a Room asked an Exit for.
type Contact struct {
	Host    string // HOST:PORT
	Allowed bool
	Times   int
}

// mostContacts bounds the list of contacts. The rest counts as otherHosts.
const (
	mostContacts = 100
	otherHosts   = "other hosts"
)

type contacts struct {
	mu    sync.Mutex
	times map[Contact]int // by contacts without Times
}

var hostAndPort = regexp.MustCompile(`^[A-Za-z0-9._:\[\]-]{1,262}$`)

func (c *contacts) add(host string, allowed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times == nil {
		c.times = map[Contact]int{}
	}
	k := Contact{Host: strings.ToLower(host), Allowed: allowed}
	if _, known := c.times[k]; !known && len(c.times) >= mostContacts || !hostAndPort.MatchString(host) {
		k.Host = otherHosts
	}
	c.times[k]++
}

func (c *contacts) list() []Contact {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Contact
	for k, n := range c.times {
		k.Times = n
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Contact) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Times, b.Times))
	})
	return out
}
