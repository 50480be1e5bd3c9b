package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/net/netutil"

	"github.com/odfix/odfix/internal/child"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/keys"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/work"
)

// maxWorkerConnections bounds the connections of workers at once.
const maxWorkerConnections = 1024

// maxAddressConnections bounds those of one address: a pod of a runner shares its network with the
// tests in it.
const maxAddressConnections = 128

// workers opens what has the jobs run: a worker of this machine, workers that come to
// --work-listen, or both.
func (s *server) workers(ctx context.Context, w world, app *github.App) (*work.Server, error) {
	packed := pull.Packed(app)
	tasks := work.NewServer(work.ServerOptions{Store: s.store, Log: s.log.Named("work"), Silence: s.o.app.pace.Silence,
		Source: func(ctx context.Context, installation int64, from job.Source, out io.Writer) error {
			err := packed(ctx, installation, from, out)
			if errors.Is(err, github.ErrGone) || errors.Is(err, github.ErrLarge) {
				err = fmt.Errorf("%w: %w", work.ErrRefused, err)
			}
			return err
		}})
	if s.o.work.listen != "" {
		l, err := net.Listen("tcp", s.o.work.listen)
		if err != nil {
			return nil, fmt.Errorf("--work-listen: %w", err)
		}
		s.log.Info("workers can come", zap.Stringer("work", l.Addr()), zap.Bool("tls", s.o.work.certificate != nil))
		s.serveWorkers(l, s.o.work.certificate, tasks, s.o.work.tokens.Get)
	}
	if !s.o.work.local {
		return tasks, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("for the worker of this machine: %w", err)
	}
	token, came := rand.Text()+rand.Text(), make(chan struct{})
	once := sync.OnceFunc(func() { close(came) })
	s.serveWorkers(l, nil, arrival{tasks, once}, func() []string { return []string{token} })
	s.local = &localWorker{server: "http://" + l.Addr().String(), token: token, world: w, o: s.o, log: s.log.Named("worker")}
	return tasks, s.local.start(ctx, came)
}

// arrival calls came when a worker with the credential asks for a job: it has a sandbox then.
type arrival struct {
	work.Tasks
	came func()
}

// Claim implements work.Tasks.
func (a arrival) Claim(ctx context.Context, worker string, wait time.Duration) (*work.Claim, error) {
	a.came()
	return a.Tasks.Claim(ctx, worker, wait)
}

// serveWorkers answers workers, with TLS if there is a certificate.
func (s *server) serveWorkers(l net.Listener, certificate *keys.File[*tls.Certificate], tasks work.Tasks, tokens func() []string) {
	s.coming = append(s.coming, l)
	h := work.NewHandler(work.HandlerOptions{Tasks: tasks, Tokens: tokens, Log: s.log.Named("work")})
	l = netutil.LimitListener(newPerAddress(l, maxAddressConnections), maxWorkerConnections)
	if certificate != nil {
		l = tls.NewListener(l, &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return certificate.Get(), nil }})
	}
	s.serveOn(l, h)
}

// localWorker is the worker that `odfix serve` starts: a process of its own, without the key, the
// secrets and the database. It ends with this process.
type localWorker struct {
	server, token string
	world         world
	o             serveOptions
	log           *zap.Logger

	stop    context.CancelFunc
	stopped chan struct{} // closed when no process is left
}

// Limits of the local worker.
const (
	workerStart = time.Minute      // until it asks for its first job
	workerEnd   = 10 * time.Second // from the end of its input to the kill
	workerPause = 30 * time.Second // the longest between two starts
)

// start starts the worker, and waits until it asks for its first job. If it ends before, that is an
// error. Later ends are repaired by another start.
func (l *localWorker) start(ctx context.Context, came <-chan struct{}) error {
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop, l.stopped = stop, make(chan struct{})
	ended := make(chan error, 1)
	go l.keep(running, ended)
	select {
	case <-came:
		return nil
	case err := <-ended:
		return fmt.Errorf("the worker of this machine does not start: %w", err)
	case <-time.After(workerStart):
		return errors.New("the worker of this machine does not ask for jobs")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// keep starts the worker whenever it ended, until the context ends. It sends the first end.
func (l *localWorker) keep(ctx context.Context, first chan<- error) {
	defer close(l.stopped)
	for wait := time.Second; ; wait = min(2*wait, workerPause) {
		begun := time.Now()
		err := l.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			err = errors.New("it ended by itself")
		}
		l.log.Error("the worker of this machine ended; it is started again", zap.Error(err))
		select {
		case first <- err:
		default:
		}
		if time.Since(begun) > workerPause {
			wait = time.Second
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// once runs the worker to its end. When the context ends, it ends the worker.
func (l *localWorker) once(ctx context.Context) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe, append([]string{"worker", "--server=" + l.server, "--name=local", "--stop-with-input",
		"--log-level=" + l.o.log.level, "--log-format=" + l.o.log.format}, l.o.app.set...)...)
	cmd.Env = append(append(runnerEnvironment(os.Environ()), l.world.child...), workerToken+"="+l.token)
	cmd.Stdout, cmd.Stderr = l.world.stderr, l.world.stderr
	cmd.WaitDelay = workerEnd
	input, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := child.Start(cmd); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	defer child.Kill(cmd)
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	_ = input.Close() // it gives its jobs back
	select {
	case err = <-done:
	case <-time.After(workerEnd):
		child.Kill(cmd)
		err = <-done
	}
	return err
}

// close ends the worker, and waits for its end.
func (l *localWorker) close() {
	l.stop()
	<-l.stopped
}
