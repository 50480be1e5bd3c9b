package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// settle records the verdict of a failing test and ends its examination.
func (c *failingTest) settle(v suite.Verdict, reason string) {
	c.settled, c.res.Verdict, c.res.Reason = true, v, reason
}

// abandon settles, with what is known, a failing test whose examination was cut short.
func (s *session) abandon(c *failingTest, err error) {
	c.res.Unfinished = true
	why := "the search ended before more could be found out"
	if errors.Is(err, errKeepTime) {
		why = err.Error() + "; use a longer budget, or run odfix for this test only"
	} else if err != nil && !stopped(err) {
		why = "the diagnosis stopped: " + err.Error()
	}
	said := "fails alone, and no order in which it passes was found"
	switch {
	case c.shown != "":
		said = c.shown
	case c.alone == "":
		said = "has not run alone often enough yet"
	case c.alone == suite.Pass && c.failing != nil:
		said = "passes alone and failed once in " + c.failing.Source + s.suspicion(c, "fail")
	case c.alone == suite.Fail && c.passing != nil:
		said = "fails alone and passed once in " + c.passing.Source + s.suspicion(c, "pass")
	case c.alone == suite.Pass && c.passing != nil:
		said = "passes alone and in " + c.passing.Source + ", and no order in which it fails was found"
	case c.alone == suite.Pass:
		said = "passes alone, and no order in which it fails was found"
	}
	if n := s.ranWith(c); n > 0 && strings.HasSuffix(said, " was found") {
		said += " (" + suite.Count(n, "order", "orders") + " ran)"
	}
	c.settle(suite.Undecided, said+"; "+why)
	c.orders()
}

// suspicion returns what a search that was cut short had found, as the rest of a sentence.
func (s *session) suspicion(c *failingTest, does string) string {
	o := c.res.MinimalOrder
	if len(o) < 2 || len(o) > suspects+1 {
		return ""
	}
	return fmt.Sprintf(", seems to %s after %s (not confirmed)", does, s.Names(o[:len(o)-1]))
}

// suspects is how many tests are named as a cause that is not confirmed.
const suspects = 3

// ranWith returns how many orders ran in which the test follows others.
func (s *session) ranWith(c *failingTest) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.runs {
		if at, in := t.first[c.id]; in && at > 0 {
			n++
		}
	}
	return n
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

// giveUp settles a failing test for which no order gave the opposite of its outcome alone.
func (s *session) giveUp(ctx context.Context, c *failingTest) error {
	defer c.orders()
	if err := s.aloneFor(ctx, c); err != nil || c.settled {
		return err
	}
	if err := s.tryFresh(ctx, c); err != nil {
		return err
	}
	if !lacking(c) {
		return s.explain(ctx, c)
	}
	if c.alone == suite.Pass {
		if err := s.twice(ctx, c); err != nil {
			return err
		}
		if c.res.NonIdempotent && s.seenTwice(c.id) {
			return s.pollutesItself(ctx, c)
		}
	}
	same, none := 0, 0 // number of other orders with the same outcome as alone, and number without an outcome
	for _, t := range s.runs {
		if i, in := t.first[c.id]; in && i > 0 {
			switch s.facts.shown(t.Order[:i+1]) {
			case c.alone:
				same++
			case "", opposite(c.alone): // only hints, or forgotten with parallel runs that are distrusted
			default:
				none++
			}
		}
	}
	if flaky, err := s.disagrees(ctx, c, same); flaky || err != nil {
		return err
	}
	if c.alone == suite.Fail {
		c.res.Failure = s.failureOf(suite.Order{c.id})
	}
	switch {
	case same == 0 && none > 0:
		verb := map[suite.Outcome]string{suite.Pass: "passes", suite.Fail: "fails"}[c.alone]
		c.settle(suite.Undecided, fmt.Sprintf("%s alone, and gave no result in %s", verb, triedOrders(none)))
	case c.alone == suite.Fail && none > 0:
		c.settle(suite.Genuine, fmt.Sprintf("fails alone and in every order that gave a result (%s; %d gave none)", others(same), none))
	case c.alone == suite.Fail:
		c.settle(suite.Genuine, fmt.Sprintf("fails alone and in every order that was tried (%s)", others(same)))
	case c.res.NonIdempotent:
		c.settle(suite.NotReproduced, fmt.Sprintf("passes alone and in every order in which it runs once (%d "+
			"tried), but fails when it is run "+
			"twice in one process", same))
	case same == 1:
		c.settle(suite.NotReproduced, "passes alone and in the other order that was tried"+s.amongThem(c, " (%s)"))
	default:
		c.settle(suite.NotReproduced, fmt.Sprintf("passes alone and in all of %d other orders that were tried%s", same, s.amongThem(c, ", %s among them")))
	}
	return nil
}

// triedOrders counts the other orders in which a test ran.
func triedOrders(n int) string {
	if n == 1 {
		return "the other order that was tried"
	}
	return fmt.Sprintf("the %d other orders that were tried", n)
}

// others counts other orders.
func others(n int) string {
	if n == 1 {
		return "1 other"
	}
	return fmt.Sprintf("%d others", n)
}

