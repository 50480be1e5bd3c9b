package repair

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// maxHelpers bounds how many helpers are tried for one cause; further ones seldom give a better
// patch (section 5.2 of the paper).
const maxHelpers = 3

// Candidates returns patches for the cause that make failing orders pass, best first. On
// cancellation it returns what it has.
func (p *Patcher) Candidates(ctx context.Context, cause Cause) ([]*Candidate, error) {
	if len(cause.Cases) == 0 {
		return nil, nil
	}
	if len(p.spots(cause)) == 0 && p.Place != patch.PolluterBody {
		return nil, &UnfitError{Reason: "a test that fails alone has no polluter after which a patch could clean up"}
	}
	p.began, p.until, p.partial = time.Now(), time.Time{}, nil
	p.least = budget.Part(ctx, leastBetter, betterShare)
	if p.Place == patch.PolluterBody {
		return p.waiting(ctx, cause)
	}
	all, err := p.rewritten(ctx, cause)
	if err != nil { // the same error may come again in the next steps, which return it
		p.log().Info("no patch changes what the sources hold", zap.Error(err))
	}
	var byHelper, byReset error
	done := func() bool { return p.goodEnough(cause, all) || p.onlyPartial(all) || ctx.Err() != nil }
	thought := p.HelpersOnly
	resets := func(last bool) {
		more, stop := p.better(ctx, cause, all)
		defer stop()
		var found []*Candidate
		if found, byReset = p.fromResets(more, cause, len(all) > 0 || !last); byReset != nil {
			p.log().Info("no patch from reset methods", zap.Error(byReset))
		}
		thought = last || !errors.Is(byReset, ErrResetTime)
		all = append(all, found...)
	}
	helpers := func() {
		for i, helper := range cause.Helpers {
			if i >= maxHelpers && len(all) > 0 || i >= 3*maxHelpers || done() {
				break
			}
			more, stop := p.better(ctx, cause, all)
			found, err := p.fromHelper(more, cause, helper)
			stop()
			all = append(all, found...) // candidates found before the error are valid
			if err != nil {
				p.log().Info("helper gives no patch", zap.Any("helper", helper), zap.Error(err))
				byHelper = err
			}
			if len(all) > 0 && !thought && !done() {
				resets(true) // these patches are mostly shorter than those of another helper, and cost less
			}
		}
	}
	if cause.Brittle() && cause.OneValue && !thought { // a state-setter may do more than what the test needs
		resets(false)
	}
	helpers()
	if cause.Later != nil && !thought && !done() {
		resets(false)
	}
	if cause.Later != nil && !done() && !restored(cause, all) {
		more, stop := p.better(ctx, cause, all)
		if cause.Helpers, err = cause.Later(more); err != nil {
			p.log().Info("no late helpers", zap.Error(err))
		}
		stop()
		helpers()
	}
	if !thought && !done() {
		resets(true)
	}
	more, stop := p.better(ctx, cause, all)
	p.measureSaved(more, cause, all)
	stop()
	last := errors.Join(byHelper, byReset)
	rank(all, cause.SetUp)
	if len(all) == 0 && last != nil {
		return nil, last
	}
	if len(all) == 0 {
		return nil, errNoLocation
	}
	return all, nil
}

// waiting returns the candidates in which the polluter waits for what it begins.
func (p *Patcher) waiting(ctx context.Context, cause Cause) ([]*Candidate, error) {
	made, err := p.find(ctx, cause, resetLimit(ctx, true))
	all, failed := p.placed(ctx, cause, suite.Filter(made, func(m patch.Made) bool { return len(m.Await) > 0 }))
	rank(all, cause.SetUp)
	if len(all) == 0 {
		return nil, cmp.Or(failed, err, error(ErrNoReset))
	}
	return all, nil
}

// onlyPartial reports whether the search ends because statements for one of several states are found.
func (p *Patcher) onlyPartial(all []*Candidate) bool {
	return len(all) == 0 && len(p.partial) > 0 && !p.Thorough
}

// The search for a better patch may take leastBetter in any case, or 1/betterShare of the time of the
// cause, if that is more; but not more than half of that time (budget.Part).
const (
	leastBetter = 10 * time.Second
	betterShare = 60
)

// better limits the time of the search for better candidates, if there are any already. Once one of
// them fixes every test, the search takes at most as long as it took to find that one, or least if that is
// more.
func (p *Patcher) better(ctx context.Context, cause Cause, than []*Candidate) (context.Context, context.CancelFunc) {
	if slices.ContainsFunc(than, func(c *Candidate) bool { return c.all(cause) }) && p.until.IsZero() {
		p.until = time.Now().Add(max(p.least, time.Since(p.began)))
	}
	end := p.until
	if len(than) > 0 && !p.Settle.IsZero() && (end.IsZero() || p.Settle.Before(end)) {
		end = p.Settle
	}
	if end.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end)
}
