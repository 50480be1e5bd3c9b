package engine

import (
	"context"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
)

// list reports the tests of a module as its build would run them. If requested, it also reports
// what they do with static state.
func list(ctx context.Context, w *worker, r *job.Report) error {
	p, err := w.open(ctx, nil, r)
	if err != nil {
		return err
	}
	if r.Suite, err = order.SuiteFile(p.suite); err != nil || !w.job.Observe {
		return err
	}
	rel, err := p.relation(ctx, w, 0)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, rel.Notes...)
	r.Relation, err = rel.File()
	return err
}
