package repair

import (
	"context"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/suite"
)

// PolluterIn returns the tests that make the last test of the order fail with the candidate. If
// they are known from another candidate, it only checks that they do so with this one.
func (p *Patcher) PolluterIn(ctx context.Context, c *Candidate, order suite.Order) (suite.Order, error) {
	v := order[len(order)-1]
	if known := p.polluters[order.Key()]; known != nil {
		run, err := p.Runner.Run(ctx, suite.Join(known, suite.Order{v}), Trial{Price: suite.Warm, Overlay: c.Built.Overlay})
		if err != nil || run.Last().Outcome == suite.Fail {
			return known, err
		}
	}
	p.say("looking for another test that makes " + string(v) + " fail")
	polluter, err := diagnose.Cause(ctx, underPatch{p.Runner, c.Built.Overlay}, order, suite.Fail)
	if err == nil && len(polluter) > 0 {
		if p.polluters == nil {
			p.polluters = map[string]suite.Order{}
		}
		p.polluters[order.Key()] = polluter
	}
	return polluter, err
}

// afterAnother keeps a candidate in which the polluter waits as Partial, if a test still fails after
// another polluter. What that one begins is elsewhere.
func (p *Patcher) afterAnother(ctx context.Context, c *Candidate) error {
	order := c.stillFailing[0]
	polluter, err := p.PolluterIn(ctx, c, order)
	if err == nil && len(polluter) > 0 {
		p.keepPartial(c, suite.Join(polluter, order[len(order)-1:]))
	}
	return err
}

// keepPartial keeps a candidate that fixes no test, because a test still fails after another
// polluter, which changes another state.
func (p *Patcher) keepPartial(c *Candidate, failing suite.Order) {
	if len(c.Fixes) > 0 || !c.Joinable() {
		return // it can be proved for these tests
	}
	partial := c.anew(c.Edit, c.Built)
	partial.stillFailing = []suite.Order{failing}
	p.partial = append(p.partial, partial)
}

// Partial returns the candidates of the last search that make a test pass after the cause's
// polluter, and that fix no test, because it still fails after another polluter of another state.
// StillFailing has that polluter and the test.
func (p *Patcher) Partial() []*Candidate { return p.partial }
