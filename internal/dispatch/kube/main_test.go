package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"os/user"
	"strconv"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/dispatch/dispatchtest"
	"github.com/odfix/odfix/internal/work"
)

// The environment of this test's processes.
const (
	envWorker = "ODFIX_TEST_WORKER" // makes the test binary a worker; the file with its settings
	envPod    = "ODFIX_TEST_POD"    // makes the test binary the command of a pod
	envQuiet  = "ODFIX_TEST_QUIET"  // dispatch.Local.Quiet of its runner
	envGrace  = "ODFIX_TEST_GRACE"  // dispatch.Local.Grace of its runner
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
	if file := os.Getenv(envWorker); file != "" {
		if err := runWorker(file); err != nil {
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
	grace, err := time.ParseDuration(os.Getenv(envGrace))
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err != nil || u.HomeDir != workAt {
		return fmt.Errorf("the user of the pod has another home folder than %s: %+v, %v", workAt, u, err)
	}
	return Do(ctx, work.Worker{Dir: os.Getenv("HOME"), Dispatcher: &dispatch.Local{Runner: program,
		Env: append(os.Environ(), dispatchtest.Env+"=1"), Grace: grace, Slack: time.Millisecond, Quiet: quiet}})
}

// workerFile are the settings of a worker in a process of its own.
type workerFile struct {
	Options              Options
	Server               string // of the tasks
	API, CA, Token, Name string // of the cluster
	Runners              int
}

// runWorker is what `odfix worker --kubernetes` does.
func runWorker(file string) error {
	var f workerFile
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err != nil {
		return err
	}
	client, err := work.NewClient(f.Server, func() (string, error) { return credential, nil })
	if err != nil {
		return err
	}
	w, err := NewWorker(client, &rest.Config{Host: f.API, BearerToken: f.Token, TLSClientConfig: rest.TLSClientConfig{CAFile: f.CA}}, f.Options)
	if err != nil {
		return err
	}
	w.Name, w.Runners = f.Name, f.Runners
	return w.Run(context.Background())
}
