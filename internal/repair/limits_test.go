package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// An attempt that takes too long is skipped, and others are made.
func TestSlowAttemptIsSkipped(t *testing.T) {
	w := registry()
	w.unknown = func(e Edit) bool { return e.Location == patch.PolluterTeardown || e.Location == patch.VictimStart }
	cs := candidates(t, w, registryCause(), nil)
	if cs[0].Edit.Location != patch.PolluterEnd || len(cs[0].Fixes) != 3 {
		t.Errorf("best is %s, fixes %v", labels(cs[0]), cs[0].Fixes)
	}
}

// If statements could not be tried in any location, the result claims nothing about them.
func TestNoClaimAboutSlowAttempts(t *testing.T) {
	w, cause := uncleaned()
	w.unknown = func(e Edit) bool { return e.Location == patch.VictimSetup }
	cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w,
		Finder: &thinker{made: calls("Registry.other();")}}).Candidates(t.Context(), cause)
	if len(cs) > 0 || !errors.Is(err, ErrResetTime) {
		t.Errorf("candidates %v, error %v", cs, err)
	}
}

// A patch without one of its statements may not compile in time. This does not show that the
// statement is needed.
func TestSlowCompilationDoesNotProveMinimality(t *testing.T) {
	w := registry()
	best := candidates(t, w, registryCause(), nil)[0]
	w.unknown = func(e Edit) bool { return len(e.Keep) < len(best.Edit.Keep) }
	checks, proved, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Prove(t.Context(), build{w}, best, proof(w))
	if err != nil || proved {
		t.Fatalf("proved %v, error %v", proved, err)
	}
	if !slices.ContainsFunc(checks, func(c Check) bool { return !c.OK && strings.Contains(c.Detail, "is not known") }) {
		t.Errorf("checks %+v", checks)
	}
}

// partial is a Finder that cannot search everywhere.
type partial struct{ thinker }

func (p *partial) Find(ctx context.Context, c Cause) ([]patch.Made, error) {
	made, _ := p.thinker.Find(ctx, c)
	return made, errors.New("one place could not be looked at")
}

// Statements that were found are tried although there may be more. The result then does not claim
// that nothing resets the state.
func TestFoundStatementsAreTried(t *testing.T) {
	w, cause := uncleaned()
	cs := candidates(t, w, cause, &partial{thinker{made: calls("Registry.reset();")}})
	if cs[0].Edit.Location != patch.PolluterTeardown {
		t.Errorf("best is %s", labels(cs[0]))
	}
	cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w,
		Finder: &partial{thinker{made: calls("Registry.other();")}}}).Candidates(t.Context(), cause)
	if len(cs) > 0 || err == nil || errors.Is(err, ErrNoReset) {
		t.Errorf("candidates %v, error %v", cs, err)
	}
}

// Once there is a patch, the search for a better one ends after half of the time. The other half is
// for the proof. Sleeping uses the fake time of synctest.
func TestTimeIsKeptForTheProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := registry()
		cause := registryCause()
		cause.Helpers = append(cause.Helpers, suite.Order{"N#neutral"})
		w.scripts[suite.Order{"N#neutral"}.Key()] = []Statement{{ID: "sleep", Role: "body"}, {ID: "sleep too", Role: "body"}}
		slow := func(map[string]bool) error { time.Sleep(time.Hour); return nil }
		w.effects["sleep"], w.effects["sleep too"] = slow, slow
		w.late = true
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w, Settle: began.Add(30 * time.Second)}).Candidates(ctx, cause)
		if err != nil || len(cs) == 0 {
			t.Fatalf("candidates %v, error %v", cs, err)
		}
		if took := time.Since(began); took > 31*time.Second {
			t.Errorf("looking for a better patch took %s", took)
		}
		w.running.Wait()
	})
}

