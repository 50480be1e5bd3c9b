package fix

import (
	"slices"
	"time"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// causesOf groups the order-dependent tests by their cause, so that one patch may fix all tests of
// a group. Victims are grouped by their first polluter, brittle tests by their first state-setter.
func causesOf(results []diagnose.TestResult) []repair.Cause {
	index := map[string]int{}
	var out []repair.Cause
	for _, r := range ownFirstOf(results) {
		key, c := cause(r)
		if key == "" {
			continue
		}
		i, ok := index[key]
		if !ok {
			index[key] = len(out)
			out = append(out, c)
			continue
		}
		out[i].Cases = append(out[i].Cases, c.Cases...)
		out[i].Helpers = suite.Union(out[i].Helpers, c.Helpers)
		out[i].Whole = append(out[i].Whole, c.Whole...)
	}
	return out
}

// longOrder is how long an order in which a failure was seen may take, so that candidates are tried
// in it before they are proved.
const longOrder = 5 * time.Second

// withoutLong leaves such orders to the proofs. If they have further polluters, one proof is refused
// before the patch is made to clean up after these, too.
func withoutLong(causes []repair.Cause, took func(suite.Order) time.Duration) []repair.Cause {
	for i := range causes {
		causes[i].Whole = slices.DeleteFunc(causes[i].Whole, func(o suite.Order) bool { return took(o) > longOrder })
	}
	return causes
}

// ownFirstOf returns the results with those first that have an order of their own. The first test
// of a cause represents it when statements are tried.
func ownFirstOf(results []diagnose.TestResult) []diagnose.TestResult {
	var own, joint []diagnose.TestResult
	for _, r := range results {
		if len(r.MinimalOrder) > 0 {
			own = append(own, r)
		} else {
			joint = append(joint, r)
		}
	}
	return append(own, joint...)
}

// maxLent is how many helpers of other causes are tried for a cause without helpers.
const maxLent = 3

// lend gives causes without helpers the helpers of other causes. A test that cleans up after one
// polluter often contains the statement that also cleans up after another one. The order of classes
// may have prevented that this test ran in between. lend adds the helpers of these causes to all,
// and returns them, too.
func lend(causes []repair.Cause, all []suite.Order) ([]repair.Cause, []suite.Order) {
	for _, c := range causes {
		if !c.Brittle() {
			all = suite.Union(all, c.Helpers[:min(1, len(c.Helpers))])
		}
	}
	for i := range causes {
		if len(causes[i].Helpers) == 0 && causes[i].Later == nil {
			causes[i].Helpers = all[:min(maxLent, len(all))]
		}
	}
	return causes, all
}

// cause returns the cause of one test, and a key that is equal for tests with the same cause.
func cause(r diagnose.TestResult) (key string, c repair.Cause) {
	own := repair.Case{Test: r.Test, Joint: len(r.MinimalOrder) == 0}
	switch {
	case r.Verdict == suite.Victim && len(r.Polluters) > 0:
		c.Polluter = r.Polluters[0]
		for _, p := range r.Polluters {
			own.Failing = append(own.Failing, suite.Join(p, suite.Order{r.Test}))
		}
		c.Helpers = cleanersOf(r)
		key = "victim\n" + c.Polluter.Key()
	case (r.Verdict == suite.Brittle || r.Verdict == suite.VictimBrittle) && len(r.StateSetters) > 0:
		own.Failing = []suite.Order{{r.Test}}
		if r.Verdict == suite.VictimBrittle {
			// The state must also be set again after a polluter has changed it.
			for _, p := range r.Polluters {
				own.Failing = append(own.Failing, suite.Join(r.StateSetters[0], p, suite.Order{r.Test}))
			}
		}
		c.Helpers = r.StateSetters
		key = "brittle\n" + r.StateSetters[0].Key()
	default:
		return "", c
	}
	c.Cases = []repair.Case{own}
	if r.FailingOrder != nil && len(r.FailingOrder.Order) > 1 {
		c.Whole = []suite.Order{r.FailingOrder.Order}
	}
	return key, c
}

// cleanersOf lists the cleaners of the first polluter, then those of others, and at last those that
// are only likely.
func cleanersOf(r diagnose.TestResult) []suite.Order {
	var first, rest, likely []suite.Order
	for _, c := range r.Cleaners {
		if slices.Equal(c.Polluter, r.Polluters[0]) {
			first = append(first, c.Cleaner)
		} else {
			rest = append(rest, c.Cleaner)
		}
	}
	for _, c := range r.Likely {
		likely = append(likely, c.Cleaner)
	}
	return suite.Union(suite.Union(first, rest), likely)
}
