package diagnose

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Sizes of probing orders. Each chunk begins with the polluter, because after one cleaner the rest
// of a chunk shows nothing. The first round is small because likely cleaners come first.
const (
	chunkSize  = 16
	firstRound = 12
	maxSingly  = 24 // likely cleaners tried last, in separate processes
)

// maxProbing limits the time that the victim's own runs may take in all of probing.
const maxProbing = 30 * time.Second

// mode is how candidates are probed in one process.
type mode int

const (
	blind  mode = iota // the victim's repeated runs say nothing: no probing
	linear             // [P, v, c1, v, c2, v, …]: the victim fails until a test cleans
	anew               // [P, v, P, c1, v, P, c2, v, …]: the victim itself cleans, so the polluter runs before each candidate
)

// probe searches single cleaners with processes that run the victim after many candidates. The
// results are hints only: each cleaner found is confirmed separately.
func (k *cleaning) probe(ctx context.Context) error {
	if err := k.setMode(ctx); err != nil {
		return err
	}
	if k.mode == blind {
		return k.bisect(ctx)
	}
	if err := k.probeAll(ctx, k.ranked()); err != nil || k.mode != anew || k.in.Once {
		return err
	}
	return k.acceptEach(ctx, suite.Order{k.c.id}) // the victim itself, as the check suggested
}

// probeLikely is the first round of probe. It tries fewer candidates if the victim is slow.
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

// probeHidden continues if no cleaner was found and the victim also fails after the other tests
// without the polluter. It probes the candidates in reverse order. Then it runs the likeliest
// candidates and the polluter's own tests in separate processes.
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
	list = list[:n:n]
	if !k.in.Once {
		list = append(list, k.polluter...)
	}
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

// probeAll probes the candidates in rounds. Without FindAll, it stops after a round that found a
// cleaner: more cleaners seldom give a better patch (section 5.2 of the paper), and rounds are slow
// if each run of the victim enters its class again.
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

// behaviour runs [P, v, v, P, v] in one process to answer two questions. Does the victim keep
// failing when it runs again? If not, does the polluter make it fail again?
func (s *session) behaviour(ctx context.Context, c *failingTest, polluter suite.Order) (mode, error) {
	if s.in.Once {
		return anew, nil
	}
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

// round probes the candidates in as many parallel processes as allowed. It returns the candidates
// that seem to clean, in order, and those that were not observed.
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

// probes returns what runs before each run of the victim: the polluter at the beginning of each
// chunk, after which the victim must fail, and then each candidate.
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

// read returns the candidates after which the victim passed, and those that were not observed. It
// always removes at least the first candidate, so that repeated probing of the rest ends.
func (k *cleaning) read(candidates suite.Order, outcomes []suite.Outcome) (hints, again suite.Order) {
	for i := 0; i < len(candidates); i++ {
		control := i + i/chunkSize
		if i%chunkSize == 0 && outcomes[control] != suite.Fail {
			// The polluter has no effect after the tests that ran before it, or the process ended.
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

// bisect is for victims that cannot be observed repeatedly in one process. It runs the likely
// candidates separately, unless they were probed already. Then it tries groups of tests, one group
// in each process; the groups are classes. The victim passes after a group that contains a cleaner,
// unless another test of the group pollutes.
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
