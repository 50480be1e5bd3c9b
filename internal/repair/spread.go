package repair

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// maxSpread bounds the number of further polluters that one patch cleans up after.
const maxSpread = 8

// spread adds the statements of a candidate that cleans up after its polluter after further
// polluters of the same state, too. It searches for these while a test of the cause fails in a
// whole order although its own polluter now cleans up. With the patch applied, it finds the test
// that pollutes the state there, and adds the same statements to it. If this does not help, that
// test changes another state, and the candidate is kept as Partial.
func (p *Patcher) spread(ctx context.Context, cause Cause, c *Candidate) error {
	if c.Edit.Location == patch.PolluterBody && len(c.Fixes) == 0 && len(c.stillFailing) > 0 {
		return p.afterAnother(ctx, c)
	}
	if !c.cleansUp() {
		return nil
	}
	for wider := c; len(wider.stillFailing) > 0 && len(wider.Edit.Also) < maxSpread; {
		next, err := p.further(ctx, cause, wider)
		if ctx.Err() != nil && len(c.Fixes) > 0 {
			return nil // the candidate may still be proved as it is
		}
		if err != nil || next == nil {
			return err
		}
		if wider = next; len(wider.Fixes) > len(c.Fixes) {
			*c = *wider // keep the wider candidate only if it fixes further tests
		}
	}
	return nil
}

// further returns the candidate with its statements at one more test. It is nil if this does not
// help.
func (p *Patcher) further(ctx context.Context, cause Cause, c *Candidate) (*Candidate, error) {
	order := c.stillFailing[0]
	v := order[len(order)-1]
	polluter, err := p.PolluterIn(ctx, c, order)
	if err != nil || len(polluter) == 0 {
		return nil, err
	}
	last := polluter[len(polluter)-1]
	if last == v {
		return nil, nil
	}
	failing := suite.Join(polluter, suite.Order{v})
	fits := false
	for _, at := range p.cleaningUp(Cause{Polluter: polluter}) {
		if p.CleansUpAfter(c, at) {
			continue
		}
		next, err := p.at(ctx, c, at)
		if err != nil {
			return nil, err
		}
		fits = fits || next != nil
		if next == nil || next == c {
			continue
		}
		run, err := p.Runner.Run(ctx, failing, Trial{Price: suite.Warm, Overlay: next.Built.Overlay})
		if err != nil {
			return nil, err
		}
		if run.Last().Outcome == suite.Pass {
			return next, p.count(ctx, cause, next)
		}
	}
	within := c.Edit.Location == patch.PolluterClassTeardown && p.Groups.Same(last, v) // then nothing runs between them
	if fits || p.CleansUpAfter(c, last) && !within {
		p.keepPartial(c, failing)
	}
	return nil, nil
}

// FurtherPolluters searches tests directly after which a test of the cause still fails with the
// candidate. It returns orders that show this, and the candidate with its statements also after
// these tests. The new candidate is nil if there are none, or if it does not fix all that the old
// one fixes. of are the tests among which it searches. If the context ends, it returns the orders
// that it has found, and an error.
func (p *Patcher) FurtherPolluters(ctx context.Context, cause Cause, c *Candidate, of suite.Order) (
	wider *Candidate, bad []suite.Order, err error) {
	if !c.cleansUp() {
		return nil, nil, nil
	}
	p.say("looking for further polluters")
	of = slices.DeleteFunc(slices.Clone(of), func(t suite.TestID) bool { return slices.Contains(c.Fixes, t) || p.CleansUpAfter(c, t) })
	victims := c.Fixes[:min(len(c.Fixes), cohort.Sample)]
	bad, err = diagnose.Polluters(ctx, underPatch{p.Runner, c.Built.Overlay}, p.Groups, victims, of)
	if err != nil || len(bad) == 0 {
		return nil, bad, err
	}
	wider, err = p.Widen(ctx, cause.with(bad), c)
	if wider != nil && len(wider.Fixes) < len(c.Fixes) {
		wider = nil
	}
	return wider, bad, err
}

// CleansUpAfter reports whether the candidate's statements run after the test, and before tests of other
// classes.
func (p *Patcher) CleansUpAfter(c *Candidate, t suite.TestID) bool {
	return c.cleansUp() && slices.ContainsFunc(c.Edit.spots(), func(at suite.TestID) bool {
		return sameSpot(p.Groups, c.Edit.Location, at, t)
	})
}

