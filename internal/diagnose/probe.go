package diagnose

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Sizes of probing orders. A chunk begins with the polluter, so that one
// cleaner does not blind the rest of its process; the first round is small
// because likely cleaners come first.
const (
	chunkSize  = 16
	firstRound = 12
	nextRound  = 128
	maxSingly  = 24 // likely cleaners tried in processes of their own at last
)

// maxProbing bounds the time the victim itself may take in all of probing.
const maxProbing = 30 * time.Second

// mode is how candidates are probed in one process.
type mode int

const (
	blind  mode = iota // the victim's repeated runs say nothing: no probing
	linear             // [P, v, c1, v, c2, v, …]: the victim fails until something cleans
	anew               // [P, c1, v, P, c2, v, …]: the victim cleans up itself, so the polluter runs for each
)

// probe looks for single cleaners by processes that observe the victim after
// many candidates. What they show is a hint only: each is confirmed by itself.
func (k *cleaning) probe(ctx context.Context) error {
	if err := k.setMode(ctx); err != nil {
		return err
	}
	if k.mode == blind {
		return k.bisect(ctx)
	}
	if err := k.probeAll(ctx, k.ranked()); err != nil || k.mode != anew || k.enough() {
		return err
	}
	_, err := k.accept(ctx, suite.Order{k.c.id}) // the victim itself, as the check suggested
	return err
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

// probeHidden goes on where nothing was found and the other tests, without the
// polluter, make the victim fail too.
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
	if err := k.probeAll(ctx, back); err != nil {
		return err
	}
	return k.probeSingly(ctx)
}

// probeSingly asks [P, c, v] for the likeliest candidates and the polluter's own tests.
func (k *cleaning) probeSingly(ctx context.Context) error {
	if k.found > 0 {
		return nil
	}
	list := k.ranked()
	n := min(len(list), maxSingly)
	list = append(list[:n:n], k.polluter...)
	outcomes := make([]suite.Outcome, len(list))
	err := k.together(len(list), func(i int) (err error) {
		outcomes[i], err = k.ask(ctx, k.c, k.order(list[i:i+1]), suite.Warm)
		return err
	})
	for i, out := range outcomes {
		if err != nil || k.enough() {
			return err
		}
		if out == suite.Pass {
			_, err = k.accept(ctx, suite.Order{list[i]})
		}
	}
	return err
}

// probeAll goes through the candidates in rounds. Without FindAll, a cleaner
// found in one round spares the next: more of them seldom give a better patch
// (section 5.2 of the paper), and a class that is entered again for every
// observation makes rounds dear.
func (k *cleaning) probeAll(ctx context.Context, queue suite.Order) error {
	for size := firstRound; len(queue) > 0 && !k.enough(); size = nextRound {
		if k.found > 0 && k.limit > 0 {
			return nil
		}
		n := min(len(queue), size*k.parallel())
		hints, again, err := k.round(ctx, queue[:n])
		if err != nil {
			return err
		}
		for _, h := range hints {
			if k.enough() {
				break
			}
			if _, err := k.accept(ctx, suite.Order{h}); err != nil {
				return err
			}
		}
		queue = append(slices.Clone(queue[n:]), again...)
	}
	return nil
}

func (k *cleaning) setMode(ctx context.Context) (err error) {
	k.mode, err = k.behaviour(ctx, k.c, k.polluter)
	return err
}

