package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// Finder proposes statements that no test contains and that may restore the state that a cause
// leaves changed. Such statements call reset methods, found in the code, or restore state of the
// process (ODRepair: Li et al., ICSE 2022). The likeliest come first.
type Finder interface {
	// Find returns all that it can propose. With an error, or at the end of the time, it returns
	// the proposals that it has so far.
	Find(ctx context.Context, cause Cause) ([]patch.Made, error)
	// Rewrites proposes changes of what the sources hold already, such as declarations that give
	// every test its own copy of a static field of its class. The state is what the cause is known to
	// leave changed. It runs nothing.
	Rewrites(ctx context.Context, cause Cause) []patch.Made
	// Left counts the differences that the polluter leaves, with a patch, in the state through which
	// the cause affects its tests. known is false if this state is not known.
	Left(ctx context.Context, cause Cause, overlay string) (left int, known bool, err error)
}

// Limits for trying statements that no helper contains.
const (
	resetTime       = 60 * time.Second // for each cause, to find statements; and at least the same again to try them
	resetSpare      = 20 * time.Second // instead of resetTime, if a helper has already given a patch
	resetShare      = 4                // or 1/resetShare of the time that is left for the job, if that is more
	resetSpareShare = 12               // instead of resetShare, if a helper has already given a patch
	resetBatch      = 40               // statements with switches in one compilation
	compileShare    = 4                // the first run of a build takes at most 1/compileShare of the time that is left
	resetHints      = 10 * time.Second // to try all statements of a batch in one process
	resetFirst      = 3                // statements that are tried in a spot one by one before all others
	resetGroup      = 8                // statements that are tried together
	resetWorks      = 3                // statements that help and are then placed
	resetLate       = 2 * time.Second  // that others have at least after one that helps
	resetLateTimes  = 3                // or so many times what that one took
	resetStates     = 4                // number of states whose likeliest statements are tried together
	resetFits       = 8                // compilations of a batch; each leaves out statements that did not compile before
)

// ErrNoReset says that every proposed statement was tried, and none restores the state.
var ErrNoReset = errors.New("no statement that odfix found restores the state")

// errOtherState says that the statements that were found restore one of several states.
var errOtherState = errors.New("the test still fails after another test, which changes other state")

// ErrResetTime says that the time for trying statements ended before all were tried.
var ErrResetTime = errors.New("the time for trying statements that restore the state ended before one was found")

// resets is the search for statements of one cause. It goes on where it stopped if it is resumed.
type resets struct {
	of     string           // the failing order with which the statements are tried
	made   []patch.Made     // what the Finder proposed
	whole  bool             // the Finder proposed all that it can
	placed map[string]bool  // proposals that were tried in their locations, by keyOf
	trays  map[string]*tray // by spot and statements; nil: none of the statements compiles there
	quick  bool             // the first run of an edit does not take long
	slow   bool             // a process that tries all statements, one after the other, shows too little in its time

	running   sync.Mutex // held while the order runs without statements
	unpatched *suite.Run // that run; nil: none yet
}

// resume returns the search for the cause's statements.
func (p *Patcher) resume(cause Cause) *resets {
	if of := cause.Cases[0].Failing[0].Key(); p.search == nil || p.search.of != of {
		p.search = &resets{of: of, placed: map[string]bool{}, trays: map[string]*tray{}}
	}
	return p.search
}

// add adds proposals that are new.
func (s *resets) add(made []patch.Made) {
	for _, m := range made {
		if !slices.ContainsFunc(s.made, func(o patch.Made) bool { return keyOf(o) == keyOf(m) }) {
			s.made = append(s.made, m)
		}
	}
}

func keyOf(m patch.Made) string { return fmt.Sprintf("%+v", m) }

