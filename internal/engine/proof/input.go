package proof

import (
	"slices"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Input returns the orders that a patch for the tests is proved with: those of the report, and
// those that test the classes of the fixed tests. all means that the number of the latter is not
// limited.
func Input(p *session.Module, r *job.Report, fixes []suite.TestID, all bool) repair.ProofInput {
	in := proofInput(p, r, fixes)
	surround(p, &in, steady(r, fixes), fixes, all)
	return in
}

// sharedBy returns the orders in which those of the tests fail that have no order of their own.
func sharedBy(r *job.Report, tests []suite.TestID) []repair.Shared {
	joint := map[suite.TestID]bool{}
	for i := range r.Tests {
		if t := &r.Tests[i]; slices.Contains(tests, t.Test) && r.Joint(t) {
			joint[t.Test] = true
		}
	}
	var out []repair.Shared
	for _, c := range r.SharedOrders() {
		members := slices.DeleteFunc(slices.Clone(c.Tests), func(t suite.TestID) bool { return !joint[t] })
		if len(members) > 0 {
			out = append(out, repair.Shared{Order: c.Failing, Tests: members, Cause: c.Cause})
		}
	}
	return out
}

// proofInput returns the orders that a patch for the tests is proved with: the orders in which the
// tests fail according to the report, in full and minimal, and the suite's own order.
func proofInput(p *session.Module, r *job.Report, fixes []suite.TestID) repair.ProofInput {
	in := repair.ProofInput{
		Groups: p.Groups, Original: p.Original, Baseline: p.Baseline, Left: r.LeftOut, Plain: p.Plain(),
		TestCode: p.Base.IsTestSource, Shared: sharedBy(r, fixes), Separate: p.About.Once || p.About.Isolated,
	}
	if r.Observed != nil {
		in.Failing = append(in.Failing, suite.Without(r.Observed.Order, r.LeftOut))
	}
	for _, t := range r.Tests {
		if !slices.Contains(fixes, t.Test) {
			continue
		}
		if !r.Joint(&t) {
			in.Minimal = append(in.Minimal, FailingOrders(t)...)
		}
		if t.FailingOrder != nil {
			in.Failing = append(in.Failing, t.FailingOrder.Order)
		}
	}
	return in
}

// steady returns the tests that do not fail merely because they run twice in one process.
func steady(r *job.Report, tests []suite.TestID) []suite.TestID {
	return slices.DeleteFunc(slices.Clone(tests), func(t suite.TestID) bool {
		return slices.ContainsFunc(r.Tests, func(x job.TestReport) bool { return x.Test == t && x.NonIdempotent })
	})
}

// surround adds the orders that test the classes of the fixed tests to the input of a proof.
func surround(p *session.Module, in *repair.ProofInput, steady, fixed []suite.TestID, all bool) {
	in.All = all
	rows, neighbours := rowExecutions, neighbourVisits
	if all {
		rows, neighbours = 0, 0
	}
	perProcess := visitsPerProcess
	if p.About.Once {
		perProcess = 1
	}
	members := suite.Without(p.Original, in.Left)
	var squares []square
	for _, class := range groupsOf(p.Groups, members, fixed) {
		squares = append(squares, squareOf(class, p.Suite))
	}
	last := fixed
	if p.About.Once { // the start of a process costs more than the rest of a row, and a whole row can be used again
		last = members
	}
	in.Rows, in.RowsOf = rowsOf(squares, last, rows)
	if p.About.Once && whole(in) && !slices.ContainsFunc(squares, func(s square) bool { return s.nested }) {
		return // in all rows of a square, each test runs directly after each other
	}
	in.Neighbours, in.NeighboursAsked, in.NeighboursOf = neighbourOrders(p.Groups, members, steady, neighbours, perProcess)
}

// FailingOrders returns the orders in which the test fails, according to a report.
func FailingOrders(t job.TestReport) []suite.Order {
	var out []suite.Order
	if t.Verdict != suite.Victim {
		out = append(out, suite.Order{t.Test})
	}
	for _, p := range t.Polluters {
		out = append(out, afterPolluter(t, p))
	}
	return out
}

// afterPolluter returns the order with the test after a polluter, and after its state-setter, if it
// has one.
func afterPolluter(t job.TestReport, polluter suite.Order) suite.Order {
	var setter suite.Order
	if t.Verdict != suite.Victim && len(t.StateSetters) > 0 {
		setter = t.StateSetters[0]
	}
	return suite.Join(setter, polluter, suite.Order{t.Test})
}
