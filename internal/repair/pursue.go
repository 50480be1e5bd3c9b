package repair

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// maxPursued is how often the proof of a candidate is tried. Each time, the candidate is changed
// for the orders that refuted it.
const maxPursued = 4

// Prove reports whether the proof of a candidate holds. If not, it returns the orders in which
// tests that it should fix still fail.
type Prove func(*Candidate) (holds bool, bad []suite.Order, err error)

// Pursue puts a candidate to the proof: first with all it seems to fix, tests of other causes
// among it, then, as long as orders are met in which tests still fail, widened to the tests that
// make them fail there. Tests of other causes that still fail are left to patches of their own, and
// those that fail by themselves, and were only seen with others (Case.Joint), are none of the
// cause's. The result is what it fixes; none where no proof holds. A candidate that was proved
// before is only asked about with tests of other causes.
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

// with is the cause with further orders in which its tests were seen to fail.
func (c Cause) with(orders []suite.Order) Cause {
	c.Whole = append(slices.Clone(c.Whole), orders...)
	return c
}

// Misled are those that were only seen with others, and fail by themselves: orders hold them alone.
func (c Cause) Misled(bad []suite.Order) []suite.TestID {
	var out []suite.TestID
	for _, cs := range c.Cases {
		if cs.Joint && slices.ContainsFunc(bad, func(o suite.Order) bool { return len(o) == 1 && o[0] == cs.Test }) {
			out = append(out, cs.Test)
		}
	}
	return out
}

// Without is the cause without the cases of some tests.
func (c Cause) Without(tests []suite.TestID) Cause {
	c.Cases = slices.DeleteFunc(slices.Clone(c.Cases), func(cs Case) bool { return slices.Contains(tests, cs.Test) })
	return c
}

// Without is the candidate with the other tests that it fixes.
func (c *Candidate) Without(tests []suite.TestID) *Candidate {
	out := *c
	out.Fixes = slices.DeleteFunc(slices.Clone(c.Fixes), func(t suite.TestID) bool { return slices.Contains(tests, t) })
	return &out
}

// endWith reports whether one of the tests, which fails there, ends one of the orders.
func endWith(orders []suite.Order, tests []suite.TestID) bool {
	return slices.ContainsFunc(orders, func(o suite.Order) bool { return slices.Contains(tests, o[len(o)-1]) })
}

// unaffected are the causes none of whose tests ends one of the orders; none where that says
// nothing of any.
func unaffected(causes []Cause, orders []suite.Order) []Cause {
	out := slices.DeleteFunc(slices.Clone(causes), func(c Cause) bool {
		return slices.ContainsFunc(c.Cases, func(cs Case) bool { return endWith(orders, []suite.TestID{cs.Test}) })
	})
	if len(out) == len(causes) {
		return nil
	}
	return out
}
