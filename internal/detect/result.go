package detect

import (
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Result returns what is known now. It can be called at any time between runs.
func (s *Search) Result() Result {
	res := Result{
		Finds: slices.Clone(s.finds), Notes: slices.Clone(s.notes), Exhausted: s.finished(),
		Spent: s.sofar(), Pairs: s.pairs.Share, Of: s.total(), Sequential: s.sequential,
	}
	for _, r := range s.records {
		s.sort(r, &res)
	}
	if s.pairs.bits == nil && len(s.in.Tests) > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("Pairs of tests were not counted: there are %d tests, and up to "+
			"%d are counted.", len(s.in.Tests), maxCounted))
	}
	return res
}

// Spent returns what the search cost so far.
func (s *Search) Spent() Spent { return s.sofar() }

// sort adds a test that does not simply pass to its list of the result.
func (s *Search) sort(r *record, res *Result) {
	o := Other{Test: r.id, Why: r.why, Order: r.whyOrder, Passed: r.total.passed, Failed: r.total.failed, Failure: r.failure}
	switch {
	case r.state == flaky:
		res.Flaky = append(res.Flaky, o)
	case r.state == left:
		res.Left = append(res.Left, o)
	case r.state == missing:
		res.Missing = append(res.Missing, r.id)
	case r.state == undecided:
		res.Undecided = append(res.Undecided, o)
	case r.state == suspect:
		o.Why = "both passed and failed, and there was no time left to confirm it"
		o.Order, o.Source = r.unconfirmed()
		res.Undecided = append(res.Undecided, o)
	case r.state == failing && r.alone.failed > 0 && !s.ownOf(r.id).ran && !s.finished():
		o.Why = fmt.Sprintf("failed alone and in %s, "+
			"and there was no time left to run it in the suite's own order", allRuns(r.total.failed))
		o.Order, o.Source = suite.Order{r.id}, "alone"
		res.Undecided = append(res.Undecided, o)
	case r.state == failing && r.alone.failed > 0:
		o.Why = fmt.Sprintf("fails alone and in %s", allRuns(r.total.failed))
		o.Order, o.Source = suite.Order{r.id}, "alone"
		res.Genuine = append(res.Genuine, o)
	case r.state == failing && r.alone.runs() == 0:
		o.Why = fmt.Sprintf("failed in %s, and there was no time left to run it alone", allRuns(r.total.failed))
		o.Order, o.Source = r.unconfirmed()
		res.Undecided = append(res.Undecided, o)
	case r.state == failing:
		o.Why = fmt.Sprintf("failed in %s, and gave no result alone", allRuns(r.total.failed))
		o.Order, o.Source = r.unconfirmed()
		res.Undecided = append(res.Undecided, o)
	}
}

// allRuns counts the runs of a test that fails in all of them.
func allRuns(n int) string {
	if n == 1 {
		return "the only run"
	}
	return fmt.Sprintf("all of %d runs", n)
}

// unconfirmed returns the order in which a suspect failed, and its source.
func (r *record) unconfirmed() (suite.Order, string) {
	if r.fail == nil {
		return nil, ""
	}
	return slices.Clone(r.fail.prefix()), r.fail.ran.source
}
