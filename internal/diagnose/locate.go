package diagnose

import (
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
	leastLocated = 6                // of fewer tests halving is as quick
	maxLocate    = 15 * time.Second // what the failing test's own repeated runs may take in one process
	maxRounds    = 4                // processes for one search
)

// Cause finds tests of an order, none of which can go, after which its last test has the wanted
// outcome there; nil where none could be pinned down. Each answer is asked once: what it says
// steers a search and proves nothing.
func Cause(ctx context.Context, r Runner, o suite.Order, want suite.Outcome) (suite.Order, error) {
	t := o[len(o)-1]
	s := newSession(ctx, r, Input{Failing: []suite.TestID{t}, Original: o, Rerun: 1})
	s.hintOnly = true
	c := &failingTest{id: t, alone: opposite(want), res: TestResult{Test: t}}
	got, err := s.pin(ctx, c, o[:len(o)-1], want, nil)
	var unsteady *unsteadyError
	if errors.As(err, &unsteady) {
		return nil, nil
	}
	return got, err
}

// pin finds a 1-minimal, confirmed part of seq as minimise does, after it has tried the single test
// that locate suggests.
func (s *session) pin(ctx context.Context, c *failingTest, seq suite.Order, want suite.Outcome, begin suite.Order) (suite.Order, error) {
	wrap := around(begin, c.id)
	hint, err := s.locate(ctx, c, s.without(seq, []*failingTest{c}), want, begin)
	if err != nil {
		return nil, err
	}
	if hint != "" {
		part := suite.Order{hint}
		out, err := s.askTwice(ctx, c, wrap(part))
		if err != nil {
			return nil, err
		}
		if out == want {
			got, err := s.certifyHint(ctx, c, part, want, wrap)
			if got != nil || err != nil {
				return got, err
			}
		}
		if agreed(decidedOnly(s.facts.of(wrap(part)))) == suite.Flaky {
			return s.beside(ctx, c, seq, hint, want, wrap)
		}
	}
	return s.minimise(ctx, c, seq, want, wrap)
}

// beside searches without a test that brings about what is wanted now and then only, where the
// others do so, too: such a test would end every search.
func (s *session) beside(ctx context.Context, c *failingTest, seq suite.Order, unsteady suite.TestID, want suite.Outcome,
	wrap wrapper) (suite.Order, error) {
	rest := slices.DeleteFunc(slices.Clone(seq), func(t suite.TestID) bool { return t == unsteady })
	out, err := s.ask(ctx, c, wrap(rest), suite.Warm)
	if err != nil {
		return nil, err
	}
	if out == want {
		c.note("after %s it sometimes does the same; that was left aside", s.Short(unsteady))
		return s.minimise(ctx, c, rest, want, wrap)
	}
	return s.minimise(ctx, c, seq, want, wrap)
}

// certifyHint is certify of what is only a guess: that it disagrees with itself says nothing of
// other tests, so the result is nil then.
func (s *session) certifyHint(ctx context.Context, c *failingTest, part suite.Order, want suite.Outcome,
	wrap wrapper) (suite.Order, error) {
	got, err := s.certify(ctx, c, part, want, wrap)
	var unsteady *unsteadyError
	if errors.As(err, &unsteady) {
		return nil, nil
	}
	return got, err
}

// locate names the single test of seq after which c does what is wanted, as far as few processes
// can show; "" where they cannot. Each process observes c after every one of about √n parts of the
// sequence, [pₘ, c, pₘ₋₁, c, …, p₁, c]: the first observation that is as wanted names a part, which
// the next process takes apart. The last part comes first, since nothing after it undid what it did
// in the order that was seen. So a search among n tests takes two or three processes where halving
// takes log₂ n; what it finds is a hint to be confirmed, and groups of tests that act only
// together, and tests whose own repeated runs disturb, are left to halving.
func (s *session) locate(ctx context.Context, c *failingTest, seq suite.Order, want suite.Outcome,
	begin suite.Order) (suite.TestID, error) {
	if len(seq) < leastLocated {
		return "", nil
	}
	for range maxRounds {
		if len(seq) == 1 {
			return seq[0], nil
		}
		parts := s.partition(seq, s.observations(c, len(seq)))
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

// observations is how many times c is observed in one process that locates among n tests.
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

// firstPart is the first part, from the last one on, after which c does what is wanted.
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

// partition cuts seq into about n parts, between classes where a boundary is near.
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

// toBoundary is how many tests of the class at i-1 still follow from i on.
func (s *session) toBoundary(seq suite.Order, i int) int {
	n := 0
	for i+n < len(seq) && s.Same(seq[i+n], seq[i-1]) {
		n++
	}
	return n
}
