// Command odfix finds out why a test depends on the order in which tests run,
// and proves a patch for it.
//
// This package parses arguments, sends one job through a dispatcher and shows
// the answer; whatever is found out is found out by the runner. Invariants: the
// checkout is changed by `fix --apply` alone, and then only when all of the
// patch fits; whatever is known is shown before the program ends, also when it
// is stopped; the exit status is a function of the report.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/investigate"
)

// version is set by the linker.
var version = "dev"

func main() {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for what was found so far; the second finds the
	// default behaviour restored and ends us at once, and the runner with us.
	context.AfterFunc(ctx, release)
	os.Exit(run(ctx, os.Args[1:], world{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		getenv: os.Getenv, now: time.Now,
		runner: func(log io.Writer) dispatch.Dispatcher { return &dispatch.Local{Log: log} },
	}))
}

// world is everything outside that a command touches besides files.
type world struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time
	runner         func(log io.Writer) dispatch.Dispatcher
	pace           investigate.Pace // of `odfix serve`; zero: as it is for github.com
}
