package repair

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/odfix/odfix/internal/suite"
)

// neighbours checks that a fixed test passes directly after other tests of its class. The orders of
// several tests share a process.
func (pr *prover) neighbours(ctx context.Context) error {
	if len(pr.in.Neighbours) == 0 {
		return nil
	}
	check := Check{Name: suite.CheckOf(suite.CheckNeighbours, pr.in.Groups.Nouns()), Patched: true, Pass: true}
	for _, o := range pr.in.Neighbours {
		if v := o[len(o)-1]; !slices.Contains(check.Tests, v) {
			check.Tests = append(check.Tests, v)
		}
	}
	sets := packed(pr.in.Neighbours, pr.patched.Parallel())
	what := fmt.Sprintf("%d of %d pairs", pr.in.NeighboursAsked, pr.in.NeighboursOf)
	if len(sets) < len(pr.in.Neighbours) && !pr.in.Apart {
		what += ", those of several tests one after another"
	}
	return pr.oneAfterAnother(ctx, check, sets, what)
}

// mostPacked is the largest number of tests in short orders that share a process.
const mostPacked = 40

// packed joins consecutive orders into sets of at most mostPacked tests, and into about as many sets as
// processes can run.
func packed(orders []suite.Order, processes int) [][]suite.Order {
	var out [][]suite.Order
	all := 0
	for _, o := range orders {
		all += len(o)
	}
	most := min(mostPacked, all/max(1, processes)+1)
	n := most
	for _, o := range orders {
		if n += len(o); n > most {
			out, n = append(out, nil), len(o)
		}
		out[len(out)-1] = append(out[len(out)-1], o)
	}
	return out
}

// rows checks that the fixed tests pass in the rows of the Tuscan squares of their classes. One
// process runs one row of every class, and begins with a different class each time. The check's
// text says so.
func (pr *prover) rows(ctx context.Context) error {
	if len(pr.in.Rows) == 0 {
		return nil
	}
	sets, n := sideBySide(pr.in.Rows)
	pr.say(fmt.Sprintf("proving: %d orders of whole "+pr.in.Groups.Nouns().Groups, n))
	check := Check{Name: suite.CheckOf(suite.CheckRows, pr.in.Groups.Nouns()),
		Tests: pr.fixes, Patched: true, Pass: true}
	what := fmt.Sprintf("%d of the %d that run each test directly after every other", n, pr.in.RowsOf)
	if len(pr.in.Rows) > 1 && !pr.in.Apart {
		what += fmt.Sprintf("; those of %d %s run one after another", len(pr.in.Rows), pr.in.Groups.Nouns().Groups)
	}
	return pr.oneAfterAnother(ctx, check, sets, what)
}

// oneAfterAnother runs the orders of each set in one process. If one of the check's tests fails
// there, each order runs in its own process, since the check does not claim that the orders can
// share one. With in.Apart, each does from the start.
func (pr *prover) oneAfterAnother(ctx context.Context, check Check, sets [][]suite.Order, what string) error {
	if pr.in.Apart {
		check.Orders = slices.Concat(sets...)
		return pr.everywhere(ctx, check, check.Orders, what)
	}
	var mu sync.Mutex
	var single []suite.Order
	err := each(ctx, pr.patched.Parallel(), sets, func(ctx context.Context, orders []suite.Order) error {
		o := suite.Join(orders...)
		run, err := pr.patched.Run(ctx, o)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if failed(o, run, check.Tests) == "" {
			check.Orders = append(check.Orders, o)
		} else {
			single = append(single, orders...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	check.Orders = append(check.Orders, single...)
	return pr.everywhere(ctx, check, single, what)
}

// sideBySide combines the first row of each class, then the second of each, and so on. Each set
// begins with a different class. The second result is the number of rows.
func sideBySide(byClass [][]suite.Order) (sets [][]suite.Order, n int) {
	for _, rows := range byClass {
		for k, row := range rows {
			if k == len(sets) {
				sets = append(sets, nil)
			}
			sets[k] = append(sets[k], row)
			n++
		}
	}
	for k, set := range sets {
		first := k % len(set)
		sets[k] = slices.Concat(set[first:], set[:first])
	}
	return sets, n
}

// everywhere runs the orders with the patch. The check's tests must pass at every position.
func (pr *prover) everywhere(ctx context.Context, check Check, orders []suite.Order, what string) error {
	var mu sync.Mutex
	done, bad := 0, ""
	err := each(ctx, pr.patched.Parallel(), orders, func(ctx context.Context, o suite.Order) error {
		wrong, at, err := pr.passes(ctx, o, check.Tests)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		bad = cmp.Or(bad, wrong)
		if wrong != "" {
			check.Bad = append(check.Bad, o[:at+1:at+1])
		}
		return nil
	})
	check.OK, check.Repeats = bad == "" && done == len(orders), 1
	check.Detail = what
	if bad != "" {
		check.Detail += "; " + bad
	}
	if err == nil || bad != "" { // otherwise the check was only interrupted
		pr.add(check)
	}
	return err
}

// passes runs an order with the patch. It returns the first of the tests that does not pass, with
// its position, or "" if all pass. Before it returns a test, it runs the order again while no other
// process runs, because another process may have disturbed the first run.
func (pr *prover) passes(ctx context.Context, o suite.Order, tests []suite.TestID) (bad string, at int, err error) {
	run, err := pr.patched.Run(ctx, o)
	if err != nil || failed(o, run, tests) == "" {
		return "", 0, err
	}
	if run, err = pr.patched.Alone().Run(ctx, o); err != nil {
		return "", 0, err
	}
	return failed(o, run, tests), firstFailed(o, run, tests), nil
}
