package java

import (
	"context"

	"github.com/sourcegraph/conc/pool"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// classwise runs an order in one process for each class, as some builds do. The tests of a class
// run in their order, even if tests of other classes are between them. classwise combines the
// results into one run. If a process ends early, only tests of its class have no result.
func classwise(ctx context.Context, o suite.Order, parallel int,
	run func(context.Context, suite.Order) (*suite.Run, error)) (*suite.Run, error) {
	var classes []string
	members, places := map[string]suite.Order{}, map[string][]int{}
	for i, t := range o {
		cl := junitid.Launched(t)
		if members[cl] == nil {
			classes = append(classes, cl)
		}
		members[cl], places[cl] = append(members[cl], t), append(places[cl], i)
	}
	if len(classes) < 2 {
		return run(ctx, o)
	}
	parts := make([]*suite.Run, len(classes))
	workers := pool.New().WithContext(ctx).WithMaxGoroutines(max(1, parallel)).WithCancelOnError().WithFirstError()
	for i, cl := range classes {
		workers.Go(func(ctx context.Context) (err error) {
			parts[i], err = run(ctx, members[cl])
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	whole := &suite.Run{Order: o, Results: make([]suite.Result, len(o))}
	for i, cl := range classes {
		merge(whole, parts[i], places[cl])
	}
	return whole, nil
}

// merge copies the results of one class to their positions in the whole order. It keeps the first
// crash that asks for another try, or else the first crash.
func merge(whole, part *suite.Run, places []int) {
	for k, at := range places {
		res := part.At(k)
		res.Position = at
		whole.Results[at] = res
	}
	whole.Price = part.Price
	whole.Nanos += part.Nanos
	for _, f := range part.ClassFailures {
		if f.Position >= 0 && f.Position < len(places) {
			f.Position = places[f.Position]
		}
		whole.ClassFailures = append(whole.ClassFailures, f)
	}
	if part.Crash != nil && (whole.Crash == nil || part.Crash.Premature && !whole.Crash.Premature) {
		whole.Crash, whole.Output = part.Crash, part.Output
	}
}
