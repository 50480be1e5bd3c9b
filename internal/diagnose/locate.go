package diagnose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Bounds on locating.
const (
	leastLocated = 6                // with fewer tests, delta debugging is as quick
	leastSeen    = 3                // and where one process observes the failing test fewer times than this
	maxLocate    = 15 * time.Second // what the failing test's own repeated runs may take in one process
	maxRounds    = 4                // processes for one search
)

// Cause finds a minimal part of the order after which its last test has the wanted outcome: no test
// of this part can be removed. It returns nil if it finds no such part. Each order runs once, so
// the result is a hint and proves nothing.
func Cause(ctx context.Context, r Runner, o suite.Order, want suite.Outcome) (suite.Order, error) {
	t := o[len(o)-1]
	s := newSession(ctx, r, Input{Failing: []suite.TestID{t}, Original: o, Rerun: 1})
	s.hintOnly = true
	c := &failingTest{id: t, alone: opposite(want), res: TestResult{Test: t}}
	got, err := s.pin(ctx, c, o[:len(o)-1], want, nil)
	if _, ok := errors.AsType[*unsteadyError](err); ok {
		return nil, nil
	}
	return got, err
}

// pin finds a 1-minimal, confirmed part of seq. It first tries the single test that locate
// suggests, and otherwise calls minimise.
func (s *session) pin(ctx context.Context, c *failingTest, seq suite.Order, want suite.Outcome, begin suite.Order) (suite.Order, error) {
	wrap := around(begin, c.id)
	hint, err := s.locate(ctx, c, s.without(seq, []*failingTest{c}), want, begin)
	if err != nil {
		return nil, err
	}
	if hint != "" {
		part := suite.Order{hint}
		out, err := s.askTwice(ctx, c, wrap(part))
		var got suite.Order
		if err == nil && out == want {
			got, err = s.certifyHint(ctx, c, part, want, wrap)
		}
		if stopped(err) && out != opposite(want) {
			c.remember(wrap, part, seq)
		}
		if got != nil || err != nil {
			return got, err
		}
		if agreed(decidedOnly(s.facts.ownOf(wrap(part)))) == suite.Flaky {
			return s.withoutUnsteady(ctx, c, seq, hint, want, wrap)
		}
	}
	return s.minimise(ctx, c, seq, want, wrap)
}

// withoutUnsteady minimises seq when one of its tests brings about the wanted outcome only sometimes. It
// leaves this test out if the other tests bring about the outcome without it. Otherwise the
// unsteady test would end every search.
func (s *session) withoutUnsteady(ctx context.Context, c *failingTest, seq suite.Order, unsteady suite.TestID, want suite.Outcome,
	wrap wrapper) (suite.Order, error) {
	rest := slices.DeleteFunc(slices.Clone(seq), func(t suite.TestID) bool { return t == unsteady })
	out, err := s.ask(ctx, c, wrap(rest), suite.Warm)
	if err != nil {
		return nil, err
	}
	if out == want {
		c.note("after %s it sometimes behaves the same; this was ignored", s.Short(unsteady))
		return s.minimise(ctx, c, rest, want, wrap)
	}
	return s.minimise(ctx, c, seq, want, wrap)
}

// certifyHint is certify for a part that is only a guess. If the results for this part disagree,
// this says nothing about other tests, so the result is nil.
func (s *session) certifyHint(ctx context.Context, c *failingTest, part suite.Order, want suite.Outcome,
	wrap wrapper) (suite.Order, error) {
	got, err := s.certify(ctx, c, part, want, wrap)
	if _, ok := errors.AsType[*unsteadyError](err); ok {
		return nil, nil
	}
	return got, err
}

// locate returns the single test of seq after which c has the wanted outcome, if few processes can
// find it; otherwise "". If a few of the tests take most of the time, it looks among the others
// first, because each process would run the slow ones, which seldom are the cause.
//
// Each process runs c after every one of about √n parts of the sequence:
// [pₘ, c, pₘ₋₁, c, …, p₁, c]. The first run of c with the wanted outcome names a part, which the
// next process divides. The last part comes first, because in the seen order no later part undid
// its effect. A search among n tests takes two or three processes; halving takes log₂ n. The result
// is a hint that must be confirmed. locate does not find groups of tests that act only together,
// and does not work if repeated runs of c change its outcome; minimise handles these cases.
func (s *session) locate(ctx context.Context, c *failingTest, seq suite.Order, want suite.Outcome,
	begin suite.Order) (suite.TestID, error) {
	if len(seq) < leastLocated {
		return "", nil
	}
	quick, slow := s.bySpeed(seq)
	if slow == nil {
		return s.locateAmong(ctx, c, seq, want, begin)
	}
	hint, err := s.locateAmong(ctx, c, quick, want, begin)
	if hint != "" || err != nil {
		return hint, err
	}
	return s.locateAmong(ctx, c, slow, want, begin)
}

