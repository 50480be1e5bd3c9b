package fix

import (
	"context"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// maxOtherStates bounds the further polluters of one cause whose state one patch restores, too.
const maxOtherStates = 3

// otherState tries again after a proof has failed because the tests still fail after other tests,
// although the candidate's statements run after these, too, or before the failing test: they change
// another state. It searches statements that restore that state, and proves both together.
// statements are the candidates of the cause, best first.
func (m *Repairing) otherState(ctx context.Context, patcher *repair.Patcher, c repair.Cause, statements []*repair.Candidate,
	others []repair.Cause) ([]suite.TestID, error) {
	at := slices.IndexFunc(statements, (*repair.Candidate).Joinable)
	if c.Brittle() || at < 0 {
		return nil, nil
	}
	joined := statements[at]
	var also []suite.Order
	for range maxOtherStates {
		c.Whole = append(slices.Clone(c.Whole), m.metBy(c.Tests())...)
		next, failing, err := m.withNextState(ctx, patcher, c, joined)
		if next == nil || err != nil {
			return nil, err
		}
		also = append(also, failing)
		m.met = append(m.met, failing)
		if joined = next; len(joined.StillFailing()) > 0 {
			continue
		}
		m.s.Enter(job.PhaseProve)
		fixed, _, err := m.first(ctx, c, []*repair.Candidate{joined}, func(cand *repair.Candidate) ([]suite.TestID, error) {
			return patcher.Pursue(ctx, c, others, cand, false, func(wide *repair.Candidate) (bool, []suite.Order, error) {
				return m.prove(ctx, patcher, c, wide, nil)
			})
		})
		if err == nil {
			m.noteAlso(fixed, also)
		}
		if err != nil || len(fixed) > 0 {
			return fixed, err
		}
	}
	return nil, nil
}

// pairs returns the ends of these orders that are a test of the cause directly after another test
// than its polluter.
func pairs(orders []suite.Order, c repair.Cause) []suite.Order {
	var out []suite.Order
	for _, o := range orders {
		if n := len(o); n > 1 && !slices.Contains(c.Polluter, o[n-2]) && o[n-2] != o[n-1] && slices.Contains(c.Tests(), o[n-1]) {
			out = append(out, o[n-2:])
		}
	}
	return suite.Union(out, nil)
}

// endingWith returns the first few of the orders that end with a test of the cause after others.
func endingWith(orders []suite.Order, c repair.Cause) []suite.Order {
	out := suite.Filter(orders, func(o suite.Order) bool { return len(o) > 1 && slices.Contains(c.Tests(), o[len(o)-1]) })
	return out[:min(len(out), maxOtherStates)]
}

// nextFailing returns a short order that fails with the candidate: a test of the cause after a further
// polluter. It is nil if there is none. The last two tests of the orders that failed are tried first.
func (m *Repairing) nextFailing(ctx context.Context, patcher *repair.Patcher, c repair.Cause, cand *repair.Candidate) (suite.Order, error) {
	failing := cand.StillFailing()
	if len(failing) == 0 {
		failing = m.met
	}
	for _, o := range pairs(failing, c) {
		run, err := m.p.Lab.Run(ctx, o, repair.Trial{Price: suite.Warm, Overlay: cand.Built.Overlay})
		if err != nil || run.Last().Outcome != suite.Pass {
			return o, err
		}
	}
	for _, o := range endingWith(failing, c) {
		polluter, err := patcher.PolluterIn(ctx, cand, o)
		if err != nil || len(polluter) > 0 {
			return suite.Join(polluter, o[len(o)-1:]), err
		}
	}
	return nil, nil
}

// noteAlso names the further polluters of tests that the patch fixes. orders end with a polluter and
// a test that fails after it.
func (m *Repairing) noteAlso(fixed []suite.TestID, orders []suite.Order) {
	for _, o := range orders {
		polluter, test := o[len(o)-2], o[len(o)-1]
		m.each(suite.Filter(suite.Order{test}, func(t suite.TestID) bool { return slices.Contains(fixed, t) }), func(t *job.TestReport) {
			t.Notes = append(t.Notes, fmt.Sprintf("%s is a further polluter: it changes other state. The patch deals with that, too.", polluter))
		})
	}
}

// withNextState returns the candidate with further statements, which restore what the next polluter
// changes, and a short order in which a test fails after this polluter; nil if there is no further
// polluter, or no statement that helps.
func (m *Repairing) withNextState(ctx context.Context, patcher *repair.Patcher, c repair.Cause, cand *repair.Candidate) (
	*repair.Candidate, suite.Order, error) {
	m.s.Enter(job.PhaseRepair)
	o, err := m.nextFailing(ctx, patcher, c, cand)
	if len(o) < 2 || o[len(o)-2] == o[len(o)-1] || err != nil {
		return nil, nil, err
	}
	polluter, v := o[:len(o)-1], o[len(o)-1]
	own := repair.Cause{Polluter: polluter, Cases: []repair.Case{{Test: v, Failing: []suite.Order{o}}}}
	m.s.Log.Info("another test changes another state", zap.Any("polluter", polluter), zap.String("test", string(v)))
	defer m.search.SetAside(v)()
	search := *patcher
	search.Place, search.HelpersOnly, search.Finder = cand.Edit.Location, false, m.search.Finder(m.editor)
	found, err := search.Candidates(ctx, own)
	for _, f := range found {
		if !f.Joinable() {
			continue
		}
		joined, err := patcher.Joined(ctx, c, cand, f)
		if joined != nil || err != nil {
			return joined, o, err
		}
	}
	if err != nil && ctx.Err() == nil {
		m.s.Log.Info("no statement restores that state", zap.Error(err))
		err = nil
	}
	return nil, nil, err
}
