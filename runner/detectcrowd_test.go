package main

import (
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

func TestCrowds(t *testing.T) {
	find := func(name suite.TestID, crowd string, failing, passing suite.Order) detect.Find {
		return detect.Find{Test: name, Crowd: crowd, Failing: detect.Sight{Source: "order 1", Order: failing, Whole: failing}, Passing: detect.Sight{Source: "order 1 without it", Order: passing, Whole: passing}}
	}
	with, without := suite.Order{"p.P#p", "a.A#a", "a.A#b"}, suite.Order{"a.A#a", "a.A#b"}
	b := find("a.A#b", "order 1", with, without)
	of, others := crowds([]detect.Find{b, find("a.A#a", "order 1", with[:2], without[:1]), find("c.C#c", "order 7", with, without), find("d.D#d", "", with, without)})
	if len(of) != 2 || len(of[0]) != 2 || len(of[1]) != 1 || len(others) != 1 || others[0].Test != "d.D#d" {
		t.Errorf("%v, %v", of, others)
	}
	if got := likely(b); len(got) != 1 || !slices.Equal(got[0].Order, suite.Order{"p.P#p", "a.A#b"}) {
		t.Errorf("%v", got)
	}
	if got := likely(find("a.A#b", "order 1", suite.Order{"x.X#x", "a.A#b"}, suite.Order{"x.X#x", "s.S#s", "a.A#b"})); len(got) != 1 || !slices.Equal(got[0].Order, suite.Order{"s.S#s", "a.A#b"}) {
		t.Errorf("of a brittle one: %v", got)
	}
	if got := likely(find("a.A#b", "order 1", with, suite.Order{"a.A#b", "p.P#p", "a.A#a"})); got != nil {
		t.Errorf("of the suite's own order: %v", got)
	}
}

// TestCrowdsAreToldOnce: of a crowd whose cause is not known the report holds the two orders once, and each test's verdict; one whose
// diagnosis came to no end is told of as the others are.
func TestCrowdsAreToldOnce(t *testing.T) {
	with, without := suite.Order{"p.P#p"}, suite.Order(nil)
	var finds []detect.Find
	for _, x := range []suite.TestID{"a.A#a", "a.A#b", "a.A#c"} {
		with, without = append(with, x), append(without, x)
		finds = append(finds, detect.Find{Test: x, Crowd: "order 1", Kind: detect.Dependent, Failure: &suite.Failure{Type: "E"}})
	}
	for i := range finds {
		finds[i].Failing = detect.Sight{Source: "a part of order 1", Order: with[:i+2], Whole: with, Repeats: 3}
		finds[i].Passing = detect.Sight{Source: "a part of order 1 without p.P#p", Order: without[:i+1], Whole: without, Repeats: 3}
	}
	d := &detection{w: &worker{log: zap.NewNop()}, r: &job.Report{}, out: &job.Detection{}, tests: &suite.Suite{}}
	d.known.Tests = []diagnose.TestResult{{Test: "a.A#b", Verdict: diagnose.Undecided, Unfinished: true}}
	d.tell(detect.Result{Finds: finds})
	if len(d.out.Crowds) != 1 || len(d.out.Crowds[0].Tests) != 3 || len(d.out.Crowds[0].Failing) != 4 || d.out.Crowds[0].Repeats != 3 {
		t.Errorf("%+v", d.out.Crowds)
	}
	for _, r := range d.r.Tests {
		if r.FailingOrder != nil || r.MinimalOrder != nil || len(r.Evidence) > 0 || r.Failure == nil {
			t.Errorf("%+v", r)
		}
		if want := "fails in a part of order 1 (3 of 3) and passes in a part of order 1 without p.P#p (3 of 3), as others do"; r.Reason != want {
			t.Error(r.Reason)
		}
	}
	if len(d.r.Tests) != 3 || len(d.out.Finds) != 3 {
		t.Errorf("%d verdicts, %d finds", len(d.r.Tests), len(d.out.Finds))
	}
}
