package repair

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

func proof(w *world) ProofInput {
	original := suite.Order{"N#neutral", "V#one", "V#two", "W#three", "P#pollute", "C#clean"}
	return ProofInput{Groups: groups,
		Repeats:  2,
		Failing:  []suite.Order{{"P#pollute", "V#one", "V#two", "W#three"}, {"P#pollute", "V#one"}},
		Original: original, Baseline: func(context.Context) (*suite.Run, error) { return w.Run(context.Background(), original, Trial{}) },
		Neighbours: []suite.Order{{"V#two", "V#one"}},
		Rows:       [][]suite.Order{{{"V#one", "V#two"}, {"V#two", "V#one"}}, {{"W#three"}}}, RowsOf: 3,
		Minimal:  []suite.Order{{"P#pollute", "V#one"}, {"P#pollute", "W#three"}},
		Plain:    site{w, ""},
		TestCode: func(path string) bool { return path != "Main.java" },
	}
}

// TestProofOfMany checks that an order shared by many tests proves each of them, and runs as often
// as any order, with and without the patch.
func TestProofOfMany(t *testing.T) {
	w := registry()
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), registryCause())
	if err != nil {
		t.Fatal(err)
	}
	in := proof(w)
	shared := Shared{Order: suite.Order{"P#pollute", "V#two", "N#neutral", "V#one"}, Tests: []suite.TestID{"V#one", "V#two"}}
	in.Minimal, in.Shared = in.Minimal[:1], []Shared{shared}
	checks, proved, err := p.Prove(context.Background(), build{w}, cs[0], in)
	if err != nil || !proved {
		t.Fatalf("not proved: %v %+v", err, checks)
	}
	sides := map[bool]bool{}
	for _, c := range checks {
		if strings.HasPrefix(c.Name, "order that many tests share") {
			sides[c.Patched] = c.Pass == c.Patched && c.Repeats == in.Repeats && slices.Equal(c.Orders[0], shared.Order) &&
				slices.Equal(c.Tests, shared.Tests)
		}
	}
	if !sides[true] || !sides[false] {
		t.Errorf("%+v", checks)
	}
}

func TestProof(t *testing.T) {
	w := registry()
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), registryCause())
	if err != nil {
		t.Fatal(err)
	}
	checks, proved, err := p.Prove(context.Background(), build{w}, cs[0], proof(w))
	if err != nil || !proved {
		t.Fatalf("not proved: %v %+v", err, checks)
	}
	if len(checks) < 9 {
		t.Errorf("only %d checks", len(checks))
	}
}

// The proof must detect every kind of wrong patch.
func TestProofRefuses(t *testing.T) {
	for name, break_ := range map[string]func(w *world, c *Candidate, in *ProofInput){
		"a test that now fails": func(w *world, c *Candidate, in *ProofInput) {
			passed := w.tests["N#neutral"]
			w.tests["N#neutral"] = func(s map[string]bool) bool { return passed(s) && !s["opened"] }
			in.Original = suite.Order{"P#pollute", "N#neutral"}
			in.Baseline = func(context.Context) (*suite.Run, error) {
				return &suite.Run{Order: in.Original, Results: []suite.Result{{Outcome: suite.Pass}, {Outcome: suite.Pass}}}, nil
			}
		},
		"a failing order that passes without the patch": func(w *world, c *Candidate, in *ProofInput) {
			in.Minimal = []suite.Order{{"N#neutral", "V#one"}}
		},
		"a fixed test that fails in the order seen": func(w *world, c *Candidate, in *ProofInput) {
			w.tests["Q#other"] = w.tests["P#pollute"]
			in.Failing = append(in.Failing, suite.Order{"Q#other", "V#one"})
		},
		"one of many that passes without the patch": func(w *world, c *Candidate, in *ProofInput) {
			in.Shared = []Shared{{Order: suite.Order{"P#pollute", "V#one", "N#neutral"}, Tests: []suite.TestID{"V#one", "N#neutral"}}}
		},
		"one of many that fails with the patch": func(w *world, c *Candidate, in *ProofInput) {
			w.tests["Q#other"] = w.tests["P#pollute"]
			in.Shared = []Shared{{Order: suite.Order{"P#pollute", "V#one", "Q#other", "V#two"}, Tests: []suite.TestID{"V#one", "V#two"}}}
		},
		"one of many that is not in their order": func(w *world, c *Candidate, in *ProofInput) {
			in.Shared = []Shared{{Order: suite.Order{"P#pollute", "V#one"}, Tests: []suite.TestID{"V#one", "V#two"}}}
		},
		"a row that fails": func(w *world, c *Candidate, in *ProofInput) {
			w.tests["Q#other"] = w.tests["P#pollute"]
			in.Rows = append(in.Rows, []suite.Order{{"Q#other", "V#two"}})
		},
		"a neighbour that breaks it": func(w *world, c *Candidate, in *ProofInput) {
			w.tests["Q#other"] = w.tests["P#pollute"]
			in.Neighbours = append(in.Neighbours, suite.Order{"V#one", "V#two", "Q#other", "V#two"})
		},
		"production code": func(w *world, c *Candidate, in *ProofInput) {
			c.Built.Files["Main.java"] = ""
		},
		"a place too many": func(w *world, c *Candidate, in *ProofInput) {
			c.Edit.Also = []suite.TestID{"N#neutral"}
		},
		"a test that behaves worse in the order seen": func(w *world, c *Candidate, in *ProofInput) {
			w.tests["N#neutral"] = func(s map[string]bool) bool { return s["dirty"] }
			in.Failing = append(in.Failing, suite.Order{"P#pollute", "N#neutral", "V#one"})
			in.Original, in.Baseline = nil, nil
		},
		"a statement too many": func(w *world, c *Candidate, in *ProofInput) {
			c.Edit.Keep = append([]string{"noise1"}, c.Edit.Keep...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := registry()
			p := &Patcher{Groups: groups, Editor: w, Runner: w}
			cs, err := p.Candidates(context.Background(), registryCause())
			if err != nil {
				t.Fatal(err)
			}
			in := proof(w)
			break_(w, cs[0], &in)
			checks, proved, err := p.Prove(context.Background(), build{w}, cs[0], in)
			if err != nil {
				t.Fatal(err)
			}
			if proved || checks[len(checks)-1].OK && !slices.ContainsFunc(checks, func(c Check) bool { return !c.OK }) {
				t.Errorf("proved all the same: %+v", checks)
			}
		})
	}
}

