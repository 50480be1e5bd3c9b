package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

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
	spots := len(p.trials(cause, patch.PolluterTeardown))
	if most := spots*resetFirst + resetBatch/resetGroup + resetGroup; runner.processes > most {
		t.Errorf("%d processes, want at most %d", runner.processes, most)
	}
}

// The polluter's threads change the state after its end, so that no statement in its teardown
// helps. The likeliest statements run before the failing test, too, before groups of the others do.
func TestLatePolluter(t *testing.T) {
	w, cause := uncleaned()
	runner := &counted{world: w}
	pollute := w.tests[cause.Polluter[0]]
	w.tests[cause.Polluter[0]] = func(s map[string]bool) bool { s["soon"] = true; return true }
	w.between = func(s map[string]bool) {
		if s["soon"] {
			pollute(s)
		}
	}
	p := &Patcher{Groups: groups, Editor: w, Runner: runner}
	ok, _, err := p.firstHelping(t.Context(), cause, append(calls("Registry.reset();"), many(resetBatch-1)...))
	if err != nil || len(ok) != 1 || ok[0].Statements[0] != "Registry.reset();" {
		t.Errorf("%v, %v", ok, err)
	}
	if most := 2 * resetFirst; runner.processes > most {
		t.Errorf("%d processes, want at most %d", runner.processes, most)
	}
}

// endless has a statement that waits for ever.
type endless struct {
	*counted
	statement int
}

func (e *endless) Parallel() int { return 2 }

func (e *endless) Run(ctx context.Context, o suite.Order, t Trial) (*suite.Run, error) {
	if e.statement < len(t.Switches) && t.Switches[e.statement] == '1' {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return e.counted.Run(ctx, o, t)
}

// A statement that waits for ever does not keep one that helps from being placed.
func TestStatementThatWaitsForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, cause := uncleaned()
		w.effects["Registry.wait();"] = func(map[string]bool) error { return nil }
		p := &Patcher{Groups: groups, Editor: w, Runner: &endless{&counted{world: w}, 0}}
		began := time.Now()
		ok, _, err := p.firstHelping(t.Context(), cause, calls("Registry.wait();", "Registry.reset();"))
		if err != nil || len(ok) != 1 || ok[0].Statements[0] != "Registry.reset();" {
			t.Errorf("%v, %v", ok, err)
		}
		if took := time.Since(began); took > time.Minute { // of the test's own clock
			t.Errorf("it took %v", took)
		}
	})
}

// compiling takes long for the first run of an edit.
type compiling struct {
	*counted
	done map[string]bool
}

