package kube

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
	"github.com/odfix/odfix/internal/work"
)

// The environment of this test's pods.
const (
	envPod   = "ODFIX_TEST_POD"   // makes the test binary the command of a pod
	envQuiet = "ODFIX_TEST_QUIET" // dispatch.Local.Quiet of its runner
)

func TestMain(m *testing.M) {
	dispatchtest.Main()
	if os.Getenv(envPod) != "" {
		if err := runPod(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// runPod is what `odfix worker --task` does, with the test's runner.
func runPod() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	quiet, err := time.ParseDuration(os.Getenv(envQuiet))
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	return Do(ctx, work.Worker{Dir: os.Getenv("HOME"), Dispatcher: &dispatch.Local{Runner: program,
		Env: append(os.Environ(), dispatchtest.Env+"=1"), Grace: dispatchtest.Grace, Slack: time.Millisecond, Quiet: quiet}})
}
