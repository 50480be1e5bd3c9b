package repair

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// became returns a run without the patch that exists already.
func became(run *suite.Run) func(context.Context) (*suite.Run, error) {
	return func(context.Context) (*suite.Run, error) { return run, nil }
}

// If every test passes with the patch, no order runs without it. If a test or a class setup fails,
// the order runs without the patch, too.
func TestPassingOrdersAreNotCompared(t *testing.T) {
	o := suite.Order{"A#a", "V#v"}
	pass := suite.Result{Outcome: suite.Pass}
	for name, c := range map[string]struct {
		patched suite.Run
		asked   int
	}{
		"all pass":       {suite.Run{Results: []suite.Result{pass, pass}}, 0},
		"one is skipped": {suite.Run{Results: []suite.Result{{Outcome: suite.Skip}, pass}}, 1},
		"a teardown":     {suite.Run{Results: []suite.Result{pass, pass}, ClassFailures: []suite.ClassFailure{{Class: "A"}}}, 1},
	} {
		asked := 0
		pr := &prover{fixes: o[1:], patched: said(func(suite.Outcome) *suite.Run { return &c.patched }, make([]suite.Outcome, 9))}
		var check Check
		err := pr.compare(context.Background(), &check, o, func(context.Context) (*suite.Run, error) {
			asked++
			return &c.patched, nil
		})
		if err != nil || !check.OK || asked != c.asked {
			t.Errorf("%s: asked %d times without the patch, want %d; ok %v, %v", name, asked, c.asked, check.OK, err)
		}
	}
}

// A fixed test must pass with the patch, whatever its result without the patch.
func TestFixedTestMustPassWithoutABaseline(t *testing.T) {
	o := suite.Order{"A#a", "V#v"}
	base := &suite.Run{Order: o, Results: []suite.Result{{Test: "A#a", Outcome: suite.Pass}}, Crash: &suite.Crash{Kind: "exit"}}
	failing := func(v suite.Outcome) *suite.Run {
		return &suite.Run{Order: o, Results: []suite.Result{{Test: "A#a", Outcome: suite.Pass}, {Test: "V#v", Outcome: v}}}
	}
	fails := []suite.Outcome{suite.Fail, suite.Fail}
	pr := &prover{fixes: o[1:], patched: said(failing, fails),
		in: ProofInput{Groups: groups, Plain: &answers{func(suite.Outcome) *suite.Run { return base }, fails}}}
	var check Check
	if err := pr.compare(context.Background(), &check, o, became(base)); err != nil || check.OK {
		t.Errorf("ok %v, %v: %s", check.OK, err, check.Detail)
	}
}

// dying is a world whose processes end early in a trial of an edit with fewer statements.
type dying struct {
	*world
	least int
}

func (d dying) Run(ctx context.Context, o suite.Order, t Trial) (*suite.Run, error) {
	d.mu.Lock()
	edit := d.edits[t.Overlay]
	d.mu.Unlock()
	if t.Price == suite.Fresh && len(edit.Keep) < d.least {
		return &suite.Run{Order: o, Crash: &suite.Crash{Kind: "signal"}}, nil
	}
	return d.world.Run(ctx, o, t)
}

// A process that ends shows nothing about whether a statement is needed.
func TestCrashesDoNotProveMinimality(t *testing.T) {
	w := registry()
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), registryCause())
	if err != nil {
		t.Fatal(err)
	}
	c := cs[0]
	c.Edit.Keep = append([]string{"noise1"}, c.Edit.Keep...)
	p.Runner = dying{w, len(c.Edit.Keep)}
	checks, proved, err := p.Prove(context.Background(), build{w}, c, proof(w))
	if err != nil || proved {
		t.Fatalf("proved %v, %v", proved, err)
	}
	if !slices.ContainsFunc(checks, func(c Check) bool { return strings.Contains(c.Detail, "is not known") }) {
		t.Errorf("%+v", checks)
	}
}

