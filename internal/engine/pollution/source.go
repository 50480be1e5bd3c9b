package pollution

import (
	"context"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// definedIn finds the tests whose own source is one of the files that the job names.
func (q *inspection) definedIn(into map[suite.TestID]bool) error {
	named, err := q.p.Base.DefinedIn(q.opts.Sources)
	if err != nil {
		return err
	}
	for _, t := range q.p.Original {
		into[t] = false
	}
	for _, t := range named {
		into[t] = true
	}
	return nil
}

// locate finds where the polluting tests are declared in the checkout. The report is valid without
// this.
func (q *inspection) locate(ctx context.Context, found *state.Pollutions) {
	if len(found.Tests) == 0 {
		return
	}
	e, err := q.p.Editor(ctx)
	if err != nil {
		q.r.Notes = append(q.r.Notes, "The tests could not be found in their sources: "+err.Error())
		return
	}
	defer func() { _ = e.Close() }()
	for i := range found.Tests {
		t := &found.Tests[i]
		if t.Source, err = e.Location(ctx, t.Test); err != nil {
			q.s.Log.Debug("no location", zap.String("test", string(t.Test)), zap.Error(err))
		}
	}
}
