package fix

import (
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// TestReport converts a diagnosis to the report's type.
func TestReport(r diagnose.TestResult) job.TestReport {
	out := job.TestReport{
		Test: r.Test, Verdict: r.Verdict, Reason: r.Reason, Failure: r.Failure,
		FailingOrder: r.FailingOrder, PassingOrder: r.PassingOrder,
		MinimalOrder: r.MinimalOrder, Polluters: r.Polluters, StateSetters: r.StateSetters,
		Cleaners: r.Cleaners, Evidence: r.Evidence, NonIdempotent: r.NonIdempotent, Notes: r.Notes,
		Cost: job.Cost{Questions: r.Cost.Questions, Tests: r.Cost.Tests, Total: r.Cost.Wall.Seconds()},
	}
	if r.Unfinished && r.Verdict != suite.Undecided { // the reason of an undecided one says it
		out.Notes = append(out.Notes, "The search ended before all about this test was found out.")
	}
	return out
}

// Cohorts converts the orders that tests share to the report's type.
func Cohorts(shared []diagnose.SharedOrders) []job.Cohort {
	var out []job.Cohort
	for _, x := range shared {
		out = append(out, job.Cohort{Tests: x.Tests, Cause: x.Cause, Failing: x.Failing, Passing: x.Passing, Repeats: x.Repeats})
	}
	return out
}
