// Package githubtest is a stand-in for GitHub: a server with the operations that odfix uses, signed
// webhooks, and real git repositories. Tests and `odfix sandbox` use it.
//
// Invariants: each request, answer and webhook is checked against GitHub's own descriptions; one
// that does not fit is recorded as a Mismatch. State changes only under the server's lock, and
// nothing waits for the network while holding it. Where GitHub's behaviour is not known, the
// stand-in takes the stricter one, so that an App which works here works on GitHub.
// docs/stand-in.md lists the simplifications.
package githubtest

import (
	"cmp"
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

	"github.com/sourcegraph/conc"

	"github.com/odfix/odfix/internal/githubtest/description"
)

// Object is JSON as GitHub gives it.
type Object = map[string]any

// Config configures a server. The zero value is valid.
type Config struct {
	Dir     string       // for the git repositories; empty: a temporary folder that Close removes
	WebAddr string       // of the web host; empty: a free port on loopback
	Pages   http.Handler // serves the paths of the web host that are not downloads
	Quirks  Quirks
	Senders int // webhooks of an App that are sent at the same time; 0: one, so that they arrive in order
	Limits  int // how many times GitHub's limits the server allows, for tests that compress time; 0: once
}

// Quirks are behaviours that GitHub shows sometimes, and that an App must handle.
type Quirks struct {
	MergeablePending int  // how many reads of a pull request after a push answer "mergeable": null
	DuplicateHooks   bool // every webhook is sent twice, under one delivery id
}

// Server is one stand-in GitHub.
type Server struct {
	URL    string // of the API, without a slash at the end
	WebURL string // of the web host, another host name than the API's

	config  Config
	dir     string
	rest    *description.API
	routes  []*endpoint
	hosts   []*http.Server
	ended   context.Context // done once Close was called
	stop    context.CancelFunc
	running conc.WaitGroup // servers of both hosts, and the senders of webhooks

	mu         sync.Mutex
	offset     time.Duration // what Advance added to the clock
	ids        map[string]int64
	accounts   []*Account
	repos      []*Repository
	apps       []*App
	manifests  map[string]*manifest
	tokens     map[string]*token
	people     map[string]*userToken
	grants     map[string]*grant
	browser    *Account // whose browser visits the web host
	gauges     map[string]*gauge
	faults     []*Fault
	requests   []Request
	mismatches []Mismatch
	downloads  map[string]*download
	inFlight   atomic.Int64  // requests that have no answer yet
	changed    chan struct{} // closed and replaced at every change
}

// New starts a server; it runs until Close.
func New(ctx context.Context, config Config) (*Server, error) {
	rest, err := description.REST()
	if err != nil {
		return nil, err
	}
	s := &Server{config: config, rest: rest, ids: map[string]int64{}, manifests: map[string]*manifest{},
		tokens: map[string]*token{}, people: map[string]*userToken{}, grants: map[string]*grant{}, gauges: map[string]*gauge{}, downloads: map[string]*download{}, changed: make(chan struct{})}
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
	api, err := s.serve(ctx, "", http.HandlerFunc(s.serveAPI))
	if err != nil {
		return err
	}
	web, err := s.serve(ctx, s.config.WebAddr, http.HandlerFunc(s.serveWeb))
	if err != nil {
		return err
	}
	s.URL = "http://" + api
	// The name differs from the API's, so that clients treat it as another host.
	_, port, _ := strings.Cut(web, ":")
	s.WebURL = "http://localhost:" + port
	return nil
}

func (s *Server) serve(ctx context.Context, addr string, h http.Handler) (string, error) {
	addr = cmp.Or(addr, "127.0.0.1:0")
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp4", addr)
	if err != nil {
		return "", fmt.Errorf("the stand-in GitHub cannot listen on %s: %w", addr, err)
	}
	host := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	s.hosts = append(s.hosts, host)
	s.running.Go(func() { _ = host.Serve(l) }) // until Close
	return l.Addr().String(), nil
}

// Close stops the server. A second call does nothing.
func (s *Server) Close() error {
	s.stop()
	var errs []error
	for _, h := range s.hosts {
		errs = append(errs, h.Close())
	}
	s.running.Wait()
	if s.config.Dir == "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}

// Now returns the server's time.
func (s *Server) Now() time.Time {
	defer s.lock()()
	return s.now()
}

// Advance moves the server's clock forward: tokens and links expire, limits reset.
func (s *Server) Advance(d time.Duration) {
	defer s.lock()()
	s.offset += d
}

// lock locks the server's state and returns the function that unlocks it.
func (s *Server) lock() (unlock func()) {
	s.mu.Lock()
	return s.mu.Unlock
}

func (s *Server) now() time.Time {
	return time.Now().Add(s.offset).UTC().Truncate(time.Second)
}

// id returns the next identifier of a kind. Those of runs, jobs, checks and comments need more
// than 32 bits, as GitHub's do.
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
