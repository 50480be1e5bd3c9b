package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/engine/proof"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// runOrders runs exact orders once each, in fresh processes, with or without a patch, and reports
// every outcome.
func runOrders(ctx context.Context, s *session.Session, r *job.Report) error {
	lists := s.Job.Orders
	if s.Job.Order != nil {
		lists = append(lists, s.Job.Order.Tests)
	}
	names := slices.Concat(lists...)
	if len(names) == 0 {
		return &job.Error{Code: "no-order", Message: "the order to run is empty", Hint: "Give a file with one test id a line."}
	}
	p, err := s.Open(ctx, names, r)
	if err != nil {
		return err
	}
	orders := make([]suite.Order, len(lists))
	for i, l := range lists {
		if orders[i], err = p.Exactly(l); err != nil {
			return err
		}
	}
	var site repair.Site = p.Plain()
	if len(s.Job.Patch) > 0 {
		s.Say(job.Event{Message: "building with the patch"})
		if site, err = proof.WithPatch(ctx, p, string(s.Job.Patch)); err != nil {
			return err
		}
		defer func() { _ = site.Close() }()
	}
	s.Enter(job.PhaseRun)
	for i, o := range orders {
		what := suite.Count(len(o), "test", "tests")
		if len(orders) > 1 {
			what = fmt.Sprintf("order %d of %d, %s", i+1, len(orders), what)
		}
		s.Say(job.Event{Message: what})
		run, err := site.Alone().Run(ctx, o) // with classes in processes of their own, these run in turn, as in the build
		if err != nil {
			return err
		}
		if len(s.Job.Patch) > 0 {
			p.NoteEnding(run) // endings of the patched project are reported here, too
		}
		r.Runs = append(r.Runs, *run)
	}
	return nil
}
