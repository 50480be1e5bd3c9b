package diagnose

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Bounds on looking for neighbours.
const (
	nextRound        = 128             // tests probed in one process
	maxNeighbourless = 3               // failing tests probed without success before probing stops
	afterJointly     = 1               // the same, of those that were probed together
	leastJointly     = 3               // failing tests that are probed together: fewer are probed one by one
	maxHints         = 4               // neighbours tried for one test without success
	neighbourTime    = 2 * time.Minute // what the failing test's own repeated runs may take for one probing
	jointTime        = 5 * time.Minute // how long probing before several tests goes on without success
)

// eachNeighbour probes every test of the queue directly before c, [c, t₁, c, t₂, c, …], in as many
// parallel processes as allowed. It calls found with each test after which c's outcome differs from
// its outcome alone; another process then continues with the next test. It ends early if found
// returns false. It does nothing if c's outcome changes merely because c runs a second time.
func (s *session) eachNeighbour(ctx context.Context, c *failingTest, queue suite.Order,
	found func(suite.TestID) (more bool, err error)) error {
	if !s.in.Once {
		if out, err := s.ask(ctx, c, suite.Order{c.id, c.id}, suite.Batched); err != nil || out != c.alone {
			return err
		}
	}
	return s.eachHint(queue, func(part suite.Order) (suite.TestID, suite.Order, error) { return s.probe(ctx, c, part) }, found)
}

