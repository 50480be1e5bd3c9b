package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// settle ends a failing test's examination.
func (c *failingTest) settle(v suite.Verdict, reason string) {
	c.settled, c.res.Verdict, c.res.Reason = true, v, reason
}

// abandon fills in what can be said of a failing test whose examination was cut short.
func (c *failingTest) abandon(err error) {
	c.res.Unfinished = true
	why := "the budget ended before more could be said"
	if errors.Is(err, errKeepTime) {
		why = err.Error() + "; a longer budget, or this test by itself, goes on"
	} else if err != nil && !stopped(err) {
		why = "the examination broke off: " + err.Error()
	}
	switch {
	case c.shown != "":
		c.settle(suite.Undecided, c.shown+"; "+why)
	case c.alone == "":
		c.settle(suite.Undecided, "was not yet seen often enough by itself; "+why)
	case c.alone == suite.Pass && c.failing != nil:
		c.settle(suite.Undecided, fmt.Sprintf("passes alone and failed once in %s; %s", c.failing.Source, why))
	case c.alone == suite.Fail && c.passing != nil:
		c.settle(suite.Undecided, fmt.Sprintf("fails alone and passed once in %s; %s", c.passing.Source, why))
	case c.alone == suite.Pass && c.passing != nil:
		c.settle(suite.Undecided, fmt.Sprintf("passes alone and in %s, and no order in which it fails was found; %s", c.passing.Source, why))
	case c.alone == suite.Pass:
		c.settle(suite.Undecided, "passes alone, and no order in which it fails was found; "+why)
	default:
		c.settle(suite.Undecided, "fails alone, and no order in which it passes was found; "+why)
	}
	c.orders()
}

// orders records the passing and failing orders that were found.
func (c *failingTest) orders() {
	if c.failing != nil {
		c.res.FailingOrder = c.failing.seen(c.id)
	}
	if c.passing != nil {
		c.res.PassingOrder = c.passing.seen(c.id)
	}
	own := &suite.Seen{Source: "alone", Provenance: suite.Exact, Order: suite.Order{c.id}}
	if c.res.FailingOrder == nil && c.alone == suite.Fail {
		c.res.FailingOrder = own
	}
	if c.res.PassingOrder == nil && c.alone == suite.Pass {
		c.res.PassingOrder = own
	}
}

// giveUp settles a failing test whose opposite outcome was never seen.
func (s *session) giveUp(ctx context.Context, c *failingTest) error {
	defer c.orders()
	if err := s.aloneFor(ctx, c); err != nil || c.settled {
		return err
	}
	if !lacking(c) {
		return s.explain(ctx, c)
	}
	passed, failed, other := 0, 0, 0
	for _, t := range s.runs {
		if i, in := t.first[c.id]; in && i > 0 {
			switch s.facts.known(t.Order[:i+1]) {
			case suite.Pass:
				passed++
			case suite.Fail:
				failed++
			case "": // forgotten, since it ran beside others that were not to be believed
			default:
				other++
			}
		}
	}
	if flaky, err := s.disagreesInOrder(ctx, c); flaky || err != nil {
		return err
	}
	if c.alone == suite.Fail {
		if flaky, err := s.insist(ctx, c, failed); flaky || err != nil {
			return err
		}
		c.res.Failure = s.failureOf(suite.Order{c.id})
		switch {
		case failed == 0 && other > 0:
			c.settle(suite.Undecided, fmt.Sprintf("fails alone, and gave no result in the %d other orders that were tried", other))
		case other > 0:
			c.settle(suite.Genuine, fmt.Sprintf("fails alone and in every order that gave a result (%d others; %d gave none)", failed, other))
		default:
			c.settle(suite.Genuine, fmt.Sprintf("fails alone and in every order that was tried (%d others)", failed))
		}
		return nil
	}
	if err := s.twice(ctx, c); err != nil {
		return err
	}
	if c.res.NonIdempotent && s.seenTwice(c.id) {
		return s.pollutesItself(ctx, c)
	}
	if flaky, err := s.insist(ctx, c, passed); flaky || err != nil {
		return err
	}
	switch {
	case passed == 0 && other > 0:
		c.settle(suite.Undecided, fmt.Sprintf("passes alone, and gave no result in the %d other orders that were tried", other))
	case c.res.NonIdempotent:
		c.settle(suite.NotReproduced, fmt.Sprintf("passes alone and in every order in which it runs once (%d tried), but fails when it is run "+
			"twice in one process", passed))
	default:
		c.settle(suite.NotReproduced, fmt.Sprintf("passes alone and in all of %d other orders that were tried%s", passed, s.amongThem(c)))
	}
	return nil
}

// amongThem names the order in which the test was said to fail, and passed here.
func (s *session) amongThem(c *failingTest) string {
	if c.passing == nil || !slices.ContainsFunc(s.in.Seen, func(seen suite.Seen) bool { return seen.Source == c.passing.Source }) {
		return ""
	}
	return ", " + c.passing.Source + " among them"
}

// seenTwice reports whether the test was seen to run twice in one process.
func (s *session) seenTwice(t suite.TestID) bool {
	for _, seen := range s.in.Seen {
		n := 0
		for _, x := range seen.Order {
			if x == t {
				n++
			}
		}
		if n > 1 {
			return true
		}
	}
	return false
}

