package detection

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

func TestCohorts(t *testing.T) {
	find := func(name suite.TestID, cohort string, failing, passing suite.Order) detect.Find {
		return detect.Find{Test: name, Cohort: cohort, Failing: detect.Observation{Source: "order 1", Order: failing,
			Whole: failing}, Passing: detect.Observation{Source: "order 1 without it", Order: passing, Whole: passing}}
	}
	with, without := suite.Order{"p.P#p", "a.A#a", "a.A#b"}, suite.Order{"a.A#a", "a.A#b"}
	b := find("a.A#b", "order 1", with, without)
	of, others := cohortsOf([]detect.Find{b, find("a.A#a", "order 1", with[:2], without[:1]),
		find("c.C#c", "order 7", with, without), find("d.D#d", "", with, without)})
	if len(of) != 2 || len(of[0]) != 2 || len(of[1]) != 1 || len(others) != 1 || others[0].Test != "d.D#d" {
		t.Errorf("%v, %v", of, others)
	}
	if got := likely(b); len(got) != 1 || !slices.Equal(got[0].Order, suite.Order{"p.P#p", "a.A#b"}) {
		t.Errorf("%v", got)
	}
	if got := likely(find("a.A#b", "order 1", suite.Order{"x.X#x", "a.A#b"},
		suite.Order{"x.X#x", "s.S#s", "a.A#b"})); len(got) != 1 || !slices.Equal(got[0].Order, suite.Order{"s.S#s", "a.A#b"}) {
		t.Errorf("of a brittle one: %v", got)
	}
	if got := likely(find("a.A#b", "order 1", with, suite.Order{"a.A#b", "p.P#p", "a.A#a"})); got != nil {
		t.Errorf("of the suite's own order: %v", got)
	}
}

// TestCohortsAreReportedOnce: of a cohort whose cause is not known the report holds the two orders
// once, and each test's verdict; one whose diagnosis came to no end is reported as the others are.
func TestCohortsAreReportedOnce(t *testing.T) {
	with, without := suite.Order{"p.P#p"}, suite.Order(nil)
	var finds []detect.Find
	for _, x := range []suite.TestID{"a.A#a", "a.A#b", "a.A#c"} {
		with, without = append(with, x), append(without, x)
		finds = append(finds, detect.Find{Test: x, Cohort: "order 1", Kind: detect.Dependent, Failure: &suite.Failure{Type: "E"}})
	}
	for i := range finds {
		finds[i].Failing = detect.Observation{Source: "a part of order 1", Order: with[:i+2], Whole: with, Repeats: 3}
		finds[i].Passing = detect.Observation{Source: "a part of order 1 without p.P#p", Order: without[:i+1], Whole: without, Repeats: 3}
	}
	d := &detection{s: session.New(job.Job{}, session.Options{}), r: &job.Report{}, out: &job.Detection{}, tests: &suite.Suite{}}
	d.known.Tests = []diagnose.TestResult{{Test: "a.A#b", Verdict: suite.Undecided, Unfinished: true}}
	d.update(detect.Result{Finds: finds})
	if len(d.out.Cohorts) != 1 || len(d.out.Cohorts[0].Tests) != 3 || len(d.out.Cohorts[0].Failing) != 4 || d.out.Cohorts[0].Repeats != 3 {
		t.Errorf("%+v", d.out.Cohorts)
	}
	for _, r := range d.r.Tests {
		if r.FailingOrder != nil || r.MinimalOrder != nil || len(r.Evidence) > 0 || r.Failure == nil {
			t.Errorf("%+v", r)
		}
		if want := "fails in a part of order 1 (3 of 3) and passes in a part of order 1 without p.P#p (3 of 3), as " +
			"others do; it was not run alone"; r.Reason != want {
			t.Error(r.Reason)
		}
	}
	if len(d.r.Tests) != 3 || len(d.out.Finds) != 3 {
		t.Errorf("%d verdicts, %d finds", len(d.r.Tests), len(d.out.Finds))
	}
}

