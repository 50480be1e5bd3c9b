package java

import (
	"context"

	"github.com/sourcegraph/conc/pool"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// classwise runs an order as a build does that gives every class a process of its own: the tests of
// each class in their order, whatever is between them. The results are combined as if they were one
// run's; where a process ends early, only its own class is without results.
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

// merge puts one class's answers into the whole, at their places in its order. Of several crashes
// the first is kept, or the first that asks for another try.
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
