package repair

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// Patcher searches patches for causes. Editor, Runner and Groups must be set.
type Patcher struct {
	Editor   Editor
	Runner   Runner
	Groups   *suite.Groups // says which tests are declared in one class
	Log      *zap.Logger
	Progress func(message string)
	// Took returns how long the tests of an order last ran, as far as this is known; nil: it is not.
	Took func(suite.Order) time.Duration

	// CompilesLate says that the first run of an edit compiles it, which may take much longer than
	// the run.
	CompilesLate bool
	// Finder proposes statements that no helper contains; nil: patches come from helpers only.
	Finder Finder
	// Place is the only location that candidates may have; empty: any.
	Place patch.Location
	// Settle ends the search for a better patch once there is one. The time after it is for the
	// proof. Zero: the search lasts as long as the context.
	Settle time.Time
	// GiveUp is the time until which statements that no helper contains may be tried if there is no
	// patch yet. The time after it is for a proof, and for other causes. Zero: they have a limit only.
	GiveUp time.Time

	// Thorough makes the search go on after it has found a Partial candidate.
	Thorough bool
	// HelpersOnly leaves out the statements that the Finder proposes.
	HelpersOnly bool

	began, until time.Time              // when the search for candidates began; when the search for a better one ends
	least        time.Duration          // how long that search may take in any case
	slowDraft    bool                   // drafts take long
	search       *resets                // the search for statements that no helper contains
	partial      []*Candidate           // see Partial
	polluters    map[string]suite.Order // what makes the last test of an order fail with a candidate, by Order.Key
}

// took is Took, or 0.
func (p *Patcher) took(o suite.Order) time.Duration {
	if p.Took == nil {
		return 0
	}
	return p.Took(o)
}

// errNoLocation means that statements help in a trial, but not as a patch in any location.
var errNoLocation = errors.New("what makes the test pass after one polluter cannot be written as a patch, or leaves it failing in other " +
	"orders")

// fromHelper minimises one helper's statements and tries them in every location.
func (p *Patcher) fromHelper(ctx context.Context, cause Cause, helper suite.Order) ([]*Candidate, error) {
	p.say("minimising the statements of " + string(helper[len(helper)-1]))
	statements, err := p.Editor.Script(ctx, helper, cause.Cases[0].Test)
	if err != nil {
		return nil, err
	}
	if len(statements) == 0 {
		return nil, &UnfitError{Reason: "the helper has no statements that could be read"}
	}
	s := newScript(helper, statements)
	first := cause.Cases[0]
	out, err := p.inLocations(ctx, s, cause, first.Failing[:1])
	fixed := slices.ContainsFunc(out, func(c *Candidate) bool { return slices.Contains(c.Fixes, first.Test) })
	if err != nil || fixed || len(first.Failing) < 2 {
		return out, err
	}
	// Statements that restore the state after the first polluter may not do so after others. Then
	// more of the helper's statements may be needed.
	min, err := p.minimise(ctx, s, cause, first.Failing, false)
	if err != nil {
		p.log().Info("the helper restores the state after one polluter only", zap.Error(err))
		return out, nil
	}
	more, err := p.everyLocation(ctx, cause, Edit{Helper: helper}, min)
	return append(out, more...), err
}

// inLocations minimises the helper's statements for these failing orders, and tries the result in
// every location. If a hint leads to nothing that helps, it minimises again without the hint.
func (p *Patcher) inLocations(ctx context.Context, s *script, cause Cause, failing []suite.Order) (out []*Candidate, err error) {
	for _, flips := range []bool{true, false} {
		min, err := p.minimise(ctx, s, cause, failing, flips)
		if err != nil {
			return nil, err
		}
		out, err = p.everyLocation(ctx, cause, Edit{Helper: s.helper}, min)
		if err != nil || len(out) > 0 || !min.hinted {
			return out, err
		}
	}
	return out, nil
}

