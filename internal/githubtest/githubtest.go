// Package githubtest is a stand-in for GitHub: a server that answers the
// operations a GitHub App such as odfix uses, sends it signed webhooks, and
// keeps real git repositories behind both. Tests and `odfix sandbox` use it.
//
// Invariants: whatever reaches the server and whatever it answers or sends is
// checked against GitHub's own descriptions, and what does not fit is kept as a
// Mismatch; state changes only under the server's lock, and nothing waits for
// the network while holding it; where GitHub's behaviour is not known the
// stricter one is taken, so that an App which works here works there. What is
// simplified is listed in docs/stand-in.md.
package githubtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/odfix/odfix/internal/githubtest/description"
)

// Object is JSON as GitHub gives it.
type Object = map[string]any

// Config is what a server may be told; the zero value will do.
type Config struct {
	Dir      string           // where repositories are kept; empty: a temporary folder that Close removes
	Addr     string           // of the API; empty: a free port on loopback
	WebAddr  string           // of the web host: pages, git, downloads; empty: a free port on loopback
	Pages    http.Handler     // what the web host shows where neither git nor a download is asked for
	Now      func() time.Time // empty: the system's clock
	Limits   Limits           // zero fields take GitHub's published numbers
	Quirks   Quirks
	Callback time.Duration // how long a webhook may take; empty: GitHub's 10 s
}

// Quirks are behaviours GitHub shows at times, and an App must bear.
type Quirks struct {
	MergeablePending int  // so many reads of a pull request after a push say "mergeable": null
	DuplicateHooks   bool // every webhook is sent twice under one delivery id
}

// Server is one stand-in GitHub.
type Server struct {
	URL    string // of the API, without a slash at the end
	WebURL string // of the web host, another host name than the API's

	config Config
	dir    string
	rest   *description.API
	routes []*endpoint
	hosts  []*http.Server
	ended  context.Context // done once Close was called
	stop   context.CancelFunc
	done   sync.WaitGroup

	mu         sync.Mutex
	offset     time.Duration // what Advance added to the clock
	ids        map[string]int64
	accounts   []*Account
	repos      []*Repository
	apps       []*App
	manifests  map[string]*manifest
	tokens     map[string]*token
	gauges     map[string]*gauge
	faults     []*Fault
	requests   []Request
	mismatches []Mismatch
	downloads  map[string]*download
	secret     []byte        // signs downloads
	inFlight   atomic.Int64  // requests under way, those that wait for the lock too
	changed    chan struct{} // closed and replaced whenever something happened
}

// New starts a server; it runs until Close.
func New(ctx context.Context, config Config) (*Server, error) {
	rest, err := description.REST()
	if err != nil {
		return nil, err
	}
	s := &Server{config: config, rest: rest, ids: map[string]int64{}, manifests: map[string]*manifest{},
		tokens: map[string]*token{}, gauges: map[string]*gauge{}, downloads: map[string]*download{}, secret: random(32), changed: make(chan struct{})}
	s.config.Limits.fill()
	if s.config.Now == nil {
		s.config.Now = time.Now
	}
	if s.config.Callback == 0 {
		s.config.Callback = 10 * time.Second
	}
	if err := s.makeDir(); err != nil {
		return nil, err
	}
	if s.routes, err = endpoints(rest); err != nil {
		return nil, err
	}
	s.ended, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.listen(s.ended); err != nil {
		s.stop()
		return nil, errors.Join(err, s.Close())
	}
	s.addActions()
	return s, nil
}

func (s *Server) makeDir() error {
	s.dir = s.config.Dir
	if s.dir != "" {
		return os.MkdirAll(s.dir, 0o755)
	}
	var err error
	s.dir, err = os.MkdirTemp("", "standin-github-")
	return err
}

func (s *Server) listen(ctx context.Context) error {
	api, err := s.serve(ctx, s.config.Addr, http.HandlerFunc(s.serveAPI))
	if err != nil {
		return err
	}
	web, err := s.serve(ctx, s.config.WebAddr, http.HandlerFunc(s.serveWeb))
	if err != nil {
		return err
	}
	s.URL = "http://" + api
	// Another name than the API's, so that clients treat it as another host.
	_, port, _ := strings.Cut(web, ":")
	s.WebURL = "http://localhost:" + port
	return nil
}

func (s *Server) serve(ctx context.Context, addr string, h http.Handler) (string, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp4", addr)
	if err != nil {
		return "", fmt.Errorf("the stand-in GitHub cannot listen on %s: %w", addr, err)
	}
	host := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	s.hosts = append(s.hosts, host)
	s.done.Add(1)
	go func() {
		defer s.done.Done()
		_ = host.Serve(l) // it ends with Close
	}()
	return l.Addr().String(), nil
}

// Close stops the server and everything it does; a second call does nothing.
func (s *Server) Close() error {
	s.stop()
	var errs []error
	for _, h := range s.hosts {
		errs = append(errs, h.Close())
	}
	s.done.Wait()
	if s.config.Dir == "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// Now is the server's time.
func (s *Server) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now()
}

// Advance puts the server's clock forward: tokens and links expire, limits reset.
func (s *Server) Advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offset += d
}

func (s *Server) now() time.Time {
	return s.config.Now().Add(s.offset).UTC().Truncate(time.Second)
}

// id is the next identifier of a kind. Those of runs, jobs, checks and comments
// are beyond 32 bits, as GitHub's are.
func (s *Server) id(kind string) int64 {
	if s.ids[kind] == 0 {
		s.ids[kind] = map[string]int64{"account": 1000, "repository": 700_000_000, "app": 420_000, "installation": 51_000_000}[kind]
		if s.ids[kind] == 0 {
			s.ids[kind] = 8_673_020_000
		}
	}
	s.ids[kind]++
	return s.ids[kind]
}

func (s *Server) repoDir(r *Repository) string {
	return filepath.Join(s.dir, fmt.Sprintf("%d.git", r.ID))
}
