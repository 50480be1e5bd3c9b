package diagnose

import (
	"context"
	"fmt"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// Crowd is what is asked of Together.
type Cohort struct {
	Groups *suite.Groups // for sentences; nil: tests are called by their ids
	// Cause is a polluter (Setters: a state-setter) that was confirmed for a test like these.
	Cause   suite.Order
	Setters bool
	// Tests are in the order in which they are to run after it, those of the visit of its last test
	// first. None is in Cause.
	Tests suite.Order
	// Rerun is how many fresh processes must agree on each outcome; below 1 means DefaultRerun.
	Rerun int
}

// Shared is the answer of Together: one order of many tests after their cause, and the same without
// it.
type Shared struct {
	With, Without suite.Order
	Repeats       int // of each
	// Tests are those who behaved otherwise in the two each time. They share the two orders, so
	// that theirs hold none.
	Tests []TestResult
}

// Together shows for many tests at once that a cause known from one of them is theirs
// (cohort.Confirm). A test that depends on other tests of the cohort may be missed, and is left to
// be asked by itself.
func Together(ctx context.Context, r Runner, in Cohort) (*Shared, error) {
	rerun := in.Rerun
	if rerun < 1 {
		rerun = DefaultRerun
	}
	members, err := cohort.Confirm(ctx, r, in.Cause, in.Tests, in.Setters, rerun)
	if err != nil {
		return nil, err
	}
	out := &Shared{With: suite.Join(in.Cause, in.Tests), Without: in.Tests, Repeats: rerun}
	for _, m := range members {
		out.Tests = append(out.Tests, in.result(m.Test, m.Failure, rerun))
	}
	return out, nil
}

// result is the verdict on one of them.
func (in Cohort) result(t suite.TestID, failure *suite.Failure, rerun int) TestResult {
	verdict, with, without := Victim, "fails", "passes"
	res := TestResult{Test: t, Failure: failure, Polluters: []suite.Order{in.Cause}}
	if in.Setters {
		verdict, with, without = Brittle, without, with
		res.Polluters, res.StateSetters = nil, []suite.Order{in.Cause}
	}
	res.Verdict = verdict
	res.Reason = fmt.Sprintf("%s with %s in front of it and of others like it (%d of %d), %s in the same order without (%d of %d)", with, in.Groups.Names(in.Cause), rerun, rerun, without, rerun, rerun)
	return res
}
