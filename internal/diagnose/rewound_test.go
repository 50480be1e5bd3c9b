package diagnose

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestRewoundAnswersAreNoWitnesses: one that differs makes no test flaky, and steers only where nothing better is known.
func TestRewoundAnswersAreNoWitnesses(t *testing.T) {
	o, v := suite.Order{"A#p", "B#v"}, suite.TestID("B#v")
	said := func(out suite.Outcome) *suite.Run {
		return &suite.Run{Order: o, Results: []suite.Result{{Test: "A#p", Outcome: suite.Pass}, {Test: v, Outcome: out, Position: 1}}}
	}
	w := newWorld()
	w.add("A#p", nil)
	w.add(v, nil)
	s := newSession(context.Background(), w, Input{Failing: []suite.TestID{v}, Suite: w.suite()})
	s.facts.record(o, said(suite.Fail), suite.Rewound, true)
	if got := s.facts.known(o); got != suite.Fail {
		t.Errorf("with nothing else heard, %q is known", got)
	}
	for _, p := range []suite.Price{suite.Batched, suite.Warm, suite.Fresh} {
		s.facts.record(o, said(suite.Pass), p, false)
		if got := s.facts.known(o); got != suite.Pass {
			t.Errorf("beside an answer at the price %s, %q is known", p, got)
		}
	}
	var unsteady *unsteadyError
	if err := s.unsteady(o); !errors.As(err, &unsteady) || unsteady.flaky {
		t.Errorf("said to be flaky: %v", err)
	}
	if got := s.tally(o); !strings.HasPrefix(got, "0 of 3 ") {
		t.Errorf("tally: %s", got)
	}
	c := &patient{id: v, res: TestResult{Test: v}}
	s.runs = []*tried{{Seen: Seen{"CI", Exact, o}, whole: o, first: map[suite.TestID]int{v: 1}}}
	if flaky, err := s.wavers(context.Background(), c); flaky || err != nil {
		t.Errorf("%v %v: %s", flaky, err, c.res.Reason)
	}
	s.facts.record(o, said(suite.Fail), suite.Fresh, false)
	if err := s.unsteady(o); !errors.As(err, &unsteady) || !unsteady.flaky {
		t.Errorf("fresh processes disagree, and it is not flaky: %v", err)
	}
}