// atOthers returns the candidate, which has its statements at a test that needs them, with the same
// statements at further tests of the cause that it does not fix. One proof is then enough for all
// of them. It is nil if this fixes no further test, or if the rest of the time is kept for the
// proof.
func (p *Patcher) atOthers(ctx context.Context, cause Cause, c *Candidate) (*Candidate, error) {
	late := !p.Settle.IsZero() && time.Now().After(p.Settle)
	setsUp := c.Edit.Location.Place() == patch.VictimSetup || c.Edit.Location == patch.VictimStart
	if late || !setsUp || !c.short() {
		return nil, nil
	}
	spot := p.Groups.Unit // a setup is that of a class
	if c.Edit.Location == patch.VictimStart {
		spot = func(t suite.TestID) string { return string(t) }
	}
	wide, tried, unfit := c, map[string]bool{}, map[string]bool{}
	for _, at := range c.Edit.spots() {
		tried[spot(at)] = true
	}
	for _, cs := range cause.Cases {
		unit := p.Groups.Unit(cs.Test)
		if slices.Contains(c.Fixes, cs.Test) || tried[spot(cs.Test)] || unfit[unit] || len(tried) > maxSpread {
			continue
		}
		tried[spot(cs.Test)] = true
		next, err := p.at(ctx, wide, cs.Test)
		if err != nil {
			return nil, err
		}
		if next != nil {
			wide = next
		} else {
			unfit[unit] = true
		}
	}
	if wide == c {
		return nil, nil
	}
	if err := p.countApart(ctx, cause, wide, c.Fixes); err != nil {
		return nil, err
	}
	return p.onlyUseful(ctx, cause, wide, c)
}

// countApart counts as count does, and runs each test that is not among the known ones once more by
// itself: in a process with others, their statements may have restored the state for it.
func (p *Patcher) countApart(ctx context.Context, cause Cause, c *Candidate, known []suite.TestID) error {
	if err := p.count(ctx, cause, c); err != nil || cause.Brittle() {
		return err // brittle tests run by themselves
	}
	var mu sync.Mutex
	var hidden []suite.TestID
	err := each(ctx, p.Runner.Parallel(), c.Fixes, func(ctx context.Context, t suite.TestID) error {
		if slices.Contains(known, t) {
			return nil
		}
		own := failingOrders(cause, []suite.TestID{t})[0]
		run, err := p.Runner.Run(ctx, own, Trial{Price: suite.Warm, Overlay: c.Built.Overlay})
		if err == nil && run.Last().Outcome != suite.Pass {
			mu.Lock()
			defer mu.Unlock()
			hidden = append(hidden, t)
		}
		return err
	})
	c.Fixes = slices.DeleteFunc(c.Fixes, func(t suite.TestID) bool { return slices.Contains(hidden, t) })
	c.Fixed -= len(hidden)
	return err
}

// onlyUseful returns the wide candidate without the locations at which it fixes no test; nil if it
// fixes no more tests than the narrow one.
func (p *Patcher) onlyUseful(ctx context.Context, cause Cause, wide, narrow *Candidate) (*Candidate, error) {
	useful := suite.Filter(wide.Edit.Also, func(at suite.TestID) bool {
		return slices.ContainsFunc(wide.Fixes, func(t suite.TestID) bool { return sameSpot(p.Groups, wide.Edit.Location, at, t) })
	})
	if len(useful) < len(wide.Edit.Also) && len(useful) > 0 {
		edit := wide.Edit
		edit.Also = useful
		built, err := p.Editor.Build(ctx, edit)
		if err != nil {
			return nil, err
		}
		fixed := wide.Fixes
		wide = wide.anew(edit, built)
		if err := p.countApart(ctx, cause, wide, fixed); err != nil {
			return nil, err
		}
	}
	if len(useful) == 0 || len(wide.Fixes) <= len(narrow.Fixes) {
		return nil, nil
	}
	wide.Left, wide.unmeasured = narrow.Left, narrow.unmeasured
	return wide, nil
}

// sameSpot reports whether the location at test a is the same as at test b.
func sameSpot(g *suite.Groups, place patch.Location, a, b suite.TestID) bool {
	return a == b || inHook(place) && g.Unit(a) == g.Unit(b)
}

// inHook reports whether the statements run before or after the tests of a group, and not in one of
// them.
func inHook(place patch.Location) bool {
	return place.Place() == patch.PolluterTeardown || place.Place() == patch.VictimSetup
}

// underPatch runs orders with the patched classes of a candidate.
type underPatch struct {
	runner  Runner
	overlay string
}

func (u underPatch) Run(ctx context.Context, o suite.Order, price suite.Price, alone bool) (*suite.Run, error) {
	return u.runner.Run(ctx, o, Trial{Price: price, Overlay: u.overlay, Alone: alone})
}

func (u underPatch) Parallel() int { return u.runner.Parallel() }

// Widen returns a candidate whose proof found orders with failing tests, after these orders were
// added to the cause's whole orders. The new candidate cleans up after further polluters, or claims
// fewer tests. It is nil if no test is left, or nothing changed.
func (p *Patcher) Widen(ctx context.Context, cause Cause, c *Candidate) (*Candidate, error) {
	next := c.anew(c.Edit, c.Built)
	if err := p.count(ctx, cause, next); err != nil {
		return nil, err
	}
	if err := p.spread(ctx, cause, next); err != nil || len(next.Fixes) == 0 {
		return nil, err
	}
	if slices.Equal(next.Edit.Also, c.Edit.Also) && slices.Equal(next.Fixes, c.Fixes) {
		return nil, nil
	}
	return next, nil
}

