package diagnose

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestRecord checks that a run shows each failing test's outcome at its first position and at the
// end of the order, and that only the end has the price of the run.
func TestRecord(t *testing.T) {
	f := newFacts(map[suite.TestID]bool{"v": true})
	o := suite.Order{"a", "v", "b", "v", "c", "v"}
	run := &suite.Run{Order: o, Crash: &suite.Crash{Kind: "exit"}}
	for i, out := range []suite.Outcome{suite.Pass, suite.Pass, suite.Skip, suite.Fail, suite.Pass, suite.Unresolved} {
		run.Results = append(run.Results, suite.Result{Test: o[i], Position: i, Outcome: out, Nanos: int64(i + 1)})
	}
	f.record(o, run, suite.Fresh, true, false)
	for n, want := range map[int][]answer{
		1: nil, 2: {{outcome: suite.Pass, price: suite.Batched, exclusive: true}}, 3: nil, 4: nil,
		6: {{outcome: suite.Unresolved, price: suite.Fresh, exclusive: true, crash: run.Crash}},
	} {
		if got := f.of(o[:n]); !slices.Equal(got, want) {
			t.Errorf("%v: %+v, want %+v", o[:n], got, want)
		}
	}
	for test, want := range map[suite.TestID]int64{"a": 1, "v": 4, "b": 0, "c": 5} {
		if got := int64(f.took(test)); got != want {
			t.Errorf("%s took %d, want %d", test, got, want)
		}
	}
	f.record(suite.Order{"v"}, &suite.Run{Results: []suite.Result{{Test: "other", Outcome: suite.Pass}}}, suite.Fresh, false, false)
	if got := f.known(suite.Order{"v"}); got != suite.Unresolved {
		t.Errorf("where another test ran: %s", got)
	}
	f.forgetShared()
	if len(f.of(suite.Order{"v"})) != 0 || len(f.of(o)) != 1 || len(f.answers) != 2 {
		t.Errorf("after parallel runs are forgotten: %v", f.answers)
	}
}

// TestKnown checks that the most reliable answers decide, and that disagreement among them is
// flaky.
func TestKnown(t *testing.T) {
	say := func(out suite.Outcome, price suite.Price, exclusive bool) answer {
		return answer{outcome: out, price: price, exclusive: exclusive}
	}
	const pass, fail, skip, none = suite.Pass, suite.Fail, suite.Skip, suite.Unresolved
	for name, c := range map[string]struct {
		answers []answer
		want    suite.Outcome
	}{
		"none":                         {nil, ""},
		"one":                          {[]answer{say(skip, suite.Warm, false)}, skip},
		"fresh over warm":              {[]answer{say(pass, suite.Warm, false), say(fail, suite.Fresh, false)}, fail},
		"fresh over exclusive warm":    {[]answer{say(pass, suite.Warm, true), say(fail, suite.Fresh, false)}, fail},
		"exclusive over parallel":      {[]answer{say(pass, suite.Warm, true), say(fail, suite.Warm, false)}, pass},
		"exclusive fresh over fresh":   {[]answer{say(pass, suite.Fresh, false), say(fail, suite.Fresh, true)}, fail},
		"two of one tier":              {[]answer{say(pass, suite.Fresh, false), say(fail, suite.Fresh, false)}, suite.Flaky},
		"no result of a better tier":   {[]answer{say(none, suite.Fresh, true), say(fail, suite.Warm, false)}, fail},
		"no result of the same tier":   {[]answer{say(none, suite.Fresh, false), say(fail, suite.Fresh, false)}, fail},
		"none decided":                 {[]answer{say(none, suite.Fresh, false), say(skip, suite.Warm, false)}, none},
		"a skip after no result":       {[]answer{say(skip, suite.Warm, false), say(skip, suite.Fresh, false)}, skip},
		"fresh beginning over hint":    {[]answer{{outcome: fail, exclusive: true, hint: true}, say(pass, suite.Batched, false)}, pass},
		"hint alone":                   {[]answer{{outcome: fail, hint: true}}, fail},
		"batched and warm are of tier": {[]answer{say(pass, suite.Batched, false), say(fail, suite.Warm, false)}, suite.Flaky},
	} {
		if got := agreed(best(c.answers)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