// Of a find that was not run alone the verdict leans on which of its orders holds more.
func TestCohortVerdict(t *testing.T) {
	long, short := detect.Observation{Whole: suite.Order{"p.P#p", "a.A#a"}}, detect.Observation{Whole: suite.Order{"a.A#a"}}
	if got := cohortReport(detect.Find{Test: "a.A#a", Kind: detect.Dependent, Failing: long, Passing: short}); got.Verdict != suite.Victim {
		t.Errorf("%+v", got)
	}
	if got := cohortReport(detect.Find{Test: "a.A#a", Kind: detect.Dependent, Failing: short,
		Passing: long}); got.Verdict != suite.Brittle {
		t.Errorf("%+v", got)
	}
}

// What is known of a test alone speaks against a cause of the other kind, before it is shown with
// others and behind.
func TestCausesThatFit(t *testing.T) {
	for _, c := range []struct {
		kind   detect.Kind
		setter bool
		want   bool
	}{
		{detect.Victim, false, true}, {detect.Victim, true, false}, {detect.Brittle, true, true}, {detect.Brittle, false, false},
		{detect.Dependent, true, true}, {detect.Dependent, false, true},
	} {
		if fits(c.kind, c.setter) != c.want {
			t.Errorf("%s with a state-setter %v: %v", c.kind, c.setter, !c.want)
		}
	}
	d := &detection{known: diagnose.Result{Tests: []diagnose.TestResult{{Test: "a.A#a", Verdict: suite.Victim,
		Polluters: []suite.Order{{"p.P#p"}}}}}}
	d.shared = []job.Cohort{{Tests: []suite.TestID{"a.A#a", "a.A#gone"}, Failing: suite.Order{"p.P#p", "a.A#a"},
		Passing: suite.Order{"a.A#a"}}}
	f := detect.Find{Test: "a.A#a", Kind: detect.Victim, Cohort: "order 1"}
	if got := d.seenTogether([]detect.Find{f}); len(got) != 1 || !slices.Equal(got[0].Tests, []suite.TestID{"a.A#a"}) {
		t.Errorf("%+v", got)
	}
	f.Kind = detect.Brittle
	if d.explains(d.diagnosis(f.Test), f) {
		t.Error("a polluter explains a test that fails alone")
	}
}

func TestSharedKey(t *testing.T) {
	q := diagnose.Cohort{Cause: suite.Order{"p.P#p"}, Tests: suite.Order{"a.A#a"}, Rerun: 3}
	other := q
	if sharedKey(q) != sharedKey(other) {
		t.Error("one question has two keys")
	}
	if other.Cause = (suite.Order{"q.Q#q"}); sharedKey(q) == sharedKey(other) {
		t.Error("another cause has the same key")
	}
}

// The first of a cohort is one that was tried least often, of these the one with the shortest
// order; none is put behind a cause twice.
func TestFirstOfACohort(t *testing.T) {
	find := func(name suite.TestID, tests int) detect.Find {
		return detect.Find{Test: name, Failing: detect.Observation{Order: make(suite.Order, tests)}}
	}
	a, b, c := find("a.A#a", 3), find("b.B#b", 2), find("c.C#c", 7)
	d := &detection{tried: map[suite.TestID]int{}, askedAfter: map[string]map[suite.TestID]bool{}, in: &diagnose.Input{}}
	of := []detect.Find{a, b, c}
	for _, want := range []suite.TestID{"b.B#b", "a.A#a", "c.C#c", "b.B#b"} {
		got := d.first(t.Context(), of)
		if got.Test != want {
			t.Errorf("%s is tried, and not %s", got.Test, want)
		}
		d.tried[got.Test]++
	}
	cause := suite.Order{"p.P#p"}
	d.asked(cause)["a.A#a"] = true
	if !d.asked(slices.Clone(cause))["a.A#a"] || d.asked(suite.Order{"q.Q#q"})["a.A#a"] {
		t.Error("the tests that ran after a cause are mixed up")
	}
	d.known.Tests = []diagnose.TestResult{{Test: "a.A#a"}, {Test: "b.B#b"}}
	d.in.Failing = []suite.TestID{"a.A#a", "b.B#b"}
	d.forget("a.A#a")
	if open := d.unexplained(of); len(open) != 2 || open[0].Test != "a.A#a" || len(d.in.Failing) != 1 {
		t.Errorf("%v, %v", open, d.in.Failing)
	}
}

