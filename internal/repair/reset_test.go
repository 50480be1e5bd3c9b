package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// thinker is a Finder of fixed statements.
type thinker struct {
	made    []patch.Made
	unshare []patch.Made // and other rewrites
	asked   int
	left    func(overlay string) int // nil: nothing is left
}

func (t *thinker) Left(_ context.Context, _ Cause, overlay string) (int, bool, error) {
	if t.left == nil {
		return 0, true, nil
	}
	return t.left(overlay), true, nil
}

func (t *thinker) Rewrites(context.Context, Cause) []patch.Made { return t.unshare }

func (t *thinker) Find(context.Context, Cause) ([]patch.Made, error) {
	t.asked++
	return t.made, nil
}

func calls(statements ...string) []patch.Made {
	var out []patch.Made
	for _, s := range statements {
		out = append(out, patch.Made{Statements: []string{s}, Resets: "Registry.state"})
	}
	return out
}

// uncleaned is the registry without a cleaner.
func uncleaned() (*world, Cause) {
	w := registry()
	w.effects["Registry.reset();"] = func(s map[string]bool) error { s["dirty"] = false; return nil }
	w.effects["Registry.fail();"] = func(map[string]bool) error { return errors.New("not now") }
	c := registryCause()
	c.Helpers = nil
	return w, c
}

func candidates(t *testing.T, w *world, c Cause, f Finder) []*Candidate {
	t.Helper()
	cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w, Finder: f}).Candidates(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

// TestBrittleOfOneValue: a statement that sets the value comes before those of the state-setter, which do more.
func TestBrittleOfOneValue(t *testing.T) {
	for _, one := range []bool{true, false} {
		w := registry()
		w.tests["B#brittle"] = func(s map[string]bool) bool { return s["opened"] }
		w.effects["Registry.setOpened(true);"] = func(s map[string]bool) error { s["opened"] = true; return nil }
		cause := Cause{Cases: []Case{{Test: "B#brittle", Failing: []suite.Order{{"B#brittle"}}}}, Helpers: []suite.Order{{"C#clean"}}, OneValue: one}
		best := candidates(t, w, cause, &thinker{made: calls("Registry.setOpened(true);")})[0]
		if (best.Edit.Made != nil) != one {
			t.Errorf("one value %v: %+v", one, best.Edit)
		}
	}
}

func TestResetWithoutAnyHelper(t *testing.T) {
	w, cause := uncleaned()
	f := &thinker{made: calls("Registry.other();", "Registry.fail();", "Registry.reset();")}
	best := candidates(t, w, cause, f)[0]
	if best.Edit.Location != patch.PolluterTeardown || !slices.Equal(best.Edit.Made.Statements, []string{"Registry.reset();"}) ||
		len(best.Fixes) != 3 {
		t.Fatalf("best is %+v, fixes %v", best.Edit, best.Fixes)
	}
	if best.Helper != nil || best.Edit.Helper != nil {
		t.Errorf("it names a helper: %v", best.Helper)
	}
	checks, proved, err := (&Patcher{Groups: groups, Editor: w, Runner: w}).Prove(context.Background(), build{w}, best, proof(w))
	if err != nil || !proved {
		t.Fatalf("not proved: %v %+v", err, checks)
	}
}

// Statements that do not compile are left out, and the rest is tried.
func TestResetsThatDoNotCompileAreLeftOut(t *testing.T) {
	w, cause := uncleaned()
	w.culprit = func(e Edit) []string {
		var out []string
		for i, s := range e.Made.Statements {
			if s == "Hidden.reset();" {
				out = append(out, fmt.Sprintf("0.%d", i))
			}
		}
		return out
	}
	best := candidates(t, w, cause, &thinker{made: calls("Hidden.reset();", "Registry.reset();")})[0]
	if best.Edit.Made.Statements[0] != "Registry.reset();" {
		t.Errorf("best is %+v", best.Edit)
	}
}

// A reset of one statement is better than two statements of a helper. If a helper's patch is one
// statement, resets are not searched.
func TestResetsAreTriedIfHelpersGiveNoShortPatch(t *testing.T) {
	w, cause := uncleaned()
	cause.Helpers = registryCause().Helpers
	f := &thinker{made: calls("Registry.reset();")}
	if best := candidates(t, w, cause, f)[0]; best.Edit.Made == nil {
		t.Errorf("best is %s", labels(best))
	}
	w.effects["reset"] = w.effects["Registry.reset();"]
	w.effects["block"] = w.effects["reset"]
	w.scripts[suite.Order{"C#clean"}.Key()] = []Statement{{ID: "reset", Role: "body"}}
	f.asked = 0
	if best := candidates(t, w, cause, f)[0]; best.Edit.Made != nil || f.asked > 0 {
		t.Errorf("best is %s, asked %d times", labels(best), f.asked)
	}
}

// State that is saved in a field is restored only after the polluter.
func TestSavedStateIsRestoredAfterThePolluter(t *testing.T) {
	w, cause := uncleaned()
	w.effects["0.1"] = w.effects["Registry.reset();"]
	made := []patch.Made{{Fields: []string{"State saved = Registry.state()"}, Statements: []string{"Registry.set(saved);"}}}
	cs := candidates(t, w, cause, &thinker{made: made})
	for _, c := range cs {
		if c.Edit.Location != patch.PolluterTeardown && c.Edit.Location != patch.PolluterEnd {
			t.Errorf("a place at the victim: %s", c.Edit.Location)
		}
	}
	if len(cs) == 0 || !slices.Equal(cs[0].Edit.Keep, []string{"0.1"}) {
		t.Errorf("candidates: %v", cs)
	}
}

// A proposal that is likelier than every switchable one is placed at once.
func TestTheLikeliestIsPlacedWithoutATrial(t *testing.T) {
	w, cause := uncleaned()
	w.effects["Registry.remove(1);"], w.effects["Registry.remove(2);"] = w.effects["Registry.reset();"], w.effects["Registry.reset();"]
	several := patch.Made{Statements: []string{"Registry.remove(1);", "Registry.remove(2);"}, Resets: "Registry.state"}
	f := &thinker{made: append([]patch.Made{several}, calls("Registry.reset();")...)}
	best := candidates(t, w, cause, f)[0]
	if len(best.Edit.Made.Statements) != 2 || len(best.Edit.Keep) != 1 {
		t.Errorf("best is %+v, keeping %v: one of the two statements suffices here", best.Edit.Made, best.Edit.Keep)
	}
	for _, e := range w.edits {
		if e.Switched {
			t.Errorf("a trial with switches: %+v", e)
		}
	}
}

// If statements only save state and do not help, the field has no reset.
func TestSavedStateMayNotHelp(t *testing.T) {
	w, cause := uncleaned()
	made := append(calls("Registry.other();"), patch.Made{Fields: []string{"State saved = Registry.state()"},
		Statements: []string{"Registry.set(saved);"}})
	w.effects["0.1"] = func(map[string]bool) error { return nil }
	cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w, Finder: &thinker{made: made}}).Candidates(context.Background(), cause)
	if len(cs) > 0 || !errors.Is(err, ErrNoReset) {
		t.Errorf("candidates %v, error %v", cs, err)
	}
}

