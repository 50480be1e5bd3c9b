package engine

import (
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
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
	places := 1 + len(c.Edit.Also)
	where := map[patch.Location]string{
		patch.PolluterTeardown: "the " + n.Group + " that leaves the state changed cleans up after itself, which also protects " +
			"tests that have not failed yet",
		patch.PolluterEnd: "the test that leaves the state changed cleans up after itself",
		patch.VictimSetup: "the test's " + n.Group + " sets its own state before every test, whatever ran before",
		patch.VictimStart: "the test sets its own state before it begins",
		patch.VictimBlockSetup: "the state is reset before the tests of the block are set up, whatever ran before, and what the setup " +
			"makes for them stays",
		patch.Declaration: "every test then has its own copy of the state that the tests of its " + n.Group + " shared, so " +
			"that no test can change it for another",
	}
	if cause.Brittle() { // no test pollutes state that never exists
		where[patch.VictimSetup] = "the test's " + n.Group + " sets the state that it needs before every test, whatever ran before"
	}
	if m := c.Edit.Made; m != nil && len(m.Annotate) > 0 {
		where[patch.Declaration] = "JUnit Pioneer, which the project has, restores the system properties after each test of the " +
			"class that changes them, which also protects tests that have not failed yet"
	}
	if c.Edit.Made.RenewsContext() {
		where[patch.Declaration] = "Spring makes a new context after the test that leaves beans changed, so that no later test gets " +
			"them; this takes as long as starting the context, so a method that resets the bean would be better"
	}
	if places > 1 {
		where[patch.VictimSetup] = "the " + n.Groups + " of these tests set their own state before every test, whatever ran before"
		if cause.Brittle() {
			where[patch.VictimSetup] = "the " + n.Groups + " of these tests set the state that they need before every test, whatever ran before"
		}
		where[patch.VictimStart] = "the tests set their own state before they begin"
		where[patch.PolluterTeardown] = "the " + n.Groups + " that leave the state changed clean up after themselves, which also protects " +
			"tests that have not failed yet"
		where[patch.PolluterEnd] = "the tests that leave the state changed clean up after themselves"
	}
	why, several := where[c.Edit.Location], fmt.Sprintf("the same statements at %d tests", places)
	if c.Edit.Made != nil && c.Edit.Made.Reflects {
		why += "; it is written by reflection, which stops working when the field is renamed: a reset method in the class of the field would be better"
	}
	left := slices.ContainsFunc(cause.Cases, func(cs repair.Case) bool { return !slices.Contains(c.Fixes, cs.Test) })
	all, of := len(cause.Cases) > 1 && !left, "of this cause"
	if len(c.Fixes) > len(cause.Cases) {
		of += ", and others"
	}
	switch {
	case all && places > 1:
		return several + " fix all failing tests " + of + ": " + why
	case all:
		return "one change fixes all failing tests " + of + ": " + why
	case places > 1:
		return "with " + several + " " + why
	}
	return why
}

// ids returns the tests as strings.
func ids(o suite.Order) []string {
	out := make([]string, len(o))
	for i, t := range o {
		out[i] = string(t)
	}
	return out
}
