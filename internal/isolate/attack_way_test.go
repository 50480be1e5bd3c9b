package isolate

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/time/rate"
)

// TestAttackAddresses: a registry's name that resolves to this machine, to a private network or to
// a cloud's own services leads nowhere. The operator may name a private host, and this machine by
// its address only.
func TestAttackAddresses(t *testing.T) {
	own := []netip.Addr{netip.MustParseAddr("198.51.100.7"), netip.MustParseAddr("10.0.0.7")}
	for at, want := range map[string]string{
		"203.0.113.7": "registry private", "93.184.216.34": "registry private", "2606:4700::1": "registry private",
		"10.0.0.1": "private", "172.16.5.5": "private", "192.168.1.1": "private", "fd12::1": "private", "100.64.0.1": "private",
		"198.51.100.7": "", "10.0.0.7": "", "::ffff:198.51.100.7": "",
		"127.0.0.1": "", "127.8.9.1": "", "::1": "", "0.0.0.0": "", "::": "",
		"169.254.169.254": "", "fe80::1": "", "fe80::1%eth0": "", "fd00:ec2::254": "", "fd20:ce::254": "",
		"168.63.129.16": "", "100.100.100.200": "", "192.0.0.192": "", "161.26.0.10": "",
		"::ffff:127.0.0.1": "", "::ffff:168.63.129.16": "", "64:ff9b::a83f:8110": "", "64:ff9b::a9fe:a9fe": "", "2002:7f00:1::": "",
		"::127.0.0.1": "", "224.0.0.1": "", "255.255.255.255": "",
	} {
		var got []string
		for name, d := range map[string]destination{"registry": {"repo1.maven.org", false}, "private": {"nexus.example.org", true}} {
			if d.leads(netip.AddrPortFrom(netip.MustParseAddr(at), 443), own) {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		slices.Reverse(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	literal := find("127.0.0.1:8081", []string{"127.0.0.1:8081"}, nil)
	if !literal.leads(netip.MustParseAddrPort("127.0.0.1:8081"), own) || literal.leads(netip.MustParseAddrPort("127.0.0.2:8081"), own) {
		t.Error("an address that the operator names leads to itself only")
	}
}

// TestAttackOtherHosts: only registries are looked up, whatever their names look like.
func TestAttackOtherHosts(t *testing.T) {
	allow := []string{"nexus.example.org:8443"}
	for address, want := range map[string]bool{
		"repo.maven.apache.org:443": true, "REPO1.maven.org.:443": true, "registry.npmjs.org:443": true, "nexus.example.org:8443": true,
		"repo.maven.apache.org:80": false, "evil.example:443": false, "repo.maven.apache.org.evil.example:443": false,
		"nexus.example.org:443": false, "evil@repo1.maven.org:443": false, "93.184.216.34:443": false, "repo1.maven.org": false, "": false,
	} {
		if got := find(address, allow, nil).host != ""; got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
	// Builds of other tools reach no host of Gradle's, and its hosts lead to no private network.
	if find("github.com:443", allow, nil).host != "" || find("github.com:443", allow, Gradle) != (destination{"github.com", false}) ||
		find("api.github.com:443", allow, Gradle).host != "" {
		t.Error("the hosts of Gradle")
	}
	e := &Exit{}
	through(t, e)
	for _, host := range []string{"secret-data.evil.example:443", "repo.maven.apache.org:22"} {
		if status := connect(t, e, host); status != "403" {
			t.Errorf("%s: %s", host, status)
		}
	}
	if got := fmt.Sprint(e.Contacts()); got != "[{repo.maven.apache.org:22 false 1} {secret-data.evil.example:443 false 1}]" {
		t.Errorf("noted: %s", got)
	}
}

// TestAttackWrites: a build reads from registries. It neither uploads files nor sends bodies.
func TestAttackWrites(t *testing.T) {
	var seen []string
	registry := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, fmt.Sprintf("%s %q", r.Method, body))
	}))
	defer registry.Close()
	host := registry.Listener.Addr().String()
	e := &Exit{Allow: []string{host}}
	client := through(t, e)
	for _, method := range []string{"GET", "HEAD", "PUT", "POST", "DELETE", "PATCH", "OPTIONS"} {
		r, err := http.NewRequestWithContext(t.Context(), method, registry.URL+"/a.jar", strings.NewReader("a jar"))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if read := method == "GET" || method == "HEAD"; (answer.StatusCode == http.StatusOK) != read {
			t.Errorf("%s: %s", method, answer.Status)
		}
	}
	tunnelled(t, e, host, "PUT /a.jar HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\na jar")
	if want := []string{`GET ""`, `HEAD ""`}; !slices.Equal(seen, want) {
		t.Errorf("the registry got %v", seen)
	}
}

// tunnelled sends bytes through a tunnel and waits for its end.
func tunnelled(t *testing.T, e *Exit, host, text string) {
	t.Helper()
	c, err := net.Dial("unix", e.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "CONNECT "+host+" HTTP/1.1\r\nHost: "+host+"\r\n\r\n"+text); err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(c)
}

// TestAttackOtherNames: networks that deliver for many hosts choose one by the name that TLS begins
// with. It is the name of the tunnel's host.
func TestAttackOtherNames(t *testing.T) {
	for _, c := range []struct {
		to, name string
		named    bool
		want     bool
	}{
		{"repo.maven.apache.org", "repo.maven.apache.org", false, true}, {"repo.maven.apache.org", "evil.example", false, false},
		{"repo.maven.apache.org", "", false, false}, {"10.0.0.1", "", true, true}, {"nexus.example.org", "evil.example", true, false},
	} {
		here, there := net.Pipe()
		go func() {
			_ = tls.Client(there, &tls.Config{ServerName: c.name, InsecureSkipVerify: true}).Handshake()
			there.Close()
		}()
		begin, err := hello(here, destination{c.to, c.named})
		here.Close()
		if (err == nil) != c.want || len(begin) == 0 {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := hello(strings.NewReader("GET / HTTP/1.1\r\n\r\n"), destination{"10.0.0.1", true}); err == nil {
		t.Error("plain HTTP is no TLS")
	}
}

// TestAttackNamesOfTheNetwork: an answer names neither resolvers nor addresses.
func TestAttackNamesOfTheNetwork(t *testing.T) {
	e := &Exit{Allow: []string{"no-such-host.invalid:80", "127.0.0.1:1"}}
	client := through(t, e)
	for _, host := range e.Allow {
		answer, err := client.Get("http://" + host + "/")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(text) != "the host cannot be reached\n" || answer.StatusCode != http.StatusBadGateway {
			t.Errorf("%s: %s %q", host, answer.Status, text)
		}
	}
}

// TestAttackManyHosts: the list of hosts is bounded, and holds names only.
func TestAttackManyHosts(t *testing.T) {
	var c contacts
	for n := range 3 * mostContacts {
		c.add(fmt.Sprintf("host%d:443", n), false)
	}
	c.add("a\nb:443", false)
	list := c.list()
	var others int
	for _, x := range list {
		if strings.Contains(x.Host, "\n") {
			t.Errorf("%q", x.Host)
		}
		if x.Host == otherHosts {
			others = x.Times
		}
	}
	if len(list) > mostContacts+1 || others != 2*mostContacts+1 {
		t.Errorf("%d entries, %d others", len(list), others)
	}
}

// TestAttackThisMachineByName: a name in --allow-host does not lead to this machine.
func TestAttackThisMachineByName(t *testing.T) {
	var reached atomic.Bool
	near := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer near.Close()
	_, port, _ := net.SplitHostPort(near.Listener.Addr().String())
	e := &Exit{Allow: []string{"localhost:" + port}}
	answer, err := through(t, e).Get("http://localhost:" + port + "/")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusForbidden || reached.Load() {
		t.Errorf("%s, reached %v", answer.Status, reached.Load())
	}
}

// TestAttackManyWays: a build that connects again and again uses up the ports of this machine for a
// registry, which all jobs need. New connections have a pace, which no build of a project reaches for long.
func TestAttackManyWays(t *testing.T) {
	there := httptest.NewServer(http.NotFoundHandler())
	defer there.Close()
	at := there.Listener.Addr().String()
	e := &Exit{Allow: []string{at}}
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.pace.Limit() > 100 || e.pace.Burst() < mostWays {
		t.Errorf("%v a second, %d at once", e.pace.Limit(), e.pace.Burst())
	}
	e.pace = rate.NewLimiter(0, 2)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour) // a longer wait fails at once
	defer cancel()
	for n := range 3 {
		c, err := e.dial(ctx, "tcp", at)
		if (err == nil) != (n < 2) {
			t.Errorf("connection %d: %v", n, err)
		}
		if c != nil {
			c.Close()
		}
	}
}

// TestAttackTunnelsThatStay: a tunnel outlives the job that opened it, and keeps what the job has
// sent to it. Tunnels end with the Exit.
func TestAttackTunnelsThatStay(t *testing.T) {
	there := httptest.NewTLSServer(http.NotFoundHandler())
	defer there.Close()
	at := there.Listener.Addr().String()
	e := &Exit{Allow: []string{at}}
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("unix", e.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "CONNECT "+at+" HTTP/1.1\r\nHost: "+at+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 12)
	if _, err := io.ReadFull(c, first); err != nil || string(first) != "HTTP/1.1 200" {
		t.Fatalf("%q %v", first, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Errorf("the tunnel is still open: %v", err)
	}
	if len(e.tunnels) > 0 {
		t.Errorf("%d ends are left", len(e.tunnels))
	}
}
