package repair

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

func TestOnePatchFixesAllVictimsOfACause(t *testing.T) {
	w := registry()
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), registryCause())
	if err != nil {
		t.Fatal(err)
	}
	best := cs[0]
	// The search opened the compound statement and removed its useless parts.
	if got := labels(best); got != "polluter-teardown open,reset" {
		t.Errorf("best candidate: %s", got)
	}
	want := []suite.TestID{"V#one", "V#two", "W#three"}
	if d := cmp.Diff(want, best.Fixes); d != "" {
		t.Errorf("fixes: %s", d)
	}
	for _, c := range cs {
		if c.Edit.Location == patch.VictimStart && len(c.Fixes) != 1 {
			t.Errorf("a patch in one victim was counted for others: %v", c.Fixes)
		}
		if c.Edit.Location == patch.VictimSetup && !slices.Equal(c.Fixes, want[:2]) {
			t.Errorf("a patch in one class's setup fixes %v", c.Fixes)
		}
	}
}

func TestVictimSetupIsBestWithSeveralPolluters(t *testing.T) {
	w := registry()
	w.tests["Q#other"] = w.tests["P#pollute"]
	cause := registryCause()
	cause.Cases = cause.Cases[:1]
	cause.Cases[0].Failing = append(cause.Cases[0].Failing, suite.Order{"Q#other", "V#one"})
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), cause)
	if err != nil {
		t.Fatal(err)
	}
	if cs[0].Edit.Location != patch.VictimSetup || cs[0].Fixed != 2 {
		t.Errorf("best is %s, fixes %d of %d orders", labels(cs[0]), cs[0].Fixed, cs[0].Asked)
	}
}

// The whole order contains a second polluter that the diagnosis did not search. The search with the
// patch finds it, and it gets the statements, too.
func TestPatchSpreadsToFurtherPolluters(t *testing.T) {
	w := registry()
	w.tests["Q#other"] = w.tests["P#pollute"]
	cause := registryCause()
	cause.Whole = []suite.Order{{"P#pollute", "Q#other", "V#one", "V#two"}}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), cause)
	if err != nil {
		t.Fatal(err)
	}
	best := cs[0]
	if best.Edit.Location != patch.PolluterTeardown || !slices.Equal(best.Edit.Also, []suite.TestID{"Q#other"}) || len(best.Fixes) != 3 {
		t.Errorf("best is %s, also at %v, fixes %v", labels(best), best.Edit.Also, best.Fixes)
	}
	in := proof(w)
	in.Failing = append(in.Failing, cause.Whole...)
	checks, proved, err := p.Prove(context.Background(), build{w}, best, in)
	if err != nil || !proved {
		t.Fatalf("not proved: %v %+v", err, checks)
	}
}

// If the further polluter cannot be made to clean up, a setup of the victim's class helps the
// victims that run after it.
func TestPatchCannotSpread(t *testing.T) {
	w := registry()
	w.tests["Q#other"] = w.tests["P#pollute"]
	w.unfit = func(e Edit) string {
		if len(e.Also) > 0 {
			return "its source is in another language"
		}
		return ""
	}
	cause := registryCause()
	cause.Whole = []suite.Order{{"P#pollute", "Q#other", "V#one", "V#two"}}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), cause)
	if err != nil {
		t.Fatal(err)
	}
	if cs[0].Edit.Location != patch.VictimSetup || !slices.Equal(cs[0].Fixes, []suite.TestID{"V#one", "V#two"}) {
		t.Errorf("best is %s, fixes %v", labels(cs[0]), cs[0].Fixes)
	}
	for _, c := range cs {
		if c.Edit.Location == patch.PolluterTeardown && !slices.Equal(c.Fixes, []suite.TestID{"W#three"}) {
			t.Errorf("%s fixes %v", labels(c), c.Fixes)
		}
	}
}

func TestPatchFixesOtherCauses(t *testing.T) {
	w := registry()
	cause := registryCause()
	other := Cause{Polluter: suite.Order{"P#pollute"}, Cases: cause.Cases[2:]}
	foreign := Cause{Polluter: suite.Order{"Q#other"}, Cases: []Case{{Test: "V#two", Failing: []suite.Order{{"Q#other", "V#two"}}}}}
	w.tests["Q#other"] = w.tests["P#pollute"]
	cause.Cases = cause.Cases[:1]
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), cause)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Extend(context.Background(), cs[0], []Cause{foreign, other}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(cs[0].Fixes, []suite.TestID{"V#one", "W#three"}) {
		t.Errorf("%s fixes %v", labels(cs[0]), cs[0].Fixes)
	}
}

