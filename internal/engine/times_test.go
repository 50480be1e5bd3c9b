package engine

import (
	"testing"
	"time"

	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

func TestTimes(t *testing.T) {
	l := &lab{}
	l.times.note(nil)
	run := func(out suite.Outcome, took time.Duration) *suite.Run {
		return &suite.Run{Order: suite.Order{"A#a"}, Results: []suite.Result{{Test: "A#a", Outcome: out, Nanos: int64(took)}}}
	}
	l.times.note(run(suite.Unresolved, time.Second))
	if got := l.times.took("A#a"); got != 0 {
		t.Errorf("%v, of a run without a result", got)
	}
	l.times.note(run(suite.Fail, time.Millisecond))
	if got := l.times.took("A#a"); got != time.Millisecond {
		t.Errorf("%v, of the only run", got)
	}
	for _, took := range []time.Duration{3 * time.Second, 2 * time.Second, 4 * time.Second} {
		l.times.note(run(suite.Pass, took))
	}
	if got := l.times.took("A#a"); got != 3*time.Second {
		t.Errorf("%v, want the mean of the passes", got)
	}
	in := &suite.Suite{Root: &suite.Node{}}
	for _, c := range []struct{ all, once, timed bool }{{false, false, true}, {true, false, false}, {false, true, false}} {
		p := &module{lab: l, suite: in, groups: suite.NewGroups(in, nil), about: project.About{Once: c.once}}
		var input repair.ProofInput
		if p.surround(&input, nil, nil, c.all); (input.Took != nil) != c.timed {
			t.Errorf("all %v, once %v: the rows are limited by time: %v", c.all, c.once, input.Took != nil)
		}
	}
}
