package repair

import (
	"context"
	"errors"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// Joinable reports whether the candidate's statements can be joined with others (Joined).
func (c *Candidate) Joinable() bool {
	m := c.Edit.Made
	return m != nil && len(m.Fields) == 0 && (!m.Rewrites() || len(m.Await) > 0)
}

// Joined returns a candidate with the statements of two candidates of one location. One of them
// restores the state that the cause's polluter changes, the other one what a further polluter
// changes for the same tests. The cause's whole orders have to contain that polluter. Joined returns
// nil if the statements cannot be written together, or do not fix more orders than the first
// candidate alone.
func (p *Patcher) Joined(ctx context.Context, cause Cause, a, b *Candidate) (*Candidate, error) {
	more := b.kept()
	more.Statements = slices.DeleteFunc(more.Statements, func(s string) bool { return slices.Contains(a.kept().Statements, s) })
	more.Await = slices.DeleteFunc(more.Await, func(at string) bool { return slices.Contains(a.kept().Await, at) })
	made := together([]patch.Made{a.kept(), more})
	edit := Edit{Made: &made, Keep: made.IDs(), Location: a.Edit.Location, At: a.Edit.At, Also: slices.Clone(a.Edit.Also)}
	for _, at := range b.Edit.spots() {
		if len(made.Await) > 0 {
			break // the places say where the tests wait
		}
		if !slices.ContainsFunc(edit.spots(), func(o suite.TestID) bool { return sameSpot(p.Groups, edit.Location, o, at) }) {
			edit.Also = append(edit.Also, at)
		}
	}
	if each := p.eachItsOwn(edit, a, b); len(each.Except) > 0 {
		if out, err := p.joined(ctx, cause, a, each); err != nil || out != nil && out.all(cause) {
			return out, err
		}
	}
	return p.joined(ctx, cause, a, edit)
}

// eachItsOwn returns the edit that joins two candidates, in which each test gets only the statements that
// its own candidate has there.
func (p *Patcher) eachItsOwn(edit Edit, a, b *Candidate) Edit {
	if len(edit.Made.Await) > 0 || !edit.Location.CleansUp() {
		return edit // what runs before the failing test has to restore all state
	}
	has := func(c *Candidate, at suite.TestID, text string) bool {
		for _, spot := range c.Edit.spots() {
			i := slices.Index(c.Edit.Made.Statements, text)
			if i >= 0 && sameSpot(p.Groups, edit.Location, spot, at) && slices.Contains(c.Edit.KeepAt(spot), c.Edit.Made.IDs()[i]) {
				return true
			}
		}
		return false
	}
	edit.Except = Except{}
	for _, at := range edit.spots() {
		for i, id := range edit.Keep {
			if text := edit.Made.Statements[i]; !has(a, at, text) && !has(b, at, text) {
				edit.Except[at] = append(edit.Except[at], id)
			}
		}
	}
	return edit
}

// joined builds an edit with the statements of two candidates, of which a is the first.
func (p *Patcher) joined(ctx context.Context, cause Cause, a *Candidate, edit Edit) (*Candidate, error) {
	edit, built, err := p.build(ctx, edit)
	if _, ok := errors.AsType[*UnfitError](err); ok {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := a.anew(edit, built)
	if err := p.count(ctx, cause, out); err != nil {
		return nil, err
	}
	if len(a.stillFailing) == 0 || !out.all(cause) { // it may be no better
		alone := a.anew(a.Edit, a.Built)
		if err := p.count(ctx, cause, alone); err != nil || out.Fixed <= alone.Fixed {
			return nil, err
		}
	}
	out.untrimmed = edit.Keep
	p.log().Info("statements for several states", zap.Strings("statements", edit.Made.Statements), zap.Int("orders", out.Asked),
		zap.Int("fixed", out.Fixed))
	return out, nil
}

// kept returns the statements that the candidate has, or the places at which it waits.
func (c *Candidate) kept() patch.Made {
	made := *c.Edit.Made
	made.Statements, made.Await = nil, nil
	for i, id := range c.Edit.Made.IDs() {
		switch {
		case !slices.Contains(c.Edit.Keep, id):
		case len(c.Edit.Made.Await) > 0:
			made.Await = append(made.Await, c.Edit.Made.Await[i])
		default:
			made.Statements = append(made.Statements, c.Edit.Made.Statements[i])
		}
	}
	return made
}

// StillFailing returns the orders that fail with the candidate, each up to the test that fails.
func (c *Candidate) StillFailing() []suite.Order { return c.stillFailing }
