package dispatch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/job"
)

func TestMain(m *testing.M) {
	dispatchtest.Main()
	if os.Getenv(parentEnv) != "" {
		os.Exit(parent())
	}
	os.Exit(m.Run())
}

// parentEnv makes the test binary an odfix that waits for a stubborn runner;
// it ends when it is killed.
const parentEnv = "ODFIX_TEST_PARENT"

func parent() int {
	d, j, err := parentsJob()
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		return 2
	}
	_, err = d.Run(context.Background(), j, func(e job.Event) {
		_, _ = os.Stdout.WriteString(e.Message + "\n")
	})
	var e *job.Error
	if errors.As(err, &e) {
		err = errors.New(e.Message + "\n" + e.Detail)
	}
	_, _ = os.Stderr.WriteString(err.Error())
	return 1
}

// parentsJob is for the kind of dispatcher that the environment names.
func parentsJob() (dispatch.Dispatcher, job.Job, error) {
	j := dispatchtest.Job(dispatchtest.Stubborn)
	dir := os.Getenv(parentEnv)
	if dir == "1" {
		return &dispatch.Local{Runner: os.Args[0], Env: append(os.Environ(), dispatchtest.Env+"=1")}, j, nil
	}
	j = dispatchtest.Job(dispatchtest.Clings)
	pipe := os.Getenv(dispatchtest.AliveEnv)
	j.Dir = filepath.Dir(pipe)
	s, err := isolate.Open(context.Background(), isolate.Options{Helper: os.Args[0], Dir: dir, Limits: isolate.Limits{Disk: 256 << 20}})
	return &dispatch.Isolated{Sandbox: s, Runner: os.Args[0],
		Env: []string{dispatchtest.Env + "=1", dispatchtest.AliveEnv + "=" + pipe}}, j, err
}

func TestLocal(t *testing.T) {
	dispatchtest.Conformance(t, func(t *testing.T, limits dispatchtest.Limits) dispatch.Dispatcher {
		l := local(t)
		l.Quiet, l.Grace = limits.Quiet, limits.Grace
		return l
	})
}

func local(t *testing.T) *dispatch.Local {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &dispatch.Local{
		Runner: exe,
		// A program built with -race waits a second before it exits, unless told not to.
		Env:   append(os.Environ(), dispatchtest.Env+"=1", "GORACE=atexit_sleep_ms=0"),
		Grace: dispatchtest.Grace, Slack: time.Millisecond, Quiet: dispatchtest.NeverQuiet,
	}
}

func TestLocalPassesLogsOn(t *testing.T) {
	var log strings.Builder
	l := local(t)
	l.Log = &log
	if _, err := l.Run(t.Context(), dispatchtest.Job(dispatchtest.Answers), nil); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), `"msg":"hello"`) {
		t.Errorf("log is %q", log.String())
	}
}

func TestFind(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(dispatch.RunnerEnv, exe)
	if got, err := dispatch.Find(); err != nil || got != exe {
		t.Errorf("named by the environment: %q, %v", got, err)
	}
	t.Setenv(dispatch.RunnerEnv, filepath.Join(t.TempDir(), "nothing"))
	wantMissing(t)
	t.Setenv(dispatch.RunnerEnv, "")
	if got, err := dispatch.Find(); err != nil || got != exe {
		t.Errorf("without the variable: %q, %v, want this program", got, err)
	}
}

// wantMissing: the error says what to do, from Find as from Run.
func wantMissing(t *testing.T) {
	t.Helper()
	_, err := dispatch.Find()
	_, err2 := new(dispatch.Local).Run(t.Context(), job.Job{}, nil)
	for _, err := range []error{err, err2} {
		var e *job.Error
		if !errors.As(err, &e) || e.Code != dispatch.CodeMissing || !strings.Contains(e.Hint, dispatch.RunnerEnv) {
			t.Errorf("got %v", err)
		}
	}
}
