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

// reproducing is a Shell that tells when plain commands are searched.
type reproducing struct {
	Shell
	searching func()
}

func (l reproducing) Open(ctx context.Context, o project.Options) (project.Project, error) {
	p, err := l.Shell.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return reproducingShell{p.(*shell), l.searching}, nil
}

type reproducingShell struct {
	*shell
	searching func()
}

func (p reproducingShell) Reproduce(ctx context.Context, o suite.Order) (*project.Command, error) {
	p.searching()
	return p.shell.Reproduce(ctx, o)
}

// The search for plain commands keeps no other test waiting: it begins when all tests are
// explained, after the patches of all causes but the last are proved.
func TestPlainCommandsKeepNobodyWaiting(t *testing.T) {
	files, order, failing := painters(3)
	var proved atomic.Int64
	early := func() {
		if n := proved.Load(); n < 2 {
			t.Errorf("plain commands are searched when %d patches are proved", n)
		}
	}
	j := job.Job{Version: job.Version, Kind: job.KindFix, Dir: t.TempDir(), Tests: failing, Budget: time.Minute,
		Order: &job.ObservedOrder{Source: "ci", Provenance: suite.Exact, Tests: order}}
	r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{reproducing{Shell{Files: files}, early}}, Version: "test",
		Log: zap.NewNop(), Progress: func(e job.Event) {
			if e.Message == "a patch is proved" {
				proved.Add(1)
			}
		}})
	if r.Error != nil || len(r.Tests) != len(failing) || !r.Finished {
		t.Fatalf("%+v, %d tests, finished %v", r.Error, len(r.Tests), r.Finished)
	}
	for _, test := range r.Tests {
		if len(test.Reproduce) != 1 {
			t.Errorf("%s has %d plain commands", test.Test, len(test.Reproduce))
		}
	}
}