func (c *compiling) Run(ctx context.Context, o suite.Order, t Trial) (*suite.Run, error) {
	if t.Overlay != "" && !c.done[t.Overlay] {
		select {
		case <-time.After(5 * time.Minute):
			c.done[t.Overlay] = true
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return c.counted.Run(ctx, o, t)
}

// Where the first run of an edit compiles it, that time is not part of the time for trying
// statements.
func TestFirstRunThatCompiles(t *testing.T) {
	for _, late := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			trying, end := budget.Pausable(ctx, time.Minute, context.DeadlineExceeded)
			defer end()
			w, cause := uncleaned()
			p := &Patcher{Groups: groups, Editor: w, Runner: &compiling{&counted{world: w}, map[string]bool{}}, CompilesLate: late}
			ok, _, err := p.firstHelping(trying, cause, calls("Registry.reset();"))
			if late != (err == nil && len(ok) == 1) {
				t.Errorf("compiles late %v: %v, %v", late, ok, err)
			}
		})
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

// rebuilt is a world whose polluter changes a property, and a provider that is built from it.
func rebuilt() (*world, Cause) {
	w, cause := uncleaned()
	w.tests["P#pollute"] = func(s map[string]bool) bool { s["property"], s["dirty"] = true, true; return true }
	w.effects["Provider.reset();"] = func(s map[string]bool) error { s["dirty"] = s["property"]; return nil }
	w.effects["System.clear();"] = func(s map[string]bool) error { s["property"] = false; return nil }
	return w, cause
}

// states are statements for a state each, with many less likely ones for the first state.
func states(statements ...string) []patch.Made {
	out := calls(statements...)
	for i := range out {
		out[i].Resets = fmt.Sprintf("State.%d", i)
	}
	return append(out, many(resetBatch)...)
}

// A provider is built from a property, so the property is restored before it, although the
// provider's statement is the likelier one. Where that is not needed, the order of the list stays.
func TestOneStateIsBuiltFromAnother(t *testing.T) {
	for _, c := range []struct{ proposed, want []string }{
		{[]string{"Locale.reset();", "Provider.reset();", "System.clear();"}, []string{"System.clear();", "Provider.reset();"}},
		{[]string{"Provider.reset();", "Locale.reset();", "System.clear();"}, []string{"System.clear();", "Provider.reset();"}},
		{[]string{"Locale.reset();", "System.clear();", "Provider.reset();"}, []string{"System.clear();", "Provider.reset();"}},
	} {
		w, cause := rebuilt()
		cs := candidates(t, w, cause, &thinker{made: states(c.proposed...)})
		if got := cs[0].Edit.Made.Statements; !slices.Equal(got, c.want) || len(cs[0].Fixes) != 3 {
			t.Errorf("%q: %q, fixes %v", c.proposed, got, cs[0].Fixes)
		}
	}
}

// Two objects are built from one property, one before and one after it in the list. So neither the
// list nor its opposite helps.
func TestSeveralStatesAreBuiltFromOne(t *testing.T) {
	w, cause := rebuilt()
	pollute := w.tests["P#pollute"]
	w.tests["P#pollute"] = func(s map[string]bool) bool { s["open"] = true; return pollute(s) }
	for _, v := range []suite.TestID{"V#one", "V#two", "W#three"} {
		w.tests[v] = func(s map[string]bool) bool { return !s["dirty"] && !s["open"] }
	}
	w.effects["Doors.reset();"] = func(s map[string]bool) error { s["open"] = s["property"]; return nil }
	cs := candidates(t, w, cause, &thinker{made: states("Provider.reset();", "System.clear();", "Doors.reset();")})
	got := cs[0].Edit.Made.Statements
	if len(got) != 3 || got[0] != "System.clear();" || !slices.Contains(got, "Provider.reset();") || !slices.Contains(got, "Doors.reset();") {
		t.Errorf("%q", got)
	}
}

// If statements do not compile twice in a row, or this takes too long, the search goes on.
func TestStatementsThatCannotStandTwice(t *testing.T) {
	for _, unknown := range []bool{false, true} {
		w, cause := rebuilt()
		asked := 0
		again := func(e Edit) bool {
			twice := e.Switched && len(e.Made.Statements) == 6 // those of three states
			if twice {
				asked++
			}
			return twice
		}
		if unknown {
			w.unknown = again
		} else {
			w.unfit = func(e Edit) string {
				if again(e) {
					return "only once"
				}
				return ""
			}
		}
		w.effects["Registry.other(late);"] = func(s map[string]bool) error { s["dirty"] = false; return nil }
		w.effects["Registry.spoil();"] = func(s map[string]bool) error { s["dirty"] = true; return nil }
		late := calls("Registry.other(late);", "Registry.spoil();") // in the last group, in which none seems to help
		p := &Patcher{Groups: groups, Editor: w, Runner: &counted{world: w}}
		ok, _, err := p.firstHelping(t.Context(), cause, append(states("Provider.reset();", "System.clear();")[:resetBatch-2], late...))
		if err != nil || len(ok) != 1 || ok[0].Statements[0] != "Registry.other(late);" || asked == 0 {
			t.Errorf("unknown %v: %q, %v, asked %d times", unknown, texts(ok), err, asked)
		}
	}
}

// A search that goes on tries no group of statements twice.
func TestResumedSearchOfSeveralStates(t *testing.T) {
	w, cause := uncleaned()
	runner := &counted{world: w}
	p := &Patcher{Groups: groups, Editor: w, Runner: runner}
	made := states("Provider.reset();", "System.clear();")[:5]
	for i := range 2 {
		before := runner.processes
		ok, all, err := p.firstHelping(t.Context(), cause, made)
		if len(ok) > 0 || !all || err != nil || (runner.processes == before) != (i > 0) {
			t.Errorf("search %d: %v, all %v, %v, %d processes", i, ok, all, err, runner.processes-before)
		}
	}
	if spots := len(p.trials(cause, patch.PolluterTeardown)); w.builds != 2*spots {
		t.Errorf("%d compilations in %d spots", w.builds, spots)
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
		spots := len(p.trials(cause, patch.PolluterTeardown))
		if finder.asked != 1 || w.builds != spots {
			t.Errorf("the statements were asked for %d times, and compiled %d times for %d spots", finder.asked, w.builds, spots)
		}
		// Each spot runs five statements separately and together. An attempt may end two runs early.
		if most := spots*(5+1) + 2*attempts; runner.processes > most {
			t.Errorf("%d processes in %d attempts, want at most %d", runner.processes, attempts, most)
		}
	})
}

func TestCalled(t *testing.T) {
	for statement, want := range map[string]string{
		`System.setProperty("a = (b", x);`: "System.setProperty", "A.get(b()).set(c(d), 1);": "A.get(b()).set", "Shop.open = a(b);": "Shop.open",
		`process.env.A = 'x = y';`: "process.env.A", `A.set("\\"(", 1);`: "A.set", "stop": "stop",
	} {
		if got := called(patch.Made{Statements: []string{"first();", statement}}); got != want {
			t.Errorf("%s: %q, want %q", statement, got, want)
		}
	}
}
