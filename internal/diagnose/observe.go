package diagnose

import (
	"context"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// observe runs c after each of the parts in one process, [begin, part₁, c, part₂, c, …], and
// returns c's outcomes. They are hints, because an earlier part may have caused an outcome.
func (s *session) observe(ctx context.Context, c *failingTest, begin suite.Order, parts []suite.Order) ([]suite.Outcome, error) {
	if s.in.Once {
		return s.observeEach(ctx, c, begin, parts)
	}
	o, ends := slices.Clone(begin), make([]int, len(parts))
	for i, part := range parts {
		o = append(append(o, part...), c.id)
		ends[i] = len(o) - 1
	}
	run, err := s.run(ctx, c, o, suite.Batched, false)
	if err != nil {
		return nil, err
	}
	out := make([]suite.Outcome, len(parts))
	for i, end := range ends {
		out[i] = at(o, run, end).Outcome
	}
	return out, nil
}

// observeEach is observe where a process runs each test once: an order for each part.
func (s *session) observeEach(ctx context.Context, c *failingTest, begin suite.Order, parts []suite.Order) ([]suite.Outcome, error) {
	out := make([]suite.Outcome, len(parts))
	err := s.inTurns(len(parts), func(i int) (err error) {
		out[i], err = s.ask(ctx, c, suite.Join(begin, parts[i], suite.Order{c.id}), suite.Batched)
		return err
	})
	return out, err
}

// Bounds on looking for neighbours.
const (
	nextRound        = 128             // tests probed in one process
	maxNeighbourless = 3               // failing tests probed without success before probing stops
	maxHints         = 4               // neighbours tried for one test without success
	neighbourTime    = 2 * time.Minute // what the failing test's own repeated runs may take for one probing
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
	parts := slices.Collect(slices.Chunk(queue, nextRound))
	for len(parts) > 0 {
		wave := parts[:min(len(parts), s.parallel())]
		parts = parts[len(wave):]
		hints, rest := make([]suite.TestID, len(wave)), make([]suite.Order, len(wave))
		err := s.together(len(wave), func(i int) (err error) {
			hints[i], rest[i], err = s.probe(ctx, c, wave[i])
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
	vain := 0
	for _, c := range open(cases, lacking) {
		s.brokeOff = s.brokeOff || s.timeToRepair(cases)
		if !lacking(c) || vain == maxNeighbourless || s.brokeOff {
			continue
		}
		s.report(c, "", "probing every other test directly before %s", s.Short(c.id))
		if err := s.followHints(ctx, c, cases); err != nil {
			return err
		}
		if lacking(c) {
			vain++
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
		unsettled := open(cases, func(o *failingTest) bool { return lacking(o) && o.alone == c.alone && o.id != hint })
		err := s.together(len(unsettled), func(i int) error {
			return s.try(ctx, unsettled[i:i+1], suite.Seen{Source: s.Short(hint) + " directly before it", Provenance: suite.Exact,
				Order: suite.Order{hint, unsettled[i].id}})
		})
		hints++
		return lacking(c) && hints < maxHints, err
	})
}
