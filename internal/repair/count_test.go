package repair

import (
	"context"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// once is a world that runs each class once: an order that leaves a class and comes back has no results.
type once struct{ *world }

func (w once) Run(ctx context.Context, o suite.Order, t Trial) (*suite.Run, error) {
	seen := map[string]bool{}
	for i, x := range o {
		if seen[groups.Top(x)] && !groups.Same(o[i-1], x) {
			run := &suite.Run{Order: o}
			for k, y := range o {
				run.Results = append(run.Results, suite.Result{Test: y, Outcome: suite.Unresolved, Position: k})
			}
			return run, nil
		}
		seen[groups.Top(x)] = true
	}
	return w.world.Run(ctx, o, t)
}

// TestCountWhereNoProcessRunsAllTests: the tests of a cause that cannot run in one process one after the
// other run each by itself.
func TestCountWhereNoProcessRunsAllTests(t *testing.T) {
	w, cause := uncleaned()
	w.tests["P#late"] = w.tests["V#one"]
	cause.Cases = []Case{cause.Cases[0], {Test: "P#late", Failing: []suite.Order{{"P#pollute", "P#late"}}}}
	p := &Patcher{Groups: groups, Editor: w, Runner: once{w}}
	edit := Edit{Made: &patch.Made{Statements: []string{"Registry.reset();"}}, Keep: []string{"0.0"}, Location: patch.PolluterEnd, At: "P#pollute"}
	built, err := w.Build(t.Context(), edit)
	if err != nil {
		t.Fatal(err)
	}
	c := &Candidate{Edit: edit, Built: built}
	if err := p.count(t.Context(), cause, c); err != nil || !slices.Equal(c.Fixes, []suite.TestID{"V#one", "P#late"}) {
		t.Errorf("fixes %v, %v", c.Fixes, err)
	}
}

// TestCountOfVictimsThatPollute: a test that fails in a process with others of its cause, because one of
// them pollutes the state again, still fails in an order that holds that one.
func TestCountOfVictimsThatPollute(t *testing.T) {
	w, cause := uncleaned()
	victim := w.tests["V#one"]
	w.tests["V#one"] = func(s map[string]bool) bool { ok := victim(s); s["dirty"] = true; return ok }
	cause.Cases = cause.Cases[:2]
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	edit := Edit{Made: &patch.Made{Statements: []string{"Registry.reset();"}}, Keep: []string{"0.0"}, Location: patch.PolluterEnd, At: "P#pollute"}
	built, err := w.Build(t.Context(), edit)
	if err != nil {
		t.Fatal(err)
	}
	c := &Candidate{Edit: edit, Built: built}
	if err := p.count(t.Context(), cause, c); err != nil {
		t.Fatal(err)
	}
	if want := (suite.Order{"P#pollute", "V#one", "V#two"}); len(c.stillFailing) != 1 || !slices.Equal(c.stillFailing[0], want) {
		t.Errorf("still failing %v", c.stillFailing)
	}
}