// pollutesItself concludes that a test which was seen to run twice is its own polluter (definition
// 4 of the paper, with the test itself as P).
func (s *session) pollutesItself(ctx context.Context, c *failingTest) error {
	twice := suite.Order{c.id, c.id}
	c.failing = &tried{Seen: suite.Seen{Source: "run twice in one process", Provenance: suite.Exact, Order: twice}, whole: twice, first: map[suite.TestID]int{c.id: 1}}
	err := s.conclude(ctx, c, suite.Order{c.id})
	c.res.Unfinished = err != nil
	c.res.Reason = "passes alone, fails when it runs a second time in one process"
	return err
}

// disagreesInOrder settles a failing test that disagreed with itself in one of the orders. So that
// it can, the first order that was seen with the failure runs again, once for all failing tests.
func (s *session) disagreesInOrder(ctx context.Context, c *failingTest) (bool, error) {
	if len(s.in.Seen) > 0 && len(s.runs) > 0 {
		if err := s.runFirstAgain(ctx); err != nil {
			return false, err
		}
	}
	for _, t := range s.runs {
		if i, in := t.first[c.id]; in && agreed(decidedOnly(s.facts.of(t.Order[:i+1]))) == suite.Flaky {
			o := t.upToTest(c.id)
			c.evidence(suite.Answer{Order: o, Outcome: suite.Flaky, Repeats: len(decidedOnly(s.facts.of(o))), Why: t.Source})
			c.settle(suite.FlakyOther, fmt.Sprintf("both passes and fails in one and the same order (%s; %s)", t.Source, s.tally(o)))
			return true, nil
		}
	}
	return false, nil
}

// sure is how often a test must have said the same, alone and after others, before the opposite
// outcome is given up: one that fails every other time does so once in two thousand.
const sure = 12

// insistTime is how long all of that may take for one test.
const insistTime = 30 * time.Second

// insist asks a test by itself until it has answered sure times, in the orders that were tried and
// alone, and settles one that disagrees with itself. Three answers of a kind are enough where a
// cause explains them; that there is nothing to explain is a stronger claim. Of many tests only the
// first few are asked: a defect that many show is no dice. Where the time is short, or kept for
// fixing others, what is known is enough.
func (s *session) insist(ctx context.Context, c *failingTest, elsewhere int) (bool, error) {
	if s.insisted++; s.insisted > cohort.Sample {
		return false, nil
	}
	o, end := suite.Order{c.id}, time.Now().Add(insistTime)
	keep := s.repairFrom
	if s.in.Explained != nil { // what is explained was handed over before
		keep = s.finishFrom
	}
	if !keep.IsZero() && keep.Before(end) {
		end = keep
	}
	mine := func() []answer { return decidedOnly(exclusive(fresh(s.facts.of(o)))) }
	for asked := len(mine()); elsewhere+asked < sure && agreed(mine()) != suite.Flaky && time.Now().Before(end); asked++ {
		if _, err := s.run(ctx, c, o, suite.Fresh, true); stopped(err) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	if agreed(mine()) != suite.Flaky {
		return false, nil
	}
	c.evidence(suite.Answer{Order: o, Outcome: suite.Flaky, Repeats: len(mine()), Why: "alone"})
	c.settle(suite.FlakyOther, fmt.Sprintf("both passes and fails when run alone (%s)", s.tally(o)))
	return true, nil
}

func (s *session) runFirstAgain(ctx context.Context) error {
	for ; s.again < s.in.Rerun-1; s.again++ {
		if _, err := s.run(ctx, nil, s.runs[0].Order, suite.Fresh, false); err != nil {
			return err
		}
	}
	return nil
}

func decidedOnly(as []answer) []answer {
	return slices.DeleteFunc(as, func(a answer) bool { return !decided(a.outcome) })
}

// twice finds out whether the test fails when it is run a second time in one process.
func (s *session) twice(ctx context.Context, c *failingTest) error {
	if c.alone != suite.Pass {
		return nil
	}
	o := suite.Order{c.id, c.id}
	out, err := s.ask(ctx, c, o, suite.Warm)
	if err != nil || out != suite.Fail {
		return err
	}
	if out, err = s.confirm(ctx, c, o, suite.Fail, "run twice in one process"); err == nil && out == suite.Fail {
		c.res.NonIdempotent = true
	}
	return err
}

// tally says in words how the answers to o were divided.
func (s *session) tally(o suite.Order) string {
	as := fresh(s.facts.of(o))
	if agreed(as) != suite.Flaky {
		as = s.facts.of(o)
	}
	failed, n := 0, 0
	for _, a := range as {
		if decided(a.outcome) {
			n++
		}
		if a.outcome == suite.Fail {
			failed++
		}
	}
	return fmt.Sprintf("%d of %d runs failed", failed, n)
}

// crashOf says in words why o gave no result.
func (s *session) crashOf(o suite.Order) string {
	for _, a := range s.facts.of(o) {
		if a.crash != nil {
			return ": " + a.crash.String()
		}
	}
	return ""
}

func (s *session) failureOf(o suite.Order) *suite.Failure {
	for _, a := range s.facts.of(o) {
		if a.outcome == suite.Fail && a.failure != nil {
			return a.failure
		}
	}
	return nil
}