// If a further polluter cannot be made to clean up, the candidate keeps only the locations that fix
// tests.
func TestFailedSpreadKeepsTheCandidate(t *testing.T) {
	w := registry()
	w.tests["Q#other"], w.tests["R#third"] = w.tests["P#pollute"], w.tests["P#pollute"]
	w.unfit = func(e Edit) string {
		if slices.Contains(e.Also, suite.TestID("R#third")) {
			return "its source is in another language"
		}
		return ""
	}
	cause := registryCause()
	cause.Cases = cause.Cases[:2]
	cause.Whole = []suite.Order{{"P#pollute", "V#one"}, {"Q#other", "R#third", "N#neutral", "V#two"}, {"R#third", "Q#other", "V#two"}}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), cause)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cs, func(c *Candidate) bool { return c.Edit.Location == patch.PolluterTeardown })
	if i < 0 || len(cs[i].Edit.Also) > 0 || !slices.Equal(cs[i].Fixes, []suite.TestID{"V#one"}) {
		t.Errorf("candidates %+v", cs)
	}
}

// Two polluters of one test change different state. The helper restores both.
func TestHelperRestoresAfterSeveralPolluters(t *testing.T) {
	w := registry()
	w.tests["Q#both"] = func(s map[string]bool) bool { s["dirty"], s["torn"] = true, true; return true }
	w.tests["V#one"] = func(s map[string]bool) bool { return !s["dirty"] && !s["torn"] }
	w.effects["sew"] = func(s map[string]bool) error { s["torn"] = false; return nil }
	key := suite.Order{"C#clean"}.Key()
	w.scripts[key] = append(w.scripts[key], Statement{ID: "sew", Role: "body"})
	cause := Cause{Polluter: suite.Order{"P#pollute"}, Helpers: []suite.Order{{"C#clean"}}, Cases: []Case{{
		Test: "V#one", Failing: []suite.Order{{"P#pollute", "V#one"}, {"Q#both", "V#one"}},
	}}}
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), cause)
	if err != nil {
		t.Fatal(err)
	}
	if len(cs) == 0 || !slices.Equal(cs[0].Fixes, []suite.TestID{"V#one"}) || !slices.Contains(cs[0].Edit.Keep, "sew") {
		t.Errorf("candidates %+v", cs)
	}
}

// Each set of rows begins with another class, so that no class is always hidden by the same one.
func TestRowsTakeTurns(t *testing.T) {
	a, b := suite.Order{"A#a"}, suite.Order{"B#b"}
	sets, n := sideBySide([][]suite.Order{{a, a}, {b, b, b}})
	if n != 5 || !slices.EqualFunc(sets[0], []suite.Order{a, b}, slices.Equal) ||
		!slices.EqualFunc(sets[1], []suite.Order{b, a}, slices.Equal) || len(sets) != 3 {
		t.Errorf("%d rows in %v", n, sets)
	}
}

// Failures in a proof that are caused by neighbouring tests widen the patch.
func TestFailuresOfAProofWidenThePatch(t *testing.T) {
	w := registry()
	w.tests["Q#other"] = w.tests["P#pollute"]
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cause := registryCause()
	cs, err := p.Candidates(context.Background(), cause)
	if err != nil {
		t.Fatal(err)
	}
	in := proof(w)
	in.Neighbours = append(in.Neighbours, suite.Order{"V#two", "V#one", "Q#other", "V#one"})
	checks, proved, err := p.Prove(context.Background(), build{w}, cs[0], in)
	if err != nil || proved {
		t.Fatalf("proved %v, %v", proved, err)
	}
	for _, c := range checks {
		cause.Whole = append(cause.Whole, c.Bad...)
	}
	if len(cause.Whole) != 1 || !slices.Equal(cause.Whole[0], in.Neighbours[len(in.Neighbours)-1]) {
		t.Fatalf("met %v", cause.Whole)
	}
	wide, err := p.Widen(context.Background(), cause, cs[0])
	if err != nil || wide == nil || !slices.Equal(wide.Edit.Also, []suite.TestID{"Q#other"}) || len(wide.Fixes) != 3 {
		t.Fatalf("%+v, %v", wide, err)
	}
	in.Failing = append(in.Failing, cause.Whole...)
	if _, proved, err = p.Prove(context.Background(), build{w}, wide, in); err != nil || !proved {
		t.Errorf("proved %v, %v", proved, err)
	}
	again, err := p.Widen(context.Background(), cause, wide)
	if err != nil || again != nil {
		t.Errorf("%+v, %v although nothing is left to do", again, err)
	}
}

