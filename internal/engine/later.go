package engine

import (
	"context"
	"slices"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// cleanSearch searches the cleaners of a test (diagnose.Result.Clean).
type cleanSearch = func(ctx context.Context, t suite.TestID) (confirmed, likely []suite.Cleaner, err error)

// later gives the causes whose cleaners the diagnosis has not searched a search for them, which
// takes long.
func (m *repairing) later(causes []repair.Cause, results []diagnose.TestResult) {
	for i := range causes {
		c := &causes[i]
		t := c.Cases[0].Test
		leftOut := slices.ContainsFunc(results, func(r diagnose.TestResult) bool { return r.Test == t && r.CleanersLater })
		if leftOut && len(c.Helpers) == 0 && m.clean != nil {
			c.Later = func(ctx context.Context) ([]suite.Order, error) { return m.searchCleaners(ctx, t) }
		}
	}
}

// searchCleaners searches the cleaners of a test and adds them to its report. If there are none, it
// returns helpers of other causes.
func (m *repairing) searchCleaners(ctx context.Context, t suite.TestID) ([]suite.Order, error) {
	m.w.say(job.Event{Test: t, Message: "looking for cleaners"})
	confirmed, likely, err := m.clean(ctx, t)
	m.each([]suite.TestID{t}, func(r *job.TestReport) { r.Cleaners = confirmed })
	var helpers []suite.Order
	for _, c := range slices.Concat(confirmed, likely) {
		helpers = union(helpers, []suite.Order{c.Cleaner})
	}
	if len(helpers) == 0 {
		return m.lent[:min(maxLent, len(m.lent))], err
	}
	m.lent = union(m.lent, helpers[:1])
	return helpers, err
}