// fromResets tries each statement that the Finder proposes, and places those that help.
func (p *Patcher) fromResets(ctx context.Context, cause Cause, spare bool) ([]*Candidate, error) {
	if p.Finder == nil {
		return nil, nil
	}
	limit := resetLimit(ctx, spare)
	s, short := p.resume(cause), error(nil)
	if !s.whole {
		p.say("looking for statements that restore the state")
		var made []patch.Made
		made, short = p.find(ctx, cause, limit)
		if s.add(made); len(s.made) == 0 && short != nil {
			return nil, short
		}
		s.whole = short == nil
	}
	if !spare && !p.GiveUp.IsZero() {
		limit = max(limit, time.Until(p.GiveUp))
	}
	p.say("trying statements that may restore the state")
	trying, cancel := budget.Pausable(ctx, limit, context.DeadlineExceeded)
	defer cancel()
	lead, made, err := p.lead(ctx, cause, s)
	if err != nil || slices.ContainsFunc(lead, func(c *Candidate) bool { return c.short() && c.all(cause) }) {
		return lead, err
	}
	trying, stop := p.better(trying, cause, lead) // one statement may do what several of the lead do
	defer stop()
	for {
		help, why, err := p.helping(trying, cause, s, made)
		over := trying.Err() != nil // not all statements were tried
		if err != nil {
			if ctx.Err() == nil && over {
				err = ErrResetTime
			}
			return lead, err
		}
		out, err := p.placed(ctx, cause, help)
		switch out = append(lead, out...); {
		case len(out) > 0 || err != nil || ctx.Err() != nil:
			return out, err
		case p.onlyPartial(nil):
			s.leaveOut(help)
			return nil, errOtherState
		case short != nil:
			return nil, short
		case over:
			return nil, ErrResetTime
		case why != nil || len(help) == 0:
			return nil, why
		}
		s.leaveOut(help) // what helped cannot be written as a patch, another statement may
	}
}

// leaveOut marks proposals as tried in their locations.
func (s *resets) leaveOut(made []patch.Made) {
	for _, m := range made {
		s.placed[keyOf(m)] = true
	}
}

// resetLimit is the time for finding statements. Trying them may take the same time again, or until
// GiveUp if there is no patch yet.
func resetLimit(ctx context.Context, spare bool) time.Duration {
	if spare {
		return budget.Part(ctx, resetSpare, resetSpareShare)
	}
	return budget.Part(ctx, resetTime, resetShare)
}

// find asks the Finder, within its own time limit. The error says why statements may be missing.
func (p *Patcher) find(ctx context.Context, cause Cause, limit time.Duration) ([]patch.Made, error) {
	finding, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	made, err := p.Finder.Find(finding, cause)
	if err != nil && ctx.Err() == nil && finding.Err() != nil {
		err = ErrResetTime
	}
	return made, err
}

// lead tries the proposals before the first one that can have a switch in all locations. They are
// likelier than the rest, which it returns as left.
func (p *Patcher) lead(ctx context.Context, cause Cause, s *resets) (out []*Candidate, left []patch.Made, err error) {
	n := max(0, slices.IndexFunc(s.made, func(m patch.Made) bool { return m.Switchable() }))
	fresh := slices.DeleteFunc(slices.Clone(s.made[:n]), func(m patch.Made) bool { return s.placed[keyOf(m)] })
	if len(fresh) > 0 {
		if out, err = p.placed(ctx, cause, fresh); err == nil {
			s.leaveOut(fresh)
		}
	}
	return out, s.made[n:], err
}

// placed tries the statements in every location. It stops at the first candidate that is good
// enough, or after a few statements of which one fixes everything and restores the state exactly.
func (p *Patcher) placed(ctx context.Context, cause Cause, made []patch.Made) ([]*Candidate, error) {
	var out []*Candidate
	for i, m := range made {
		if i >= resetWorks && slices.ContainsFunc(out, func(c *Candidate) bool { return c.Left == 0 && !c.unmeasured || i >= 2*resetWorks }) || ctx.Err() != nil {
			break
		}
		more, stop := p.better(ctx, cause, out)
		found, err := p.everyLocation(more, cause, Edit{Made: &m}, &minimal{keep: m.IDs()})
		over := more.Err() != nil
		stop()
		out = append(out, found...)
		if over && len(out) > 0 {
			break
		}
		if err != nil {
			return out, err
		}
		if p.goodEnough(cause, out) {
			break
		}
	}
	return out, nil
}

// rewritten returns the candidates that change what the sources hold already: that give every test its
// own copy of state that the tests of one class share, or make a test wait for what it begins. If one
// of them changes a single declaration and fixes all tests of the cause, no statement elsewhere is
// better.
func (p *Patcher) rewritten(ctx context.Context, cause Cause) ([]*Candidate, error) {
	if p.Finder == nil || cause.Brittle() || p.Place != "" {
		return nil, nil
	}
	return p.placed(ctx, cause, p.Finder.Rewrites(ctx, cause))
}

