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
	unshare []patch.Made
	asked   int
	left    func(overlay string) int // nil: nothing is left
}

func (t *thinker) Left(_ context.Context, _ Cause, overlay string) (int, error) {
	if t.left == nil {
		return 0, nil
	}
	return t.left(overlay), nil
}

func (t *thinker) Unshare(Cause) []patch.Made { return t.unshare }

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

// If the process that tries all statements shows nothing, the first ones run alone while there is
// time, and before the next spot is compiled.
func TestTheFirstStatementsAreTriedWithoutHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, cause := uncleaned()
		f := &thinker{made: calls("Registry.other();", "Registry.reset();", "Registry.fail();", "Registry.more();")}
		cs, err := (&Patcher{Groups: groups, Editor: w, Runner: stuck{w}, Finder: f}).Candidates(t.Context(), cause)
		if len(cs) == 0 || !slices.Equal(cs[0].Edit.Made.Statements, []string{"Registry.reset();"}) {
			t.Fatalf("candidates %v, error %v", cs, err)
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
	rank(all)
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

// counted counts processes and compilations, and has no process that runs several orders.
type counted struct {
	*world
	processes int
}

func (c *counted) Serial() bool { return false }

func (c *counted) Run(ctx context.Context, o suite.Order, t Trial) (*suite.Run, error) {
	c.mu.Lock()
	c.processes++
	c.mu.Unlock()
	return c.world.Run(ctx, o, t)
}

// many are statements of which only these may matter, at the end.
func many(n int, last ...string) []patch.Made {
	var statements []string
	for i := range n {
		statements = append(statements, fmt.Sprintf("Registry.other(%d);", i))
	}
	return calls(append(statements, last...)...)
}

// If a process runs one order only, groups of statements show which of many help.
func TestGroupsShowWhichStatementsHelp(t *testing.T) {
	w, cause := uncleaned()
	runner := &counted{world: w}
	p := &Patcher{Groups: groups, Editor: w, Runner: runner, Finder: &thinker{made: many(resetBatch-2, "Registry.fail();", "Registry.reset();")}}
	ok, all, err := p.firstHelping(t.Context(), cause, p.Finder.(*thinker).made)
	if err != nil || all || len(ok) != 1 || ok[0].Statements[0] != "Registry.reset();" {
		t.Errorf("%v, all %v, %v", ok, all, err)
	}
	if most := resetFirst + resetBatch/resetGroup + resetGroup; runner.processes > most {
		t.Errorf("%d processes, want at most %d", runner.processes, most)
	}
}

// A statement that helps is found although another one of its group does harm.
func TestHarmInAGroupHidesNoStatement(t *testing.T) {
	w, cause := uncleaned()
	w.effects["Registry.spoil();"] = func(s map[string]bool) error { s["dirty"] = true; return nil }
	p := &Patcher{Groups: groups, Editor: w, Runner: &counted{world: w}}
	ok, _, err := p.firstHelping(t.Context(), cause, many(5, "Registry.reset();", "Registry.spoil();"))
	if err != nil || len(ok) != 1 || ok[0].Statements[0] != "Registry.reset();" {
		t.Errorf("%v, %v", ok, err)
	}
}

// A statement that restores the state and then throws helps as little as another one, and hides none.
func TestStatementThatThrowsAtLast(t *testing.T) {
	for _, brittle := range []bool{false, true} {
		w, cause := uncleaned()
		halfway := func(s map[string]bool) error { s["dirty"], s["opened"] = false, true; return errors.New("at last") }
		var made []patch.Made
		for i := range resetWorks {
			name := fmt.Sprintf("Registry.halfway(%d);", i)
			w.effects[name] = halfway
			made = append(made, calls(name)...)
		}
		w.effects["Registry.open();"] = func(s map[string]bool) error { s["opened"] = true; return nil }
		want := "Registry.reset();"
		if brittle {
			want = "Registry.open();"
			w.tests["V#one"] = func(s map[string]bool) bool { return s["opened"] }
			cause = Cause{Cases: []Case{{Test: "V#one", Failing: []suite.Order{{"V#one"}}}}}
		}
		cs := candidates(t, w, cause, &thinker{made: append(made, calls(want)...)})
		if got := cs[0].Edit.Made.Statements; !slices.Equal(got, []string{want}) {
			t.Errorf("brittle %v: %q", brittle, got)
		}
	}
}

// If what helps cannot be written as a patch, further statements are tried.
func TestStatementThatCannotBePlaced(t *testing.T) {
	w, cause := uncleaned()
	w.effects["Registry.checked();"] = w.effects["Registry.reset();"]
	var made []patch.Made
	for range resetWorks {
		made = append(made, calls("Registry.checked();")...)
	}
	w.unfit = func(e Edit) string {
		if !e.Switched && e.Made != nil && e.Made.Statements[0] == "Registry.checked();" {
			return "nothing may be thrown there"
		}
		return ""
	}
	cs := candidates(t, w, cause, &thinker{made: append(made, calls("Registry.reset();")...)})
	if got := cs[0].Edit.Made.Statements; !slices.Equal(got, []string{"Registry.reset();"}) {
		t.Errorf("%q", got)
	}
}

// Statements for two states are tried together although many others are between them.
func TestTwoStatesFarApart(t *testing.T) {
	w, cause := uncleaned()
	w.tests["P#pollute"] = func(s map[string]bool) bool { s["dirty"], s["open"] = true, true; return true }
	for _, v := range []suite.TestID{"V#one", "V#two", "W#three"} {
		w.tests[v] = func(s map[string]bool) bool { return !s["dirty"] && !s["open"] }
	}
	w.effects["Doors.close();"] = func(s map[string]bool) error { s["open"] = false; return nil }
	far := calls("Doors.close();")
	far[0].Resets = "Doors.open"
	made := slices.Concat(calls("Registry.reset();"), many(2*resetBatch), far)
	cs := candidates(t, w, cause, &thinker{made: made})
	if got := cs[0].Edit.Made.Statements; !slices.Equal(got, []string{"Registry.reset();", "Doors.close();"}) {
		t.Errorf("%q", got)
	}
}

// growing is a Finder that does not find the same in each call.
type growing struct {
	thinker
	lists [][]patch.Made
}

func (g *growing) Find(context.Context, Cause) ([]patch.Made, error) {
	g.asked++
	if g.asked == len(g.lists) {
		return g.lists[g.asked-1], nil
	}
	return g.lists[g.asked-1], ErrResetTime
}

// A search whose proposals were not complete tries new ones, and keeps those from before.
func TestResumedSearchTriesNewProposals(t *testing.T) {
	w, cause := uncleaned()
	field := func(s string) []patch.Made {
		return []patch.Made{{Statements: []string{s}, Resets: "Registry.state", Fields: []string{"Object saved = null"}}}
	}
	g := &growing{lists: [][]patch.Made{slices.Concat(field("Registry.other();"), calls("Registry.more();")), nil,
		slices.Concat(field("Registry.reset();"), calls("Registry.nothing();"))}}
	p := &Patcher{Groups: groups, Editor: w, Runner: &counted{world: w}, Finder: g}
	for i := range g.lists {
		cs, err := p.fromResets(t.Context(), cause, false)
		if last := i == len(g.lists)-1; last != (len(cs) > 0) || !last && !errors.Is(err, ErrResetTime) {
			t.Errorf("search %d: %d candidates, %v", i, len(cs), err)
		}
	}
	if n := len(p.search.made); n != 4 {
		t.Errorf("%d proposals, want those of all calls", n)
	}
}

// A search that the time ended goes on where it stopped: nothing is found, compiled or tried twice.
func TestResumedSearchRepeatsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, cause := uncleaned()
		w.late = true
		finder := &thinker{made: many(5)}
		polluted := w.tests["P#pollute"]
		w.tests["P#pollute"] = func(s map[string]bool) bool { time.Sleep(4 * time.Second); return polluted(s) } // fake time of synctest
		runner := &counted{world: w}
		p := &Patcher{Groups: groups, Editor: w, Runner: runner, Finder: finder}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		attempts := 0
		for err := ErrResetTime; errors.Is(err, ErrResetTime) && attempts < 10; attempts++ {
			short, end := context.WithTimeout(ctx, 20*time.Second)
			_, err = p.fromResets(short, cause, true)
			end()
		}
		if w.running.Wait(); attempts < 2 || attempts == 10 {
			t.Errorf("%d attempts", attempts)
		}
		spots := len(p.trials(cause))
		if finder.asked != 1 || w.builds != spots {
			t.Errorf("the statements were asked for %d times, and compiled %d times for %d spots", finder.asked, w.builds, spots)
		}
		// Each spot runs five statements separately and together. An attempt may end two runs early.
		if most := spots*(5+1) + 2*attempts; runner.processes > most {
			t.Errorf("%d processes in %d attempts, want at most %d", runner.processes, attempts, most)
		}
	})
}

// Statements that write private fields come after other statements, however short they are. Joined
// statements are marked if one of them writes private fields.
func TestReflectionIsTheLastResort(t *testing.T) {
	built := func(n int) *Built { return &Built{Statements: make([]string, n)} }
	short := &Candidate{Edit: Edit{Made: &patch.Made{Reflects: true}, At: "a.B#c"}, Built: built(1)}
	long := &Candidate{Edit: Edit{At: "a.B#c"}, Built: built(3)}
	cs := []*Candidate{short, long}
	if rank(cs); cs[0] != long {
		t.Error("the reflective one is first")
	}
	if both := together([]patch.Made{{Statements: []string{"a"}}, {Statements: []string{"b"}, Reflects: true}}); !both.Reflects {
		t.Error("together they do without reflection")
	}
}
