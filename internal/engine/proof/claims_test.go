package proof

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// severalPatches is a report with two patches, made one.
func severalPatches(t *testing.T) *job.Report {
	t.Helper()
	r := &job.Report{}
	var chosen []*job.Patch
	for _, p := range []*job.Patch{after("two", "ONE", "a#1", "a#3"), instead("three", "CLASH", "a#4"), after("seven", "TWO", "a#2")} {
		r.Tests = append(r.Tests, job.TestReport{Test: p.Fixes[0], Verdict: suite.Victim, Polluters: []suite.Order{{"a#p"}},
			Patches: []job.Patch{*p}})
		chosen = append(chosen, p)
	}
	c, _, _, err := joiner{readSource, judge()}.join(t.Context(), chosen)
	if err != nil || len(c.LeftOut) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	r.Combined = c
	return r
}

// TestCombinedIsMadeOfTheSinglePatches: nothing else in it, and nothing else claimed.
func TestCombinedIsMadeOfTheSinglePatches(t *testing.T) {
	m, err := madeOf(readSource, severalPatches(t))
	if err != nil || len(m.taken) != 2 || !slices.Equal(m.combined().Fixes, []suite.TestID{"a#1", "a#3", "a#2"}) {
		t.Fatalf("%+v, %v", m, err)
	}
	for name, c := range map[string]struct {
		edit func(r *job.Report)
		says string
	}{
		"another edit in it": {func(r *job.Report) {
			r.Combined.SetDiff(strings.Replace(r.Combined.Diff, "+TWO", "+THREE", 1))
		}, "not what the report's proved single patches make"},
		"a file nobody proved": {func(r *job.Report) {
			r.Combined.SetDiff(r.Combined.Diff + strings.ReplaceAll(after("four", "X").Diff, "ATest", "BTest"))
		}, "not what the report's proved single patches make"},
		"a test that never failed": {func(r *job.Report) {
			r.Combined.Fixes = append(r.Combined.Fixes, "a#bystander")
		}, "claims to fix a#bystander"},
		"one of them not called proved": {func(r *job.Report) { r.Tests[0].Patches[0].Proof.Proved = false }, "not what"},
		"nothing left out":              {func(r *job.Report) { r.Combined.LeftOut = nil }, "cannot be made again"},
		"only one patch": {func(r *job.Report) {
			r.Tests[1].Patches, r.Tests[2].Patches, r.Combined.LeftOut = nil, nil, nil
			r.Combined.SetDiff(r.Tests[0].Patches[0].Diff)
			r.Combined.Fixes = r.Tests[0].Patches[0].Fixes
		}, "fewer than two"},
		"one too many left out": {func(r *job.Report) { r.Combined.LeftOut[0] = "The patch for a#2 is left out: no." },
			"cannot be made again"},
	} {
		t.Run(name, func(t *testing.T) {
			r := severalPatches(t)
			c.edit(r)
			var e *job.Error
			if _, err := madeOf(readSource, r); !errors.As(err, &e) || e.Code != "bad-report" || !strings.Contains(e.Message, c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestCombinedNeedsEveryPatchProved: as it is, with all that it claims.
func TestCombinedNeedsEveryPatchProved(t *testing.T) {
	r := severalPatches(t)
	m, err := madeOf(readSource, r)
	if err != nil {
		t.Fatal(err)
	}
	proofs := map[string]job.Proof{}
	for _, p := range m.taken {
		if check := m.unproved(proofs); check == nil || check.OK || !strings.Contains(check.Detail, suite.FirstAndCount(p.Fixes)) {
			t.Errorf("%+v", check)
		}
		less := *p
		less.Fixes = less.Fixes[1:]
		proofs[proofKey(&less)] = job.Proof{Proved: true}
		if m.unproved(proofs) == nil {
			t.Error("a proof for other tests was taken for this one's")
		}
		proofs[proofKey(p)] = job.Proof{Proved: true}
	}
	if check := m.unproved(proofs); check != nil {
		t.Errorf("%+v", check)
	}
}

// process answers orders as a JVM would in which tests end it.
type process struct {
	asked    []suite.Order
	ends     func(before suite.Order, t suite.TestID) bool
	endsLast suite.TestID // ends it where it is the last one
}

func (p *process) Run(_ context.Context, o suite.Order) (*suite.Run, error) {
	p.asked = append(p.asked, o)
	run := &suite.Run{Order: o}
	for i, t := range o {
		if run.Crash == nil && (p.ends(o[:i], t) || t == p.endsLast && i > 0 && i == len(o)-1) {
			run.Crash = &suite.Crash{Kind: "exit", During: t}
		}
		out := suite.Pass
		if run.Crash != nil {
			out = suite.Unresolved
		}
		run.Results = append(run.Results, suite.Result{Test: t, Outcome: out, Position: i})
	}
	return run, nil
}

// TestWhatIsLeftOutMustEndItsProcess: a report that leaves out bystanders
// would make the claim that none of them behaves worse an empty one.
func TestWhatIsLeftOutMustEndItsProcess(t *testing.T) {
	original := suite.Order{"a#1", "a#exit", "a#2", "a#later", "a#3"}
	ends := func(before suite.Order, t suite.TestID) bool {
		return t == "a#exit" || t == "a#later" && slices.Contains(before, "a#2")
	}
	p := &process{ends: ends}
	leftOut := []suite.TestID{"a#later", "a#exit"}
	always, err := confirmEndings(t.Context(), p, original, leftOut, []suite.Order{{"a#3", "a#exit"}})
	if err != nil || !slices.Equal(always, []suite.TestID{"a#exit", "a#later"}) {
		t.Error(always, err)
	}
	want := []suite.Order{{"a#1", "a#exit", "a#2", "a#later", "a#3"}, {"a#1", "a#2", "a#later", "a#3"}}
	if diff := cmp.Diff(want, p.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	for _, bystander := range []suite.TestID{"a#1", "a#2", "a#3"} {
		seen := []suite.Order{{"a#3", "a#2", "a#1"}}
		_, err := confirmEndings(t.Context(), &process{ends: ends}, original, []suite.TestID{"a#exit", bystander}, seen)
		var e *job.Error
		if !errors.As(err, &e) || e.Code != "bad-report" || !strings.Contains(e.Message, "leaves out "+string(bystander)) {
			t.Errorf("%s: %v", bystander, err)
		}
	}
}

// TestEndsInCIsOrderOnly: what ends its process in an order that the report names may be left out
// of such orders; the suite's own keeps it.
func TestEndsInCIsOrderOnly(t *testing.T) {
	original := suite.Order{"a#1", "a#exit", "a#2", "a#turned"}
	ends := func(before suite.Order, t suite.TestID) bool {
		return t == "a#exit" || t == "a#turned" && slices.Contains(before, "a#2") && !slices.Contains(before, "a#1")
	}
	report := &job.Report{
		LeftOut:  []suite.TestID{"a#exit", "a#turned"},
		Observed: &suite.Seen{Order: suite.Order{"a#exit", "a#2", "a#turned", "a#1"}},
		Crashes: []job.Ended{
			{Crash: suite.Crash{During: "a#1"}, Order: suite.Order{"a#1"}}, // of no test that is left out
			{Crash: suite.Crash{During: "a#exit"}, Order: suite.Order{"a#2", "a#exit"}},
		},
	}
	p := &process{ends: ends}
	always, err := confirmEndings(t.Context(), p, original, report.LeftOut, endingOrders(report))
	if err != nil || !slices.Equal(always, []suite.TestID{"a#exit"}) {
		t.Errorf("%v, %v", always, err)
	}
	want := []suite.Order{{"a#1", "a#exit", "a#2", "a#turned"}, {"a#1", "a#2", "a#turned"}, {"a#turned"}, {"a#2", "a#turned", "a#1"}}
	if diff := cmp.Diff(want, p.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	report.Observed = nil
	var e *job.Error
	if _, err := confirmEndings(t.Context(), p, original, report.LeftOut, endingOrders(report)); !errors.As(err, &e) ||
		e.Code != "bad-report" {
		t.Errorf("without that order: %v", err)
	}
}

func TestEndedBy(t *testing.T) {
	results := []suite.Result{{Test: "a#1", Outcome: suite.Pass}, {Test: "a#2", Outcome: suite.Unresolved}}
	for name, c := range map[string]struct {
		crash *suite.Crash
		want  suite.TestID
	}{
		"no crash":             {nil, ""},
		"it said during which": {&suite.Crash{During: "a#1"}, "a#1"},
		"it did not":           {&suite.Crash{}, "a#2"},
	} {
		run := &suite.Run{Order: suite.Order{"a#1", "a#2"}, Results: results, Crash: c.crash}
		for _, id := range run.Order {
			if got := endedBy(run, id); got != (id == c.want) {
				t.Errorf("%s: %s: %v", name, id, got)
			}
		}
	}
}

// TestLeftOutTestsMustBeThere: what the suite does not have cannot be left out of it.
func TestLeftOutTestsMustBeThere(t *testing.T) {
	s := &suite.Suite{Root: &suite.Node{Children: []*suite.Node{{Name: "one", Test: "a.A#one"}}}}
	p := &session.Module{Lab: &session.Lab{Original: s.Order()}, Names: suite.NewResolver(s, junitid.Syntax{})}
	if err := knows(p, &job.Report{LeftOut: []suite.TestID{"a.A#one"}}); err != nil {
		t.Error(err)
	}
	var e *job.Error
	if err := knows(p, &job.Report{LeftOut: []suite.TestID{"a.A#two"}}); !errors.As(err, &e) || e.Code != "no-such-test" {
		t.Errorf("%v", err)
	}
}

// TestAttackLeftOut: a test that ends its process alone, or where it is the last one, and not in CI's
// order or the suite's own, stays in these. A report could leave it out because it pollutes the state there.
func TestAttackLeftOut(t *testing.T) {
	p := &process{ends: func(before suite.Order, t suite.TestID) bool {
		return t == "a#exit" || t == "a#alone" && len(before) == 0
	}, endsLast: "a#1"}
	original, leftOut := suite.Order{"a#2", "a#1", "a#alone", "a#exit", "a#3"}, []suite.TestID{"a#alone", "a#exit", "a#1"}
	always, err := confirmEndings(t.Context(), p, original, leftOut, []suite.Order{{"a#2", "a#1"}})
	if err != nil || !slices.Equal(always, []suite.TestID{"a#exit"}) {
		t.Errorf("left out of the suite's own order: %v, %v", always, err)
	}
	r := &job.Report{LeftOut: leftOut, Observed: &suite.Seen{Order: suite.Order{"a#2", "a#exit", "a#1", "a#alone", "a#3"}}}
	for ofServer, want := range map[bool]suite.Order{true: {"a#2", "a#1", "a#alone", "a#3"}, false: {"a#2", "a#3"}} {
		if got, err := seenOrder(t.Context(), p, r, ofServer); err != nil || !slices.Equal(got, want) {
			t.Errorf("an order of the server %v: %v, %v", ofServer, got, err)
		}
	}
}
