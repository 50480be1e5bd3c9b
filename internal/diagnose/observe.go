package diagnose

import (
	"context"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// observe runs c after each of the parts in one process, [begin, part₁, c, part₂, c, …], and
// returns c's outcomes. They are hints: what one shows may be the work of an earlier part.
func (s *session) observe(ctx context.Context, c *failingTest, begin suite.Order, parts []suite.Order) ([]suite.Outcome, error) {
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

// Bounds on looking for neighbours.
const (
	nextRound        = 128             // tests probed in one process
	maxNeighbourless = 3               // tests probed in vain before no further one is
	maxHints         = 4               // neighbours that prove nothing that are followed for one test
	neighbourTime    = 2 * time.Minute // what the failing test's own repeated runs may take for one probing
)

// eachNeighbour probes every other test directly before c, [c, t₁, c, t₂, c, …], in as many
// processes as may run. A test after which c's outcome is not what it is alone is handed to found;
// another process goes on after it. It ends early where found says so. It finds nothing where c's
// second run differs by itself.
func (s *session) eachNeighbour(ctx context.Context, c *failingTest, queue suite.Order,
	found func(suite.TestID) (more bool, err error)) error {
	if out, err := s.ask(ctx, c, suite.Order{c.id, c.id}, suite.Batched); err != nil || out != c.alone {
		return err
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

// probe runs one such process. It returns the first test after which c's outcome differs, and what
// is not probed yet: the tests after that one, or after the one that ended the process.
func (s *session) probe(ctx context.Context, c *failingTest, part suite.Order) (hint suite.TestID, rest suite.Order, err error) {
	outcomes, err := s.observe(ctx, c, suite.Order{c.id}, slices.Collect(slices.Chunk(part, 1)))
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

// others are the tests that may run directly before c.
func (s *session) others(c *failingTest) suite.Order {
	return slices.DeleteFunc(slices.Clone(s.without(s.all, nil)), func(t suite.TestID) bool {
		return t == c.id || !s.allowed(c, suite.Order{t})
	})
}

// probeCauses looks for every single polluter (in a brittle: state-setter) among all tests.
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

// probeNeighbours looks for a single test that changes the outcome of another when it runs directly
// before it. Whole orders often hide such a polluter: in each of them a cleaner comes between, in
// the polluter's own class as a rule.
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

// followHints runs the neighbours that probing names, until one changes c's outcome, each as an
// order of its own, for c and for the others that nothing has shown yet.
func (s *session) followHints(ctx context.Context, c *failingTest, cases []*failingTest) error {
	queue, hints := s.others(c), 0
	if s.facts.took(c.id)*time.Duration(len(queue)) > neighbourTime {
		return nil
	}
	return s.eachNeighbour(ctx, c, queue, func(hint suite.TestID) (bool, error) {
		todo := open(cases, func(o *failingTest) bool { return lacking(o) && o.alone == c.alone && o.id != hint })
		err := s.together(len(todo), func(i int) error {
			return s.try(ctx, todo[i:i+1], suite.Seen{Source: s.Short(hint) + " directly before it", Provenance: suite.Exact,
				Order: suite.Order{hint, todo[i].id}})
		})
		hints++
		return lacking(c) && hints < maxHints, err
	})
}
