package diagnose

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/suite"
)

// cleaning is the search for cleaners of one polluter and victim.
type cleaning struct {
	*session
	c        *failingTest
	polluter suite.Order
	limit    int // 0: all
	found    int
	mode     mode
	crashed  map[suite.TestID]bool // candidates that ended the process
	ownOnly  bool                  // leaving the class and coming back cleans; see findReentry
}

// clean finds cleaners (Figure 5): first those known from other victims of the same polluter, then
// by probing single tests, likely ones first, and by the paper's sequences. Where all of it finds
// nothing although a test that spoils other state may have hidden a cleaner, single tests are
// probed once more the other way round, and the likeliest in processes of their own.
//
// A further victim of a polluter for which all this found nothing gets the likely candidates only.
// A victim too slow to be observed after every test is asked about whole classes instead.
func (s *session) clean(ctx context.Context, c *failingTest, polluter suite.Order) error {
	if !s.wantsCleaners() {
		return nil
	}
	k := &cleaning{session: s, c: c, polluter: polluter, limit: handful, crashed: map[suite.TestID]bool{}}
	if s.in.FindAll {
		k.limit = 0
	}
	if err := k.prepare(ctx); err != nil {
		return err
	}
	if !s.in.FindAll {
		if err := k.fromOthers(ctx); err != nil || k.found > 0 {
			return err // one known cleaner is enough for a further victim of a known cause
		}
	}
	if err := k.search(ctx); err != nil {
		return err
	}
	if k.found == 0 {
		s.uncleaned = append(s.uncleaned, polluter)
	}
	return nil
}

func (s *session) wantsCleaners() bool { return !s.in.NoCleaners || s.in.FindAll }

// Bounds of the search for cleaners of one polluter, but for FindAll: where tests are slow, other
// failing tests need the time more. A long job's search takes longer, since on a busy machine a
// process does; it never takes more than half of what is left.
const (
	usualCleaning = 2 * time.Minute
	cleaningPart  = 6 // of the time that is left, one in so many
)