// behaviour runs [P, v, v, P, v], once for both: does the victim go on failing,
// and if not, does the polluter make it fail again?
func (s *session) behaviour(ctx context.Context, c *failingTest, polluter suite.Order) (mode, error) {
	key := suite.Join(polluter, suite.Order{c.id}).Key()
	s.mu.Lock()
	m, asked := s.modes[key]
	s.mu.Unlock()
	if asked {
		return m, nil
	}
	v := suite.Order{c.id}
	o := suite.Join(polluter, v, v, polluter, v)
	run, err := s.run(ctx, c, o, suite.Batched, false)
	if err != nil {
		return blind, err
	}
	n := len(polluter)
	first, second, third := at(o, run, n).Outcome, at(o, run, n+1).Outcome, at(o, run, 2*n+2).Outcome
	switch {
	case first == suite.Fail && second == suite.Fail:
		m = linear
	case first == suite.Fail && second == suite.Pass && third == suite.Fail:
		m = anew
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.modes[key] = m
	return m, nil
}

// round probes the candidates in as many processes as may run at once, and
// returns those that seem to clean, in order, and those not observed.
func (k *cleaning) round(ctx context.Context, candidates suite.Order) (hints, again suite.Order, err error) {
	procs := min(k.parallel(), (len(candidates)+chunkSize-1)/chunkSize)
	parts := make([]probing, procs)
	for i := range parts {
		lo, hi := i*len(candidates)/procs, (i+1)*len(candidates)/procs
		parts[i] = newProbing(k.polluter, k.c.id, candidates[lo:hi], k.mode)
	}
	var mu sync.Mutex
	err = k.together(procs, func(i int) error {
		run, err := k.run(ctx, k.c, parts[i].order, suite.Batched, false)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		parts[i].read(run)
		if b := parts[i].crasher; b != "" {
			k.crashed[b] = true
		}
		return nil
	})
	for _, p := range parts {
		hints = append(hints, p.hints...)
		again = append(again, p.again...)
	}
	return hints, again, err
}

// probing is one process that observes the victim after many candidates.
type probing struct {
	order  suite.Order
	chunks []chunk
	// What read found:
	hints   suite.Order // candidates after which the victim passed
	again   suite.Order // candidates whose observation was polluted
	crasher suite.TestID
}

// chunk is a part of a probing order that begins with the polluter.
type chunk struct {
	control    int // where the victim must fail
	candidates suite.Order
	at         []int // where each candidate's victim stands
}

func newProbing(polluter suite.Order, v suite.TestID, candidates suite.Order, m mode) probing {
	var p probing
	for part := range slices.Chunk(candidates, chunkSize) {
		ch := chunk{candidates: part}
		p.order = append(suite.Join(p.order, polluter), v)
		ch.control = len(p.order) - 1
		for _, c := range part {
			if m == anew {
				p.order = append(p.order, polluter...)
			}
			p.order = append(p.order, c, v)
			ch.at = append(ch.at, len(p.order)-1)
		}
		p.chunks = append(p.chunks, ch)
	}
	return p
}

// read takes the hints from the run. At least the first candidate is always
// disposed of, so that asking again for the rest comes to an end.
func (p *probing) read(run *suite.Run) {
	for n, ch := range p.chunks {
		if at(p.order, run, ch.control).Outcome != suite.Fail {
			// The polluter does not pollute any more after what ran before, or the process ended.
			p.giveBack(n, 0)
			break
		}
		if done := p.readChunk(run, ch); done < len(ch.candidates) {
			if p.crasher != "" {
				p.giveBack(n, done)
				break
			}
			p.again = append(p.again, ch.candidates[done:]...)
		}
	}
}

// readChunk returns how many candidates of the chunk were observed or must not be tried again.
func (p *probing) readChunk(run *suite.Run, ch chunk) int {
	for i, pos := range ch.at {
		switch at(p.order, run, pos).Outcome {
		case suite.Pass:
			p.hints = append(p.hints, ch.candidates[i])
			if !p.repolluted(ch, i) {
				return i + 1
			}
		case suite.Unresolved:
			p.crasher = ch.candidates[i]
			return i + 1
		}
	}
	return len(ch.candidates)
}

// repolluted reports whether the polluter runs again after candidate i of the chunk.
func (p *probing) repolluted(ch chunk, i int) bool {
	return i+1 < len(ch.at) && ch.at[i+1]-ch.at[i] > 2
}

// giveBack returns what comes from candidate i of chunk n on.
func (p *probing) giveBack(n, i int) {
	if n == 0 && i == 0 { // nothing at all was observed
		i = 1
	}
	p.again = append(p.again, p.chunks[n].candidates[min(i, len(p.chunks[n].candidates)):]...)
	for _, ch := range p.chunks[n+1:] {
		p.again = append(p.again, ch.candidates...)
	}
}

// bisect is for victims whose repeated runs say nothing: group testing, one
// group and one process at a time. A group in which something cleans passes as
// a whole unless something else in it pollutes; groups are classes.
func (k *cleaning) bisect(ctx context.Context) error {
	in := map[suite.TestID]bool{}
	likely := k.ranked()
	if k.mode != blind {
		likely = nil // they have been probed
	}
	for _, t := range likely[:min(len(likely), chunkSize)] { // by themselves
		in[t] = true
		if k.enough() {
			return nil
		}
		if _, err := k.accept(ctx, suite.Order{t}); err != nil {
			return err
		}
	}
	for _, group := range k.Split(k.all) {
		if k.found > 0 && k.limit > 0 { // as in probeAll
			return nil
		}
		group = slices.DeleteFunc(slices.Clone(group), func(t suite.TestID) bool {
			return t == k.c.id || in[t] || slices.Contains(k.polluter, t)
		})
		if err := k.tryGroup(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// tryGroup finds the cleaner in a group that cleans as a whole.
func (k *cleaning) tryGroup(ctx context.Context, group suite.Order) error {
	if group = k.fit(group); len(group) == 0 {
		return nil
	}
	out, err := k.ask(ctx, k.c, k.order(group), suite.Warm)
	if err != nil || out != suite.Pass {
		return err
	}
	got, err := k.minimise(ctx, k.c, group, suite.Pass, k.order)
	if _, unsteady := err.(*unsteadyError); unsteady {
		return nil
	}
	if err != nil {
		return err
	}
	k.take(got)
	return nil
}