// Once a patch fixes every test, the search for a better one takes at most as long as the search for
// that one, and ten seconds in any case.
func TestSearchForABetterPatchIsBounded(t *testing.T) {
	for _, first := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			w := registry()
			cause := registryCause()
			cause.Helpers = append(cause.Helpers, suite.Order{"N#neutral"})
			w.scripts[suite.Order{"N#neutral"}.Key()] = []Statement{{ID: "sleep", Role: "body"}, {ID: "sleep too", Role: "body"}}
			slow := func(map[string]bool) error { time.Sleep(time.Hour); return nil }
			w.effects["sleep"], w.effects["sleep too"] = slow, slow
			w.late = true
			began := time.Now()
			late := func(context.Context) ([]suite.Order, error) { time.Sleep(first); return cause.Helpers, nil }
			asked := cause
			asked.Helpers, asked.Later = nil, late
			cs := candidates(t, w, asked, nil)
			if took := time.Since(began); len(cs) == 0 || took > first+max(leastBetter, first)+time.Second {
				t.Errorf("%d candidates after %s, the first after %s", len(cs), took, first)
			}
			w.running.Wait()
		})
	}
}

// A statement that helps in a shared process is tried before all statements in front of it.
func TestLikelyStatementsAreTriedFirst(t *testing.T) {
	w, cause := uncleaned()
	var statements []string
	for i := range resetBatch - 1 {
		statements = append(statements, fmt.Sprintf("Registry.other(%d);", i))
	}
	best := candidates(t, w, cause, &thinker{made: calls(append(statements, "Registry.reset();")...)})[0]
	if best.Edit.Made.Statements[0] != "Registry.reset();" {
		t.Errorf("best is %+v", best.Edit.Made)
	}
	if most := 6; w.runs > most {
		t.Errorf("%d processes, want at most %d", w.runs, most)
	}
}

// One process may be misleading. A statement that helps only in a separate process is found. A
// statement that helps only after others is not accepted.
func TestHintsProveNothing(t *testing.T) {
	w, cause := uncleaned()
	pollutes := w.tests["P#pollute"]
	w.tests["P#pollute"] = func(s map[string]bool) bool { s["twice"], s["once"] = s["once"], true; return pollutes(s) }
	w.effects["Registry.reset();"] = func(s map[string]bool) error { s["dirty"] = s["twice"]; return nil }
	w.effects["Registry.second();"] = func(s map[string]bool) error { s["dirty"] = !s["twice"]; return nil }
	best := candidates(t, w, cause, &thinker{made: calls("Registry.second();", "Registry.reset();")})[0]
	if best.Edit.Made.Statements[0] != "Registry.reset();" {
		t.Errorf("best is %+v", best.Edit.Made)
	}
}

// If a helper's patch has several statements, resets are tried before any other helper, because
// they are likelier to be shorter.
func TestResetsComeBeforeFurtherHelpers(t *testing.T) {
	w, cause := uncleaned()
	cause.Helpers = append(registryCause().Helpers, suite.Order{"N#neutral"})
	read := 0
	w.unfit = func(e Edit) string {
		if slices.Equal(e.Helper, suite.Order{"N#neutral"}) {
			read++
		}
		return ""
	}
	w.scripts[suite.Order{"N#neutral"}.Key()] = []Statement{{ID: "noise", Role: "body"}}
	best := candidates(t, w, cause, &thinker{made: calls("Registry.reset();")})[0]
	if best.Edit.Made == nil || read > 0 {
		t.Errorf("best is %s; the second helper was tried %d times", labels(best), read)
	}
}

