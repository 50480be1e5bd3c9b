package diagnose

import (
	"cmp"
	"context"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// shown is a long order that was run, for these failing tests.
type shown struct {
	suite.Seen
	unsettled []*failingTest
	whole     suite.Order // the order before it was cut after the last of these tests
}

// try runs the part of an order that matters to the given failing tests and records what it showed.
func (s *session) try(ctx context.Context, unsettled []*failingTest, v suite.Seen) error {
	all, err := s.runSeen(ctx, unsettled, v, false)
	for _, h := range all {
		s.keep(h)
	}
	return err
}

// runSeen runs the part of an order that matters to the given failing tests. If the build isolates
// classes, each class runs in a separate process. If hints is set, the order is one of many, and the
// caller confirms hints itself.
func (s *session) runSeen(ctx context.Context, unsettled []*failingTest, v suite.Seen, hints bool) (out []shown, err error) {
	if !s.in.Isolated {
		return s.runOne(ctx, unsettled, v, hints)
	}
	for len(unsettled) > 0 && err == nil {
		class := s.Top(unsettled[0].id)
		own := v
		own.Order = slices.DeleteFunc(slices.Clone(v.Order), func(t suite.TestID) bool { return s.Top(t) != class })
		var more []shown
		more, err = s.runOne(ctx, open(unsettled, func(c *failingTest) bool { return s.Top(c.id) == class }), own, hints)
		out = append(out, more...)
		unsettled = open(unsettled, func(c *failingTest) bool { return s.Top(c.id) != class })
	}
	return out, err
}

// runOne runs the order in one process. If a test ends the process, runOne leaves this test out and
// runs the rest again, so that one crash does not hide all later tests.
func (s *session) runOne(ctx context.Context, unsettled []*failingTest, v suite.Seen, hints bool) (out []shown, err error) {
	for range maxCrashers + 1 {
		whole := s.without(v.Order, unsettled)
		o := upTo(whole, unsettled)
		if len(o) == 0 {
			return out, nil
		}
		if len(whole) < len(v.Order) { // a test that ends the process was left out
			v.Provenance = v.Provenance.AtBest(suite.Partial)
		}
		var run *suite.Run
		if s.news(o, unsettled) { // otherwise earlier runs already showed all outcomes
			if run, err = s.runFor(ctx, o, unsettled, hints); err != nil {
				return out, err
			}
		}
		out = append(out, shown{suite.Seen{Source: v.Source, Provenance: v.Provenance, Order: o}, unsettled, whole})
		if run == nil || run.Crash == nil || !s.leaveOut(o, run, unsettled) {
			return out, nil
		}
	}
	return out, nil
}

// runFor runs o in a new process, or a hint first (hintFirst). It returns the hint if each test
// behaves as it does alone, or if hints is set.
func (s *session) runFor(ctx context.Context, o suite.Order, unsettled []*failingTest, hints bool) (*suite.Run, error) {
	if s.hintFirst(o, unsettled, hints) {
		run, err := s.hint(ctx, o)
		if err != nil || run.Crash == nil && (hints || !slices.ContainsFunc(unsettled, func(c *failingTest) bool {
			i := o.Index(c.id)
			return i >= 0 && at(o, run, i).Outcome != c.alone
		})) {
			return run, err
		}
	}
	return s.run(ctx, nil, o, suite.Fresh, false)
}

// hintFirst reports whether a hint should run before a fresh process runs o. It should where hints
// cost far less (Input.Once). It also should for one of many orders of tests that pass alone, because
// most of these orders do not make them fail, until such a hint was wrong. It returns false if an
// earlier hint differs from a test's outcome alone.
func (s *session) hintFirst(o suite.Order, unsettled []*failingTest, many bool) bool {
	return !slices.ContainsFunc(unsettled, func(c *failingTest) bool {
		return !decided(c.alone) || s.differs(o, c) || !s.in.Once && !(many && !s.noHints && c.alone == suite.Pass)
	})
}

// without removes the tests in s.left, except the failing tests in unsettled.
func (s *session) without(o suite.Order, unsettled []*failingTest) suite.Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.left) == 0 {
		return o
	}
	return slices.DeleteFunc(slices.Clone(o), func(t suite.TestID) bool {
		return s.left[t] && !slices.ContainsFunc(unsettled, func(c *failingTest) bool { return c.id == t })
	})
}

// upTo returns the order up to and including the last of the failing tests.
func upTo(o suite.Order, unsettled []*failingTest) suite.Order {
	end := 0
	for _, c := range unsettled {
		end = max(end, o.Index(c.id)+1)
	}
	return o[:end:end]
}

// news reports whether a run of o would show an unknown outcome of one of the failing tests. An
// outcome is unknown, too, if only hints give it and it is not the test's outcome alone.
func (s *session) news(o suite.Order, unsettled []*failingTest) bool {
	return slices.ContainsFunc(unsettled, func(c *failingTest) bool {
		i := o.Index(c.id)
		return i >= 0 && s.facts.known(o[:i+1]) == "" || s.differs(o, c)
	})
}

// differs reports whether only hints give an outcome of c in o, and it is not c's outcome alone.
func (s *session) differs(o suite.Order, c *failingTest) bool {
	i := o.Index(c.id)
	if i < 0 {
		return false
	}
	out := s.facts.suspected(o[:i+1])
	return out != "" && out != c.alone
}

// leaveOut records the test that ended the process, so that later orders leave it out. It returns
// false if this test is unknown, is last, or is one of the failing tests in unsettled.
func (s *session) leaveOut(o suite.Order, run *suite.Run, unsettled []*failingTest) bool {
	i := slices.IndexFunc(run.Results, func(r suite.Result) bool { return r.Outcome == suite.Unresolved })
	if d := o.Index(run.Crash.During); d >= 0 {
		i = d
	}
	if i < 0 || i >= len(o)-1 || slices.ContainsFunc(unsettled, func(c *failingTest) bool { return c.id == o[i] }) {
		return false
	}
	s.mu.Lock()
	s.left[o[i]] = true
	s.mu.Unlock()
	s.note("%s ends the process (%s) and was left out of the orders that were tried", o[i], run.Crash)
	return true
}

// keep records what a long run showed of each failing test. Hints show nothing.
func (s *session) keep(h shown) {
	t := s.book(h)
	for _, c := range h.unsettled {
		i, in := t.first[c.id]
		if !in || i == 0 {
			continue
		}
		switch s.facts.shown(h.Order[:i+1]) {
		case suite.Fail:
			c.failing = cmp.Or(c.failing, t)
		case suite.Pass:
			c.passing = cmp.Or(c.passing, t)
		}
	}
}

// book adds the order to the orders that were run, unless it is one of them already, and returns
// it.
func (s *session) book(h shown) *tried {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.runs, func(t *tried) bool { return slices.Equal(t.Order, h.Order) }); i >= 0 {
		return s.runs[i]
	}
	t := &tried{Seen: h.Seen, whole: h.whole, first: map[suite.TestID]int{}}
	for i, id := range h.Order {
		if _, again := t.first[id]; s.facts.watched[id] && !again {
			t.first[id] = i
		}
	}
	s.runs = append(s.runs, t)
	return t
}

// upToTest returns the order up to and including the test.
func (t *tried) upToTest(id suite.TestID) suite.Order {
	i := t.first[id]
	return t.Order[: i+1 : i+1]
}

func (t *tried) seen(id suite.TestID) *suite.Seen {
	return &suite.Seen{Source: t.Source, Provenance: t.Provenance, Order: slices.Clone(t.upToTest(id))}
}
