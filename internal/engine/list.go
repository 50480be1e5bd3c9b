package engine

import (
	"context"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
)

// list reports the tests of a module as its build would run them. If requested, it also reports
// what they do with static state.
func list(ctx context.Context, s *session.Session, r *job.Report) error {
	p, err := s.Open(ctx, nil, r)
	if err != nil {
		return err
	}
	if r.Suite, err = order.SuiteFile(p.Suite); err != nil || !s.Job.Observe {
		return err
	}
	rel, err := p.Relation(ctx, s, 0)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, rel.Notes...)
	r.Relation, err = rel.File()
	return err
}