// eachHint probes the queue in as many parallel processes as allowed. probe runs one of them. It
// returns a hint, and the tests that it has not probed.
func (s *session) eachHint(queue suite.Order, probe func(suite.Order) (suite.TestID, suite.Order, error),
	found func(suite.TestID) (more bool, err error)) error {
	parts := slices.Collect(slices.Chunk(queue, nextRound))
	for len(parts) > 0 {
		wave := parts[:min(len(parts), s.parallel())]
		parts = parts[len(wave):]
		hints, rest := make([]suite.TestID, len(wave)), make([]suite.Order, len(wave))
		err := s.together(len(wave), func(i int) (err error) {
			hints[i], rest[i], err = probe(wave[i])
			return err
		})
		if err != nil {
			return err
		}
		parts = append(slices.DeleteFunc(rest, func(o suite.Order) bool { return len(o) == 0 }), parts...)
		for _, h := range hints {
			if h == "" {
				continue
			}
			if more, err := found(h); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// probe runs one such process. It returns the first test after which c's outcome differs. It also
// returns the tests that are not probed yet: those after that test, or after the test that ended
// the process.
func (s *session) probe(ctx context.Context, c *failingTest, part suite.Order) (hint suite.TestID, rest suite.Order, err error) {
	begin := suite.Order{c.id}
	if s.in.Once {
		begin = nil
	}
	outcomes, err := s.observe(ctx, c, begin, slices.Collect(slices.Chunk(part, 1)))
	for i, out := range outcomes {
		switch out {
		case c.want():
			return part[i], part[i+1:], nil
		case suite.Unresolved:
			return "", part[i+1:], nil
		}
	}
	return "", nil, err
}

// others returns the tests that may run directly before c.
func (s *session) others(c *failingTest) suite.Order {
	return slices.DeleteFunc(slices.Clone(s.without(s.all, nil)), func(t suite.TestID) bool {
		return t == c.id || !s.allowed(c, suite.Order{t})
	})
}

// probeCauses searches every single polluter of c among all tests. For a brittle, it searches every
// single state-setter.
func (s *session) probeCauses(ctx context.Context, c *failingTest) error {
	queue := slices.DeleteFunc(s.others(c), func(t suite.TestID) bool {
		return slices.ContainsFunc(c.causes(), func(p suite.Order) bool { return slices.Equal(p, suite.Order{t}) })
	})
	return s.eachNeighbour(ctx, c, queue, func(hint suite.TestID) (bool, error) {
		cause := suite.Order{hint}
		ok, err := s.shows(ctx, c, suite.Join(cause, suite.Order{c.id}), c.want(), roleOf(c))
		if ok && err == nil {
			err = s.another(ctx, c, cause)
		}
		return true, err
	})
}

// probeNeighbours searches, for each test that lacks an order, a single test that changes its
// outcome when run directly before it. Whole orders often hide such a polluter, because in each of
// them a cleaner runs in between. This cleaner usually belongs to the polluter's own class.
func (s *session) probeNeighbours(ctx context.Context, cases []*failingTest) error {
	jointly, err := s.probeJointly(ctx, cases)
	if err != nil {
		return err
	}
	vain, again := 0, 0
	for _, c := range open(cases, lacking) {
		s.brokeOff = s.brokeOff || s.timeToRepair(cases)
		probed := slices.Contains(jointly, c)
		if !lacking(c) || s.brokeOff || vain == maxNeighbourless || probed && again == afterJointly {
			continue
		}
		s.report(c, "", "probing every other test directly before %s", s.Short(c.id))
		if err := s.followHints(ctx, c, cases); err != nil {
			return err
		}
		if lacking(c) {
			vain++
			if probed {
				again++
			}
		}
		if err := s.explainReady(ctx, cases); err != nil {
			return err
		}
	}
	return nil
}

// followHints tries the neighbours that probing suggests, until one changes c's outcome. Each runs
// in an order of its own, directly before c, and also before each other test that lacks an order.
func (s *session) followHints(ctx context.Context, c *failingTest, cases []*failingTest) error {
	queue, hints := s.others(c), 0
	if s.in.Once { // other files share little with it, and whole orders show that
		queue = slices.DeleteFunc(queue, func(t suite.TestID) bool { return !s.Same(t, c.id) })
	}
	if s.facts.took(c.id)*time.Duration(len(queue)) > neighbourTime {
		return nil
	}
	return s.eachNeighbour(ctx, c, queue, func(hint suite.TestID) (bool, error) {
		err := s.tryDirectlyBefore(ctx, hint, open(cases, func(o *failingTest) bool { return lacking(o) && o.alone == c.alone }))
		hints++
		return lacking(c) && hints < maxHints, err
	})
}

// tryDirectlyBefore runs a test directly before each of others.
func (s *session) tryDirectlyBefore(ctx context.Context, t suite.TestID, others []*failingTest) error {
	others = suite.Filter(others, func(c *failingTest) bool { return c.id != t && !s.Before(c.id, t) })
	return s.together(len(others), func(i int) error {
		return s.try(ctx, others[i:i+1], suite.Seen{Source: s.Short(t) + " directly before it", Provenance: suite.Exact,
			Order: suite.Order{t, others[i].id}})
	})
}

// probeJointly probes every other test directly before several tests that lack an order, in the
// same processes: [v₁, v₂, …, t₁, v₁, v₂, …, t₂, v₁, v₂, …]. This takes little more time than to
// probe before one of them. It returns those tests.
func (s *session) probeJointly(ctx context.Context, cases []*failingTest) ([]*failingTest, error) {
	if s.in.Once || s.in.Isolated || len(open(cases, lacking)) < leastJointly {
		return nil, nil
	}
	vs, err := s.steadyTogether(ctx, s.cheapest(open(cases, lacking)))
	if err != nil || len(vs) < leastJointly {
		return nil, err
	}
	queue := slices.DeleteFunc(slices.Clone(s.without(s.all, nil)), func(t suite.TestID) bool {
		return slices.ContainsFunc(vs, func(c *failingTest) bool { return c.id == t }) || s.afterAll(vs, t)
	})
	s.report(nil, "", "probing every other test directly before %d tests", len(vs))
	vain, began := 0, time.Now()
	err = s.eachHint(queue, func(part suite.Order) (suite.TestID, suite.Order, error) { return s.probeAllOf(ctx, vs, part) },
		func(hint suite.TestID) (bool, error) {
			before := len(open(vs, lacking))
			err := s.tryDirectlyBefore(ctx, hint, open(vs, lacking))
			if err == nil && len(open(vs, lacking)) < before {
				vain, began, err = 0, time.Now(), s.explainReady(ctx, cases)
			} else {
				vain++
			}
			s.brokeOff = s.brokeOff || s.timeToRepair(cases)
			more := vain < maxHints && (vain == 0 || time.Since(began) < jointTime)
			return more && !s.brokeOff && len(open(vs, lacking)) > 0, err
		})
	return vs, err
}

// afterAll reports whether t runs after each of the tests in every order.
func (s *session) afterAll(vs []*failingTest, t suite.TestID) bool {
	return !slices.ContainsFunc(vs, func(c *failingTest) bool { return !s.Before(c.id, t) })
}

// cheapest returns as many of the tests as may run after each other test of the suite, the fastest
// ones.
func (s *session) cheapest(vs []*failingTest) []*failingTest {
	vs = slices.Clone(vs)
	slices.SortStableFunc(vs, func(a, b *failingTest) int { return cmp.Compare(s.facts.took(a.id), s.facts.took(b.id)) })
	var sum time.Duration
	for i, c := range vs {
		if sum += s.facts.took(c.id); sum*time.Duration(len(s.all)) > neighbourTime {
			return vs[:i]
		}
	}
	return vs
}

// steadyTogether returns those of the tests that have the same outcome as alone when all run twice
// in one process.
func (s *session) steadyTogether(ctx context.Context, vs []*failingTest) ([]*failingTest, error) {
	if len(vs) == 0 {
		return nil, nil
	}
	outcomes, err := s.runTogether(ctx, vs, suite.Order{vs[0].id})
	if err != nil {
		return nil, err
	}
	var out []*failingTest
	for i, c := range vs {
		if outcomes[0][i] == c.alone && outcomes[1][i] == c.alone {
			out = append(out, c)
		}
	}
	return out, nil
}

// runTogether runs the tests, and again after each test of part, in one process. It returns their
// outcomes: first those at the beginning.
func (s *session) runTogether(ctx context.Context, vs []*failingTest, part suite.Order) (outcomes [][]suite.Outcome, err error) {
	var o suite.Order
	for i := range len(part) + 1 {
		if i > 0 {
			o = append(o, part[i-1])
		}
		for _, c := range vs {
			o = append(o, c.id)
		}
	}
	run, err := s.hint(ctx, o)
	if err != nil {
		return nil, err
	}
	for i := range len(part) + 1 {
		var row []suite.Outcome
		for k := range vs {
			row = append(row, at(o, run, i*(len(vs)+1)+k).Outcome)
		}
		outcomes = append(outcomes, row)
	}
	return outcomes, nil
}

// probeAllOf is probe for several tests: a hint is a test after which the outcome of one of them
// differs.
func (s *session) probeAllOf(ctx context.Context, vs []*failingTest, part suite.Order) (hint suite.TestID, rest suite.Order, err error) {
	vs = open(vs, lacking)
	if len(vs) == 0 || len(part) == 0 {
		return "", nil, nil
	}
	outcomes, err := s.runTogether(ctx, vs, part)
	for i, row := range outcomes {
		for k, out := range row {
			switch {
			case out == suite.Unresolved && i == 0:
				return "", nil, err
			case out == suite.Unresolved:
				return "", part[i:], err
			case i > 0 && s.Before(vs[k].id, part[i-1]): // no order of the framework has it so
			case i > 0 && out == vs[k].want():
				return part[i-1], part[i:], nil
			}
		}
	}
	return "", nil, err
}