// Bounds on looking for the cause among quick tests first.
const (
	leastSlow = 2 * time.Second // all tests together; with less, one search is as quick as two
	slowPart  = 4               // a few tests are at most 1/slowPart of all; the others take at most 1/slowPart of the time
)

// bySpeed divides the tests into quick ones and the few that take most of the time, each in the
// order of seq. slow is nil if the time is spread more evenly, or is short.
func (s *session) bySpeed(seq suite.Order) (quick, slow suite.Order) {
	var all time.Duration
	for _, t := range seq {
		all += s.facts.took(t)
	}
	if all < leastSlow {
		return seq, nil
	}
	slowest := slices.Clone(seq)
	slices.SortStableFunc(slowest, func(a, b suite.TestID) int { return cmp.Compare(s.facts.took(b), s.facts.took(a)) })
	rest, n := all, 0
	for rest > all/slowPart {
		rest -= s.facts.took(slowest[n])
		n++
	}
	if n > len(seq)/slowPart {
		return seq, nil
	}
	for _, t := range seq {
		if slices.Contains(slowest[:n], t) {
			slow = append(slow, t)
		} else {
			quick = append(quick, t)
		}
	}
	return quick, slow
}

// locateAmong is locate without the division by speed.
func (s *session) locateAmong(ctx context.Context, c *failingTest, seq suite.Order, want suite.Outcome,
	begin suite.Order) (suite.TestID, error) {
	for range maxRounds {
		if len(seq) == 1 {
			return seq[0], nil
		}
		n := s.observations(c, len(seq))
		if n < min(leastSeen, len(seq)) {
			return "", nil
		}
		parts := s.partition(seq, n)
		if len(parts) < 2 {
			return "", nil
		}
		s.report(c, fmt.Sprintf("one of %d tests before it", len(seq)), "observing it after %d parts of the order", len(parts))
		var err error
		if seq, err = s.firstPart(ctx, c, parts, want, begin); err != nil || seq == nil {
			return "", err
		}
	}
	return "", nil
}

// observations returns how often c runs in one process that searches among n tests.
func (s *session) observations(c *failingTest, n int) int {
	m := int(math.Ceil(math.Sqrt(float64(n))))
	if n <= 2*leastLocated {
		m = n
	}
	if took := s.facts.took(c.id); took > 0 {
		m = min(m, int(maxLocate/took))
	}
	return m
}

// firstPart returns the part nearest to the end of the order after which c has the wanted outcome.
func (s *session) firstPart(ctx context.Context, c *failingTest, parts []suite.Order, want suite.Outcome,
	begin suite.Order) (suite.Order, error) {
	slices.Reverse(parts)
	outcomes, err := s.observe(ctx, c, begin, parts)
	for i, out := range outcomes {
		switch out {
		case want:
			return parts[i], nil
		case opposite(want):
		default: // skipped, or the process has ended
			return nil, nil
		}
	}
	return nil, err
}

// partition cuts seq into about n parts. It cuts between classes if a class boundary is near.
func (s *session) partition(seq suite.Order, n int) []suite.Order {
	if n < 1 {
		return nil
	}
	size := (len(seq) + n - 1) / n
	var out []suite.Order
	begin := 0
	for i := 1; i <= len(seq); i++ {
		if i == len(seq) || i-begin >= size && (s.toBoundary(seq, i) == 0 || s.toBoundary(seq, i) > size/2) {
			out = append(out, seq[begin:i:i])
			begin = i
		}
	}
	return out
}

// toBoundary returns how many tests from i on belong to the class of the test at i-1.
func (s *session) toBoundary(seq suite.Order, i int) int {
	n := 0
	for i+n < len(seq) && s.Same(seq[i+n], seq[i-1]) {
		n++
	}
	return n
}
