// Command odfix finds out why a test depends on the order in which tests run,
// and proves a patch for it.
//
// This package parses arguments, sends one job through a dispatcher and shows the report. The
// runner finds out everything in it: this program again, in a process of its own (package runner). Invariants: only `fix --apply` changes the checkout, and only
// if the whole patch fits. All results so far are shown before the program ends, also if it is
// stopped. The exit status depends only on the report, and on whether a signal stopped the job.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/investigate"
	"github.com/odfix/odfix/runner"
)

func main() {
	runner.Main(version)
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for the results so far. The second one has its default effect and ends
	// odfix and the runner at once.
	context.AfterFunc(ctx, release)
	os.Exit(run(ctx, os.Args[1:], world{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv: os.Getenv, now: time.Now,
		runner: func(log io.Writer) dispatch.Dispatcher { return &dispatch.Local{Log: log} },
	}))
}

// world is everything outside of odfix that a command uses, except files.
type world struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	runner         func(log io.Writer) dispatch.Dispatcher
	pace           investigate.Pace // of `odfix serve`; zero: the pace for github.com
	budget         github.Budget    // of `odfix serve`; zero: for github.com
	child          []string         // further environment of the worker that `odfix serve` starts
}
