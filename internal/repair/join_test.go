package repair

import (
	"reflect"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// severalStates is the registry with a second polluter in the polluter's class, which changes another
// state. V#one reads both.
func severalStates() (*world, Cause) {
	w, cause := uncleaned()
	w.tests["P#break"] = func(s map[string]bool) bool { s["broken"] = true; return true }
	w.tests["V#one"] = func(s map[string]bool) bool { return !s["dirty"] && !s["broken"] }
	w.effects["Registry.restore();"] = func(s map[string]bool) error { s["broken"] = false; return nil }
	cause.Cases = cause.Cases[:1]
	return w, cause
}

// TestJoinedStatements: after both polluters the test passes only with the statements of both causes.
func TestJoinedStatements(t *testing.T) {
	w, cause := severalStates()
	first := candidates(t, w, cause, &thinker{made: calls("Registry.reset();")})[0]
	pair := suite.Order{"P#break", "V#one"}
	second := candidates(t, w, Cause{Polluter: pair[:1], Cases: []Case{{Test: "V#one", Failing: []suite.Order{pair}}}},
		&thinker{made: calls("Registry.restore();")})[0]
	cause.Whole = []suite.Order{pair}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	got, err := p.Joined(t.Context(), cause, first, second)
	if err != nil || got == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	if both := []string{"Registry.reset();", "Registry.restore();"}; !slices.Equal(got.Edit.Made.Statements, both) ||
		len(got.StillFailing()) > 0 || !got.all(cause) {
		t.Errorf("%v, fixes %v, still failing %v", got.Edit.Made.Statements, got.Fixes, got.StillFailing())
	}
	if len(got.Edit.Also) > 0 {
		t.Errorf("the same teardown twice: %v", got.Edit.Also)
	}
	if again, err := p.Joined(t.Context(), cause, got, second); again != nil || err != nil {
		t.Errorf("statements that add nothing: %+v, %v", again, err)
	}
	in := proof(w)
	in.Minimal, in.Neighbours, in.Rows, in.Failing = []suite.Order{{"P#pollute", "V#one"}}, []suite.Order{pair}, nil, nil
	if checks, proved, err := p.Prove(t.Context(), build{w}, first, in); proved || err != nil {
		t.Errorf("the first statement alone: proved, %v, %+v", err, checks)
	}
	in.Failing = []suite.Order{pair} // what the first proof has met
	if checks, proved, err := p.Prove(t.Context(), build{w}, got, in); !proved || err != nil {
		t.Errorf("not proved: %v, %+v", err, checks)
	}
}

// TestStatementNeededInAnotherOrder: a statement that no minimal order needs is needed if a test fails
// without it in another order of the proof.
func TestStatementNeededInAnotherOrder(t *testing.T) {
	w, cause := severalStates()
	made := calls("Registry.reset();", "Registry.restore();")
	both := together(made)
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	at := func(m *patch.Made) *Candidate {
		return &Candidate{Edit: Edit{Made: m, Keep: m.IDs(), Location: patch.PolluterTeardown, At: "P#pollute"}, Built: &Built{}}
	}
	got, err := p.Joined(t.Context(), cause, at(&made[0]), at(&both))
	if err != nil || got == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	in := proof(w)
	in.Minimal, in.Neighbours, in.Rows, in.Failing = []suite.Order{{"P#pollute", "V#one"}}, nil, nil, nil
	if _, proved, err := p.Prove(t.Context(), build{w}, got, in); proved || err != nil {
		t.Errorf("a statement that nothing needs: proved, %v", err)
	}
}

// TestOrdersThatNeedAStatement: they end with the last test that the patch fixes, and the shortest
// runs first.
func TestOrdersThatNeedAStatement(t *testing.T) {
	pr := &prover{fixes: []suite.TestID{"V#one", "V#two"}}
	got := pr.untilFixed([]suite.Order{
		{"P#a", "V#one", "N#x", "V#two", "N#y", "N#z"},
		{"P#a", "N#x", "V#one", "N#y"},
		{"P#b", "V#one"},
		{"P#a", "V#one", "N#x"}, // the beginning of the first
		{"N#x"},
	})
	if want := []suite.Order{{"P#b", "V#one"}, {"P#a", "N#x", "V#one"}, {"P#a", "V#one", "N#x", "V#two"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

// TestEachPolluterRestoresItsOwn: of statements for two states, each of two classes gets those for the
// state that it changes.
func TestEachPolluterRestoresItsOwn(t *testing.T) {
	w, cause := severalStates()
	delete(w.tests, "P#break")
	w.tests["Q#break"] = func(s map[string]bool) bool { s["broken"] = true; return true }
	pair := suite.Order{"Q#break", "V#one"}
	first := candidates(t, w, cause, &thinker{made: calls("Registry.reset();")})[0]
	second := candidates(t, w, Cause{Polluter: pair[:1], Cases: []Case{{Test: "V#one", Failing: []suite.Order{pair}}}},
		&thinker{made: calls("Registry.restore();")})[0]
	cause.Whole = []suite.Order{{"P#pollute", "Q#break", "V#one"}, pair}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	join := func() *Candidate {
		t.Helper()
		got, err := p.Joined(t.Context(), cause, first, second)
		if err != nil || got == nil || !got.all(cause) {
			t.Fatalf("%+v, %v", got, err)
		}
		return got
	}
	got := join()
	if want := (Except{"P#pollute": {"0.1"}, "Q#break": {"0.0"}}); !reflect.DeepEqual(got.Edit.Except, want) {
		t.Errorf("left out: %v", got.Edit.Except)
	}
	in := proof(w)
	in.Minimal, in.Neighbours, in.Rows, in.Failing = []suite.Order{{"P#pollute", "V#one"}}, []suite.Order{pair}, nil, []suite.Order{pair}
	if checks, proved, err := p.Prove(t.Context(), build{w}, got, in); !proved || err != nil {
		t.Errorf("not proved: %v, %+v", err, checks)
	}
	w.unfit = func(e Edit) string { // as in a language whose groups of one file share a hook
		if len(e.Except) > 0 {
			return "different statements in one file"
		}
		return ""
	}
	if got := join(); len(got.Edit.Except) > 0 || len(got.Edit.Also) != 1 {
		t.Errorf("not at both: %+v", got.Edit)
	}
}