// Of orders that hold too many tests in all, those that fit are kept, whichever comes first.
func TestUnsureOrders(t *testing.T) {
	got := unsure([]detect.Other{{Test: "a", Order: make(suite.Order, 10)},
		{Test: "b", Order: make(suite.Order, maxUnsureOrders)}, {Test: "c", Order: make(suite.Order, 20)}})
	if len(got) != 3 || len(got[0].Order) != 10 || got[1].Order != nil || len(got[2].Order) != 20 {
		t.Errorf("%d, %d and %d tests", len(got[0].Order), len(got[1].Order), len(got[2].Order))
	}
}

// TestRepairableOfACohort: victims that share the orders of a cause, a detection's or a diagnosis',
// brittle tests with an order of their own, and nobody whose find was taken back. One that was
// withdrawn when its patch was proved is not told as a victim again.
func TestRepairableOfACohort(t *testing.T) {
	cause, with := suite.Order{"p.P#p"}, suite.Order{"p.P#p", "a.A#a", "a.A#b", "a.A#c"}
	shared := job.Cohort{Tests: with[1:3], Cause: cause, Failing: with, Passing: with[1:], Repeats: 3}
	uncaused := job.Cohort{Tests: with[3:], Failing: with, Passing: with[1:], Repeats: 3}
	r := &job.Report{Detection: &job.Detection{Cohorts: []job.Cohort{shared, uncaused}}}
	for _, x := range append(with[1:], "b.B#b") {
		r.Tests = append(r.Tests, job.TestReport{Test: x, Verdict: suite.Victim})
	}
	for _, c := range []struct {
		of   diagnose.TestResult
		want bool
	}{
		{diagnose.TestResult{Test: "a.A#a", Verdict: suite.Victim, Polluters: []suite.Order{cause}}, true},
		{diagnose.TestResult{Test: "a.A#b", Verdict: suite.Brittle, StateSetters: []suite.Order{cause}}, false},
		{diagnose.TestResult{Test: "a.A#c", Verdict: suite.Victim}, false},
		{diagnose.TestResult{Test: "b.B#b", Verdict: suite.Brittle, MinimalOrder: suite.Order{"p.P#p", "b.B#b"}}, true},
		{diagnose.TestResult{Test: "c.C#c", Verdict: suite.Victim, MinimalOrder: suite.Order{"p.P#p", "c.C#c"}}, false},
	} {
		if got := repairable(c.of, r); got != c.want {
			t.Errorf("%s, %s: %v", c.of.Test, c.of.Verdict, got)
		}
	}

	find := detect.Find{Test: "a.A#a", Cohort: "order 1", Kind: detect.Dependent,
		Failing: detect.Observation{Order: with[:2], Whole: with}, Passing: detect.Observation{Order: with[1:2], Whole: with[1:]}}
	d := &detection{s: session.New(job.Job{}, session.Options{}), r: r, out: r.Detection, tests: &suite.Suite{}}
	d.known.Tests = []diagnose.TestResult{{Test: "a.A#a", Verdict: suite.Victim, Polluters: []suite.Order{cause}}}
	r.Tests[0] = job.TestReport{Test: "a.A#a", Verdict: suite.Undecided, Reason: "fails alone with a patch"} // as a repair withdraws it
	d.update(detect.Result{Finds: []detect.Find{find}})
	if got := d.r.Tests[0]; got.Verdict != suite.Undecided || len(got.Polluters) > 0 || len(d.out.Finds) > 0 {
		t.Errorf("told again as %s of %v: %s", got.Verdict, got.Polluters, got.Reason)
	}
}