// Elsewhere takes a candidate whose proof failed, and returns candidates with the same statements
// in later locations that no other candidate uses for them. Statements that harm other tests in the
// setup of a class may harm none at the start of one test.
func (p *Patcher) Elsewhere(ctx context.Context, cause Cause, refused *Candidate, others []*Candidate) ([]*Candidate, error) {
	all := p.spots(cause)
	at := slices.Index(all, spot{refused.Edit.Location, refused.Edit.At})
	if at < 0 { // it is at another test of the same cause
		at = slices.IndexFunc(all, func(s spot) bool { return s.location == refused.Edit.Location })
	}
	if at < 0 || refused.Edit.Made.Rewrites() {
		return nil, nil
	}
	p.began, p.until = time.Now(), time.Time{} // the refused candidate limits no search any more
	var out []*Candidate
	for _, spot := range all[at+1:] {
		if slices.ContainsFunc(others, func(o *Candidate) bool {
			same := spot.atVictim() || sameSpot(p.Groups, spot.location, o.Edit.At, spot.at)
			return same && o.Edit.Location == spot.location && o.Edit.sameSource(refused.Edit)
		}) {
			continue
		}
		of := Edit{Helper: refused.Edit.Helper, Made: refused.Edit.Made}
		c, err := p.place(ctx, cause, of, &minimal{keep: refused.untrimmed}, spot, []*Candidate{refused})
		if _, ok := errors.AsType[*UnfitError](err); err != nil && !ok {
			return out, err
		}
		if err != nil || c == nil {
			continue
		}
		wide, err := p.wider(ctx, cause, c)
		if err != nil {
			return append(out, c), err
		}
		if wide != nil {
			out = append(out, wide)
		}
		out = append(out, c)
	}
	rank(out, cause.SetUp)
	return out, nil
}

// Extend adds tests of other causes to the tests that a candidate fixes, if it fixes these as well,
// so that they are proved together. It tries the candidate unchanged. If the candidate is one
// statement that cleans up, it also tries this statement after the other cause's polluter. One
// patch of one statement in several locations is easier to review than several patches.
func (p *Patcher) Extend(ctx context.Context, c *Candidate, others []Cause) error {
	c.Fixes = slices.Clone(c.Fixes)
	for _, cause := range others {
		if len(cause.Cases) == 0 {
			continue
		}
		also := c.anew(c.Edit, c.Built)
		if err := p.count(ctx, cause, also); err != nil {
			return err
		}
		if len(also.Fixes) == 0 {
			next, err := p.afterToo(ctx, cause, c)
			if err != nil {
				return err
			}
			if next == nil {
				continue
			}
			also, c.Edit, c.Built = next, next.Edit, next.Built
		}
		c.Fixes = suite.AppendNew(c.Fixes, also.Fixes...)
	}
	return nil
}

// afterToo returns the candidate with its statement also after the other cause's polluter. It is
// nil if this is not possible, does not fix all tests of that cause, or if the rest of the time is
// kept for the proof.
func (p *Patcher) afterToo(ctx context.Context, cause Cause, c *Candidate) (*Candidate, error) {
	late := !p.Settle.IsZero() && time.Now().After(p.Settle)
	if late || !c.cleansUp() || !c.short() || cause.Brittle() || len(c.Edit.Also) >= maxSpread {
		return nil, nil
	}
	next, err := p.at(ctx, c, p.cleaningUp(cause)[0])
	if err != nil || next == nil || next == c {
		return nil, err
	}
	if err := p.count(ctx, cause, next); err != nil || !next.all(cause) {
		return nil, err
	}
	return next, nil
}

// at returns the candidate with its statements at one more test. It is nil if that test shares a
// location that has them or they cannot be added, and c itself if they run there already.
func (p *Patcher) at(ctx context.Context, c *Candidate, t suite.TestID) (*Candidate, error) {
	if slices.ContainsFunc(c.Edit.spots(), func(spot suite.TestID) bool { return sameSpot(p.Groups, c.Edit.Location, spot, t) }) {
		return nil, nil
	}
	edit := c.Edit
	edit.Also = append(slices.Clone(edit.Also), t)
	built, err := p.Editor.Build(ctx, edit)
	if _, ok := errors.AsType[*UnfitError](err); ok {
		p.log().Info("the statements cannot be at a further test", zap.String("test", string(t)), zap.Error(err))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if maps.Equal(built.Files, c.Built.Files) {
		return c, nil
	}
	for i := len(c.Edit.Also); i >= 0; i-- { // one hook may take the place of several
		less := edit.withoutSpot(i)
		if !inHook(edit.Location) || !p.Groups.Same(edit.spots()[i], t) {
			continue
		}
		if same, err := p.Editor.Build(ctx, less); err == nil && maps.Equal(same.Files, built.Files) {
			edit = less
		}
	}
	return c.anew(edit, built), nil
}
