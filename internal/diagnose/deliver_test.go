package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

// twoCauses is a suite with two polluters. The first has two victims, and the second has one.
func twoCauses() (w *world, failing suite.Order) {
	w = newWorld()
	w.fill("a", 4, 4)
	w.add("b.XTest#pollutesX", sets("x", 1))
	w.fill("c", 4, 4)
	w.add("d.YTest#pollutesY", sets("y", 1))
	x1 := w.add("e.VictimTest#x1", needs("x", 0))
	y := w.add("f.VictimTest#y", needs("y", 0))
	x2 := w.add("g.VictimTest#x2", needs("x", 0))
	return w, suite.Order{x1, y, x2}
}

// TestOneCauseBeforeTheNext checks that all tests of a cause are delivered together before the next
// cause is searched, and that delivered results never change.
func TestOneCauseBeforeTheNext(t *testing.T) {
	w, failing := twoCauses()
	var calls [][]suite.TestID
	var open []int
	delivered := map[suite.TestID]TestResult{}
	in := Input{Failing: failing, Seen: seen(w.all), Explained: func(_ context.Context, sofar *Result) error {
		var tests []suite.TestID
		for _, r := range sofar.Tests {
			if _, known := delivered[r.Test]; !known {
				tests, delivered[r.Test] = append(tests, r.Test), r
			}
		}
		calls, open = append(calls, tests), append(open, sofar.Open)
		return nil
	}}
	res := w.diagnose(t, in)
	if d := cmp.Diff([][]suite.TestID{{failing[0], failing[2]}, {failing[1]}}, calls); d != "" {
		t.Errorf("handed over: %s", d)
	}
	if d := cmp.Diff([]int{1, 0}, open); d != "" {
		t.Errorf("not settled yet: %s", d)
	}
	for _, r := range res.Tests {
		if d := cmp.Diff(delivered[r.Test], r); d != "" {
			t.Errorf("%s changed after it was handed over: %s", r.Test, d)
		}
	}
}

// TestExplainedEndsTheDiagnosis checks that an error of the callback is the error of the diagnosis,
// and that explained results stay.
func TestExplainedEndsTheDiagnosis(t *testing.T) {
	w, failing := twoCauses()
	broken := errors.New("no space left on device")
	res, err := Diagnose(t.Context(), w, Input{Suite: w.suite(), Failing: failing, Seen: seen(w.all),
		Explained: func(context.Context, *Result) error { return broken }})
	if !errors.Is(err, broken) {
		t.Fatalf("error %v, want %v", err, broken)
	}
	verdicts := []suite.Verdict{}
	for _, r := range res.Tests {
		verdicts = append(verdicts, r.Verdict)
	}
	if want := []suite.Verdict{suite.Victim, suite.Undecided, suite.Victim}; !slices.Equal(verdicts, want) {
		t.Errorf("verdicts %v, want %v", verdicts, want)
	}
}

// TestVictimsOfOneNeighbourAreDeliveredTogether checks that the victims of a polluter that only a
// direct neighbour shows are explained together, although each has failed once before the first of
// them is explained.
func TestVictimsOfOneNeighbourAreDeliveredTogether(t *testing.T) {
	w := newWorld()
	cleans := func(prefix string, classes int) {
		for i := range classes {
			w.add(suite.TestID(fmt.Sprintf("%s.C%dTest#cleans", prefix, i)), sets("x", 0))
		}
	}
	cleans("a", 20)
	w.add("b.XTest#cleansFirst", sets("x", 0))
	w.add("b.XTest#pollutes", sets("x", 1))
	w.add("b.XTest#cleansLast", sets("x", 0))
	cleans("c", 20)
	var failing suite.Order
	for i := range 4 {
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("d.Victim%dTest#fails", i)), needs("x", 0)))
		cleans(fmt.Sprintf("e%d", i), 2)
	}
	var calls []int
	w.diagnose(t, Input{Failing: failing, Explained: func(_ context.Context, sofar *Result) error {
		calls = append(calls, len(sofar.Tests))
		return nil
	}})
	if d := cmp.Diff([]int{len(failing)}, calls); d != "" {
		t.Errorf("tests in each delivery: %s", d)
	}
}