// TestPatchThatBreaksItsOwnClass has a next test in the class that needs the state which the patch
// restores. A few tests are enough to refuse the patch, without running whole suites. The check is the last
// of the short ones, so it would overlap the long ones if several processes could run.
func TestPatchThatBreaksItsOwnClass(t *testing.T) {
	w := registry()
	w.tests["P#leans"] = func(s map[string]bool) bool { return s["dirty"] }
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), registryCause())
	if err != nil || cs[0].Edit.Location != patch.PolluterTeardown {
		t.Fatalf("%v, %v", cs, err)
	}
	in := proof(w)
	in.Original = suite.Order{"N#neutral", "V#one", "V#two", "W#three", "P#pollute", "P#leans", "C#clean"}
	in.Baseline = func(context.Context) (*suite.Run, error) { return nil, errors.New("the whole suite was run") }
	checks, proved, err := p.Prove(context.Background(), inSequence{build{w}}, cs[0], in)
	if err != nil || proved {
		t.Fatalf("proved %v: %v", proved, err)
	}
	i := slices.IndexFunc(checks, func(c Check) bool { return !c.OK })
	if i < 0 || !slices.Equal(checks[i].Orders[0], suite.Order{"P#pollute", "P#leans"}) ||
		!strings.HasPrefix(checks[i].Detail, "P#leans: pass before") {
		t.Errorf("refused by check %d of %+v", i, checks)
	}
}

// TestPatchThatBreaksItsClassInAnotherOrder has a test that needs what its class sets up once, and that
// runs first in the suite's own order.
func TestPatchThatBreaksItsClassInAnotherOrder(t *testing.T) {
	w := registry()
	pollute := w.tests["P#pollute"]
	w.tests["P#pollute"] = func(s map[string]bool) bool { s["ran"] = true; return pollute(s) }
	w.tests["P#leans"] = func(s map[string]bool) bool { return s["dirty"] || !s["ran"] }
	p := &Patcher{Groups: groups, Editor: w, Runner: w}
	cs, err := p.Candidates(context.Background(), registryCause())
	if err != nil || cs[0].Edit.Location != patch.PolluterTeardown {
		t.Fatalf("%v, %v", cs, err)
	}
	in := proof(w)
	in.Original = suite.Order{"N#neutral", "V#one", "V#two", "W#three", "P#leans", "P#pollute", "C#clean"}
	checks, proved, err := p.Prove(context.Background(), build{w}, cs[0], in)
	if err != nil || proved {
		t.Fatalf("proved %v: %v", proved, err)
	}
	i := slices.IndexFunc(checks, func(c Check) bool { return !c.OK })
	if i < 0 || !slices.Equal(checks[i].Orders[0], suite.Order{"P#pollute", "P#leans"}) {
		t.Errorf("refused by check %d of %+v", i, checks)
	}
}

