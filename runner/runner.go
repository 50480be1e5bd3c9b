// Package runner does one job in a process of its own: it reads the job from standard input, builds
// the project, runs its tests in as many orders as it takes, and answers on standard output with
// events and one report, a JSON object a line. It holds no credentials and opens no connection.
//
// odfix starts itself as this process, under the name isolate.RunnerName. So odfix is one file.
//
// Standard input stays open while the job is wanted: its end asks the runner to stop and to hand
// over the best it has. A second end (SIGTERM, or the parent's death) stops it at once; every
// process it started ends with it.
package runner

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/isolate"
	"github.com/odfix/odfix/internal/java"
	"github.com/odfix/odfix/internal/jest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
)

// Main makes this process the helper of a sandbox or the runner, if its arguments ask for that. Then
// it does not return. It comes before anything else that a program does.
func Main(version string) {
	isolate.Main()
	if len(os.Args) != 1 || filepath.Base(os.Args[0]) != isolate.RunnerName {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	err := cmp.Or(isolate.Hide(), isolate.Lead())
	if err == nil {
		err = run(ctx, version, os.Stdin, os.Stdout, os.Stderr)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, isolate.RunnerName+":", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// maxJob bounds the line a job is read from, in bytes.
const maxJob = 64 << 20

// run reads a job, does it and writes the report. An error means that there was
// no reader of the report, or no valid job.
func run(ctx context.Context, version string, stdin io.Reader, stdout, stderr io.Writer) error {
	in := bufio.NewReaderSize(io.LimitReader(stdin, maxJob), 1<<16)
	line, err := in.ReadBytes('\n')
	if err != nil && !(errors.Is(err, io.EOF) && len(line) > 0) {
		return fmt.Errorf("reading the job: %w", err)
	}
	var j job.Job
	if err := json.Unmarshal(line, &j); err != nil {
		return fmt.Errorf("the job is not JSON: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		// What is left of stdin is only waited for.
		_, _ = io.Copy(io.Discard, in)
		cancel(errNotWanted)
	}()
	out := &wire{w: stdout}
	defer out.beat(job.Beat)()
	report := engine.Run(ctx, j, engine.Options{
		Languages: []project.Language{java.Language{}, jest.Language{}},
		Version:   version, Log: logger(stderr),
		Progress: func(e job.Event) { out.send(message{Event: &e}) },
	})
	if j.MaxReport > 0 && !report.Fit(j.MaxReport) {
		report = &job.Report{Version: job.Version, Tool: report.Tool, Started: report.Started, Error: &job.Error{Code: "report-too-long",
			Message: "the report is too long for the one who asked", Hint: "Ask about fewer tests at once."}}
		report.Tidy()
	}
	out.send(message{Report: report})
	return out.err
}

// errNotWanted: the process that started the runner has ended, or wants the best result so far.
var errNotWanted = errors.New("stopped by the process that started it")

// message is one line of output; exactly one field is set.
type message struct {
	Event  *job.Event  `json:"event,omitempty"`
	Report *job.Report `json:"report,omitempty"`
	Alive  bool        `json:"alive,omitempty"`
}

// wire writes messages one at a time.
type wire struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

func (o *wire) send(m message) {
	b, err := json.Marshal(m)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err == nil {
		_, err = o.w.Write(append(b, '\n'))
	}
	o.err = cmp.Or(o.err, err)
}

// beat gives signs of life until what it returns is called.
func (o *wire) beat(every time.Duration) (stop func()) {
	ended := make(chan struct{})
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
				o.send(message{Alive: true})
			}
		}
	}()
	return func() { close(ended) }
}

// logger writes structured lines to stderr, for people who want details.
func logger(w io.Writer) *zap.Logger {
	enc := zap.NewProductionEncoderConfig()
	enc.EncodeTime = zapcore.ISO8601TimeEncoder
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(enc), zapcore.AddSync(w), zap.DebugLevel))
}