// everyLocation tries the minimal statements of the edit in every location. The error says why none of
// the locations works.
func (p *Patcher) everyLocation(ctx context.Context, cause Cause, of Edit, min *minimal) ([]*Candidate, error) {
	var out []*Candidate
	var unfit *UnfitError
	at := p.spots(cause)
	switch {
	case of.Made.Rewrites() && p.Place != "" && (p.Place != patch.PolluterBody || len(of.Made.Await) == 0):
		return nil, nil // what is there already is none of the places that can be chosen
	case of.Made.Rewrites():
		at = []spot{{patch.Declaration, cause.Cases[0].Test}}
		if len(of.Made.Annotate) > 0 {
			at[0].at = p.cleaningUp(cause)[0]
		}
		if len(of.Made.Await) > 0 {
			at[0] = spot{patch.PolluterBody, p.cleaningUp(cause)[0]}
		}
	}
	for _, spot := range at {
		if spot.atVictim() && len(p.unitsOf(cause)) > 1 && slices.ContainsFunc(out, func(c *Candidate) bool { return c.all(cause) }) {
			continue // no location at one victim fixes those of other classes; see Elsewhere
		}
		more, stop := p.better(ctx, cause, out)
		c, err := p.place(more, cause, of, min, spot, out)
		over := more.Err() != nil
		stop()
		if err != nil && over && len(out) > 0 {
			break
		}
		if err != nil {
			if !errors.As(err, &unfit) {
				return out, err
			}
			p.log().Debug("location does not fit", zap.String("location", string(spot.location)),
				zap.String("at", string(spot.at)), zap.Error(err))
			continue
		}
		if c != nil {
			wide, err := p.wider(ctx, cause, c)
			if err != nil {
				return append(out, c), err
			}
			if wide != nil {
				out = append(out, wide)
			}
			out = append(out, c)
		}
		if slices.ContainsFunc(p.partial, func(c *Candidate) bool { return c.Edit.sameSource(of) }) {
			break // the other state stays changed, wherever these statements are
		}
		if slices.ContainsFunc(out, func(c *Candidate) bool {
			enough := c.short() && c.all(cause) || len(c.Edit.Also) == 0 && c.restores(cause)
			return enough && (c.passesTwice || !cause.Twice || spot.atVictim())
		}) {
			break // no later location is better; see Elsewhere
		}
	}
	return out, nil
}

// wider returns the candidate with its statements at further tests of the cause; nil if that does not
// help, or is not possible.
func (p *Patcher) wider(ctx context.Context, cause Cause, c *Candidate) (*Candidate, error) {
	more, stop := p.better(ctx, cause, []*Candidate{c})
	defer stop()
	wide, err := p.atOthers(more, cause, c)
	if _, unfit := errors.AsType[*UnfitError](err); unfit || more.Err() != nil && ctx.Err() == nil {
		return nil, nil
	}
	return wide, err
}

// unitsOf returns the classes that declare the cause's tests.
func (p *Patcher) unitsOf(cause Cause) map[string]bool {
	out := map[string]bool{}
	for _, c := range cause.Cases {
		out[p.Groups.Unit(c.Test)] = true
	}
	return out
}

// place builds the minimal statements into one spot, and counts the tests that they fix there. The
// candidate is nil if they fix none, or cannot be better there than other candidates.
func (p *Patcher) place(ctx context.Context, cause Cause, of Edit, min *minimal, at spot, others []*Candidate) (*Candidate, error) {
	if of.Made != nil && len(of.Made.Fields) > 0 && at.atVictim() {
		return nil, nil // a field would keep the value from before the victim, which is the polluted one
	}
	of.Keep, of.Location, of.At = min.keep, at.location, at.at
	edit, built, err := p.build(ctx, of)
	if err != nil {
		return nil, err
	}
	c := &Candidate{Helper: of.Helper, Edit: edit, Built: built, Unfinished: min.unfinished, untrimmed: min.keep}
	if outdone(c, others, cause) {
		return nil, nil
	}
	if harmed, err := p.harmsItself(ctx, c); harmed || err != nil {
		return nil, err
	}
	if err := p.count(ctx, cause, c); err != nil {
		return nil, err
	}
	if err := p.spread(ctx, cause, c); err != nil || len(c.Fixes) == 0 {
		return nil, err
	}
	if err := p.trim(ctx, cause, c); err != nil {
		return c, err
	}
	if cause.Twice {
		own := cause.Cases[0].Test
		run, err := p.Runner.Run(ctx, suite.Order{own, own}, Trial{Price: suite.Warm, Overlay: c.Built.Overlay})
		c.passesTwice = err == nil && run.Last().Outcome == suite.Pass // without an answer, it is a candidate nevertheless
	}
	p.measure(ctx, cause, c, others)
	return c, nil
}

// harmsItself reports whether a test that waits for what it begins fails: it may check what is the case
// before, or what it begins fails, which nobody has seen.
func (p *Patcher) harmsItself(ctx context.Context, c *Candidate) (bool, error) {
	if c.Edit.Location != patch.PolluterBody {
		return false, nil
	}
	run, err := p.Runner.Run(ctx, suite.Order{c.Edit.At}, Trial{Price: suite.Warm, Overlay: c.Built.Overlay})
	if err != nil {
		return false, err
	}
	if run.Last().Outcome == suite.Fail {
		p.log().Info("the polluter fails if it waits", zap.String("test", string(c.Edit.At)), zap.Strings("statements", c.Built.Statements))
	}
	return run.Last().Outcome == suite.Fail, nil
}

