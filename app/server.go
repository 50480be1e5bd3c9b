package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/internal/redact"
	"github.com/odfix/odfix/internal/store"
)

// server is a running `odfix serve`. All its listeners and connections are open before run. close
// closes them in the opposite order.
type server struct {
	o        serveOptions
	log      *zap.Logger
	store    *store.Store
	metrics  *metrics
	hooks    net.Listener
	ops      net.Listener // nil: none
	servers  []*http.Server
	worker   *store.Worker
	path     *investigate.Service // nil: no App is named
	ready    atomic.Bool
	failed   chan error
	remove   func() error   // removes the folder of temporary files; nil: there is none
	coming   []net.Listener // of workers
	internet *http.Server   // the webhooks'
	local    *localWorker   // nil: none
}

func openServer(ctx context.Context, w world, o serveOptions) (*server, error) {
	hide := redact.New(o.app.client.secrets()...)
	s := &server{o: o, failed: make(chan error, 4), log: newLog(w, o.log, hide), metrics: newMetrics()}
	s.watchSecrets(hide)
	if err := s.open(ctx, w); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// newLog writes to standard error, one entry in each line, without secrets.
func newLog(w world, o logOptions, hide *redact.Redactor) *zap.Logger {
	level, err := zapcore.ParseLevel(o.level)
	if err != nil {
		level = zapcore.InfoLevel // complete has checked it
	}
	c := zap.NewProductionEncoderConfig()
	c.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewJSONEncoder(c)
	if o.format == "console" {
		encoder = zapcore.NewConsoleEncoder(c)
	}
	out := hide.Writer(w.stderr)
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(out)), level))
}

func (s *server) open(ctx context.Context, w world) error {
	var err error
	if s.store, err = store.Open(ctx, s.o.database, store.Options{Log: s.log}); err != nil {
		return fmt.Errorf("the database cannot be used: %w", err)
	}
	s.metrics.registry.MustRegister(stored{s.store})
	if s.path, err = s.openApp(ctx, w); err != nil {
		return err
	}
	hook, err := github.NewWebhook(investigate.Intake{Store: s.store},
		github.WebhookOptions{Secrets: s.o.secrets.Get, Log: s.log.Named("webhook"), Observe: s.metrics.delivery, Signed: signedDelivery})
	if err != nil {
		return err
	}
	if s.hooks, err = net.Listen("tcp", s.o.listen); err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	if s.o.ops != "" {
		if s.ops, err = net.Listen("tcp", s.o.ops); err != nil {
			return fmt.Errorf("--ops-listen: %w", err)
		}
	}
	pages, err := s.dashboard(w)
	if err != nil {
		return err
	}
	s.serveInternet(s.hookRoutes(hook, pages))
	if s.ops != nil {
		s.serveOn(s.ops, s.opsRoutes())
	}
	s.worker, err = s.store.Work(ctx, s.work())
	return err
}

// firstMoment is enough for a delivery to arrive. Who wants to keep GitHub out has to open
// github.MaxConnections in this time, again and again, which a reverse proxy can limit.
const firstMoment = 250 * time.Millisecond

func (s *server) serveInternet(h http.Handler) {
	s.internet = s.newServer(h)
	evictConnections(s.internet)
	s.start(s.internet, newEvictingListener(s.hooks, github.MaxConnections, firstMoment))
}

// serveOn starts an HTTP server.
func (s *server) serveOn(l net.Listener, h http.Handler) *http.Server {
	server := s.newServer(h)
	s.start(server, l)
	return server
}

// newServer makes an HTTP server. Its limits are the largest that GitHub needs.
func (s *server) newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 20 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 30 * time.Second, MaxHeaderBytes: 32 << 10, ErrorLog: zap.NewStdLog(s.log.Named("http")),
	}
}

func (s *server) start(server *http.Server, l net.Listener) {
	s.servers = append(s.servers, server)
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
}

// run lasts until the context ends or a server fails.
func (s *server) run(ctx context.Context) error {
	s.ready.Store(true)
	fields := []zap.Field{zap.String("version", version), zap.Stringer("listen", s.hooks.Addr()), zap.String("database", s.store.Name())}
	if s.ops != nil {
		fields = append(fields, zap.Stringer("ops", s.ops.Addr()))
	}
	s.log.Info("serving", fields...)
	select {
	case <-ctx.Done():
		s.log.Info("stopping", zap.Duration("at most", s.o.stopAfter))
		return nil
	case err := <-s.failed:
		return err
	}
}

// close stops the parts in an order in which nothing is lost: no new requests, answers to open
// requests, no new jobs, the end of running jobs, the worker, the database.
func (s *server) close() error {
	s.ready.Store(false)
	ctx, cancel := context.WithTimeout(context.Background(), s.o.stopAfter)
	defer cancel()
	var errs []error
	if s.internet != nil {
		errs = append(errs, s.internet.Shutdown(ctx))
	}
	if s.worker != nil {
		errs = append(errs, s.worker.Stop(ctx))
	}
	if s.local != nil {
		s.local.close() // before its server: it gives its jobs back
	}
	for _, server := range s.servers {
		errs = append(errs, server.Close())
	}
	for _, l := range append([]net.Listener{s.hooks, s.ops}, s.coming...) {
		if l != nil {
			l.Close() // of servers that never ran; of others it is closed
		}
	}
	if s.remove != nil {
		errs = append(errs, s.remove())
	}
	if s.store != nil {
		s.store.Close()
	}
	s.log.Info("stopped")
	s.log.Sync() // standard error may not be able to
	return errors.Join(errs...)
}
