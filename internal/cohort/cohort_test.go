package cohort

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

// project is a made-up project. The outcome of a test depends on whether the cause ran before it.
type project struct {
	runs  []suite.Order
	after func(o suite.Order, i, run int) suite.Outcome
	err   error
	other bool // a process runs another test in place of the second one of its order
}

func (p *project) Parallel() int { return 1 }

func (p *project) Run(_ context.Context, o suite.Order, _ suite.Price) (*suite.Run, error) {
	p.runs = append(p.runs, o)
	run := &suite.Run{Order: o}
	for i, t := range o {
		if p.other && i == 1 {
			t = "other"
		}
		run.Results = append(run.Results, suite.Result{Test: t, Position: i, Outcome: p.after(o, i, len(p.runs)),
			Failure: &suite.Failure{Message: string(t)}})
	}
	return run, p.err
}

// polluted makes the tests v… fail after p.
func polluted(o suite.Order, i, _ int) suite.Outcome {
	if o[i][0] == 'v' && o[0] == "p" {
		return suite.Fail
	}
	return suite.Pass
}

func TestConfirm(t *testing.T) {
	tests := suite.Order{"v1", "w", "v2"}
	for name, c := range map[string]struct {
		after  func(suite.Order, int, int) suite.Outcome
		setter bool
		want   suite.Order
		runs   int
	}{
		"those that fail after the cause": {polluted, false, suite.Order{"v1", "v2"}, 4},
		"nobody for a setter":             {polluted, true, nil, 2},
		"those that it sets": {func(o suite.Order, i, run int) suite.Outcome {
			if polluted(o, i, run) == suite.Fail {
				return suite.Pass
			}
			return suite.Fail
		}, true, suite.Order{"v1", "v2"}, 4},
		"not one that passes the second time": {func(o suite.Order, i, run int) suite.Outcome {
			if o[i] == "v2" && run == 3 {
				return suite.Pass
			}
			return polluted(o, i, run)
		}, false, suite.Order{"v1"}, 4},
		"not one that fails without the cause": {func(o suite.Order, i, run int) suite.Outcome {
			if o[i] == "v1" {
				return suite.Fail
			}
			return polluted(o, i, run)
		}, false, suite.Order{"v2"}, 4},
		"nobody where nothing is resolved": {func(suite.Order, int, int) suite.Outcome { return suite.Unresolved }, false, nil, 1},
	} {
		p := &project{after: c.after}
		got, err := Confirm(t.Context(), p, suite.Order{"p"}, tests, c.setter, 2)
		var members suite.Order
		for _, m := range got {
			members = append(members, m.Test)
			if m.Failure.Message != string(m.Test) {
				t.Errorf("%s: %s has the failure %q", name, m.Test, m.Failure.Message)
			}
		}
		if err != nil || !slices.Equal(members, c.want) || len(p.runs) != c.runs {
			t.Errorf("%s: %v, %v after %d runs", name, members, err, len(p.runs))
		}
	}
}

func TestConfirmDistrustsOtherTests(t *testing.T) {
	got, err := Confirm(t.Context(), &project{after: polluted, other: true}, suite.Order{"p"}, suite.Order{"v1", "v2"}, false, 1)
	if err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	fails := errors.New("no process")
	if _, err := Confirm(t.Context(), &project{after: polluted, err: fails}, suite.Order{"p"}, suite.Order{"v1"}, false,
		1); !errors.Is(err, fails) {
		t.Error(err)
	}
}

func TestAfter(t *testing.T) {
	group := func(name string, tests ...suite.TestID) *suite.Node {
		n := &suite.Node{Name: name}
		for _, t := range tests {
			n.Children = append(n.Children, &suite.Node{Name: string(t), Test: t})
		}
		return n
	}
	s := &suite.Suite{Root: &suite.Node{Children: []*suite.Node{group("A", "a1", "a2"), group("B", "b1"), group("C", "c1", "c2"),
		group("D", "d1")}}}
	got := After(suite.NewGroups(s, nil), s.Order(), suite.Order{"a1", "c1"}, func(t suite.TestID) bool { return t != "d1" })
	// a2 cannot run, because its group has ended. c2 comes first, because it belongs to the group
	// of the last test.
	if d := cmp.Diff(suite.Order{"c2", "b1"}, got); d != "" {
		t.Error(d)
	}
	// a2 runs before what is nested in its group, so it cannot run after that.
	within := group("A", "a1", "a2")
	within.TestsFirst = true
	within.Children = append(within.Children, group("N", "n1", "n2"))
	first := &suite.Suite{Root: &suite.Node{Children: []*suite.Node{within, group("B", "b1")}}}
	got = After(suite.NewGroups(first, nil), first.Order(), suite.Order{"n1"}, func(suite.TestID) bool { return true })
	if d := cmp.Diff(suite.Order{"n2", "b1"}, got); d != "" {
		t.Error(d)
	}
	// The rest of a nested group comes first, and one that was left does not come again.
	outer := group("O", "o1")
	outer.Children = append(outer.Children, group("I", "i1", "i2"), group("J", "j1", "j2"))
	nested := &suite.Suite{Root: &suite.Node{Children: []*suite.Node{outer, group("A", "a1")}}}
	got = After(suite.NewGroups(nested, nil), nested.Order(), suite.Order{"i1", "j1"}, func(suite.TestID) bool { return true })
	if d := cmp.Diff(suite.Order{"j2", "o1", "a1"}, got); d != "" {
		t.Error(d)
	}
}

func TestCheaper(t *testing.T) {
	if Cheaper(10, 200, 3) || !Cheaper(100, 200, 3) {
		t.Error("ten tests are to run alone, a hundred together")
	}
}
