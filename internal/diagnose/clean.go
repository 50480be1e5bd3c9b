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
	ownOnly  bool                  // leaving the class and entering it again cleans; see findReentry
}

// clean finds cleaners (Figure 5). It first tries the known cleaners of other victims of the same
// polluter. Then it probes single tests, likely ones first, and tries the paper's sequences. If all
// of this finds nothing, a test that pollutes other state may have hidden a cleaner. In that case
// clean probes single tests once more in the reverse order, and the likeliest ones in separate
// processes.
//
// If all of this found nothing for one victim of a polluter, clean tries only the likely candidates
// for its other victims. For a victim that is too slow to be observed after every test, clean tries
// whole classes.
func (s *session) clean(ctx context.Context, c *failingTest, polluter suite.Order) error {
	if !s.wantsCleaners() {
		return nil
	}
	k := &cleaning{session: s, c: c, polluter: polluter, limit: 1, crashed: map[suite.TestID]bool{}}
	if s.in.FindAll {
		k.limit = 0
	}
	if c.res.CleanersLater = !k.known() && k.later(); c.res.CleanersLater {
		return nil
	}
	if err := k.prepare(ctx); err != nil {
		return err
	}
	if !s.in.FindAll {
		if err := k.fromOthers(ctx); err != nil || k.found > 0 {
			return err // one known cleaner is enough for a further victim of a known cause
		}
	}
	if c.res.CleanersLater = k.later(); c.res.CleanersLater {
		return nil
	}
	if err := k.search(ctx); err != nil {
		return err
	}
	if k.found == 0 {
		s.uncleaned = append(s.uncleaned, polluter)
	}
	return nil
}

// known reports whether cleaners of the polluter are known from other victims.
func (k *cleaning) known() bool {
	return slices.ContainsFunc(k.cleaners, func(x suite.Cleaner) bool { return slices.Equal(x.Polluter, k.polluter) })
}

func (s *session) wantsCleaners() bool { return !s.in.NoCleaners || s.in.FindAll }

// Bounds of the search for cleaners of one polluter; they do not apply with FindAll. If tests are
// slow, the time is better spent on other failing tests. The search may take longer if the whole
// diagnosis has more time, because processes are slower on a busy machine. The search never takes
// more than half of the time that is left.
const (
	usualCleaning = 2 * time.Minute
	cleaningPart  = 6 // the search may take one part in cleaningPart of the time that is left
)

// search runs the steps until enough cleaners are found or the time is over.
func (k *cleaning) search(ctx context.Context) error {
	limited, limit := ctx, budget.Part(ctx, usualCleaning, cleaningPart)
	if k.cleaningNow {
		limit = max(limit, usualCleaning) // the caller's time is for this search alone
	}
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
			k.c.note("The search for cleaners of %s was stopped after %v; with --find-all it has no time limit of its own.",
				k.Names(k.polluter),
				limit.Round(time.Second))
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prepare runs, in parallel, the orders whose results the search needs first.
func (k *cleaning) prepare(ctx context.Context) error {
	steps := []func(context.Context) error{k.findReentry}
	if k.limit == 0 || !k.known() {
		steps = append(steps, k.setMode)
		if !k.in.Once {
			steps = append(steps, func(ctx context.Context) error {
				_, err := k.ask(ctx, k.c, suite.Order{k.c.id, k.c.id}, suite.Warm) // for twice
				return err
			})
		}
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

// satisfied reports whether a cleaner was found and no further one is wanted.
func (k *cleaning) satisfied() bool { return k.limit > 0 && k.found > 0 }

// order is [polluter…, part…, victim].
func (k *cleaning) order(part suite.Order) suite.Order {
	return suite.Join(k.polluter, part, suite.Order{k.c.id})
}

// fromOthers tries the cleaners of other victims of the same polluter, and stops at the first that
// works.
func (k *cleaning) fromOthers(ctx context.Context) error {
	for _, known := range slices.Clone(k.cleaners) {
		if k.found > 0 {
			return nil
		}
		if !slices.Equal(known.Polluter, k.polluter) || slices.Contains(known.Cleaner, k.c.id) || !k.allowed(k.c, known.Cleaner) {
			continue
		}
		if err := k.accept(ctx, known.Cleaner); err != nil {
			return err
		}
	}
	return nil
}

// acceptEach accepts single tests until enough cleaners are found. The next ones are only likely
// cleaners: confirming them would cost Rerun processes each.
func (k *cleaning) acceptEach(ctx context.Context, candidates suite.Order) error {
	for i, t := range candidates {
		if k.enough() {
			for _, t := range candidates[i:min(len(candidates), i+likely)] {
				k.c.res.Likely = append(k.c.res.Likely, suite.Cleaner{Polluter: k.polluter, Cleaner: suite.Order{t}})
			}
			return nil
		}
		if err := k.accept(ctx, suite.Order{t}); err != nil {
			return err
		}
	}
	return nil
}

// accept records a candidate if fresh processes confirm that it cleans.
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

// likely is how many likely cleaners are returned after those that were confirmed.
const likely = 2

// controls is how many tests of other classes are run to learn whether leaving the class cleans.
const controls = 2

// findReentry finds out whether leaving the class and entering it again makes the victim pass. This
// can happen if polluter and victim belong to one class and the setup of the class restores the
// state. Then any test of another class seems to be a cleaner. findReentry checks this with the
// least likely cleaners. If they all clean, only tests of the class itself remain candidates.
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
	if asked { // it holds for another victim of this polluter in this class; one test confirms it for this victim
		outside = outside[:1]
	}
	all, err := k.allClean(ctx, outside, asked)
	if err != nil {
		return err
	}
	k.ownOnly = all
	k.reentry[k.polluter.Key()] = known || all
	if all {
		k.c.note("between polluter and test, %s of other %s each made it pass: leaving %s and entering it again seems to be enough, so "+
			"only tests of this %s were taken as cleaners", k.Names(outside), k.Nouns().Groups, visit, k.Nouns().Group)
	}
	return nil
}

// allClean reports whether the victim passes after each of the tests, when the test runs between
// polluter and victim. If few is set, one fresh process for each test is enough; otherwise fresh
// processes confirm each result.
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
		out, err = k.confirm(ctx, k.c, k.order(tests[i:i+1]), suite.Pass, "with a test of another "+k.Nouns().Group+" between")
		all = out == suite.Pass
	}
	return all && err == nil, err
}

