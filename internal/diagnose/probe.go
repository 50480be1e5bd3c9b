package diagnose

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Sizes of probing orders. A chunk begins with the polluter, so that one cleaner does not blind the
// rest of its process; the first round is small because likely cleaners come first.
const (
	chunkSize  = 16
	firstRound = 12
	maxSingly  = 24 // likely cleaners tried in processes of their own at last
)

// maxProbing bounds the time the victim itself may take in all of probing.
const maxProbing = 30 * time.Second

// mode is how candidates are probed in one process.
type mode int

const (
	blind  mode = iota // the victim's repeated runs say nothing: no probing
	linear             // [P, v, c1, v, c2, v, …]: the victim fails until something cleans
	anew               // [P, v, P, c1, v, P, c2, v, …]: the victim cleans up itself, so the polluter runs for each
)

// probe looks for single cleaners by processes that observe the victim after many candidates. What
// they show is a hint only: each is confirmed by itself.
func (k *cleaning) probe(ctx context.Context) error {
	if err := k.setMode(ctx); err != nil {
		return err
	}
	if k.mode == blind {
		return k.bisect(ctx)
	}
	if err := k.probeAll(ctx, k.ranked()); err != nil || k.mode != anew {
		return err
	}
	return k.acceptEach(ctx, suite.Order{k.c.id}) // the victim itself, as the check suggested
}

// probeLikely is the first round of probe, and less where the victim is slow.
func (k *cleaning) probeLikely(ctx context.Context) error {
	if err := k.setMode(ctx); err != nil || k.mode == blind {
		return err
	}
	n := firstRound * k.parallel()
	if k.slow() {
		n = chunkSize
	}
	likely := k.ranked()
	return k.probeAll(ctx, likely[:min(len(likely), n)])
}

// probeHidden goes on where nothing was found and the other tests, without the polluter, make the
// victim fail too: the other way round, and then the likeliest candidates and the polluter's own
// tests in processes of their own.
func (k *cleaning) probeHidden(ctx context.Context) error {
	if k.found > 0 || k.mode == blind {
		return nil
	}
	others := slices.DeleteFunc(k.fit(k.all), func(t suite.TestID) bool { return slices.Contains(k.polluter, t) })
	out, err := k.ask(ctx, k.c, append(others, k.c.id), suite.Warm)
	if err != nil || out == suite.Pass {
		return err
	}
	back := k.ranked()
	slices.Reverse(back)
	if err := k.probeAll(ctx, back); err != nil || k.found > 0 {
		return err
	}
	list := k.ranked()
	n := min(len(list), maxSingly)
	list = append(list[:n:n], k.polluter...)
	outcomes := make([]suite.Outcome, len(list))
	err = k.together(len(list), func(i int) (err error) {
		outcomes[i], err = k.ask(ctx, k.c, k.order(list[i:i+1]), suite.Warm)
		return err
	})
	if err != nil {
		return err
	}
	var hints suite.Order
	for i, out := range outcomes {
		if out == suite.Pass {
			hints = append(hints, list[i])
		}
	}
	return k.acceptEach(ctx, hints)
}

// probeAll goes through the candidates in rounds. Without FindAll, a cleaner found in one round
// spares the next: more of them seldom give a better patch (section 5.2 of the paper), and a class
// that is entered again for every observation makes rounds slow.
func (k *cleaning) probeAll(ctx context.Context, queue suite.Order) error {
	for size := firstRound; len(queue) > 0 && !k.satisfied(); size = nextRound {
		n := min(len(queue), size*k.parallel())
		hints, again, err := k.round(ctx, queue[:n])
		if err != nil {
			return err
		}
		if err := k.acceptEach(ctx, hints); err != nil {
			return err
		}
		queue = append(slices.Clone(queue[n:]), again...)
	}
	return nil
}

func (k *cleaning) setMode(ctx context.Context) (err error) {
	k.mode, err = k.behaviour(ctx, k.c, k.polluter)
	return err
}