func TestNothingHelps(t *testing.T) {
	w, cause := uncleaned()
	cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w,
		Finder: &thinker{made: calls("Registry.other();")}}).Candidates(context.Background(), cause)
	if len(cs) > 0 || err == nil {
		t.Errorf("candidates %v, error %v", cs, err)
	}
	if w.runs > 10 {
		t.Errorf("%d runs for one statement", w.runs)
	}
}

// The claim that nothing resets a field requires a trial of all statements. The sleep is the
// duration of a trial, in fake time.
func TestNoClaimWithoutATrialOfAllStatements(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		says  bool
	}{{time.Second, true}, {resetTime + time.Second, false}} {
		synctest.Test(t, func(t *testing.T) {
			w, cause := uncleaned()
			w.effects["Registry.other();"] = func(map[string]bool) error { time.Sleep(c.takes); return nil }
			cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w,
				Finder: &thinker{made: calls("Registry.other();")}}).Candidates(t.Context(), cause)
			if len(cs) > 0 || errors.Is(err, ErrNoReset) != c.says || errors.Is(err, ErrResetTime) == c.says {
				t.Errorf("trials of %s: candidates %v, error %v", c.takes, cs, err)
			}
		})
	}
}

// stuck is a world in which a process with several observations never ends.
type stuck struct{ *world }

func (s stuck) Series(ctx context.Context, _ suite.Order, _ string, _ func(*suite.Run) (string, bool)) error {
	<-ctx.Done()
	return ctx.Err()
}

