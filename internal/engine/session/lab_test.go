package session

import (
	"sync/atomic"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// ending is a run whose process ended early.
func ending(o suite.Order) *suite.Run {
	return &suite.Run{Order: o, Price: suite.Fresh, Crash: &suite.Crash{Kind: "exit", During: o[0]}}
}

// TestEndsOfPatchedProcessesAreNotTheProjectsOwn: what a patch under trial does
// is no news about the build.
func TestEndsOfPatchedProcessesAreNotTheProjectsOwn(t *testing.T) {
	l := &Lab{Base: enginetest.StandIn{Answer: ending}, log: zap.NewNop()}
	o := suite.Order{"a.A#one"}
	run, err := l.Run(t.Context(), o, repair.Trial{Price: suite.Fresh, Overlay: "overlay"})
	if err != nil || run.Crash == nil {
		t.Fatalf("%+v, %v", run, err)
	}
	if len(l.ends.ended) > 0 {
		t.Errorf("ends of patches are kept: %+v", l.ends.ended)
	}
	if _, err := l.Run(t.Context(), o, repair.Trial{Price: suite.Fresh}); err != nil || len(l.ends.ended) != 1 || l.ends.ended[0].Times != 1 {
		t.Errorf("of the project: %+v, %v", l.ends.ended, err)
	}
}

// Each repeat of a proof comes from a process of its own: what a proof runs itself does not count
// again. The runs of the diagnosis and of earlier proofs count once.
func TestRepeatsWithoutThePatchAreProcesses(t *testing.T) {
	runs := &atomic.Int64{}
	base := enginetest.StandIn{Runs: runs, Answer: func(o suite.Order) *suite.Run { return &suite.Run{Order: o} }}
	l := &Lab{Base: base, log: zap.NewNop()}
	o := suite.Order{"a.A#one", "a.A#two"}
	repeat := func(site repair.Site, n int) (made int64) {
		t.Helper()
		before, seen := runs.Load(), map[*suite.Run]bool{}
		for range n {
			run, err := site.Run(t.Context(), o)
			if err != nil || seen[run] {
				t.Errorf("%v, %v counts twice", err, run)
			}
			seen[run] = true
		}
		return runs.Load() - before
	}
	first := l.Plain()
	if made := repeat(first, 3); made != 3 {
		t.Errorf("3 repeats are %d processes", made)
	}
	if made := repeat(first.Alone(), 1); made != 1 {
		t.Errorf("an exclusive repeat is %d processes", made)
	}
	if made := repeat(first, 1); made != 1 {
		t.Errorf("after an exclusive repeat, another one is %d processes", made)
	}
	if made := repeat(l.Plain(), 6); made != 1 {
		t.Errorf("6 repeats of a second proof are %d new processes, want 1", made)
	}
}

// TestHintFromARunOfTheProof checks that a hint needs no process if a fresh run, such as one of a
// proof, began with its order.
func TestHintFromARunOfTheProof(t *testing.T) {
	var runs atomic.Int64
	all := func(o suite.Order) *suite.Run {
		run := &suite.Run{Order: o, Price: suite.Fresh}
		for i, id := range o {
			run.Results = append(run.Results, suite.Result{Test: id, Outcome: suite.Pass, Position: i})
		}
		return run
	}
	own := suite.Order{"a.A#one", "a.A#two", "b.B#three"}
	l := &Lab{Base: enginetest.StandIn{Answer: all, Runs: &runs}, log: zap.NewNop(), Original: own}
	if _, err := l.Plain().Run(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		o         suite.Order
		p         suite.Price
		exclusive bool
		runs      int64
		price     suite.Price
	}{
		{"a hint of its beginning", own[:2], suite.Batched, false, 0, suite.Batched},
		{"a hint of the whole order", own, suite.Batched, false, 0, suite.Batched},
		{"no other process may run", own, suite.Batched, true, 1, suite.Fresh},
		{"a fresh run is made", own[:2], suite.Fresh, false, 1, suite.Fresh},
		{"another order", suite.Order{"b.B#three", "a.A#one"}, suite.Batched, false, 1, suite.Fresh},
		{"more than it ran", append(own[:3:3], "c.C#four"), suite.Batched, false, 1, suite.Fresh},
	} {
		runs.Store(0)
		run, err := asker{l}.Run(t.Context(), c.o, c.p, c.exclusive)
		if err != nil || runs.Load() != c.runs || run.Price != c.price || len(run.Results) != len(c.o) {
			t.Errorf("%s: %d runs, %+v, %v", c.name, runs.Load(), run, err)
		}
	}
	l.own = nil
	if l.beginning(own) == nil {
		t.Error("a run that is not that of the suite's own order")
	}
	other := all(own)
	other.Results[1].Outcome = suite.Fail
	if l.remember(own, other); l.beginning(own[:2]) != nil || l.beginning(own[:1]) == nil {
		t.Error("stored runs disagree on the second test only")
	}
	cut := all(own)
	cut.Results = cut.Results[:1]
	if run := beginningOf(cut, own[:2]); run != nil {
		t.Errorf("a run that ended early: %+v", run)
	}
}