// outdone reports whether a candidate at the polluter's end is no shorter than one that fixes everything
// in its teardown, or for Cause.SetUp in that of its class. Orders that refute one of them refute the
// other, too. This is not so for locations at the victim.
func outdone(c *Candidate, others []*Candidate, cause Cause) bool {
	return c.Edit.Location == patch.PolluterEnd && slices.ContainsFunc(others, func(o *Candidate) bool {
		once := cause.SetUp && o.Edit.Location == patch.PolluterClassTeardown
		return (o.Edit.Location == patch.PolluterTeardown || once) && o.all(cause) && o.size() <= c.size()
	})
}

// build renders the edit inline. If that is not possible, it renders it as a method.
func (p *Patcher) build(ctx context.Context, e Edit) (Edit, *Built, error) {
	var first error
	for _, style := range []patch.Style{patch.Inline, patch.Method} {
		e.Style, e.Complete = style, true
		built, err := p.Editor.Build(ctx, e)
		if err == nil {
			e.Keep, e.Complete = built.Kept, false
			return e, built, nil
		}
		if _, ok := errors.AsType[*UnfitError](err); !ok {
			return e, nil, err
		}
		first = cmp.Or(first, err)
	}
	return e, nil, first
}

// trim drops statements that the candidate's location does not need. A teardown may have variables
// that a victim's start must declare first.
func (p *Patcher) trim(ctx context.Context, cause Cause, c *Candidate) error {
	for i := 0; i < len(c.Edit.Keep) && len(c.Edit.Keep) > 1; {
		less, err := p.lesser(ctx, cause, c, c.Edit.withoutStatement(i))
		if _, ok := errors.AsType[*UnfitError](err); err != nil && !ok {
			return err
		}
		if less == nil {
			i++
			continue
		}
		c.Edit, c.Built, i = less.Edit, less.Built, 0
	}
	return nil
}

// lesser returns the candidate with a smaller edit. It is nil if the edit does not compile, or
// fixes fewer tests. If there are many tests, the first few run in their own processes; then all
// run together, as in count.
func (p *Patcher) lesser(ctx context.Context, cause Cause, c *Candidate, e Edit) (*Candidate, error) {
	orders := failingOrders(cause, c.Fixes)
	built, err := p.works(ctx, e, orders[:min(cohort.Sample, len(orders))])
	if err != nil || built == nil {
		return nil, err
	}
	less := c.anew(e, built)
	if len(orders) <= cohort.Sample {
		return less, nil
	}
	if err := p.count(ctx, cause, less); err != nil || len(less.Fixes) < len(c.Fixes) {
		return nil, err
	}
	return less, nil
}

// works builds the edit, and returns it if each of the orders passes in its own process, else nil.
// The error is an *UnfitError only if this took too long to find out.
func (p *Patcher) works(ctx context.Context, e Edit, orders []suite.Order) (*Built, error) {
	built, err := p.Editor.Build(ctx, e)
	if unfit, ok := errors.AsType[*UnfitError](err); ok && !unfit.Unknown {
		return nil, nil // it does not even compile
	}
	if err != nil {
		return nil, err
	}
	passes := func(ctx context.Context, o suite.Order, alone bool) error {
		run, err := p.Runner.Run(ctx, o, Trial{Price: suite.Warm, Overlay: built.Overlay, Alone: alone})
		if err == nil && run.Last().Outcome != suite.Pass {
			err = errFails
		}
		return err
	}
	// The first order runs before the others, since most edits that do not work fail in it.
	if err = passes(ctx, orders[0], false); err == nil {
		err = each(ctx, p.Runner.Parallel(), orders[1:], func(ctx context.Context, o suite.Order) error {
			err := passes(ctx, o, false)
			if errors.Is(err, errFails) {
				err = passes(ctx, o, true) // another process may have disturbed it
			}
			return err
		})
	}
	if errors.Is(err, errFails) {
		return nil, nil
	}
	return built, err
}

// errFails stops the trials of an edit because a test still fails with it.
var errFails = errors.New("a test still fails")

// failingOrders returns the failing orders of the given tests.
func failingOrders(cause Cause, tests []suite.TestID) []suite.Order {
	var out []suite.Order
	for _, c := range cause.Cases {
		if slices.Contains(tests, c.Test) {
			out = append(out, c.Failing...)
		}
	}
	return out
}

func (p *Patcher) say(message string) {
	if p.Progress != nil {
		p.Progress(message)
	}
}

func (p *Patcher) log() *zap.Logger {
	if p.Log == nil {
		return zap.NewNop()
	}
	return p.Log
}
