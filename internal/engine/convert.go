package engine

import (
	"slices"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// testReport converts a diagnosis to the report's type.
func testReport(r diagnose.TestResult) job.TestReport {
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

// sharedCohorts converts the orders that tests share to the report's type.
func sharedCohorts(shared []diagnose.SharedOrders) []job.Cohort {
	var out []job.Cohort
	for _, x := range shared {
		out = append(out, job.Cohort{Tests: x.Tests, Cause: x.Cause, Failing: x.Failing, Passing: x.Passing, Repeats: x.Repeats})
	}
	return out
}

// proofOf converts the checks of a proof to the report's type.
func proofOf(checks []repair.Check, proved bool) job.Proof {
	p := job.Proof{Proved: proved}
	for _, c := range checks {
		p.Checks = append(p.Checks, job.Check{Name: c.Name, OK: c.OK, Repeats: c.Repeats, Detail: c.Detail})
	}
	return p
}

// whyOf returns a sentence on the advantages of the candidate, which was made for this cause.
func whyOf(c *repair.Candidate, cause repair.Cause, n suite.Nouns) string {
	left := slices.ContainsFunc(cause.Cases, func(cs repair.Case) bool { return !slices.Contains(c.Fixes, cs.Test) })
	why := job.Why{Location: c.Edit.Location, Brittle: cause.Brittle(), Places: 1 + len(c.Edit.Also),
		All: len(cause.Cases) > 1 && !left, Others: len(c.Fixes) > len(cause.Cases)}
	if m := c.Edit.Made; m != nil {
		why.Pioneer, why.Context, why.Reflects = len(m.Annotate) > 0 && !m.RenewsContext(), m.RenewsContext(), m.Reflects
	}
	return why.Sentence(n)
}