// A test that fails at random does not refute a patch. A test that a parallel run polluted in the
// comparison does not hide the effect of the patch.
func TestComparisonWithFlakyTests(t *testing.T) {
	o := suite.Order{"A#a", "B#b"}
	run := func(b suite.Outcome) *suite.Run {
		return &suite.Run{Order: o, Results: []suite.Result{{Test: "A#a", Outcome: suite.Pass}, {Test: "B#b", Outcome: b}}}
	}
	const pass, fail = suite.Pass, suite.Fail
	for name, c := range map[string]struct {
		base           suite.Outcome
		plain, patched []suite.Outcome
		ok             bool
	}{
		"well": {pass, nil, []suite.Outcome{pass}, true},
		"worse": {pass, []suite.Outcome{pass, pass, pass, pass},
			[]suite.Outcome{fail, fail, fail, fail, fail}, false},
		"once, then well":         {pass, []suite.Outcome{pass, pass}, []suite.Outcome{fail, pass, pass}, true},
		"fails by itself as well": {pass, []suite.Outcome{fail}, []suite.Outcome{fail, fail}, true},
		"genuine":                 {fail, []suite.Outcome{fail}, []suite.Outcome{fail, fail}, true},
		"the comparison was disturbed": {fail, []suite.Outcome{pass, pass, pass, pass},
			[]suite.Outcome{fail, fail, fail, fail, fail}, false},
		"disturbed, and then passing without the patch": {fail, []suite.Outcome{pass}, []suite.Outcome{fail, pass}, true},
	} {
		t.Run(name, func(t *testing.T) {
			pr := &prover{fixes: []suite.TestID{"A#a"}, in: ProofInput{Groups: groups, Plain: said(run, c.plain)},
				patched: said(run, c.patched),
				say:     func(string) {}}
			var check Check
			if err := pr.compare(context.Background(), &check, o, became(run(c.base))); err != nil || check.OK != c.ok {
				t.Errorf("ok %v, %v: %s", check.OK, err, check.Detail)
			}
		})
	}
}

func TestPatchThatBreaksATeardownIsRefused(t *testing.T) {
	o := suite.Order{"A#a"}
	run := &suite.Run{Order: o, Results: []suite.Result{{Test: "A#a", Outcome: suite.Pass}}}
	broken := *run
	broken.ClassFailures = []suite.ClassFailure{{Class: "A", Failure: suite.Failure{Type: "IllegalStateException"}}}
	for _, c := range []struct {
		base, patched *suite.Run
		ok            bool
	}{{run, &broken, false}, {&broken, &broken, true}, {&broken, run, true}} {
		pass := []suite.Outcome{suite.Pass, suite.Pass}
		pr := &prover{
			fixes: o, patched: &answers{func(suite.Outcome) *suite.Run { return c.patched }, pass},
			in: ProofInput{Groups: groups, Plain: &answers{func(suite.Outcome) *suite.Run { return c.base }, pass}},
		}
		var check Check
		if err := pr.compare(context.Background(), &check, o, became(c.base)); err != nil || check.OK != c.ok {
			t.Errorf("ok %v, %v: %s", check.OK, err, check.Detail)
		}
	}
}

// A fixed test that fails while other processes run, and passes exclusively, is fixed. A test that
// fails exclusively is not.
func TestFixedTestDisturbedByAnotherProcess(t *testing.T) {
	o := suite.Order{"A#a"}
	run := func(a suite.Outcome) *suite.Run {
		return &suite.Run{Order: o, Results: []suite.Result{{Test: "A#a", Outcome: a}}}
	}
	for _, again := range []suite.Outcome{suite.Pass, suite.Fail} {
		pr := &prover{fixes: o, patched: said(run, []suite.Outcome{suite.Fail, suite.Pass, again}),
			in: ProofInput{Groups: groups, Plain: said(run, []suite.Outcome{suite.Fail, suite.Fail})}}
		var check Check
		if err := pr.compare(context.Background(), &check, o, became(run(suite.Fail))); err != nil || check.OK != (again == suite.Pass) {
			t.Errorf("ok %v, %v: %s", check.OK, err, check.Detail)
		}
	}
}

// answers is a Site that returns prepared outcomes, one after the other.
type answers struct {
	run  func(suite.Outcome) *suite.Run
	left []suite.Outcome
}

func said(run func(suite.Outcome) *suite.Run, outcomes []suite.Outcome) *answers {
	return &answers{run, outcomes}
}

func (a *answers) Run(context.Context, suite.Order) (*suite.Run, error) {
	if len(a.left) == 0 {
		return nil, errors.New("more runs than expected")
	}
	out := a.left[0]
	a.left = a.left[1:]
	return a.run(out), nil
}

func (a *answers) Alone() Site   { return a }
func (a *answers) Parallel() int { return 1 }
func (a *answers) Close() error  { return nil }