// A test that fails with and without the patch needs no further runs if both failures are alike.
// Otherwise another process may have made it fail without the patch.
func TestFailuresOnBothSides(t *testing.T) {
	o := suite.Order{"A#a", "V#v"}
	failing := func(typ, message, stack string) *suite.Run {
		return &suite.Run{Order: o, Results: []suite.Result{
			{Test: "A#a", Outcome: suite.Fail, Failure: &suite.Failure{Type: typ, Message: message, Stack: stack}},
			{Test: "V#v", Outcome: suite.Pass}}}
	}
	const trace = "java.net.ConnectException: refused\n\tat Client.open(Client.java:7)\nCaused by: java.net.SocketException: busy\n"
	base := failing("java.net.ConnectException", "refused", trace)
	for name, c := range map[string]struct {
		patched *suite.Run
		again   int
	}{
		"alike":           {failing("java.net.ConnectException", "refused", strings.ReplaceAll(trace, "\t", "  ")), 0},
		"another type":    {failing("java.io.IOException", "refused", trace), 1},
		"another message": {failing("java.net.ConnectException", "expected 1", trace), 1},
		"another place":   {failing("java.net.ConnectException", "refused", strings.Replace(trace, "open", "send", 1)), 1},
		"another cause":   {failing("java.net.ConnectException", "refused", strings.Replace(trace, "busy", "closed", 1)), 1},
		"no failure":      {&suite.Run{Order: o, Results: []suite.Result{{Outcome: suite.Fail}, {Outcome: suite.Pass}}}, 1},
	} {
		again := 0
		plain := &answers{func(suite.Outcome) *suite.Run { again++; return base }, make([]suite.Outcome, 9)}
		pr := &prover{fixes: o[1:], in: ProofInput{Groups: groups, Plain: plain},
			patched: &answers{func(suite.Outcome) *suite.Run { return c.patched }, make([]suite.Outcome, 9)}}
		check := Check{Repeats: 1}
		if err := pr.compare(context.Background(), &check, o, became(base)); err != nil || !check.OK || again != c.again {
			t.Errorf("%s: ok %v, %v; %d more runs without the patch, want %d", name, check.OK, err, again, c.again)
		}
		if check.Repeats != 1+c.again || !strings.Contains(check.Detail, "fail in this order with and without the patch") {
			t.Errorf("%s: %d runs, %q", name, check.Repeats, check.Detail)
		}
	}
}

