package isolate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/net/netutil"
)

// Exit is the only network of a Room: an HTTP proxy on a socket file. It connects to public
// addresses, ports 80 and 443, and to the addresses in Allow. It refuses this machine, private
// networks and a cloud's metadata address, whatever name resolves to them.
type Exit struct {
	Allow []string // HOST:PORT that may be reached although it is not public

	dir     string
	server  *http.Server
	refused atomic.Int64
}

// Open starts the proxy.
func (e *Exit) Open() error {
	dir, err := os.MkdirTemp("", "odfix-way-")
	if err != nil {
		return err
	}
	e.dir = dir
	l, err := net.Listen("unix", e.Socket())
	if err == nil {
		err = os.Chmod(e.Socket(), 0o666) // no other user can enter the folder; a Room that gets the socket may use it
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	e.server = &http.Server{Handler: e, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { _ = e.server.Serve(netutil.LimitListener(l, mostWays)) }()
	return nil
}

// Socket is the proxy's socket file.
func (e *Exit) Socket() string { return e.dir + "/way" }

// Close ends the proxy and its plain connections. Tunnels end with the processes that use them.
func (e *Exit) Close() error { return errors.Join(e.server.Close(), os.RemoveAll(e.dir)) }

// Refused is how many connections were refused.
func (e *Exit) Refused() int64 { return e.refused.Load() }

// mostWays bounds a Room's connections at once: each is a connection of this process, too.
const mostWays = 128

// patience bounds the time to connect, idle the wait for an answer.
const (
	patience = 30 * time.Second
	idle     = 2 * time.Minute
)

var errRefused = errors.New("odfix does not allow this address: only public addresses, ports 80 and 443")

// dial connects to an address if a Room may reach it. It checks the address after the name is
// resolved.
func (e *Exit) dial(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Timeout: patience}
	if !slices.Contains(e.Allow, address) {
		d.Control = func(_, real string, _ syscall.RawConn) error {
			if at, err := netip.ParseAddrPort(real); err != nil || !public(at) {
				return errRefused
			}
			return nil
		}
	}
	c, err := d.DialContext(ctx, network, address)
	if errors.Is(err, errRefused) {
		e.refused.Add(1)
	}
	return c, err
}

// inner are further networks of this machine and of private ones, which netip does not call
// private, and their forms in the other address family.
var inner = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("fec0::/10"),
	netip.MustParsePrefix("::/96"),
}

func public(at netip.AddrPort) bool {
	a := at.Addr().Unmap().WithZone("")
	if at.Port() != 80 && at.Port() != 443 || !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	return !slices.ContainsFunc(inner, func(p netip.Prefix) bool { return p.Contains(a) })
}

// ServeHTTP implements http.Handler.
func (e *Exit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		e.tunnel(w, r)
		return
	}
	if r.URL.Scheme != "http" || r.URL.Host == "" {
		http.Error(w, "this is a proxy", http.StatusBadRequest)
		return
	}
	out := r.Clone(r.Context())
	out.RequestURI = ""
	for _, h := range []string{"Proxy-Connection", "Proxy-Authorization", "Connection", "Te", "Upgrade"} {
		out.Header.Del(h)
	}
	t := &http.Transport{DialContext: e.dial, DisableKeepAlives: true, DisableCompression: true, ResponseHeaderTimeout: idle}
	answer, err := t.RoundTrip(out)
	if err != nil {
		fail(w, err)
		return
	}
	defer answer.Body.Close()
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

func fail(w http.ResponseWriter, err error) {
	if errors.Is(err, errRefused) {
		http.Error(w, errRefused.Error(), http.StatusForbidden)
		return
	}
	http.Error(w, "odfix' way out: "+err.Error(), http.StatusBadGateway)
}

func (e *Exit) tunnel(w http.ResponseWriter, r *http.Request) {
	there, err := e.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		fail(w, err)
		return
	}
	defer there.Close()
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		fail(w, err)
		return
	}
	defer here.Close()
	if _, err := here.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	join(halfRead{here, buffered.Reader}, there)
}

// halfRead is a connection with bytes that were read ahead.
type halfRead struct {
	net.Conn
	r *bufio.Reader
}

func (h halfRead) Read(b []byte) (int, error) { return h.r.Read(b) }

// join copies between two connections until one ends.
func join(a, b net.Conn) {
	done := make(chan struct{}, 2)
	pass := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		done <- struct{}{}
	}
	go pass(a, b)
	go pass(b, a)
	<-done
	_, _ = a.Close(), b.Close()
	<-done
}

// WayEnv is the variable that names the proxy's socket in a Room.
const WayEnv = "ODFIX_WAY"

// wayAt is the proxy's address in a Room. A Room has a loopback of its own, so the port is free.
const wayAt = "127.0.0.1:3128"

// mavenrc is /etc/mavenrc, which every Maven reads first. It sets the proxy, or offline mode
// without one. It is not on Maven's command line, since people see that, and the cache of builds
// depends on it.
func mavenrc(offline bool) string {
	host, port, _ := strings.Cut(wayAt, ":")
	proxy := fmt.Sprintf("-Dhttp.proxyHost=%[1]s -Dhttp.proxyPort=%[2]s -Dhttps.proxyHost=%[1]s -Dhttps.proxyPort=%[2]s", host, port)
	theirs, _ := os.ReadFile("/etc/mavenrc")
	text := string(theirs) + "\n" + `MAVEN_OPTS="$MAVEN_OPTS ` + proxy + "\"\nexport MAVEN_OPTS\n"
	if offline {
		text += `set -- --offline "$@"` + "\n"
	}
	return text
}

// Lead, called in a Room, makes the proxy usable for programs: it listens at wayAt and forwards to
// the socket. Without a proxy it does nothing.
func Lead() error {
	socket := os.Getenv(WayEnv)
	if socket == "" {
		return nil
	}
	l, err := net.Listen("tcp", wayAt)
	if err != nil {
		return fmt.Errorf("the way out: %w", err)
	}
	os.Unsetenv(WayEnv)
	for _, name := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"} {
		os.Setenv(name, "http://"+wayAt)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if out, err := net.Dial("unix", socket); err == nil {
					join(c, out)
				}
			}()
		}
	}()
	return nil
}
