package pollution

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestWhatWasFoundOutlivesTheTime: where nothing more can be run, what the tests leave is reported
// nevertheless.
func TestWhatWasFoundOutlivesTheTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found := &state.Pollutions{Observed: 1, Tests: []state.Polluter{{Test: "a.A#x",
		Pollutes: []state.Pollution{{Field: "a.S.map", Path: `a.S.map["k"]`, After: "1", During: state.DuringTest}}}}}
	r := &job.Report{}
	q := &inspection{s: session.New(job.Job{}, session.Options{}), p: &session.Module{Lab: &session.Lab{Base: enginetest.StandIn{}}}, r: r}
	err := q.judge(ctx, &state.Relation{}, found)
	if r.Pollution == nil {
		t.Fatalf("nothing is reported: %v", err)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "The lines that wrote") {
		t.Errorf("notes: %s", notes)
	}
}

// TestReversed: backwards, with the tests of a class in one piece.
func TestReversed(t *testing.T) {
	o := suite.Order{"a.A#x", "a.A#y", "b.B#x", "c.C#x", "c.C#y"}
	want := suite.Order{"c.C#y", "c.C#x", "b.B#x", "a.A#y", "a.A#x"}
	v := &proving{p: &session.Module{Groups: enginetest.Classes}}
	if got := v.reversed(o); !slices.Equal(got, want) || o[0] != "a.A#x" {
		t.Errorf("%v of %v", got, o)
	}
}

// TestMeet: where each class has a process of its own, two classes' tests never meet.
func TestMeet(t *testing.T) {
	for _, isolated := range []bool{true, false} {
		v := &proving{p: &session.Module{Groups: enginetest.Classes, About: project.About{Isolated: isolated}}}
		if !v.meet("a.A#x", "a.A#y") || v.meet("a.A#x", "b.B#x") == isolated {
			t.Errorf("isolated %v", isolated)
		}
	}
	outer := &suite.Node{Name: "a.A", TestsFirst: true, Children: []*suite.Node{{Test: "a.A#x"}, {Name: "N", Children: []*suite.Node{{Test: "a.A$N#y"}}}}}
	v := &proving{p: &session.Module{Groups: suite.NewGroups(&suite.Suite{Root: &suite.Node{Children: []*suite.Node{outer}}}, nil)}}
	if !v.meet("a.A#x", "a.A$N#y") || v.meet("a.A$N#y", "a.A#x") {
		t.Error("a method may follow a nested class")
	}
}

// TestReadersOfTwoGroups: readers before and after the polluting test in the suite's order are all
// found, though a process refuses to leave a group and return to it, or to run more than a pair.
func TestReadersOfTwoGroups(t *testing.T) {
	const by = suite.TestID("b.B#pollutes")
	split := func(o suite.Order) bool {
		left := slices.IndexFunc(o, func(t suite.TestID) bool { return !enginetest.Classes.Same(by, t) })
		return o[0] == by && left >= 0 && slices.ContainsFunc(o[left:], func(t suite.TestID) bool { return enginetest.Classes.Same(by, t) })
	}
	for what, refuses := range map[string]func(suite.Order) bool{
		"split": split, "long": func(o suite.Order) bool { return len(o) > 2 },
	} {
		runs := &atomic.Int64{}
		run := func(o suite.Order) *suite.Run {
			out := &suite.Run{Order: o}
			for i, one := range o {
				r := suite.Result{Test: one, Position: i, Outcome: suite.Pass}
				if refuses(o) {
					r.Outcome = suite.Unresolved
				} else if i > 0 && o[0] == by {
					r.Outcome = suite.Fail
				}
				out.Results = append(out.Results, r)
			}
			return out
		}
		p := &session.Module{Lab: &session.Lab{Base: enginetest.StandIn{Answer: run, Runs: runs},
			Original: suite.Order{"a.A#reads", by, "b.B#reads", "c.C#reads"}}, Groups: enginetest.Classes}
		found := &state.Pollutions{Tests: []state.Polluter{{Test: by}}}
		v := &proving{s: session.New(job.Job{}, session.Options{}), p: p, found: found, rerun: 1,
			alone: map[suite.TestID]bool{}, proved: map[suite.TestID]bool{}}
		readers := map[suite.TestID][]string{"a.A#reads": nil, "b.B#reads": nil, "c.C#reads": nil}
		if err := v.ask(t.Context(), group{by: []suite.TestID{by}, atRisk: readers}); err != nil {
			t.Fatal(err)
		}
		if len(v.proved) != len(readers) {
			t.Errorf("%s: proved %v", what, v.proved)
		}
		if n := runs.Load(); what == "split" && n != 8 { // 2 with all readers; each reader alone and after the test
			t.Errorf("%d runs", n)
		}
	}
}
