package isolate

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"
	"golang.org/x/time/rate"
)

// Exit is the only network of a Room: an HTTP proxy on a socket file. It leads to Registries and to
// the hosts in Allow, and to nothing else. It reads only: of plain HTTP it passes GET and HEAD, and
// tunnels must hold TLS for the same host. It keeps a list of the hosts that programs asked for.
type Exit struct {
	Allow   []string // HOST:PORT of registries that the operator names; they may be on a private network
	Further []string // HOST:PORT of others

	dir    *folder
	server *http.Server
	log    contacts
	pace   *rate.Limiter

	mu      sync.Mutex
	tunnels map[net.Conn]bool // both ends; nil: the Exit is closed
	open    sync.WaitGroup
}

// Open starts the proxy.
func (e *Exit) Open() error {
	dir, err := newFolder("") // a socket's path must be short
	if err != nil {
		return err
	}
	e.dir = dir
	l, err := net.Listen("unix", e.Socket())
	if err == nil {
		err = os.Chmod(e.Socket(), 0o666) // no other user can enter the folder; a Room that gets the socket may use it
	}
	if err != nil {
		return errors.Join(err, dir.close())
	}
	e.tunnels = map[net.Conn]bool{}
	e.pace = rate.NewLimiter(waysEach, mostWays)
	e.server = &http.Server{Handler: e, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { _ = e.server.Serve(netutil.LimitListener(l, mostWays)) }()
	return nil
}

// Socket is the proxy's socket file.
func (e *Exit) Socket() string { return filepath.Join(e.dir.path, "way") }

// Close ends the proxy and all connections. A connection that stays could keep what a program has
// sent to it, such as an open file of its Room's disk.
func (e *Exit) Close() error {
	err := e.server.Close()
	e.mu.Lock()
	for c := range e.tunnels {
		_ = c.Close()
	}
	e.tunnels = nil
	e.mu.Unlock()
	e.open.Wait()
	return errors.Join(err, e.dir.close())
}

// keep adds a tunnel's end, for Close. It reports whether the Exit is still open.
func (e *Exit) keep(c net.Conn) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tunnels == nil {
		return false
	}
	e.tunnels[c] = true
	e.open.Add(1)
	return true
}

func (e *Exit) end(c net.Conn) {
	_ = c.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.tunnels, c)
	e.open.Done()
}

// Contacts are the hosts that programs asked for, in alphabetical order.
func (e *Exit) Contacts() []Contact { return e.log.list() }

// mostWays bounds a Room's connections at once: each is a connection of this process, too. waysEach
// bounds the new ones each second. A closed connection keeps its port for a minute, and a machine has
// some 28,000 for each registry.
const (
	mostWays = 128
	waysEach = 50
)

// patience bounds the time to connect, idle the wait for an answer.
const (
	patience = 30 * time.Second
	idle     = 2 * time.Minute
)

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
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "odfix allows GET and HEAD only", http.StatusMethodNotAllowed)
		return
	}
	out := r.Clone(r.Context())
	out.RequestURI, out.Body, out.ContentLength, out.TransferEncoding = "", http.NoBody, 0, nil
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

// fail answers without the error's text, which has names and addresses of this machine's network.
func fail(w http.ResponseWriter, err error) {
	if errors.Is(err, errRefused) {
		http.Error(w, errRefused.Error(), http.StatusForbidden)
		return
	}
	http.Error(w, "the host cannot be reached", http.StatusBadGateway)
}

// tunnel connects a program with a host, once the program has begun TLS with this host.
func (e *Exit) tunnel(w http.ResponseWriter, r *http.Request) {
	there, err := e.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		fail(w, err)
		return
	}
	if !e.keep(there) {
		there.Close()
		return
	}
	defer e.end(there)
	here, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		fail(w, err)
		return
	}
	if !e.keep(here) {
		here.Close()
		return
	}
	defer e.end(here)
	if _, err := here.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		return
	}
	_ = here.SetReadDeadline(time.Now().Add(patience))
	begin, err := hello(buffered.Reader, find(r.Host, e.Allow, e.Further))
	if err != nil {
		e.log.add(r.Host, false)
		return
	}
	_ = here.SetReadDeadline(time.Time{})
	if _, err := there.Write(begin); err == nil {
		join(halfRead{here, buffered.Reader}, there)
	}
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