// maxFresh is how many orders run in new processes before a test is given up that only hints have
// shown in them.
const maxFresh = 8

// tryFresh runs the longest orders in new processes in which only hints show the test's outcome. A
// verdict that no order matters needs more than hints.
func (s *session) tryFresh(ctx context.Context, c *failingTest) error {
	var unsettled []*tried
	for _, t := range s.runs {
		if i, in := t.first[c.id]; in && i > 0 && s.facts.shown(t.Order[:i+1]) == "" {
			unsettled = append(unsettled, t)
		}
	}
	slices.SortStableFunc(unsettled, func(a, b *tried) int { return b.first[c.id] - a.first[c.id] })
	unsettled = unsettled[:min(len(unsettled), maxFresh)]
	err := s.inTurns(len(unsettled), func(i int) error {
		_, err := s.run(ctx, nil, unsettled[i].upToTest(c.id), suite.Fresh, false)
		return err
	})
	for _, t := range unsettled {
		s.keep(shown{t.Seen, []*failingTest{c}, t.whole})
	}
	return err
}

// amongThem names the order of the reported failure, with these words, if the test passed in it here.
func (s *session) amongThem(c *failingTest, words string) string {
	if c.passing == nil || !slices.ContainsFunc(s.in.Seen, func(seen suite.Seen) bool { return seen.Source == c.passing.Source }) {
		return ""
	}
	return fmt.Sprintf(words, c.passing.Source)
}

// seenTwice reports whether an order of the input runs the test twice in one process.
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

// pollutesItself concludes that a test is its own polluter, if the build ran it twice in one
// process (definition 4 of the paper, with the test itself as P).
func (s *session) pollutesItself(ctx context.Context, c *failingTest) error {
	twice := suite.Order{c.id, c.id}
	c.failing = &tried{Seen: suite.Seen{Source: "run twice in one process", Provenance: suite.Exact, Order: twice}, whole: twice,
		first: map[suite.TestID]int{c.id: 1}}
	err := s.conclude(ctx, c, suite.Order{c.id})
	c.res.Unfinished = err != nil
	c.res.Reason = "passes alone, fails when it runs a second time in one process"
	return err
}

// sure is how many equal results, alone and after other tests, are needed before giveUp excludes
// the opposite outcome. A test that fails in half of its runs gives twelve equal results once in
// two thousand cases.
const sure = 12

// insistTime limits the time of these runs for one test.
const insistTime = 30 * time.Second

// disagrees settles a failing test that both passes and fails in one order, or alone. To find this
// out, it repeats the first order that was run, once for all failing tests. It also runs the test
// alone until there are sure results, including those of other orders. Three equal results are
// enough if a cause explains them; the claim that there is no cause needs more. Of many tests, only
// the first few run again, because a failure that many tests share is not random. If the time is
// short or kept for repair, disagrees stops with what is known.
func (s *session) disagrees(ctx context.Context, c *failingTest, elsewhere int) (bool, error) {
	for ; len(s.in.Seen) > 0 && len(s.runs) > 0 && s.again < s.in.Rerun-1; s.again++ {
		if _, err := s.run(ctx, nil, s.runs[0].Order, suite.Fresh, false); err != nil {
			return false, err
		}
	}
	for _, t := range s.runs {
		if i, in := t.first[c.id]; in && agreed(decidedOnly(s.facts.ownOf(t.Order[:i+1]))) == suite.Flaky {
			o := t.upToTest(c.id)
			c.evidence(suite.Answer{Order: o, Outcome: suite.Flaky, Repeats: len(decidedOnly(s.facts.ownOf(o))), Why: t.Source})
			c.settle(suite.FlakyOther, fmt.Sprintf("both passes and fails in one and the same order (%s; %s)", t.Source, s.tally(o)))
			return true, nil
		}
	}
	if s.insisted++; s.insisted > cohort.Sample {
		return false, nil
	}
	o, end := suite.Order{c.id}, time.Now().Add(insistTime)
	if s.finishFrom != nil && s.finishFrom().Before(end) {
		end = s.finishFrom()
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

func decidedOnly(as []answer) []answer {
	return slices.DeleteFunc(as, func(a answer) bool { return !decided(a.outcome) })
}

// twice checks whether the test fails when it runs a second time in one process.
func (s *session) twice(ctx context.Context, c *failingTest) error {
	if c.alone != suite.Pass || s.in.Once {
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

// tally returns how many of the runs of o failed, in words.
func (s *session) tally(o suite.Order) string {
	as := fresh(s.facts.of(o))
	if agreed(as) != suite.Flaky {
		as = s.facts.ownOf(o)
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

// crashOf returns why o gave no result, in words.
func (s *session) crashOf(o suite.Order) string {
	for _, a := range s.facts.ownOf(o) {
		if a.crash != nil {
			return ": " + a.crash.String()
		}
	}
	return ""
}

func (s *session) failureOf(o suite.Order) *suite.Failure {
	for _, a := range s.facts.ownOf(o) {
		if a.outcome == suite.Fail && a.failure != nil {
			return a.failure
		}
	}
	return nil
}
