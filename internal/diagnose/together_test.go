package diagnose

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestTogether checks that six processes show a known cause for hundreds of tests, and not for
// tests with another cause or none.
func TestTogether(t *testing.T) {
	for _, width := range []int{1, 2} {
		w := newWorld()
		w.width = width
		p := w.add("p.PolluterTest#t", sets("x", 1))
		w.add("p.OtherTest#t", sets("y", 1))
		var victims, others suite.Order
		for i := range 200 {
			victims = append(victims, w.add(suite.TestID(fmt.Sprintf("v.V%02dTest#t%03d", i/10, i)), needs("x", 0)))
		}
		others = append(others, w.add("w.Other#victim", needs("y", 0)), w.add("w.Other#genuine", needs("x", 7)),
			w.add("w.Other#flaky", func(p *proc) suite.Outcome {
				return passIf(p.random() < 0.5)
			}), w.add("w.Other#fine", nil))
		got, err := Together(t.Context(), w, Cohort{Cause: suite.Order{p}, Tests: slices.Concat(victims, others)})
		if err != nil {
			t.Fatal(err)
		}
		var shown suite.Order
		for _, r := range got.Tests {
			shown = append(shown, r.Test)
			if r.Verdict != suite.Victim || len(r.Polluters) != 1 || r.Polluters[0][0] != p || r.MinimalOrder != nil {
				t.Errorf("%+v", r)
			}
		}
		if !slices.Equal(shown, victims) || w.runs != 2*DefaultRerun || got.Repeats != DefaultRerun {
			t.Errorf("%d at once: %d shown by %d processes: %v", width, len(shown), w.runs, shown)
		}
		if !slices.Equal(got.With[1:], got.Without) || got.With[0] != p {
			t.Errorf("the orders differ in more than the cause")
		}
	}
}

// TestTogetherBrittles checks that state-setters are shown with the same orders.
func TestTogetherBrittles(t *testing.T) {
	w := newWorld()
	s := w.add("s.SetterTest#t", sets("x", 1))
	brittles := suite.Order{w.add("b.Test#a", needs("x", 1)), w.add("b.Test#b", needs("x", 1)), w.add("b.Test#c", needs("x", 2))}
	got, err := Together(t.Context(), w, Cohort{Cause: suite.Order{s}, Setters: true, Tests: brittles, Rerun: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Tests) != 2 || got.Tests[1].Verdict != suite.Brittle || got.Tests[1].StateSetters[0][0] != s || w.runs != 4 {
		t.Errorf("%+v by %d processes", got.Tests, w.runs)
	}
}

// TestTogetherEnds checks that a process that ends early shows nothing about tests that it did not
// reach.
func TestTogetherEnds(t *testing.T) {
	w := newWorld()
	p := w.add("p.PolluterTest#t", sets("x", 1))
	tests := suite.Order{w.add("v.Test#a", needs("x", 0)), w.add("v.Test#b", crashes("exit")), w.add("v.Test#c", needs("x", 0))}
	got, err := Together(t.Context(), w, Cohort{Cause: suite.Order{p}, Tests: tests})
	if err != nil || len(got.Tests) != 1 || got.Tests[0].Test != "v.Test#a" {
		t.Errorf("%+v, %v", got, err)
	}
}
