package engine

import (
	"context"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// definedIn finds the tests whose own source is one of the files.
func (p *module) definedIn(files []string, into map[suite.TestID]bool) error {
	named, err := p.base.DefinedIn(files)
	if err != nil {
		return err
	}
	for _, t := range p.original {
		into[t] = false
	}
	for _, t := range named {
		into[t] = true
	}
	return nil
}

// locate finds where the polluting tests are declared in the checkout. The report is valid without
// this.
func (w *worker) locate(ctx context.Context, p *module, found *state.Pollutions, r *job.Report) {
	if len(found.Tests) == 0 {
		return
	}
	e, err := p.editor(ctx)
	if err != nil {
		r.Notes = append(r.Notes, "The tests could not be found in their sources: "+err.Error())
		return
	}
	defer func() { _ = e.Close() }()
	for i := range found.Tests {
		t := &found.Tests[i]
		if t.Source, err = e.Location(ctx, t.Test); err != nil {
			w.Log.Debug("no location", zap.String("test", string(t.Test)), zap.Error(err))
		}
	}
}
