package repair

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// maxPursued is how often the proof of a candidate is tried. After each failure, the candidate is
// changed for the orders in which it failed.
const maxPursued = 4

// Prove reports whether the proof of a candidate holds. If not, it returns the orders in which
// tests that it should fix still fail.
type Prove func(*Candidate) (holds bool, bad []suite.Order, err error)

// Pursue proves a candidate. First it tries to prove all tests that the candidate seems to fix,
// including tests of other causes. As long as the proof finds orders in which tests still fail, it
// widens the candidate to the tests that make them fail there. Tests of other causes that still
// fail are left to their own patches. A test that fails alone, and was only seen failing together
// with others (Case.Joint), does not belong to the cause. Pursue returns the tests that the
// candidate fixes, or nil if no proof holds. If the candidate is already proved, Pursue only tries
// to add tests of other causes.
func (p *Patcher) Pursue(ctx context.Context, cause Cause, others []Cause, c *Candidate, proved bool, prove Prove) ([]suite.TestID, error) {
	for range maxPursued {
		wide := *c
		if err := p.Extend(ctx, &wide, others); err != nil {
			return nil, err
		}
		further := len(wide.Fixes) > len(c.Fixes)
		if proved && !further {
			return nil, nil
		}
		done, bad, err := prove(&wide)
		if err != nil || done {
			return wide.Fixes, err
		}
		if misled := cause.Misled(bad); len(misled) > 0 {
			cause, c = cause.Without(misled), c.Without(misled)
			if len(c.Fixes) == 0 {
				return nil, nil
			}
			continue
		}
		cause, others = cause.with(bad), slices.Clone(others)
		for i := range others {
			others[i] = others[i].with(bad)
		}
		if further && !endWith(bad, c.Fixes) {
			others = unaffected(others, bad)
			continue
		}
		var wider *Candidate
		if len(bad) > 0 && !proved {
			if wider, err = p.Widen(ctx, cause, c); err != nil {
				return nil, err
			}
		}
		switch {
		case wider != nil:
			c = wider
		case further:
			others = nil
		default:
			return nil, nil
		}
	}
	return nil, nil
}

// with returns the cause with further orders in which its tests failed.
func (c Cause) with(orders []suite.Order) Cause {
	c.Whole = append(slices.Clone(c.Whole), orders...)
	return c
}

// Misled returns the tests that were only seen failing together with others, and fail alone in one
// of these orders.
func (c Cause) Misled(bad []suite.Order) []suite.TestID {
	var out []suite.TestID
	for _, cs := range c.Cases {
		if cs.Joint && slices.ContainsFunc(bad, func(o suite.Order) bool { return len(o) == 1 && o[0] == cs.Test }) {
			out = append(out, cs.Test)
		}
	}
	return out
}

// Without returns the cause without the cases of these tests.
func (c Cause) Without(tests []suite.TestID) Cause {
	c.Cases = slices.DeleteFunc(slices.Clone(c.Cases), func(cs Case) bool { return slices.Contains(tests, cs.Test) })
	return c
}

// Without returns the candidate without these tests among those that it fixes.
func (c *Candidate) Without(tests []suite.TestID) *Candidate {
	out := *c
	out.Fixes = slices.DeleteFunc(slices.Clone(c.Fixes), func(t suite.TestID) bool { return slices.Contains(tests, t) })
	return &out
}

// endWith reports whether one of the tests is the last of one of the orders. The last test of these
// orders fails.
func endWith(orders []suite.Order, tests []suite.TestID) bool {
	return slices.ContainsFunc(orders, func(o suite.Order) bool { return slices.Contains(tests, o[len(o)-1]) })
}

// unaffected returns the causes of which no test is the last of one of the orders. It returns nil
// if this is all of them.
func unaffected(causes []Cause, orders []suite.Order) []Cause {
	out := slices.DeleteFunc(slices.Clone(causes), func(c Cause) bool {
		return slices.ContainsFunc(c.Cases, func(cs Case) bool { return endWith(orders, []suite.TestID{cs.Test}) })
	})
	if len(out) == len(causes) {
		return nil
	}
	return out
}