// Where each class has a process of its own, a test that seems worse runs again with its class and
// those that the patch changes, and with the whole suite at last. If a fixed test fails, the whole
// suite runs again.
func TestOnlyConcernedClassesRunAgain(t *testing.T) {
	o := suite.Order{"V#p", "V#v", "B#b", "C#c", "C#d"}
	run := func(of suite.Order, bad suite.TestID) *suite.Run {
		r := &suite.Run{Order: of}
		for i, id := range of {
			res := suite.Result{Test: id, Outcome: suite.Pass, Position: i}
			if id == bad {
				res.Outcome, res.Failure = suite.Fail, &suite.Failure{Type: "E"}
			}
			r.Results = append(r.Results, res)
		}
		return r
	}
	part := suite.Order{"V#p", "V#v", "C#c", "C#d"}
	for name, c := range map[string]struct {
		separate bool
		fails    func(of suite.Order, n int) suite.TestID // what fails with the patch in the n-th run
		want     []suite.Order                            // later orders with the patch
		ok       bool
	}{
		"one process": {false, func(_ suite.Order, n int) suite.TestID { return first(n, "C#d") }, []suite.Order{o, o}, true},
		"flaky":       {true, func(_ suite.Order, n int) suite.TestID { return first(n, "C#d") }, []suite.Order{part, part, o}, true},
		"worse":       {true, func(suite.Order, int) suite.TestID { return "C#d" }, []suite.Order{part}, false},
		"worse in the whole order only": {true, func(of suite.Order, _ int) suite.TestID {
			if len(of) == len(o) {
				return "C#d"
			}
			return ""
		}, []suite.Order{part, part, o}, false},
		"bad in the whole order anyway": {true, func(of suite.Order, _ int) suite.TestID {
			if len(of) == len(o) {
				return "C#d"
			}
			return ""
		}, []suite.Order{part, part, o}, true},
		"a fixed test": {true, func(suite.Order, int) suite.TestID { return "V#v" }, []suite.Order{o}, false},
	} {
		patched := &recorded{run: func(of suite.Order, n int) *suite.Run { return run(of, c.fails(of, n)) }}
		plain := &recorded{run: func(of suite.Order, _ int) *suite.Run {
			if len(of) == len(o) && strings.HasSuffix(name, "anyway") {
				return run(of, "C#d")
			}
			return run(of, "")
		}}
		pr := &prover{fixes: suite.Order{"V#v"}, in: ProofInput{Groups: groups, Plain: plain, Separate: c.separate}, patched: patched,
			c: &Candidate{Edit: Edit{Location: patch.PolluterTeardown, At: "V#p"}}}
		check := Check{Repeats: 1}
		if err := pr.compare(t.Context(), &check, o, became(run(o, ""))); err != nil || check.OK != c.ok {
			t.Errorf("%s: ok %v, %q, %v", name, check.OK, check.Detail, err)
		}
		later := patched.orders[1:]
		if len(later) < len(c.want) {
			t.Fatalf("%s: %v", name, later)
		}
		for i, want := range c.want {
			if !slices.Equal(later[i], want) {
				t.Errorf("%s: run %d is %v, want %v", name, i+1, later[i], want)
			}
		}
	}
}

// first is a test that fails in the first run only.
func first(n int, t suite.TestID) suite.TestID {
	if n > 0 {
		return ""
	}
	return t
}

// recorded is a site that keeps the orders that it ran.
type recorded struct {
	run    func(o suite.Order, n int) *suite.Run
	orders []suite.Order
}

func (r *recorded) Run(_ context.Context, o suite.Order) (*suite.Run, error) {
	r.orders = append(r.orders, o)
	return r.run(o, len(r.orders)-1), nil
}

func (r *recorded) Alone() Site   { return r }
func (r *recorded) Parallel() int { return 1 }
func (r *recorded) Close() error  { return nil }

// Failures without stack traces show too little to be alike.
func TestFailuresWithoutTraces(t *testing.T) {
	for _, stack := range []string{"", "java.lang.AssertionError"} {
		f := suite.Failure{Type: "java.lang.AssertionError", Stack: stack}
		if same := f; alike(&f, &same) {
			t.Errorf("%q is enough", stack)
		}
	}
}

// TestOppositeOfBlocks: the blocks of a file, too, run in the opposite order.
func TestOppositeOfBlocks(t *testing.T) {
	pr := &prover{in: ProofInput{Groups: groups}}
	got := pr.opposite(suite.Order{"a.C$X#1", "a.C$X#2", "a.C$Y#1", "b.D#1"})
	if want := (suite.Order{"a.C$Y#1", "a.C$X#2", "a.C$X#1", "b.D#1"}); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := pr.opposite(suite.Order{"a.C#1", "b.D#1"}); got != nil {
		t.Errorf("nothing changes: %v", got)
	}
}
