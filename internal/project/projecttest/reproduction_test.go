package projecttest

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// reproducing is a Shell whose first search for a plain command goes on until it is stopped.
type reproducing struct {
	Shell
	searches *atomic.Int64
}

func (l reproducing) Open(ctx context.Context, o project.Options) (project.Project, error) {
	p, err := l.Shell.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return reproducingShell{p.(*shell), l.searches}, nil
}

type reproducingShell struct {
	*shell
	searches *atomic.Int64
}

func (p reproducingShell) Reproduce(ctx context.Context, o suite.Order) (*project.Command, error) {
	if p.searches.Add(1) == 1 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return p.shell.Reproduce(ctx, o)
}

// The search for the plain command of a cause does not keep other tests waiting. It begins again at the
// end.
func TestPlainCommandsKeepNobodyWaiting(t *testing.T) {
	files, order, failing := painters(2)
	var searches atomic.Int64
	j := job.Job{Version: job.Version, Kind: job.KindFix, Dir: t.TempDir(), Tests: failing, Budget: time.Minute,
		Order: &job.ObservedOrder{Source: "ci", Provenance: suite.Exact, Tests: order}}
	r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{reproducing{Shell{Files: files}, &searches}}, Version: "test",
		Log: zap.NewNop(), Progress: func(job.Event) {}})
	if r.Error != nil || len(r.Tests) != len(failing) || !r.Finished {
		t.Fatalf("%+v, %d tests, finished %v", r.Error, len(r.Tests), r.Finished)
	}
	for _, test := range r.Tests {
		if len(test.Reproduce) != 1 {
			t.Errorf("%s has %d plain commands", test.Test, len(test.Reproduce))
		}
	}
}
