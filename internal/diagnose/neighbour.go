package diagnose

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Bounds on probing for neighbours.
const (
	maxNeighbourless = 3               // tests probed in vain before no further one is
	neighbourTime    = 2 * time.Minute // what the failing test's own repeated runs may take for one probing
)

// probeNeighbours looks for a single test that changes the outcome of another
// when it runs directly before it. Whole orders often hide such a polluter: in
// each of them a cleaner comes between, in the polluter's own class as a rule.
// All tests are probed in a few processes, [v, t1, v, t2, v, …]; the first
// change names a neighbour, which is then run as an order of its own, for this
// test and for the others that nothing has shown yet.
func (s *session) probeNeighbours(ctx context.Context, cases []*failingTest) error {
	vain := 0
	for _, c := range open(cases, lacking) {
		s.brokeOff = s.brokeOff || s.timeToRepair(cases)
		if !lacking(c) || vain == maxNeighbourless || s.brokeOff {
			continue
		}
		s.report(c, "", "probing every other test directly before %s", s.Short(c.id))
		found, err := s.followHints(ctx, c, cases)
		if err != nil {
			return err
		}
		if !found {
			vain++
		}
		if err := s.explainReady(ctx, cases); err != nil {
			return err
		}
	}
	return nil
}

// maxHints is how many neighbours that prove nothing are followed for one test.
const maxHints = 4

// followHints runs the neighbours that probing names, one after the other, until
// one changes c's outcome: what a probing process shows may be the doing of
// tests that ran before the one it names.
func (s *session) followHints(ctx context.Context, c *failingTest, cases []*failingTest) (bool, error) {
	var tried suite.Order
	for len(tried) < maxHints && lacking(c) {
		hint, err := s.neighbour(ctx, c, tried)
		if err != nil {
			return false, err
		}
		if hint == "" {
			break
		}
		tried = append(tried, hint)
		todo := open(cases, func(o *failingTest) bool { return lacking(o) && o.alone == c.alone && o.id != hint })
		err = s.together(len(todo), func(i int) error {
			v := Seen{s.Short(hint) + " directly before it", Exact, suite.Order{hint, todo[i].id}}
			return s.try(ctx, todo[i:i+1], v)
		})
		if err != nil {
			return false, err
		}
	}
	return !lacking(c), nil
}

// neighbour is the first test, by the order of the suite and but for those
// named already, after which c's outcome is not what it is alone; "" where there
// is none, or where repeated runs of c tell nothing or take too long.
func (s *session) neighbour(ctx context.Context, c *failingTest, but suite.Order) (suite.TestID, error) {
	if out, err := s.ask(ctx, c, suite.Order{c.id, c.id}, suite.Batched); err != nil || out != c.alone {
		return "", err
	}
	var queue suite.Order
	for _, t := range s.without(s.all, nil) {
		if t != c.id && !slices.Contains(but, t) && s.allowed(c, suite.Order{t}) {
			queue = append(queue, t)
		}
	}
	if s.facts.took(c.id)*time.Duration(len(queue)) > neighbourTime {
		return "", nil
	}
	parts := slices.Collect(slices.Chunk(queue, nextRound))
	for len(parts) > 0 {
		wave := parts[:min(len(parts), s.parallel())]
		parts = parts[len(wave):]
		hints := make([]suite.TestID, len(wave))
		var mu sync.Mutex
		err := s.together(len(wave), func(i int) error {
			hint, err := s.probeWhole(ctx, c, wave[i])
			mu.Lock()
			defer mu.Unlock()
			hints[i] = hint
			return err
		})
		if err != nil {
			return "", err
		}
		for _, h := range hints {
			if h != "" {
				return h, nil
			}
		}
	}
	return "", nil
}

// probeWhole probes all of a part, going on after tests that end the process.
func (s *session) probeWhole(ctx context.Context, c *failingTest, part suite.Order) (suite.TestID, error) {
	for len(part) > 0 {
		hint, done, err := s.probePart(ctx, c, part)
		if hint != "" || err != nil {
			return hint, err
		}
		part = part[done:]
	}
	return "", nil
}