// If a fixed test fails with the patch in an order, the order is reported. Each test that pollutes
// there gets the statements, too.
func TestSuiteOrderThatRefutesIsReported(t *testing.T) {
	w := registry()
	w.tests["Q#other"] = w.tests["P#pollute"]
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cause := registryCause()
	best := candidates(t, w, cause, nil)[0]
	in := proof(w)
	in.Original = suite.Order{"P#pollute", "N#neutral", "Q#other", "V#one", "V#two"}
	in.Baseline = func(ctx context.Context) (*suite.Run, error) { return in.Plain.Run(ctx, in.Original) }
	checks, proved, err := p.Prove(t.Context(), build{w}, best, in)
	if err != nil || proved {
		t.Fatalf("proved %v, error %v", proved, err)
	}
	for _, c := range checks {
		cause.Whole = append(cause.Whole, c.Bad...)
	}
	wider, err := p.Widen(t.Context(), cause, best)
	if err != nil || wider == nil || !slices.Equal(wider.Edit.Also, []suite.TestID{"Q#other"}) {
		t.Errorf("widened to %+v, error %v, for %v", wider, err, cause.Whole)
	}
}

// If a patch in a class's setup is refused because it harms other tests, its statements are added
// at the start of the test.
func TestRefusedPatchMovesToAnotherLocation(t *testing.T) {
	w := registry()
	w.tests["B#brittle"] = func(s map[string]bool) bool { return s["opened"] }
	w.tests["B#closed"] = func(s map[string]bool) bool { return !s["opened"] }
	w.scripts[suite.Order{"C#clean"}.Key()] = []Statement{{ID: "open", Role: "body"}}
	cause := Cause{Cases: []Case{{Test: "B#brittle", Failing: []suite.Order{{"B#brittle"}}}}, Helpers: []suite.Order{{"C#clean"}}}
	cs := candidates(t, w, cause, nil)
	if len(cs) != 1 || labels(cs[0]) != "victim-setup open" {
		t.Fatalf("candidates %v", cs)
	}
	more, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Elsewhere(t.Context(), cause, cs[0], cs)
	if err != nil || len(more) != 1 || labels(more[0]) != "victim-start open" || !slices.Equal(more[0].Fixes, []suite.TestID{"B#brittle"}) {
		t.Errorf("elsewhere %v, error %v", more, err)
	}
	if again, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Elsewhere(t.Context(), cause, cs[0],
		slices.Concat(cs, more)); err != nil || len(again) > 0 {
		t.Errorf("where it stood already %v, error %v", again, err)
	}
	if more, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Elsewhere(t.Context(), cause, more[0],
		more); err != nil || len(more) > 0 {
		t.Errorf("after the last location %v, error %v", more, err)
	}
}

// If neither the setup before each test nor the test's start can hold the statements, they go before
// what is set up once for the tests of the block.
func TestRefusedPatchMovesToTheSetupOfTheBlock(t *testing.T) {
	w, cause := registry(), registryCause()
	w.unfit = func(e Edit) string {
		if e.Location == patch.VictimSetup || e.Location == patch.VictimStart {
			return "it undoes what is set up for the block"
		}
		return ""
	}
	cs := candidates(t, w, cause, nil)
	if len(cs) == 0 || cs[0].Edit.Location != patch.PolluterTeardown {
		t.Fatalf("candidates %v", cs)
	}
	more, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Elsewhere(t.Context(), cause, cs[0], cs[:1])
	last := len(more) - 1
	if err != nil || last < 0 || more[last].Edit.Location != patch.VictimBlockSetup || !slices.Contains(more[last].Fixes, cause.Cases[0].Test) {
		t.Errorf("elsewhere %v, error %v", more, err)
	}
}

// If no statement can be added anywhere, that is the reason, not that none helps.
func TestNoPlaceForAnyStatement(t *testing.T) {
	w, cause := uncleaned()
	w.unfit = func(Edit) string { return "it is written in another language" }
	cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w,
		Finder: &thinker{made: calls("Registry.reset();")}}).Candidates(t.Context(), cause)
	var unfit *UnfitError
	if len(cs) > 0 || errors.Is(err, ErrNoReset) || !errors.As(err, &unfit) || !strings.Contains(unfit.Reason, "language") {
		t.Errorf("candidates %v, error %v", cs, err)
	}
}