// TestChosenPlace checks that all candidates are in the place that was chosen.
func TestChosenPlace(t *testing.T) {
	for place, want := range map[patch.Location]string{
		patch.PolluterTeardown: "polluter-teardown open,reset", patch.VictimSetup: "victim-setup open,reset",
		patch.VictimStart: "victim-start open,reset",
	} {
		w := registry()
		p := &Patcher{Groups: groups, Editor: w, Runner: w, Place: place}
		cs, err := p.Candidates(context.Background(), registryCause())
		if err != nil || len(cs) == 0 || labels(cs[0]) != want {
			t.Errorf("%s: %d candidates, %v", place, len(cs), err)
			continue
		}
		more, err := p.Elsewhere(context.Background(), registryCause(), cs[0], cs)
		if err != nil || len(more) > 0 {
			t.Errorf("%s: elsewhere %v, %v", place, more, err)
		}
		for _, c := range cs {
			if c.Edit.Location != place {
				t.Errorf("%s: %s", place, labels(c))
			}
		}
	}
	brittle := Cause{Cases: []Case{{Test: "B#brittle", Failing: []suite.Order{{"B#brittle"}}}}, Helpers: []suite.Order{{"C#clean"}}}
	w := registry()
	p := &Patcher{Groups: groups, Editor: w, Runner: w, Place: patch.PolluterTeardown}
	if cs, err := p.Candidates(context.Background(), brittle); len(cs) > 0 || err == nil || w.runs > 0 {
		t.Errorf("%d candidates, %v, %d runs", len(cs), err, w.runs)
	}
}

// TestOnceAfterTheClass: where a teardown after each test is refused, as other tests of a class need what
// is set up once for them, the statements come after the last of them.
func TestOnceAfterTheClass(t *testing.T) {
	cause := registryCause()
	class := junitid.Class(cause.Polluter[len(cause.Polluter)-1])
	for _, once := range []bool{true, false} {
		for _, place := range []patch.Location{"", patch.PolluterTeardown} {
			w := registry()
			w.once = map[string]bool{class: once}
			p := &Patcher{Groups: groups, Editor: w, Runner: w, Place: place}
			cs, err := p.Candidates(t.Context(), cause)
			if err != nil || len(cs) == 0 || cs[0].Edit.Location != patch.PolluterTeardown {
				t.Fatalf("%d candidates, %v", len(cs), err)
			}
			more, err := p.Elsewhere(t.Context(), cause, cs[0], cs[:1])
			if err != nil {
				t.Fatal(err)
			}
			if is := len(more) > 0 && more[0].Edit.Location == patch.PolluterClassTeardown && more[0].all(cause); is != once {
				t.Errorf("once %v, place %q: %d candidates elsewhere, after the class: %v", once, place, len(more), is)
			}
		}
	}
}

func TestBrittleGetsItsStateSet(t *testing.T) {
	w := registry()
	w.tests["B#brittle"] = func(s map[string]bool) bool { return s["opened"] }
	cause := Cause{Cases: []Case{{Test: "B#brittle", Failing: []suite.Order{{"B#brittle"}}}}, Helpers: []suite.Order{{"C#clean"}}}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), cause)
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(cs[0]); got != "victim-setup open" {
		t.Errorf("best candidate: %s", got)
	}
}

// A setup that needs the state itself gets it before anything else.
func TestBrittleSetupNeedsTheState(t *testing.T) {
	w := registry()
	w.tests["B#brittle"] = func(map[string]bool) bool { return true }
	w.setUp = map[string]func(map[string]bool) bool{"B": func(s map[string]bool) bool { return s["opened"] }}
	cause := Cause{Cases: []Case{{Test: "B#brittle", Failing: []suite.Order{{"B#brittle"}}}}, Helpers: []suite.Order{{"C#clean"}}}
	for _, place := range []patch.Location{"", patch.VictimSetup} {
		p := &Patcher{Groups: groups, Editor: w, Runner: w, Place: place}
		cs, err := p.Candidates(t.Context(), cause)
		if err != nil {
			t.Fatal(err)
		}
		if got := labels(cs[0]); got != "victim-setup-start open" || len(cs) != 1 {
			t.Errorf("place %q: best of %d candidates: %s", place, len(cs), got)
		}
	}
}

// The start of a brittle test's setup comes first when a helper's statements are minimised, also if the
// patch has to be in the setup: at its end, a list may repeat the setup.
func TestTrials(t *testing.T) {
	brittle := Cause{Cases: []Case{{Test: "B#brittle"}}}
	for _, c := range []struct {
		place patch.Location
		cause Cause
		like  patch.Location
		want  []patch.Location
	}{
		{"", brittle, patch.VictimSetupStart, []patch.Location{patch.VictimSetupStart, patch.VictimStart, patch.VictimSetup}},
		{patch.VictimSetup, brittle, patch.VictimSetupStart, []patch.Location{patch.VictimSetupStart, patch.VictimSetup, patch.VictimStart}},
		{patch.VictimStart, brittle, patch.VictimSetupStart, []patch.Location{patch.VictimStart, patch.VictimSetupStart, patch.VictimSetup}},
		{"", registryCause(), patch.PolluterTeardown, []patch.Location{patch.PolluterTeardown, patch.VictimStart, patch.VictimSetup}},
		{patch.VictimSetup, registryCause(), patch.PolluterTeardown, []patch.Location{patch.VictimSetup, patch.PolluterTeardown, patch.VictimStart}},
	} {
		p := &Patcher{Groups: groups, Place: c.place}
		var got []patch.Location
		for _, s := range p.trials(c.cause, c.like) {
			got = append(got, s.location)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("place %q: %q, want %q", c.place, got, c.want)
		}
	}
}

