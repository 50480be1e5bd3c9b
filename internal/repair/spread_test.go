package repair

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/patch"
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

// TestBrittlesOfSeveralClassesGetOnePatch checks that the statement is at a test of each class that
// needs it, and only there, and that the patch of one class remains as another candidate.
func TestBrittlesOfSeveralClassesGetOnePatch(t *testing.T) {
	for name, c := range map[string]struct {
		unfit string
		also  []suite.TestID
		fixes []suite.TestID
	}{
		"all":                {"", []suite.TestID{"X#three"}, []suite.TestID{"V#one", "V#two", "X#three"}},
		"a class is generic": {"X#three", nil, []suite.TestID{"V#one", "V#two"}},
	} {
		w := registry()
		needs := func(s map[string]bool) bool { return s["opened"] }
		w.tests["V#one"], w.tests["V#two"], w.tests["X#three"] = needs, needs, needs
		w.tests["Y#more"] = func(s map[string]bool) bool { return s["opened"] && s["lit"] }
		w.unfit = func(e Edit) string {
			if c.unfit != "" && slices.Contains(e.Also, suite.TestID(c.unfit)) {
				return "the class cannot be edited"
			}
			return ""
		}
		cause := Cause{Helpers: []suite.Order{{"C#clean"}}}
		for _, v := range []suite.TestID{"V#one", "V#two", "X#three", "Y#more"} {
			cause.Cases = append(cause.Cases, Case{Test: v, Failing: []suite.Order{{v}}})
		}
		cs := candidates(t, w, cause, nil)
		best := cs[0]
		if labels(best) != "victim-setup open" || !slices.Equal(best.Edit.Also, c.also) || !slices.Equal(best.Fixes, c.fixes) {
			t.Errorf("%s: best is %s at %v, fixes %v", name, labels(best), best.Edit.spots(), best.Fixes)
		}
		if !slices.ContainsFunc(cs, func(c *Candidate) bool { return len(c.Edit.Also) == 0 && len(c.Fixes) == 2 }) {
			t.Errorf("%s: no candidate for one class alone", name)
		}
		in := ProofInput{Groups: groups, Repeats: 1, Plain: site{w, ""}, TestCode: func(string) bool { return true }}
		for _, v := range best.Fixes {
			in.Minimal = append(in.Minimal, suite.Order{v})
		}
		if checks, proved, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Prove(t.Context(), build{w}, best, in); err != nil || !proved {
			t.Errorf("%s: not proved: %+v %v", name, checks, err)
		}
	}
}

// late is a world in which statements at W#three come too late, because its class reads the state
// before they run.
type late struct{ *world }

func (l late) Run(ctx context.Context, o suite.Order, t Trial) (*suite.Run, error) {
	if o[len(o)-1] == "W#three" && !slices.Contains(o, "V#one") {
		t.Overlay = ""
	}
	return l.world.Run(ctx, o, t)
}

// A test that passes only because another test's statements ran before it in the same process is
// not claimed.
func TestSharedProcessClaimsNoFurtherTest(t *testing.T) {
	w, cause := uncleaned()
	w.tests["X#four"] = w.tests["V#one"]
	cause.Cases = []Case{cause.Cases[0], cause.Cases[2], {Test: "X#four", Failing: []suite.Order{{"P#pollute", "X#four"}}}}
	p := &Patcher{Groups: groups, Editor: w, Runner: late{w}}
	edit := Edit{Made: &patch.Made{Statements: []string{"Registry.reset();"}}, Keep: []string{"0.0"}, Location: patch.VictimStart, At: "V#one"}
	built, err := w.Build(t.Context(), edit)
	if err != nil {
		t.Fatal(err)
	}
	wide, err := p.atOthers(t.Context(), cause, &Candidate{Edit: edit, Built: built, Fixes: []suite.TestID{"V#one"}})
	if err != nil || wide == nil {
		t.Fatalf("%+v, %v", wide, err)
	}
	if want := []suite.TestID{"V#one", "X#four"}; !slices.Equal(wide.Fixes, want) || !slices.Equal(wide.Edit.spots(), want) {
		t.Errorf("at %v, fixes %v", wide.Edit.spots(), wide.Fixes)
	}
}