func TestMaximalOrders(t *testing.T) {
	a, ab, ba := suite.Order{"x#a"}, suite.Order{"x#a", "x#b"}, suite.Order{"x#b", "x#a"}
	got := maximal([]suite.Order{a, ab, nil, ba, ab})
	if d := cmp.Diff([]suite.Order{ab, ba}, got); d != "" {
		t.Error(d)
	}
}

// TestClaimDisturbedByAnotherProcess checks that results of runs side by side that contradict a claim
// do not count, but those of runs that are alone.
func TestClaimDisturbedByAnotherProcess(t *testing.T) {
	o := suite.Order{"P#p", "V#v"}
	run := func(v suite.Outcome) *suite.Run {
		return &suite.Run{Order: o, Results: []suite.Result{{Test: "P#p", Outcome: suite.Pass}, {Test: "V#v", Outcome: v}}}
	}
	const pass, fail = suite.Pass, suite.Fail
	for name, c := range map[string]struct {
		patched, patchedAlone, plain, plainAlone []suite.Outcome
		processes                                int
		ok                                       bool
	}{
		"as claimed":                  {[]suite.Outcome{pass, pass}, nil, []suite.Outcome{fail, fail}, nil, 2, true},
		"disturbed with the patch":    {[]suite.Outcome{pass, fail}, []suite.Outcome{pass, pass}, []suite.Outcome{fail, fail}, nil, 2, true},
		"fails once alone":            {[]suite.Outcome{pass, fail}, []suite.Outcome{pass, fail}, nil, nil, 2, false},
		"disturbed without the patch": {[]suite.Outcome{pass, pass}, nil, []suite.Outcome{fail, pass}, []suite.Outcome{fail, fail}, 2, true},
		"passes without the patch":    {[]suite.Outcome{pass, pass}, nil, []suite.Outcome{pass}, []suite.Outcome{pass}, 2, false},
		"nothing runs beside it":      {[]suite.Outcome{fail}, nil, nil, nil, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			pr := &prover{
				patched: &several{answers: said(run, c.patched), alone: said(run, c.patchedAlone), processes: c.processes},
				in:      ProofInput{Plain: &several{answers: said(run, c.plain), alone: said(run, c.plainAlone), processes: c.processes}},
			}
			if err := pr.bothSides(t.Context(), claim{Shared{Order: o, Tests: o[1:]}, 2, "passes", "fails", false}); err != nil || pr.failed == c.ok {
				t.Errorf("%+v, %v", pr.checks, err)
			}
		})
	}
}

// several is a site with several processes. Runs that are alone have results of their own.
type several struct {
	*answers
	alone     *answers
	processes int
	mu        sync.Mutex
}

func (s *several) Run(ctx context.Context, o suite.Order) (*suite.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answers.Run(ctx, o)
}

func (s *several) Alone() Site { return s.alone }

func (s *several) Parallel() int { return s.processes }

// TestEachSetupIsNeeded checks that statements in the setups of two classes are shown to be needed in
// each, though the first class restores the state for the second one where both run.
func TestEachSetupIsNeeded(t *testing.T) {
	for name, c := range map[string]struct {
		also  suite.TestID
		known suite.Order // the cause of the shared order
		ok    bool
	}{
		"both are needed":          {"W#three", suite.Order{"P#pollute"}, true},
		"one is not":               {"N#neutral", suite.Order{"P#pollute"}, false},
		"the cause is not written": {"W#three", nil, false},
	} {
		w := registry()
		e := Edit{Helper: suite.Order{"C#clean"}, Keep: []string{"open", "reset"}, Location: patch.VictimSetup, At: "V#one", Also: []suite.TestID{c.also}}
		built, err := w.Build(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		in := proof(w)
		in.Failing, in.Minimal, in.Rows, in.Neighbours = nil, nil, nil, nil
		in.Shared = []Shared{{Order: suite.Order{"P#pollute", "W#three", "V#one"}, Tests: []suite.TestID{"W#three", "V#one"}, Cause: c.known}}
		fixes := []suite.TestID{"V#one", "W#three"}
		if c.also == "N#neutral" {
			fixes = fixes[:1]
			in.Shared[0].Order, in.Shared[0].Tests = suite.Order{"P#pollute", "V#one"}, fixes
		}
		pr := &prover{p: &Patcher{Groups: groups, Editor: w, Runner: w}, c: &Candidate{Edit: e, Built: built, Fixes: fixes}, in: in, fixes: fixes}
		if err := pr.minimality(t.Context()); err != nil || len(pr.checks) != 1 || pr.checks[0].OK != c.ok {
			t.Errorf("%s: %v, %+v", name, err, pr.checks)
		}
	}
}