// behaviour runs [P, v, v, P, v], once for both: does the victim go on failing, and if not, does
// the polluter make it fail again?
func (s *session) behaviour(ctx context.Context, c *failingTest, polluter suite.Order) (mode, error) {
	key := suite.Join(polluter, suite.Order{c.id}).Key()
	s.mu.Lock()
	m, asked := s.modes[key]
	s.mu.Unlock()
	if asked {
		return m, nil
	}
	got, err := s.observe(ctx, c, nil, []suite.Order{polluter, nil, polluter})
	switch {
	case err != nil:
		return blind, err
	case got[0] == suite.Fail && got[1] == suite.Fail:
		m = linear
	case got[0] == suite.Fail && got[1] == suite.Pass && got[2] == suite.Fail:
		m = anew
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.modes[key] = m
	return m, nil
}

// round probes the candidates in as many processes as may run at once, and returns those that seem
// to clean, in order, and those not observed.
func (k *cleaning) round(ctx context.Context, candidates suite.Order) (hints, again suite.Order, err error) {
	procs := min(k.parallel(), (len(candidates)+chunkSize-1)/chunkSize)
	found, left := make([]suite.Order, procs), make([]suite.Order, procs)
	var mu sync.Mutex
	err = k.together(procs, func(i int) error {
		of := candidates[i*len(candidates)/procs : (i+1)*len(candidates)/procs]
		outcomes, err := k.observe(ctx, k.c, nil, k.probes(of))
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		found[i], left[i] = k.read(of, outcomes)
		return nil
	})
	return slices.Concat(found...), slices.Concat(left...), err
}

// probes are what runs before each observation of the victim: the polluter at the beginning of each
// chunk, where the victim must fail, and then each candidate.
func (k *cleaning) probes(candidates suite.Order) (parts []suite.Order) {
	for i, t := range candidates {
		if i%chunkSize == 0 {
			parts = append(parts, k.polluter)
		}
		part := suite.Order{t}
		if k.mode == anew {
			part = suite.Join(k.polluter, part)
		}
		parts = append(parts, part)
	}
	return parts
}

// read takes from the outcomes the candidates after which the victim passed, and those that were
// not observed. At least the first candidate is always disposed of, so that asking again for the
// rest comes to an end.
func (k *cleaning) read(candidates suite.Order, outcomes []suite.Outcome) (hints, again suite.Order) {
	for i := 0; i < len(candidates); i++ {
		control := i + i/chunkSize
		if i%chunkSize == 0 && outcomes[control] != suite.Fail {
			// The polluter does not pollute any more after what ran before, or the process ended.
			return hints, append(again, candidates[max(i, 1):]...)
		}
		switch outcomes[control+1] {
		case suite.Pass:
			hints = append(hints, candidates[i])
			if k.mode == linear { // nothing pollutes again within the chunk
				end := min(len(candidates), (i/chunkSize+1)*chunkSize)
				again = append(again, candidates[i+1:end]...)
				i = end - 1
			}
		case suite.Unresolved:
			k.crashed[candidates[i]] = true
			return hints, append(again, candidates[i+1:]...)
		}
	}
	return hints, again
}

// bisect is for victims whose repeated runs say nothing: the likely candidates by themselves,
// unless they were probed, then group testing, one group and one process at a time. A group in
// which something cleans passes as a whole unless something else in it pollutes; groups are
// classes.
func (k *cleaning) bisect(ctx context.Context) error {
	var likely suite.Order
	if k.mode == blind {
		likely = k.ranked()
		likely = likely[:min(len(likely), chunkSize)]
	}
	if err := k.acceptEach(ctx, likely); err != nil {
		return err
	}
	var groups []suite.Order
	for _, group := range k.Split(k.all) {
		groups = append(groups, slices.DeleteFunc(slices.Clone(group), func(t suite.TestID) bool {
			return slices.Contains(likely, t) || slices.Contains(k.polluter, t)
		}))
	}
	return k.reduceEach(ctx, groups)
}
