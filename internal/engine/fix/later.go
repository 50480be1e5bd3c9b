package fix

import (
	"context"
	"errors"
	"slices"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// later gives the causes whose cleaners the diagnosis has not searched a search for them, which
// takes long.
func (m *Repairing) later(causes []repair.Cause, results []diagnose.TestResult) {
	for i := range causes {
		c := &causes[i]
		leftOut := slices.IndexFunc(c.Cases, func(cs repair.Case) bool {
			return slices.ContainsFunc(results, func(r diagnose.TestResult) bool { return r.Test == cs.Test && r.CleanersLater })
		})
		if leftOut < 0 || m.Clean == nil {
			continue
		}
		t, known := c.Cases[leftOut].Test, c.Helpers
		c.Later = func(ctx context.Context) ([]suite.Order, error) { return m.searchCleaners(ctx, t, known) }
	}
}

// errUnfinished means that the search for cleaners had too little time.
var errUnfinished = errors.New("the search for cleaners was not completed")

// searchCleaners searches the cleaners of a test, adds them to its report, and returns those that
// are not known yet. If there are none, it returns helpers of other causes. With errUnfinished,
// there may be more.
func (m *Repairing) searchCleaners(ctx context.Context, t suite.TestID, known []suite.Order) ([]suite.Order, error) {
	m.s.Say(job.Event{Test: t, Message: "looking for cleaners"})
	got, err := m.Clean(ctx, t)
	if got == nil || len(got.Tests) == 0 {
		return nil, err
	}
	if got.Sequential {
		m.p.AskSequentially()
	}
	r := got.Tests[0]
	now := TestReport(r)
	m.each([]suite.TestID{t}, func(t *job.TestReport) {
		for _, n := range now.Notes {
			if !slices.Contains(t.Notes, n) {
				t.Notes = append(t.Notes, n)
			}
		}
		t.Cleaners, t.Evidence, t.NonIdempotent, t.Cost = now.Cleaners, now.Evidence, now.NonIdempotent, now.Cost
	})
	if err == nil && r.CleanersLater {
		err = errUnfinished
	}
	helpers := slices.DeleteFunc(cleanersOf(r), func(o suite.Order) bool {
		return slices.ContainsFunc(known, func(k suite.Order) bool { return slices.Equal(k, o) })
	})
	if len(helpers) == 0 {
		return m.lent[:min(maxLent, len(m.lent))], err
	}
	m.lent = suite.Union(m.lent, helpers[:1])
	return helpers, err
}
