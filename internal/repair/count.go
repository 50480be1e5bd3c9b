package repair

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/sourcegraph/conc/pool"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// probe is one process that runs several cases after the same prefix.
type probe struct {
	prefix suite.Order
	cases  []int // indices into the cause's cases
}

// count finds out which failing orders pass with the candidate. Victims that share polluters run in
// one process, [polluters…, v1, v2, …]. The result is a hint for ranking. The proof runs each order
// in its own process.
func (p *Patcher) count(ctx context.Context, cause Cause, c *Candidate) error {
	probes := p.probesOf(cause, c.Edit)
	fixed := make([]int, len(cause.Cases))
	var mu sync.Mutex
	var ask func(ctx context.Context, pr probe) error
	ask = func(ctx context.Context, pr probe) error {
		order := append(suite.Order(nil), pr.prefix...)
		for _, i := range pr.cases {
			order = append(order, cause.Cases[i].Test)
		}
		run, err := p.Runner.Run(ctx, order, Trial{Price: priceOf(pr), Overlay: c.Built.Overlay})
		if err != nil {
			return err
		}
		if len(pr.cases) > 1 && run.Crash == nil && run.At(0).Outcome == suite.Unresolved { // no process can run this order
			for _, i := range pr.cases {
				if err := ask(ctx, probe{pr.prefix, []int{i}}); err != nil {
					return err
				}
			}
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		for k, i := range pr.cases {
			if run.At(len(pr.prefix)+k).Outcome == suite.Pass {
				fixed[i]++
			} else { // perhaps because of an earlier case
				c.stillFailing = append(c.stillFailing, order[:len(pr.prefix)+k+1:len(pr.prefix)+k+1])
			}
		}
		return nil
	}
	c.stillFailing = nil
	// The first probe contains the first case. A candidate with which this case fails needs no
	// further probe.
	if err := ask(ctx, probes[0]); err != nil {
		return err
	}
	if fixed[0] > 0 {
		workers := pool.New().WithContext(ctx).WithMaxGoroutines(max(1, p.Runner.Parallel())).WithCancelOnError()
		for _, pr := range probes[1:] {
			workers.Go(func(ctx context.Context) error { return ask(ctx, pr) })
		}
		if err := workers.Wait(); err != nil {
			return err
		}
	}
	wanted := make([]int, len(cause.Cases))
	for i, cs := range cause.Cases {
		wanted[i] = len(cs.Failing)
	}
	if fixed[0] == 0 {
		c.stillFailing = nil // it does not help at all
	} else {
		if err := p.countWhole(ctx, cause, c, wanted, fixed); err != nil {
			return err
		}
	}
	for i, cs := range cause.Cases {
		c.Asked += wanted[i]
		c.Fixed += fixed[i]
		if fixed[i] > 0 && fixed[i] == wanted[i] {
			c.Fixes = append(c.Fixes, cs.Test)
		}
	}
	p.log().Debug("counted what a candidate fixes", zap.String("location", string(c.Edit.Location)), zap.Any("at", c.Edit.spots()),
		zap.Strings("statements", c.Built.Statements), zap.Int("tests", len(c.Fixes)), zap.Int("of", len(cause.Cases)),
		zap.Any("still failing", lastTests(c.stillFailing)))
	return nil
}

// lastTests returns the last test of each order.
func lastTests(orders []suite.Order) []suite.TestID {
	out := make([]suite.TestID, len(orders))
	for i, o := range orders {
		out[i] = o[len(o)-1]
	}
	return out
}

// countWhole runs the whole orders with the candidate. For each case in such an order, it counts
// whether the case passes there. It skips a whole order that is the failing order of each case in
// it, because this order has already run.
func (p *Patcher) countWhole(ctx context.Context, cause Cause, c *Candidate, wanted, fixed []int) error {
	for _, o := range maximal(cause.Whole) {
		if !slices.ContainsFunc(cause.Cases, func(cs Case) bool { return lastIndex(o, cs.Test) >= 0 && !contains(cs.Failing, o) }) {
			continue
		}
		run, err := p.Runner.Run(ctx, o, Trial{Price: suite.Warm, Overlay: c.Built.Overlay})
		if err != nil {
			return err
		}
		for i, cs := range cause.Cases {
			at := lastIndex(o, cs.Test)
			if at < 0 {
				continue
			}
			wanted[i]++
			if run.At(at).Outcome == suite.Pass {
				fixed[i]++
			} else {
				c.stillFailing = append(c.stillFailing, o[:at+1:at+1])
			}
		}
	}
	return nil
}

func lastIndex(o suite.Order, t suite.TestID) int {
	for i := len(o) - 1; i >= 0; i-- {
		if o[i] == t {
			return i
		}
	}
	return -1
}

func priceOf(pr probe) suite.Price {
	if len(pr.cases) > 1 {
		return suite.Batched
	}
	return suite.Warm
}

// probesOf groups the failing orders of a cause by the tests before the failing test. In a probe,
// the tests that the patch itself changes come last: they could restore the state and hide that the
// other tests still fail. Brittles run separately, because they can set the state for each other.
func (p *Patcher) probesOf(cause Cause, e Edit) []probe {
	byPrefix := map[string]int{}
	var out []probe
	for i, cs := range cause.Cases {
		for _, failing := range cs.Failing {
			prefix := failing[:len(failing)-1]
			at, ok := byPrefix[prefix.Key()]
			if !ok || len(prefix) == 0 {
				at = len(out)
				byPrefix[prefix.Key()] = at
				out = append(out, probe{prefix: prefix})
			}
			out[at].cases = append(out[at].cases, i)
		}
	}
	for _, pr := range out {
		sort.SliceStable(pr.cases, func(a, b int) bool {
			return p.touches(e, cause.Cases[pr.cases[a]].Test) < p.touches(e, cause.Cases[pr.cases[b]].Test)
		})
	}
	return out
}

// touches returns how near the edit is to the test: 0 elsewhere, 1 in its class, 2 in the test
// itself.
func (p *Patcher) touches(e Edit, t suite.TestID) int {
	if e.Location.CleansUp() {
		return 0
	}
	near := 0
	for _, at := range e.spots() {
		switch {
		case at == t:
			return 2
		case (e.Location.Place() == patch.VictimSetup || e.Location == patch.VictimBlockSetup) && p.Groups.Unit(at) == p.Groups.Unit(t):
			near = 1
		}
	}
	return near
}
