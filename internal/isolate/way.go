package isolate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
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

// Exit is the only way out of a Room that has one: an HTTP proxy on a socket
// file, which leads to public addresses, ports 80 and 443, and to what is
// named in Allow. This machine, its neighbours and a cloud's metadata address are out
// of reach, whatever a name resolves to.
type Exit struct {
	Allow []string // HOST:PORT that may be reached wherever they are
	Log   func(host string, err error)

	dir     string
	server  *http.Server
	refused atomic.Int64
}

// Open starts it.
func (e *Exit) Open() error {
	dir, err := os.MkdirTemp("", "odfix-way-")
	if err != nil {
		return err
	}
	e.dir = dir
	l, err := net.Listen("unix", e.Socket())
	if err == nil {
		err = os.Chmod(e.Socket(), 0o666) // the folder is ours alone; who is shown the socket may use it
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

// Close ends it and every connection through it that has not been tunnelled;
// those end with the processes that hold them.
func (e *Exit) Close() error { return errors.Join(e.server.Close(), os.RemoveAll(e.dir)) }

// Refused is how many connections were refused.
func (e *Exit) Refused() int64 { return e.refused.Load() }

// mostWays is how many connections a Room has through it at once: they are ours, too.
const mostWays = 128

// patience bounds the making of a connection, idle the wait for an answer.
const (
	patience = 30 * time.Second
	idle     = 2 * time.Minute
)

var errRefused = errors.New("odfix lets nobody there: only public addresses, ports 80 and 443")

// dial connects to where a Room may go. The address that is really used is
// looked at, so that no name can lead elsewhere.
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
	if e.Log != nil {
		e.Log(address, err)
	}
	return c, err
}

// inner are networks that netip does not call private, and which lead to
// machines nearby, to this one, or to them under another family's name.
var inner = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"), netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("fec0::/10"), netip.MustParsePrefix("::/96"),
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
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
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

// halfRead is a connection of which some was read ahead.
type halfRead struct {
	net.Conn
	r *bufio.Reader
}

func (h halfRead) Read(b []byte) (int, error) { return h.r.Read(b) }

// join passes everything between two connections until one side ends.
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

// WayEnv names, inside, the socket of the way out.
const WayEnv = "ODFIX_WAY"

// wayAt is where programs inside find the proxy. A Room's loopback is its own, so the port is free.
const wayAt = "127.0.0.1:3128"

// mavenrc is what every Maven reads before it starts (/etc/mavenrc): where the
// way out is and, without one, that it is offline. It is said here, and not
// on its command line, since that is shown to people, and kept with what was built.
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

// Lead, called inside, makes the way out usable for programs that know HTTP
// proxies: it listens where they are told to ask. Without a way it does nothing.
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
