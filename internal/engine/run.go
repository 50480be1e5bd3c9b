package engine

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// runOrders runs exact orders once each, in fresh processes, with or without a patch, and reports
// every outcome.
func runOrders(ctx context.Context, w *worker, r *job.Report) error {
	lists := w.job.Orders
	if w.job.Order != nil {
		lists = append(lists, w.job.Order.Tests)
	}
	names := slices.Concat(lists...)
	if len(names) == 0 {
		return &job.Error{Code: "no-order", Message: "the order to run is empty", Hint: "Give a file with one test id a line."}
	}
	p, err := w.open(ctx, names, r)
	if err != nil {
		return err
	}
	orders := make([]suite.Order, len(lists))
	for i, l := range lists {
		if orders[i], err = p.exactly(l); err != nil {
			return err
		}
	}
	var site repair.Site = newPlain(p.lab)
	if len(w.job.Patch) > 0 {
		w.say(job.Event{Message: "building with the patch"})
		if site, err = p.withPatch(ctx, string(w.job.Patch)); err != nil {
			return err
		}
		defer func() { _ = site.Close() }()
	}
	w.enter(job.PhaseProve)
	for _, o := range orders {
		run, err := site.Run(ctx, o)
		if err != nil {
			return err
		}
		if len(w.job.Patch) > 0 {
			p.ends.note(run) // endings of the patched project are reported here, too
		}
		r.Runs = append(r.Runs, *run)
	}
	return nil
}

// exactly resolves names to an order that keeps every repetition. An unknown name is an error,
// because the order could not run exactly.
func (p *module) exactly(names []string) (suite.Order, error) {
	var o suite.Order
	for _, n := range names {
		found, err := p.names.Resolve(n)
		if err != nil {
			return nil, &job.Error{Code: "no-such-test", Message: err.Error(),
				Hint: "The order must name tests of one module; see --module."}
		}
		o = append(o, found...)
	}
	return o, nil
}

// withPatch builds a copy of the project with a unified diff applied to it.
func (p *module) withPatch(ctx context.Context, diff string) (repair.Site, error) {
	files, _, err := p.apply(diff)
	if err != nil {
		return nil, err
	}
	return p.base.Build(ctx, files)
}

// apply reads the files that a diff changes from the checkout, and applies the diff to their text.
func (p *module) apply(diff string) (after, before map[string]string, err error) {
	before = map[string]string{}
	after, err = patch.ApplyAll(diff, func(path string) (text string, err error) {
		before[path], err = p.base.Source(path)
		return before[path], err
	})
	if err != nil {
		return nil, nil, badPatch(err)
	}
	return after, before, nil
}

func badPatch(err error) error {
	return &job.Error{Code: "bad-patch", Message: "the patch does not apply: " + err.Error(),
		Hint: "Perhaps it is applied already; else it was made for another state of the sources: run `odfix fix` again."}
}