// The first statements run alone before a process tries all statements, and before the next spot is
// compiled.
func TestTheFirstStatementsAreTriedWithoutHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, cause := uncleaned()
		began := time.Now()
		f := &thinker{made: calls("Registry.other();", "Registry.reset();", "Registry.fail();", "Registry.more();")}
		cs, err := (&Patcher{Groups: groups, Editor: w, Runner: stuck{w}, Finder: f}).Candidates(t.Context(), cause)
		if len(cs) == 0 || !slices.Equal(cs[0].Edit.Made.Statements, []string{"Registry.reset();"}) {
			t.Fatalf("candidates %v, error %v", cs, err)
		}
		if took := time.Since(began); took >= resetHints {
			t.Errorf("it took %s: all statements were tried first", took)
		}
		switched := 0
		for _, e := range w.edits {
			if e.Switched {
				switched++
			}
		}
		if switched != 1 {
			t.Errorf("%d trials with switches", switched)
		}
	})
}

// slow is a Finder that takes a long time.
type slow struct {
	thinker
	takes time.Duration
}

func (s *slow) Find(ctx context.Context, cause Cause) ([]patch.Made, error) {
	select {
	case <-time.After(s.takes):
		return s.thinker.Find(ctx, cause)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Finding statements takes no time from trying them.
func TestFindingAndTryingHaveSeparateTimes(t *testing.T) {
	for takes, want := range map[time.Duration]error{resetTime - time.Second: ErrNoReset, resetTime + time.Second: ErrResetTime} {
		synctest.Test(t, func(t *testing.T) {
			w, cause := uncleaned()
			w.effects["Registry.other();"] = func(map[string]bool) error {
				time.Sleep(2 * time.Second) // fake time of synctest
				return nil
			}
			finder := &slow{thinker{made: calls("Registry.other();")}, takes}
			cs, err := (&Patcher{Groups: groups, Editor: w, Runner: w, Finder: finder}).Candidates(t.Context(), cause)
			if len(cs) > 0 || !errors.Is(err, want) {
				t.Errorf("found after %s: candidates %v, error %v, want %v", takes, cs, err, want)
			}
		})
	}
}

// Without any patch, statements are tried as long as the cause has time.
func TestStatementsAreTriedUntilTheSearchGivesUp(t *testing.T) {
	for limit, want := range map[time.Duration]error{resetTime: ErrResetTime, 10 * resetTime: ErrNoReset} {
		synctest.Test(t, func(t *testing.T) {
			w, cause := uncleaned()
			w.effects["Registry.other();"] = func(map[string]bool) error {
				time.Sleep(resetTime + time.Second) // fake time of synctest
				return nil
			}
			p := &Patcher{Groups: groups, Editor: w, Runner: w, Finder: &thinker{made: calls("Registry.other();")},
				GiveUp: time.Now().Add(limit)}
			if cs, err := p.Candidates(t.Context(), cause); len(cs) > 0 || !errors.Is(err, want) {
				t.Errorf("given up after %s: candidates %v, error %v, want %v", limit, cs, err, want)
			}
		})
	}
}

// Of equally short patches, the one that depends on no test comes first, whatever its location.
func TestResetRanksBeforeAnEquallyShortHelperPatch(t *testing.T) {
	v := []suite.TestID{"V#one"}
	helper := &Candidate{Fixes: v, Fixed: 1, Edit: Edit{Location: patch.PolluterTeardown}, Built: &Built{Statements: []string{"x"}}}
	reset := &Candidate{Fixes: v, Fixed: 1, Edit: Edit{Location: patch.VictimStart, Made: &patch.Made{}},
		Built: &Built{Statements: []string{"y"}}}
	long := &Candidate{Fixes: v, Fixed: 1, Edit: Edit{Location: patch.PolluterTeardown, Made: &patch.Made{}},
		Built: &Built{Statements: []string{"y", "z"}}}
	all := []*Candidate{long, helper, reset}
	rank(all, false)
	if all[0] != reset || all[1] != helper || all[2] != long {
		t.Errorf("ranked %v", all)
	}
}

// If a polluter changes two states, one statement for each restores both, and no third statement is
// kept.
func TestTwoStatementsTogether(t *testing.T) {
	w, cause := uncleaned()
	w.tests["P#pollute"] = func(s map[string]bool) bool { s["dirty"], s["open"] = true, true; return true }
	for _, v := range []suite.TestID{"V#one", "V#two", "W#three"} {
		w.tests[v] = func(s map[string]bool) bool { return !s["dirty"] && !s["open"] }
	}
	w.effects["Doors.close();"] = func(s map[string]bool) error { s["open"] = false; return nil }
	made := calls("Registry.reset();", "Doors.close();", "Light.off();")
	made[1].Resets, made[2].Resets = "Doors.open", "Light.on"
	cs := candidates(t, w, cause, &thinker{made: made})
	if len(cs) == 0 || !slices.Equal(cs[0].Edit.Made.Statements, []string{"Registry.reset();", "Doors.close();"}) {
		t.Fatalf("candidates: %+v", cs)
	}
	if got := cs[0].Edit.Made.Resets; got != "Registry.state, Doors.open" {
		t.Errorf("it puts back %q", got)
	}
}

// If a polluter changes two values of one object, a call of each setter restores both. Other calls of
// the same setters undo that.
func TestTwoSettersTogether(t *testing.T) {
	w, cause := uncleaned()
	w.tests["P#pollute"] = func(s map[string]bool) bool { s["dirty"], s["open"] = true, true; return true }
	for _, v := range []suite.TestID{"V#one", "V#two", "W#three"} {
		w.tests[v] = func(s map[string]bool) bool { return !s["dirty"] && !s["open"] }
	}
	set := func(key string, to bool) func(s map[string]bool) error {
		return func(s map[string]bool) error { s[key] = to; return nil }
	}
	w.effects["Shop.get().setDirty(no());"], w.effects["Shop.get().setDirty(yes());"] = set("dirty", false), set("dirty", true)
	w.effects["Shop.spoil();"] = set("dirty", true)
	w.effects["Shop.open = false;"], w.effects["Shop.open = true;"] = set("open", false), set("open", true)
	cs := candidates(t, w, cause, &thinker{made: calls("Shop.open = false;", "Shop.get().setDirty(no());", "Shop.open = true;", "Shop.get().setDirty(yes());", "Shop.spoil();")})
	if len(cs) == 0 || !slices.Equal(cs[0].Edit.Made.Statements, []string{"Shop.open = false;", "Shop.get().setDirty(no());"}) {
		t.Fatalf("candidates: %+v", cs)
	}
}

// Statements that write private fields come after other statements, however short they are. Joined
// statements are marked if one of them writes private fields.
func TestReflectionIsTheLastResort(t *testing.T) {
	built := func(n int) *Built { return &Built{Statements: make([]string, n)} }
	short := &Candidate{Edit: Edit{Made: &patch.Made{Reflects: true}, At: "a.B#c"}, Built: built(1)}
	long := &Candidate{Edit: Edit{At: "a.B#c"}, Built: built(3)}
	cs := []*Candidate{short, long}
	if rank(cs, false); cs[0] != long {
		t.Error("the reflective one is first")
	}
	if both := together([]patch.Made{{Statements: []string{"a"}}, {Statements: []string{"b"}, Reflects: true}}); !both.Reflects {
		t.Error("together they do without reflection")
	}
}

// TestSeveralPolluters: two tests of a cause leave state changed together. What the second one makes of
// the state that the first one leaves cannot be restored, so the statement is in the first one's teardown.
func TestSeveralPolluters(t *testing.T) {
	w := &world{
		tests: map[suite.TestID]func(map[string]bool) bool{
			"P#fakesTime": func(s map[string]bool) bool { s["fake"] = true; return true },
			"Q#waits":     func(s map[string]bool) bool { s["waiting"] = s["fake"]; return true },
			"A#answers":   func(s map[string]bool) bool { return !s["waiting"] },
		},
		effects: map[string]func(map[string]bool) error{
			"Clock.useRealTime();": func(s map[string]bool) error { s["fake"] = false; return nil },
		},
	}
	cause := Cause{Cases: []Case{{Test: "A#answers", Failing: []suite.Order{{"P#fakesTime", "Q#waits", "A#answers"}}}},
		Polluter: suite.Order{"P#fakesTime", "Q#waits"}}
	cs := candidates(t, w, cause, &thinker{made: calls("Clock.useRealTime();")})
	if len(cs) == 0 || cs[0].Edit.At != "P#fakesTime" || cs[0].Edit.Location != patch.PolluterTeardown {
		t.Errorf("%+v", cs)
	}
}
