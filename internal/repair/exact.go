package repair

import (
	"context"
	"slices"

	"go.uber.org/zap"
)

// goodEnough reports whether a candidate fixes everything with one statement, and leaves no
// difference. No other helper and no later location can be better.
func (p *Patcher) goodEnough(cause Cause, all []*Candidate) bool {
	return slices.ContainsFunc(all, func(c *Candidate) bool {
		return c.short() && c.all(cause) && c.Left == 0 && !c.unmeasured && !c.Edit.Made.RenewsContext()
	})
}

// restored reports whether a candidate is known to restore the state exactly. The statements of a
// helper that is not known yet would hardly be better, and finding it takes long.
func restored(cause Cause, all []*Candidate) bool {
	return slices.ContainsFunc(all, func(c *Candidate) bool { return c.restores(cause) })
}

// measure counts what the polluter still leaves changed with the candidate. Statements that a test
// uses for itself may write that test's own data, and do so in every location. Saved values and
// declarations restore the state that they are for exactly; see measureSaved. Without an answer the
// candidate counts as exact, unless the time ended before there was one.
func (p *Patcher) measure(ctx context.Context, cause Cause, c *Candidate, others []*Candidate) {
	if p.Finder == nil || cause.Brittle() || !c.all(cause) {
		return
	}
	if c.Edit.Made.Rewrites() || c.saves() {
		c.exact = true
		return
	}
	if !c.cleansUp() {
		for _, o := range others {
			if o.cleansUp() && o.Edit.sameSource(c.Edit) {
				c.Left, c.unmeasured = max(c.Left, o.Left), c.unmeasured || o.unmeasured
			}
		}
		return
	}
	left, known, err := p.Finder.Left(ctx, cause, c.Built.Overlay)
	if err != nil {
		p.log().Info("what the polluter leaves with a patch", zap.Error(err))
		c.unmeasured = ctx.Err() != nil
		return
	}
	c.Left, c.exact = left, known && left == 0
}

// measureSaved measures the candidates that save values if one that saves none leaves other state
// changed. They may leave that state, too. If both leave the same, the shorter one is better. Without an
// answer, a candidate that saves values counts as exact.
func (p *Patcher) measureSaved(ctx context.Context, cause Cause, all []*Candidate) {
	leaves := func(o *Candidate) bool { return o.all(cause) && o.Left > 0 && !o.saves() }
	if p.Finder == nil || cause.Brittle() || !slices.ContainsFunc(all, leaves) {
		return
	}
	for _, c := range all {
		if ctx.Err() != nil || !c.saves() || !c.all(cause) {
			continue
		}
		left, known, err := p.Finder.Left(ctx, cause, c.Built.Overlay)
		if err != nil {
			p.log().Info("what the polluter leaves with a patch that saves values", zap.Error(err))
		} else if known {
			c.Left, c.exact = left, left == 0
		}
	}
}