// No more than one compilation for each class is spent on a statement that fits nowhere else.
func TestFewCompilationsForFurtherTests(t *testing.T) {
	w := registry()
	cause := Cause{}
	for i := range 40 {
		for _, class := range []string{"V", "W"} {
			id := suite.TestID(fmt.Sprintf("%s#t%d", class, i))
			w.tests[id] = func(s map[string]bool) bool { return s["opened"] }
			cause.Cases = append(cause.Cases, Case{Test: id, Failing: []suite.Order{{id}}})
		}
	}
	unfit := 0
	w.unfit = func(e Edit) string {
		if len(e.Also) == 0 {
			return ""
		}
		unfit++
		return "the file cannot be changed"
	}
	edit := Edit{Helper: suite.Order{"C#clean"}, Keep: []string{"open"}, Location: patch.VictimStart, At: "V#t0"}
	built, err := w.Build(t.Context(), edit)
	if err != nil {
		t.Fatal(err)
	}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	wide, err := p.atOthers(t.Context(), cause, &Candidate{Edit: edit, Built: built, Fixes: []suite.TestID{"V#t0"}})
	if wide != nil || err != nil || unfit != 2 {
		t.Errorf("%+v, %v, %d compilations", wide, err, unfit)
	}
}

// A statement that a setup cannot have is at the start of each test of the cause, in one patch.
func TestOnePatchAtTheStartOfSeveralTests(t *testing.T) {
	w := registry()
	needs := func(s map[string]bool) bool { return s["opened"] }
	cause := Cause{Helpers: []suite.Order{{"C#clean"}}}
	for _, v := range []suite.TestID{"V#one", "V#two", "V#three"} {
		w.tests[v] = needs
		cause.Cases = append(cause.Cases, Case{Test: v, Failing: []suite.Order{{v}}})
	}
	cs := candidates(t, w, cause, nil)
	if labels(cs[0]) != "victim-setup open" || len(cs[0].Fixes) != 3 {
		t.Fatalf("best is %s, fixes %v", labels(cs[0]), cs[0].Fixes)
	}
	w.late = true                                                                            // it respects the context
	p := &Patcher{Groups: groups, Editor: w, Runner: w, until: time.Now().Add(-time.Minute)} // for better ones than the refused one
	more, err := p.Elsewhere(t.Context(), cause, cs[0], cs[:1])
	w.running.Wait()
	if err != nil || len(more) == 0 {
		t.Fatalf("%v, %d candidates elsewhere", err, len(more))
	}
	also := []suite.TestID{"V#two", "V#three"}
	if got := more[0]; labels(got) != "victim-start open" || len(got.Fixes) != 3 || !slices.Equal(got.Edit.Also, also) {
		t.Errorf("%s at %v, fixes %v", labels(got), got.Edit.spots(), got.Fixes)
	}
}

// TestPollutesItself: a test that also fails after itself sets its state in its own class, where the
// statement serves this order, too. That helps nothing if its second run fails for another reason.
func TestPollutesItself(t *testing.T) {
	for name, c := range map[string]struct {
		twice bool
		one   func(s map[string]bool) bool
		want  patch.Location
	}{
		"the same state": {true, func(s map[string]bool) bool { ok := !s["dirty"]; s["dirty"] = true; return ok }, patch.VictimSetup},
		"another state":  {true, func(s map[string]bool) bool { ok := !s["dirty"] && !s["ran"]; s["ran"] = true; return ok }, patch.PolluterTeardown},
		"once":           {false, func(s map[string]bool) bool { return !s["dirty"] }, patch.PolluterTeardown},
	} {
		w, cause := uncleaned()
		w.tests["V#one"] = c.one
		cause.Cases, cause.Twice = cause.Cases[:1], c.twice
		if got := candidates(t, w, cause, &thinker{made: calls("Registry.reset();")})[0]; got.Edit.Location != c.want {
			t.Errorf("%s: %+v", name, got.Edit)
		}
	}
}
