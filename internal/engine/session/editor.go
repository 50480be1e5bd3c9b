package session

import (
	"context"
	"errors"
	"sync"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// errNoEditor is the error of a language whose sources cannot be edited.
var errNoEditor = &project.Error{Code: project.CodeNoEditor, Message: "sources of this language cannot be edited yet"}

// Editor starts an editor of sources.
func (p *Module) Editor(ctx context.Context) (project.Editor, error) {
	e, ok := p.Base.(project.Editable)
	if !ok {
		return nil, errNoEditor
	}
	return e.Editor(ctx)
}

// StartingEditor is an editor that is being started, beside other work.
type StartingEditor struct {
	ready  chan struct{}
	editor project.Editor
	err    error
	warm   sync.WaitGroup // the calls of WarmUp
}

// StartEditor starts the editor in the background.
func (p *Module) StartEditor(ctx context.Context) *StartingEditor {
	b := &StartingEditor{ready: make(chan struct{})}
	go func() {
		defer close(b.ready)
		b.editor, b.err = p.Editor(ctx)
	}()
	return b
}

// Wait returns the editor once it has started.
func (b *StartingEditor) Wait(ctx context.Context) (project.Editor, error) {
	select {
	case <-b.ready:
		return b.editor, b.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends the editor, when it has started.
func (b *StartingEditor) Close() {
	<-b.ready // the time of a start is limited
	if b.editor != nil {
		_ = b.editor.Close()
	}
	b.warm.Wait()
}

// WarmUp reads and compiles the class of a test that will be patched, in the background. The first
// such call takes seconds, because it loads the compiler and the classes that the tests use. An edit
// that does not fit may not be compiled, so there are two.
func (b *StartingEditor) WarmUp(ctx context.Context, t suite.TestID) {
	b.warm.Go(func() {
		editor, err := b.Wait(ctx)
		if err != nil {
			return
		}
		statements, err := editor.Script(ctx, suite.Order{t}, t)
		if err != nil || len(statements) == 0 {
			return
		}
		for _, location := range []patch.Location{patch.VictimStart, patch.VictimSetup} {
			edit := repair.Edit{Helper: suite.Order{t}, Keep: []string{statements[0].ID}, Location: location, At: t}
			if _, err := editor.Build(ctx, edit); !isUnfit(err) {
				return
			}
		}
	})
}

func isUnfit(err error) bool {
	_, unfit := errors.AsType[*repair.UnfitError](err)
	return unfit
}

// ProcessWriters names the tests whose code changes state of the whole process, likeliest first.
func (b *StartingEditor) ProcessWriters(log *zap.Logger) func(context.Context) suite.Order {
	return func(ctx context.Context) suite.Order {
		editor, err := b.Wait(ctx)
		if err != nil {
			log.Info("no editor to ask which tests change state of the process", zap.Error(err))
			return nil
		}
		tests, err := editor.ProcessWriters(ctx)
		if err != nil {
			log.Warn("which tests change state of the process", zap.Error(err))
			return nil
		}
		return tests
	}
}
