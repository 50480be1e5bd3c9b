package main

import (
	"context"
	"os"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/workbench"
)

// bench is an editor that is being started.
type bench struct {
	ready  chan struct{}
	editor *editor
	err    error

	once      sync.Once
	rehearsal sync.WaitGroup
}

// startEditor starts the workbench in the background.
func (w *worker) startEditor(ctx context.Context, p *project) *bench {
	b := &bench{ready: make(chan struct{})}
	go func() {
		defer close(b.ready)
		b.editor, b.err = w.editor(ctx, p)
	}()
	return b
}

// wait is the editor, as soon as there is one.
func (b *bench) wait(ctx context.Context) (*editor, error) {
	select {
	case <-b.ready:
		return b.editor, b.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (b *bench) close() {
	<-b.ready // a start under way is bounded
	if b.editor != nil {
		b.editor.Close()
	}
	b.rehearsal.Wait() // its calls fail once the editor is closed
}

// listen has the workbench rehearse, beside the search, for the first test that turns out to have a cause.
func (b *bench) listen(ctx context.Context, next func(diagnose.Event)) func(diagnose.Event) {
	return func(e diagnose.Event) {
		if e.Test != "" && e.Best != "" {
			b.once.Do(func() { b.rehearsal.Go(func() { b.rehearse(ctx, e.Test) }) })
		}
		next(e)
	}
}

// rehearse edits and compiles a failing test's class once, for nothing but that the workbench has read the sources and
// loaded the compiler when the first patch is wanted: seconds in a new process, a fraction of one in the same again.
func (b *bench) rehearse(ctx context.Context, t suite.TestID) {
	e, err := b.wait(ctx)
	if err != nil {
		return // who wants to edit hears of it
	}
	began := time.Now()
	err = e.rehearse(ctx, t)
	e.log.Debug("the workbench rehearsed", zap.Duration("took", time.Since(began)), zap.Error(err))
}

func (e *editor) rehearse(ctx context.Context, t suite.TestID) error {
	s, err := e.client.Script(ctx, workbench.ScriptRequest{Project: e.project, Helpers: suite.Order{t}, Target: t})
	if err != nil || len(s.Statements) == 0 {
		return err
	}
	out, err := os.MkdirTemp(e.p.work, "rehearsal-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(out) }()
	_, err = e.client.Attempt(ctx, workbench.AttemptRequest{
		RenderRequest: workbench.RenderRequest{
			Project: e.project, Helpers: suite.Order{t}, Keep: []string{s.Statements[0].ID},
			Place: workbench.Place{Kind: job.VictimStart, Test: t},
		},
		Options: e.options, OutDir: out,
	})
	return err
}