// Statements of a helper that do not fit, and those that need them, are left out, also inside of a
// compound statement.
func TestStatementsThatDoNotFit(t *testing.T) {
	w := registry()
	w.tests["B#brittle"] = func(s map[string]bool) bool { return s["opened"] }
	w.scripts[suite.Order{"D#opens"}.Key()] = []Statement{
		{ID: "0", Role: "setup", Inner: []Statement{{ID: "0.1", Role: "setup"}}}, {ID: "1", Role: "setup", Requires: []string{"0"}},
		{ID: "open", Role: "setup"},
	}
	w.culprit = func(e Edit) []string {
		if slices.Contains(e.Keep, "0") || slices.Contains(e.Keep, "1") {
			return []string{"0.1"}
		}
		return nil
	}
	cause := Cause{Cases: []Case{{Test: "B#brittle", Failing: []suite.Order{{"B#brittle"}}}}, Helpers: []suite.Order{{"D#opens"}}}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(t.Context(), cause)
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(cs[0]); got != "victim-setup open" {
		t.Errorf("best candidate: %s", got)
	}
}

func TestWithoutSwitchesEachListIsCompiled(t *testing.T) {
	w := registry()
	w.unfit = func(e Edit) string {
		if e.Switched {
			return "var cannot be switched"
		}
		return ""
	}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), registryCause())
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(cs[0]); got != "polluter-teardown open,reset" {
		t.Errorf("best candidate: %s", got)
	}
}

func TestHelperThatDoesNotHelp(t *testing.T) {
	w := registry()
	w.scripts[suite.Order{"N#neutral"}.Key()] = []Statement{{ID: "noise1", Role: "body"}}
	cause := registryCause()
	cause.Helpers = []suite.Order{{"N#neutral"}}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), cause)
	if len(cs) != 0 || err == nil || !strings.Contains(err.Error(), "do not make the test pass") {
		t.Errorf("got %v, %v", cs, err)
	}
}

// TestSpotsOfASetUp: what is set up once for a block is first reset once after it.
func TestSpotsOfASetUp(t *testing.T) {
	cause := registryCause()
	for setUp, want := range map[bool][]patch.Location{
		false: {patch.PolluterTeardown, patch.PolluterClassTeardown, patch.PolluterEnd},
		true:  {patch.PolluterClassTeardown, patch.PolluterTeardown, patch.PolluterEnd},
	} {
		cause.SetUp = setUp
		var got []patch.Location
		for _, s := range (&Patcher{Groups: groups}).spots(cause)[:3] {
			got = append(got, s.location)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: %q", setUp, got)
		}
		w := registry() // the patch has two statements, so that both locations become candidates
		w.once = map[string]bool{"P": true}
		cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Candidates(t.Context(), cause)
		if err != nil || cs[0].Edit.Location != want[0] {
			t.Errorf("%v: %+v, %v", setUp, cs, err)
		}
	}
}

// TestArrangeWithoutAct: where what a state-setter does at its end makes the failing test fail, as when the test counts
// calls, the beginning of its body is minimised.
func TestArrangeWithoutAct(t *testing.T) {
	w := registry()
	w.tests["B#brittle"] = func(s map[string]bool) bool { return s["opened"] && !s["called"] }
	w.scripts[suite.Order{"D#opens"}.Key()] = []Statement{{ID: "other", Role: "body"}, {ID: "open", Role: "body"}, {ID: "call", Role: "body"},
		{ID: "again", Role: "body", Requires: []string{"call"}}}
	w.effects["other"] = func(map[string]bool) error { return nil }
	w.effects["call"] = func(s map[string]bool) error { s["called"] = true; return nil }
	w.effects["again"] = w.effects["other"]
	cause := Cause{Cases: []Case{{Test: "B#brittle", Failing: []suite.Order{{"B#brittle"}}}}, Helpers: []suite.Order{{"D#opens"}}}
	cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Candidates(t.Context(), cause)
	if err != nil || len(cs) == 0 || !slices.Equal(cs[0].Built.Statements, []string{"open"}) {
		t.Fatalf("%+v, %v", cs, err)
	}
	w.tests["B#brittle"] = func(s map[string]bool) bool { return false }
	if cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Candidates(t.Context(), cause); len(cs) > 0 || !errors.Is(err, errNoStart) {
		t.Fatalf("%+v, %v", cs, err)
	}
}

func TestBeginnings(t *testing.T) {
	for n, want := range map[int][]int{0: nil, 1: nil, 2: {1}, 5: {4, 3, 2, 1}, 12: {11, 10, 9, 8, 6, 3, 1}, 40: {39, 38, 37, 36, 30, 20, 10, 1}} {
		if got := beginnings(n); !slices.Equal(got, want) {
			t.Errorf("%d: %v", n, got)
		}
	}
}
