package repair

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestOneStatementAfterOtherPolluters checks that one statement that cleans up is also added after
// the polluters of other causes if this fixes all their tests, and that several statements are not.
func TestOneStatementAfterOtherPolluters(t *testing.T) {
	for _, one := range []bool{true, false} {
		w, cause := uncleaned()
		w.tests["Q#other"] = w.tests["P#pollute"]
		w.tests["R#worse"] = func(s map[string]bool) bool { s["dirty"], s["broken"] = true, true; return true }
		w.tests["X#both"] = func(s map[string]bool) bool { return !s["dirty"] && !s["broken"] }
		foreign := Cause{Polluter: suite.Order{"Q#other"}, Cases: []Case{{Test: "V#two", Failing: []suite.Order{{"Q#other", "V#two"}}}}}
		incurable := Cause{Polluter: suite.Order{"R#worse"}, Cases: []Case{
			{Test: "W#three", Failing: []suite.Order{{"R#worse", "W#three"}}},
			{Test: "X#both", Failing: []suite.Order{{"R#worse", "X#both"}}}}}
		cause.Cases = cause.Cases[:1]
		p := &Patcher{Groups: groups, Editor: w, Runner: w}
		best := candidates(t, w, cause, &thinker{made: calls("Registry.reset();")})[0]
		want, fixes := []suite.TestID{"Q#other"}, []suite.TestID{"V#one", "V#two"}
		if !one {
			best.Built.Statements = append(best.Built.Statements, "and another")
			best.Edit.Made.Statements = append(best.Edit.Made.Statements, "and another")
			want, fixes = nil, fixes[:1]
		}
		if err := p.Extend(context.Background(), best, []Cause{incurable, foreign}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(best.Edit.Also, want) || !slices.Equal(best.Fixes, fixes) {
			t.Errorf("one statement: %v; also at %v, fixes %v", one, best.Edit.Also, best.Fixes)
		}
	}
}

// TestStatementsOfACohortRunInFewProcesses checks that removing a statement does not take one
// process for each of many tests.
func TestStatementsOfACohortRunInFewProcesses(t *testing.T) {
	w := registry()
	w.tests["P#pollute"] = func(s map[string]bool) bool { s["dirty"], s["opened"] = true, true; return true }
	cause := registryCause()
	for i := range 60 {
		v := suite.TestID(fmt.Sprintf("M#more%02d", i))
		w.tests[v] = w.tests["V#one"]
		cause.Cases = append(cause.Cases, Case{Test: v, Failing: []suite.Order{{"P#pollute", v}}})
	}
	cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Candidates(context.Background(), cause)
	if err != nil {
		t.Fatal(err)
	}
	if best := cs[0]; len(best.Fixes) != len(cause.Cases) || !slices.Equal(best.Edit.Keep, []string{"reset"}) {
		t.Errorf("best is %s, fixes %d", labels(best), len(best.Fixes))
	}
	if w.runs > len(cause.Cases) {
		t.Errorf("%d processes for %d tests", w.runs, len(cause.Cases))
	}
}
