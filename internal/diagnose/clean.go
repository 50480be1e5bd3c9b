package diagnose

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// cleaning is the search for cleaners of one polluter and victim.
type cleaning struct {
	*session
	c        *patient
	polluter suite.Order
	limit    int // 0: all
	found    int
	mode     mode
	crashed  map[suite.TestID]bool // candidates that ended the process
	ownOnly  bool                  // leaving the class and coming back cleans; see reenters
}

// clean finds cleaners (Figure 5): first those known from other victims of the
// same polluter, then by probing single tests, likely ones first, and by the
// paper's sequences. Where all of it finds nothing although a test that spoils
// other state may have hidden a cleaner, single tests are probed once more the
// other way round, and the likeliest in processes of their own.
//
// A further victim of a polluter for which all this found nothing gets the
// likely candidates only. A victim too slow to be observed behind every test
// is asked about whole classes instead.
func (s *session) clean(ctx context.Context, c *patient, polluter suite.Order) error {
	k := &cleaning{session: s, c: c, polluter: polluter, limit: handful, crashed: map[suite.TestID]bool{}}
	if s.in.FindAll {
		k.limit = 0
	} else if err := k.familiar(ctx); err != nil || k.found > 0 {
		return err // one known cleaner is enough for a further victim of a known cause
	}
	for _, step := range k.steps() {
		if k.enough() {
			break
		}
		if err := step(ctx); err != nil {
			return err
		}
	}
	if k.found == 0 {
		s.hopeless = append(s.hopeless, polluter)
	}
	return nil
}

func (k *cleaning) steps() []func(context.Context) error {
	switch {
	case k.limit == 0:
		return []func(context.Context) error{k.probe, k.sequences, k.probeHidden}
	case k.isHopeless(k.polluter):
		return []func(context.Context) error{k.probeLikely}
	case k.slow():
		return []func(context.Context) error{k.probeLikely, k.sequences, k.bisect}
	}
	return []func(context.Context) error{k.probe, k.sequences, k.probeHidden}
}

// slow reports whether observing the victim behind every test would take
// longer than maxProbing.
func (k *cleaning) slow() bool {
	each := k.facts.took(k.c.id)
	for _, t := range k.polluter {
		each += k.facts.took(t) / chunkSize
	}
	return each*time.Duration(len(k.all))/time.Duration(k.parallel()) > maxProbing
}

func (s *session) isHopeless(polluter suite.Order) bool {
	return slices.ContainsFunc(s.hopeless, func(o suite.Order) bool { return slices.Equal(o, polluter) })
}

func (k *cleaning) enough() bool { return k.limit > 0 && k.found >= k.limit }

// order is [polluter…, part…, victim].
func (k *cleaning) order(part suite.Order) suite.Order {
	return suite.Join(k.polluter, part, suite.Order{k.c.id})
}

// familiar tries the cleaners that other victims of the same polluter have, up to the first that works.
func (k *cleaning) familiar(ctx context.Context) error {
	for _, known := range slices.Clone(k.cures) {
		if k.found > 0 {
			return nil
		}
		if !slices.Equal(known.Polluter, k.polluter) || slices.Contains(known.Cleaner, k.c.id) {
			continue
		}
		if _, err := k.accept(ctx, known.Cleaner); err != nil {
			return err
		}
	}
	return nil
}

// accept books a candidate where fresh processes confirm it.
func (k *cleaning) accept(ctx context.Context, cleaner suite.Order) (bool, error) {
	if k.has(cleaner) {
		return false, nil
	}
	if bogus, err := k.reenters(ctx, cleaner); bogus || err != nil {
		return false, err
	}
	o := k.order(cleaner)
	out, err := k.askFresh(ctx, k.c, o)
	if err != nil || out != suite.Pass {
		return false, err
	}
	if out, err = k.confirm(ctx, k.c, o, suite.Pass, "with a cleaner between"); err != nil || out != suite.Pass {
		return false, err
	}
	k.book(cleaner)
	return true, nil
}

// reenters reports whether the candidate only seems to clean: where polluter
// and victim are of one class and its setup puts the state right, whatever
// makes the class be left and entered anew "cleans". Two tests of other
// classes, the unlikeliest there are, are asked before the first such candidate
// is believed.
func (k *cleaning) reenters(ctx context.Context, cleaner suite.Order) (bool, error) {
	visit := k.c.id.Visit()
	stays := func(t suite.TestID) bool { return t.Visit() == visit && t != k.c.id && !slices.Contains(k.polluter, t) }
	if k.polluter[len(k.polluter)-1].Visit() != visit || !slices.ContainsFunc(cleaner, func(t suite.TestID) bool { return !stays(t) }) {
		return false, nil
	}
	if k.ownOnly {
		return true, nil
	}
	controls := 0
	ranked := k.ranked()
	for i := len(ranked) - 1; i >= 0 && controls < 2; i-- {
		t := ranked[i]
		if t.Visit() == visit || slices.Contains(cleaner, t) || k.crashed[t] {
			continue
		}
		out, err := k.ask(ctx, k.c, k.order(suite.Order{t}), suite.Warm)
		if err != nil || out != suite.Pass {
			return false, err
		}
		controls++
	}
	if controls == 2 {
		k.ownOnly = true
		k.c.res.Notes = append(k.c.res.Notes, "running any test of another class between cleans up, since "+visit+" is then set up anew; only tests of this class were taken as cleaners")
	}
	return k.ownOnly, nil
}

func (k *cleaning) has(cleaner suite.Order) bool {
	return slices.ContainsFunc(k.c.res.Cleaners, func(x Cleaner) bool {
		return slices.Equal(x.Polluter, k.polluter) && slices.Equal(x.Cleaner, cleaner)
	})
}

func (k *cleaning) book(cleaner suite.Order) {
	k.found++
	x := Cleaner{k.polluter, cleaner}
	k.c.res.Cleaners = append(k.c.res.Cleaners, x)
	if !slices.ContainsFunc(k.cures, func(y Cleaner) bool {
		return slices.Equal(x.Polluter, y.Polluter) && slices.Equal(x.Cleaner, y.Cleaner)
	}) {
		k.cures = append(k.cures, x)
	}
	k.tell(k.c, k.c.res.Reason+"; "+names(cleaner)+" cleans up", "found a cleaner")
}

// sequences tries the paper's longer candidates, each in one process, and
// minimises those that clean: they find what probing cannot, such as several
// tests that clean only together. What is known to clean is left out of them,
// and without FindAll they are tried only where probing found nothing.
func (k *cleaning) sequences(ctx context.Context) error {
	if k.found > 0 && k.limit > 0 {
		return nil
	}
	for _, seq := range k.candidates() {
		if k.enough() {
			return nil
		}
		seq = slices.DeleteFunc(slices.Clone(k.without(seq, nil)), func(t suite.TestID) bool { return t == k.c.id || k.crashed[t] || k.has(suite.Order{t}) })
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
		if errors.As(err, &unsteady) {
			k.c.res.Notes = append(k.c.res.Notes, "a sequence that may clean could not be pinned down: "+unsteady.reason)
			continue
		}
		if err != nil {
			return err
		}
		if err := k.take(ctx, got); err != nil {
			return err
		}
	}
	return nil
}

// take books a cleaner that minimising has confirmed.
func (k *cleaning) take(ctx context.Context, got suite.Order) error {
	bogus, err := k.reenters(ctx, got)
	if err == nil && !bogus && !k.has(got) {
		k.book(got)
	}
	return err
}

// candidates are the sequences of Figure 5: what stands between polluter and
// victim in passing orders, before the polluter and after the victim in the
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