// search goes through the steps as long as cleaners are wanted and time is left.
func (k *cleaning) search(ctx context.Context) error {
	limited, limit := ctx, budget.Part(ctx, usualCleaning, cleaningPart)
	if k.limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for _, step := range k.steps() {
		if k.enough() {
			break
		}
		err := step(limited)
		if errors.Is(err, context.DeadlineExceeded) && stopped(err) && ctx.Err() == nil {
			k.c.note("The search for cleaners of %s was broken off after %v; --find-all gives it all the time there is.", k.Names(k.polluter),
				limit.Round(time.Second))
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare asks, side by side, what the search will need to know first.
func (k *cleaning) prepare(ctx context.Context) error {
	steps := []func(context.Context) error{k.findReentry}
	if k.limit == 0 || !slices.ContainsFunc(k.cleaners, func(known suite.Cleaner) bool { return slices.Equal(known.Polluter, k.polluter) }) {
		steps = append(steps, k.setMode, func(ctx context.Context) error {
			_, err := k.ask(ctx, k.c, suite.Order{k.c.id, k.c.id}, suite.Warm) // for twice
			return err
		})
	}
	return k.together(len(steps), func(i int) error { return steps[i](ctx) })
}

func (k *cleaning) steps() []func(context.Context) error {
	switch {
	case k.limit == 0:
		return []func(context.Context) error{k.probe, k.sequences, k.probeHidden}
	case k.isUncleaned(k.polluter):
		return []func(context.Context) error{k.probeLikely}
	case k.slow():
		return []func(context.Context) error{k.probeLikely, k.sequences, k.bisect}
	}
	return []func(context.Context) error{k.probe, k.sequences, k.probeHidden}
}

// slow reports whether observing the victim after every test would take longer than maxProbing.
func (k *cleaning) slow() bool {
	each := k.facts.took(k.c.id)
	for _, t := range k.polluter {
		each += k.facts.took(t) / chunkSize
	}
	return each*time.Duration(len(k.all))/time.Duration(k.parallel()) > maxProbing
}

func (s *session) isUncleaned(polluter suite.Order) bool {
	return slices.ContainsFunc(s.uncleaned, func(o suite.Order) bool { return slices.Equal(o, polluter) })
}

func (k *cleaning) enough() bool { return k.limit > 0 && k.found >= k.limit }

// satisfied reports whether a cleaner was found and no further ones are looked for.
func (k *cleaning) satisfied() bool { return k.limit > 0 && k.found > 0 }

// order is [polluter…, part…, victim].
func (k *cleaning) order(part suite.Order) suite.Order {
	return suite.Join(k.polluter, part, suite.Order{k.c.id})
}

// fromOthers tries the cleaners that other victims of the same polluter have, up to the first that
// works.
func (k *cleaning) fromOthers(ctx context.Context) error {
	for _, known := range slices.Clone(k.cleaners) {
		if k.found > 0 {
			return nil
		}
		if !slices.Equal(known.Polluter, k.polluter) || slices.Contains(known.Cleaner, k.c.id) {
			continue
		}
		if err := k.accept(ctx, known.Cleaner); err != nil {
			return err
		}
	}
	return nil
}

// acceptEach accepts single tests until enough cleaners are found.
func (k *cleaning) acceptEach(ctx context.Context, candidates suite.Order) error {
	for _, t := range candidates {
		if k.enough() {
			return nil
		}
		if err := k.accept(ctx, suite.Order{t}); err != nil {
			return err
		}
	}
	return nil
}

// accept keeps a candidate where fresh processes confirm it.
func (k *cleaning) accept(ctx context.Context, cleaner suite.Order) error {
	if k.has(cleaner) || k.onlyReenters(cleaner) {
		return nil
	}
	ok, err := k.shows(ctx, k.c, k.order(cleaner), suite.Pass, "with a cleaner between")
	if ok && err == nil {
		k.book(cleaner)
	}
	return err
}

// controls is how many tests of other classes show what leaving a class does.
const controls = 2

// findReentry finds out whether leaving the class and coming back cleans: where polluter and victim
// are of one class and its setup restores the state, whatever test of another class runs between
// "cleans". The unlikeliest cleaners there are show it; from then on only tests of the class itself
// are candidates.
func (k *cleaning) findReentry(ctx context.Context) error {
	visit := k.Top(k.c.id)
	if k.Top(k.polluter[len(k.polluter)-1]) != visit {
		return nil
	}
	known, asked := k.reentry[k.polluter.Key()]
	if asked && !known {
		return nil
	}
	var outside suite.Order
	ranked := k.ranked()
	for i := len(ranked) - 1; i >= 0 && len(outside) < controls; i-- {
		alike := slices.ContainsFunc(append(suite.Order{k.c.id}, outside...), func(t suite.TestID) bool { return k.Same(t, ranked[i]) })
		if !alike && !slices.Contains(k.polluter, ranked[i]) {
			outside = append(outside, ranked[i])
		}
	}
	if len(outside) < controls {
		return nil
	}
	if asked { // another victim of this polluter in this class has shown it; one test shows that it holds here, too
		outside = outside[:1]
	}
	all, err := k.allClean(ctx, outside, asked)
	if err != nil {
		return err
	}
	k.ownOnly = all
	k.reentry[k.polluter.Key()] = known || all
	if all {
		k.c.note("between polluter and test, %s of other classes each made it pass: leaving %s and entering it again seems to be enough, so "+
			"only tests of this class were taken as cleaners", k.Names(outside), visit)
	}
	return nil
}

// allClean reports whether each of the tests makes the victim pass when it runs between: as one
// process each says and, unless few will do, fresh ones confirm.
func (k *cleaning) allClean(ctx context.Context, tests suite.Order, few bool) (bool, error) {
	outcomes := make([]suite.Outcome, len(tests))
	err := k.together(len(tests), func(i int) (err error) {
		o := k.order(tests[i : i+1])
		if few {
			outcomes[i], err = k.askFresh(ctx, k.c, o)
			return err
		}
		outcomes[i], err = k.ask(ctx, k.c, o, suite.Warm)
		return err
	})
	all := err == nil && !slices.ContainsFunc(outcomes, func(o suite.Outcome) bool { return o != suite.Pass })
	for i := 0; i < len(tests) && !few && all && err == nil; i++ {
		var out suite.Outcome
		out, err = k.confirm(ctx, k.c, k.order(tests[i:i+1]), suite.Pass, "with a test of another class between")
		all = out == suite.Pass
	}
	return all && err == nil, err
}

// onlyReenters reports whether the cleaner may clean merely by making the class be entered anew.
func (k *cleaning) onlyReenters(cleaner suite.Order) bool {
	return k.ownOnly && slices.ContainsFunc(cleaner, func(t suite.TestID) bool { return !k.inside(t) })
}

// inside reports whether running t between polluter and victim leaves the class as it is entered.
func (k *cleaning) inside(t suite.TestID) bool {
	return k.Same(t, k.c.id) && t != k.c.id && !slices.Contains(k.polluter, t)
}

// fit keeps the tests that may clean.
func (k *cleaning) fit(o suite.Order) suite.Order {
	return slices.DeleteFunc(slices.Clone(k.without(o, nil)), func(t suite.TestID) bool {
		return t == k.c.id || k.crashed[t] || k.ownOnly && !k.inside(t) || !k.allowed(k.c, suite.Order{t})
	})
}

func (k *cleaning) has(cleaner suite.Order) bool {
	return slices.ContainsFunc(k.c.res.Cleaners, func(x suite.Cleaner) bool {
		return slices.Equal(x.Polluter, k.polluter) && slices.Equal(x.Cleaner, cleaner)
	})
}

func (k *cleaning) book(cleaner suite.Order) {
	k.found++
	x := suite.Cleaner{Polluter: k.polluter, Cleaner: cleaner}
	k.c.res.Cleaners = append(k.c.res.Cleaners, x)
	if !slices.ContainsFunc(k.cleaners, func(y suite.Cleaner) bool {
		return slices.Equal(x.Polluter, y.Polluter) && slices.Equal(x.Cleaner, y.Cleaner)
	}) {
		k.cleaners = append(k.cleaners, x)
	}
	k.report(k.c, k.c.res.Reason+"; "+k.Names(cleaner)+" cleans up", "found a cleaner")
}

// sequences tries the paper's longer candidates, and minimises those that clean: they find what
// probing cannot, such as several tests that clean only together.
func (k *cleaning) sequences(ctx context.Context) error { return k.reduceEach(ctx, k.candidates()) }

// reduceEach tries each sequence in one process and minimises those that clean. What is known to
// clean is left out of them, and without FindAll they are tried only as long as nothing was found.
func (k *cleaning) reduceEach(ctx context.Context, seqs []suite.Order) error {
	for _, seq := range seqs {
		if k.satisfied() {
			return nil
		}
		seq = slices.DeleteFunc(k.fit(seq), func(t suite.TestID) bool { return k.has(suite.Order{t}) })
		if len(seq) == 0 {
			continue
		}
		out, err := k.ask(ctx, k.c, k.order(seq), suite.Warm)
		if err != nil {
			return err
		}
		if out != suite.Pass {
			continue
		}
		got, err := k.minimise(ctx, k.c, seq, suite.Pass, k.order)
		var unsteady *unsteadyError
		switch {
		case errors.As(err, &unsteady):
			k.c.note("a sequence that may clean could not be pinned down: %s", unsteady.reason)
		case err != nil:
			return err
		case !k.onlyReenters(got) && !k.has(got):
			k.book(got)
		}
	}
	return nil
}

// candidates are the sequences of Figure 5: what stands between polluter and victim in passing
// orders, before the polluter and after the victim in the failing order.
func (k *cleaning) candidates() []suite.Order {
	var out []suite.Order
	add := func(o suite.Order) {
		if len(o) > 0 && !slices.ContainsFunc(out, func(x suite.Order) bool { return slices.Equal(x, o) }) {
			out = append(out, o)
		}
	}
	for _, t := range k.runs {
		if i, in := t.first[k.c.id]; in && k.facts.known(t.Order[:i+1]) == suite.Pass {
			add(after(t.upToTest(k.c.id), k.polluter))
		}
	}
	failing := k.c.source().upToTest(k.c.id)
	if i := failing.Index(k.polluter[0]); i > 0 {
		add(failing[:i:i])
	}
	if whole := k.c.source().whole; len(whole) > len(failing) {
		add(whole[len(failing):])
	} else if i := k.all.Index(k.c.id); i >= 0 {
		add(k.all[i+1:])
	}
	return out
}