// helping returns the statements with which the first failing order of the cause passes, and that
// were not placed yet. Proposals that need their own fields, or several statements, are returned
// untried, because they are tried in their locations later. If none helps, why is ErrNoReset if all
// statements were tried, else ErrResetTime.
func (p *Patcher) helping(ctx context.Context, cause Cause, s *resets, made []patch.Made) (out []patch.Made, why, err error) {
	switchable := suite.Filter(made, func(m patch.Made) bool { return m.Switchable() })
	ok, all, err := p.firstHelping(ctx, cause, mostStatesFirst(switchable))
	if err != nil {
		return nil, nil, err
	}
	for _, m := range made {
		same := func(o patch.Made) bool { return slices.Equal(m.Statements, o.Statements) }
		if !m.Switchable() && !s.placed[keyOf(m)] || slices.ContainsFunc(ok, same) {
			out = append(out, m)
		}
	}
	for _, m := range ok {
		if len(m.Statements) > 1 {
			out = append(out, m)
		}
	}
	switch {
	case len(ok) > 0 || ctx.Err() != nil:
	case all:
		why = ErrNoReset
	default:
		why = ErrResetTime
	}
	return out, why, nil
}

// mostStatesFirst returns the statements such that the first batch has the likeliest of each of
// several states, so that these can be tried together.
func mostStatesFirst(made []patch.Made) []patch.Made {
	if len(made) <= resetBatch {
		return made
	}
	var first, rest []patch.Made
	for i, m := range made {
		states := statesOf(made[:i])
		if i < resetBatch-resetStates || len(states) < resetStates && !slices.Contains(states, m.Resets) {
			first = append(first, m)
		} else {
			rest = append(rest, m)
		}
	}
	return append(first, rest...)
}

// statesOf returns the states that the statements restore.
func statesOf(made []patch.Made) []string {
	var out []string
	for _, m := range made {
		if !slices.Contains(out, m.Resets) {
			out = append(out, m.Resets)
		}
	}
	return out
}

// firstHelping tries the batches in turn, and returns the first statements that help. A batch's
// likeliest statements run in every spot before its groups do in any: what threads of the polluter
// change after its end, a statement in its teardown comes too early for. A statement that does not
// help in any group runs separately at last, since another one of its group may do harm.
func (p *Patcher) firstHelping(ctx context.Context, cause Cause, made []patch.Made) (ok []patch.Made, all bool, err error) {
	all = true
	search := p.resume(cause)
	tried, why := false, error(nil) // why: no statement can be placed in the spot
	for batch := range slices.Chunk(made, resetBatch) {
		var trays []*tray
		for _, at := range p.trials(cause, patch.PolluterTeardown) {
			t, err := p.tray(ctx, cause, batch, at)
			var unfit *UnfitError
			switch {
			case ctx.Err() != nil:
				return nil, false, nil
			case errors.As(err, &unfit):
				all = all && !unfit.Unknown // the next spot, or the next batch, may compile sooner
				// Most classes have no setup that could need the state.
				if why == nil || at.location != patch.VictimSetupStart {
					why = err
				}
				continue
			case err != nil:
				return nil, false, err
			}
			if tried = true; t == nil {
				continue
			}
			if trays = append(trays, t); len(trays) == 1 {
				ok, err = t.first(ctx, search)
			} else {
				ok, err = t.likeliest(ctx)
			}
			if len(ok) > 0 || err != nil {
				return enough(ctx, ok, err)
			}
		}
		for _, t := range trays {
			if ok, err = t.first(ctx, search); len(ok) > 0 || err != nil {
				return enough(ctx, ok, err)
			}
			if ok, err = t.inGroups(ctx); len(ok) > 0 || err != nil {
				return enough(ctx, ok, err)
			}
			if ok, err = p.twice(ctx, cause, t); len(ok) > 0 || err != nil {
				return enough(ctx, ok, err)
			}
		}
		for _, t := range trays {
			if ok, err = t.helping(ctx, t.upTo(len(t.made))); len(ok) > 0 || err != nil {
				return enough(ctx, ok, err)
			}
		}
	}
	if !tried && all && why != nil {
		return nil, false, why
	}
	return nil, all, nil
}

// enough returns the statements that help. If none helps, it returns the error of a trial, unless
// the time has ended.
func enough(ctx context.Context, ok []patch.Made, err error) ([]patch.Made, bool, error) {
	if len(ok) > 0 || ctx.Err() != nil {
		return ok, false, nil
	}
	return nil, false, err
}

// together joins several proposals into one.
func together(made []patch.Made) patch.Made {
	var all patch.Made
	var places []string
	for _, m := range made {
		all.Statements, all.Await = append(all.Statements, m.Statements...), append(all.Await, m.Await...)
		for _, i := range m.Imports {
			if !slices.Contains(all.Imports, i) {
				all.Imports = append(all.Imports, i)
			}
		}
		all.Reflects = all.Reflects || m.Reflects
		if !slices.Contains(places, m.Resets) {
			places = append(places, m.Resets)
		}
	}
	all.Resets = strings.Join(places, ", ")
	return all
}
