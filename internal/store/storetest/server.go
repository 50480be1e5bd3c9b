package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// server is a PostgreSQL server that ends with this process.
type server struct {
	dir string // its data and its socket
	cmd *exec.Cmd
	end chan error
}

var (
	startOnce sync.Once
	started   *server
	startErr  error
)

// Main is for TestMain. It runs the tests and stops the server, if one was started.
func Main(m *testing.M) {
	code := m.Run()
	if started != nil {
		started.stop()
	}
	os.Exit(code)
}

func running() (*server, error) {
	startOnce.Do(func() { started, startErr = start() })
	return started, startErr
}

// program finds a program of PostgreSQL. On Debian, they are not in PATH.
func program(name string) (string, error) {
	if path, err := exec.LookPath(name); err == nil {
		return path, nil
	}
	var found []string
	for _, dir := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin",
		"/usr/local/opt/postgresql*/bin"} {
		list, _ := filepath.Glob(filepath.Join(dir, name)) // the patterns are valid
		found = append(found, list...)
	}
	if len(found) == 0 {
		return "", fmt.Errorf("there is no %s: .ci/postgres installs PostgreSQL", name)
	}
	slices.Sort(found)
	return found[len(found)-1], nil
}

func start() (*server, error) {
	initdb, err := program("initdb")
	if err != nil {
		return nil, err
	}
	postgres, err := program("postgres")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "odfix-pg-") // the path of a socket has at most about 100 characters
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, end: make(chan error, 1)}
	if err := s.start(initdb, postgres); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *server) start(initdb, postgres string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := giveAway(s.dir); err != nil {
		return err
	}
	data := filepath.Join(s.dir, "data")
	init := exec.CommandContext(ctx, initdb, "-D", data, "-U", "odfix", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
	init.Dir = s.dir
	lesser(init)
	if out, err := init.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, out)
	}
	// The databases end with the tests, so they need no fsync.
	s.cmd = exec.Command(postgres, "-D", data, "-k", s.dir, "-c", "listen_addresses=", "-c", "fsync=off",
		"-c", "max_connections=60", "-c", "log_min_messages=fatal")
	s.cmd.Dir = s.dir
	lesser(s.cmd)
	if err := s.run(); err != nil {
		return err
	}
	return s.ready(ctx)
}

// ready waits until the server answers, or has ended.
func (s *server) ready(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.answers(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case end := <-s.end:
			return fmt.Errorf("PostgreSQL ended at its start: %w", end)
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL does not answer: %w", err)
		}
	}
}

// answers tries once to connect.
func (s *server) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return err
	}
	return c.Close(ctx)
}

func (s *server) stop() {
	interrupt(s.cmd.Process)
	select {
	case <-s.end:
	case <-time.After(10 * time.Second):
		s.cmd.Process.Kill()
		<-s.end
	}
	os.RemoveAll(s.dir)
}