// onlyReenters reports whether the cleaner may work only because it makes the victim's class be
// entered again.
func (k *cleaning) onlyReenters(cleaner suite.Order) bool {
	return k.ownOnly && slices.ContainsFunc(cleaner, func(t suite.TestID) bool { return !k.inside(t) })
}

// inside reports whether t can run between polluter and victim so that no group of both is left.
func (k *cleaning) inside(t suite.TestID) bool {
	return k.Same(t, k.c.id) && !k.leaves(t) && t != k.c.id && !slices.Contains(k.polluter, t)
}

// leaves reports whether t, between polluter and victim, leaves a group of both. The victim then
// enters this group again.
func (k *cleaning) leaves(t suite.TestID) bool {
	return k.Leaves(k.polluter[len(k.polluter)-1], t, k.c.id)
}

// early reports whether t runs before a test of the polluter in every order.
func (k *cleaning) early(t suite.TestID) bool {
	return slices.ContainsFunc(k.polluter, func(p suite.TestID) bool { return k.Before(t, p) })
}

// fit returns the tests of o that may be cleaners.
func (k *cleaning) fit(o suite.Order) suite.Order {
	return slices.DeleteFunc(slices.Clone(k.without(o, nil)), func(t suite.TestID) bool {
		return t == k.c.id || k.crashed[t] || k.again(t) || k.ownOnly && !k.inside(t) || k.early(t) || !k.allowed(k.c, suite.Order{t})
	})
}

// again reports whether a class, or a test, would run again if t ran between polluter and victim, in
// a process that runs each once.
func (k *cleaning) again(t suite.TestID) bool {
	return k.in.Once && (slices.Contains(k.polluter, t) || k.leaves(t))
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

// sequences tries the paper's longer candidates, and minimises those that clean. These include
// cleaners that probing cannot find, such as several tests that clean only together.
func (k *cleaning) sequences(ctx context.Context) error { return k.reduceEach(ctx, k.candidates()) }

// reduceEach tries each sequence in one process and minimises those that clean. Known cleaners are
// removed from the sequences first. Without FindAll, reduceEach stops when a cleaner is found.
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
			k.c.note("a sequence of tests that may clean could not be minimised: %s", unsteady.reason)
		case err != nil:
			return err
		case !k.onlyReenters(got) && !k.has(got):
			k.book(got)
		}
	}
	return nil
}

// candidates returns the sequences of Figure 5: the tests between polluter and victim in passing
// orders, the tests before the polluter in the failing order, and the tests after the victim in the
// failing order.
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
