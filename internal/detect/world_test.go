package detect

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// world is a made-up project: its tests set, clear and need shared state.
type world struct {
	suite *suite.Suite
	tests map[suite.TestID]*behaviour
	side  int // parallel processes

	mu       sync.Mutex
	rng      *rand.Rand
	under    int // processes that run now
	asked    map[string]int
	runs     int
	most     int              // runs that are possible; 0: no limit
	said     map[string]tally // outcomes by order, of the order's last test
	flat     bool             // prefixes are not counted
	thorough bool             // all tests that turn out to be missing are reported at once
	gate     chan struct{}    // if set, parallel runs wait for each other
	began    []suite.Order    // in which order runs were begun
}

type behaviour struct {
	sets, clears   string  // the fields that it changes
	failsIf        string  // if set, the test is a victim of this field
	failsUnless    string  // if set, the test is brittle and needs this field
	reads          string  // reads this field, without effect
	flaky          float64 // how often it fails
	genuine        bool
	skips          bool
	crashes        bool    // always
	crashesIf      string  // if this field is set
	crashesUnless  string  // if this field is not set
	gone           bool    // the harness cannot run it
	goneAfter      int     // after this number of runs
	goneAtTimes    float64 // in this share of its runs
	byCohort       bool    // fails while another process runs
	crashesOnce    bool    // the first time only
	goneOnTheWay   bool    // it turns out to be missing after earlier tests of the order have run
	goneLater      int     // the same, after this number of runs
	besideNotFirst bool    // the same, except as the first test of its order
	besideAfter    int     // byCohort, after this number of runs
	crashesAt      int     // in this run, if it takes part
	unruly         bool    // no part of its class can run by itself
	unfit          bool    // it exists, and cannot run in the requested order
	exitsUnnoticed bool    // the process ends without a report of the test in which it ended
}

func newWorld(sizes ...int) *world {
	s, err := order.Sizes(sizes...)
	if err != nil {
		panic(err)
	}
	w := &world{suite: s, tests: map[suite.TestID]*behaviour{}, side: 2, rng: rand.New(rand.NewPCG(1, 2)),
		asked: map[string]int{}, said: map[string]tally{}}
	for _, t := range s.Order() {
		w.tests[t] = &behaviour{}
	}
	return w
}

func (w *world) Parallel() int { return w.side }

func (w *world) Run(ctx context.Context, o suite.Order, alone bool) (*suite.Run, error) {
	w.mu.Lock()
	w.under++
	inCohort := w.under > 1
	w.runs++
	if !w.flat {
		w.began = append(w.began, o)
	}
	w.mu.Unlock()
	if w.gate != nil && !alone {
		inCohort = true // the outcome is that of parallel runs, whatever the scheduler does
	}
	defer func() {
		w.mu.Lock()
		w.under--
		w.mu.Unlock()
	}()
	if alone {
		inCohort = false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range o {
		if !w.flat {
			w.asked[o[:i+1].Key()]++
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if w.most > 0 && w.runs > w.most {
		return nil, fmt.Errorf("it was to be over before %d runs", w.runs)
	}
	run, err := w.answer(o, inCohort)
	for i := range o {
		if run != nil && !w.flat {
			said := w.said[o[:i+1].Key()]
			said.add(run.At(i).Outcome)
			w.said[o[:i+1].Key()] = said
		}
	}
	return run, err
}

// strangers are tests that would run although the order does not contain them.
func (w *world) strangers(o suite.Order) []suite.TestID {
	var out []suite.TestID
	groups := suite.NewGroups(w.suite, nil)
	for t, b := range w.tests {
		if b.unruly && slices.ContainsFunc(o, func(x suite.TestID) bool { return groups.Same(x, t) }) && !slices.Contains(o, t) {
			out = append(out, t)
		}
	}
	return out
}

func (w *world) answer(o suite.Order, inCohort bool) (*suite.Run, error) {
	var gone []suite.TestID
	for _, t := range o {
		if b := w.tests[t]; b.gone || b.goneOnTheWay && t == o[0] || b.goneAfter > 0 && w.runs > b.goneAfter ||
			b.goneAtTimes > 0 && w.rng.Float64() < b.goneAtTimes {
			gone = append(gone, t)
		}
	}
	if len(gone) > 0 {
		return nil, &MissingError{Tests: gone, Reason: "no such method"}
	}
	var unfit []suite.TestID
	for _, t := range o {
		if w.tests[t].unfit {
			unfit = append(unfit, t)
		}
	}
	if len(unfit) > 0 {
		return nil, &MissingError{Tests: unfit, Reason: "its runner does as it likes", There: true}
	}
	if strangers := w.strangers(o); len(strangers) > 0 {
		return nil, &MissingError{Tests: strangers, Reason: "a test ran that was not to run"}
	}
	run := &suite.Run{Order: o, Price: suite.Fresh, Nanos: 1}
	set := map[string]bool{}
	for i, t := range o {
		b := w.tests[t]
		res := suite.Result{Test: t, Position: i, Outcome: suite.Pass}
		switch {
		case run.Crash != nil:
			res.Outcome = suite.Unresolved
		case b.goneOnTheWay || b.goneLater > 0 && w.runs > b.goneLater:
			run.Crash = &suite.Crash{Kind: suite.CrashMissing, During: t, Detail: "no such method"}
			for _, x := range o[i:] {
				if w.thorough && w.tests[x].goneOnTheWay {
					run.Crash.Missing = append(run.Crash.Missing, x)
				}
			}
			res.Outcome = suite.Unresolved
		case b.exitsUnnoticed:
			run.Crash = &suite.Crash{Kind: "exit"}
			res.Outcome = suite.Unresolved
		case b.crashes || set[b.crashesIf] || b.crashesOnce || b.crashesUnless != "" && !set[b.crashesUnless] ||
			b.crashesAt > 0 && b.crashesAt == w.runs:
			b.crashesOnce = false
			run.Crash = &suite.Crash{Kind: "exit", During: t}
			res.Outcome = suite.Unresolved
		case b.skips:
			res.Outcome = suite.Skip
		case b.genuine, set[b.failsIf], b.failsUnless != "" && !set[b.failsUnless], b.byCohort && inCohort,
			b.besideNotFirst && inCohort && i > 0, b.besideAfter > 0 && w.runs > b.besideAfter && inCohort, w.rng.Float64() < b.flaky:
			res.Outcome = suite.Fail
			res.Failure = &suite.Failure{Type: "E", Message: "m"}
		}
		if res.Outcome != suite.Unresolved {
			delete(set, b.clears)
			if b.sets != "" {
				set[b.sets] = true
			}
		}
		run.Results = append(run.Results, res)
	}
	return run, nil
}

// stage returns the orders of a technique.
func (w *world) stage(t testing.TB, technique order.Technique, o order.Options) Stage {
	t.Helper()
	s, err := order.New(w.suite, technique, o)
	if err != nil {
		t.Fatal(err)
	}
	return Stage{Name: string(technique), Orders: s.Orders, Total: max(s.Exact, 0)}
}

var farOff = time.Now().Add(24 * time.Hour)

// detect runs a search to its end.
func (w *world) detect(t testing.TB, stages ...Stage) Result {
	t.Helper()
	return w.search(t, Input{Tests: w.suite.Order(), Stages: stages})
}

func (w *world) search(t testing.TB, in Input) Result {
	t.Helper()
	in.Groups = suite.NewGroups(w.suite, nil)
	s := New(w, in)
	defer s.Close()
	done, err := s.Run(t.Context(), farOff)
	if err != nil || !done {
		t.Fatalf("done %v, %v", done, err)
	}
	return s.Result()
}

func (r Result) kinds() map[suite.TestID]Kind {
	out := map[suite.TestID]Kind{}
	for _, f := range r.Finds {
		out[f.Test] = f.Kind
	}
	return out
}

func tests(of []Other) []suite.TestID {
	var out []suite.TestID
	for _, o := range of {
		out = append(out, o.Test)
	}
	return out
}

// truth returns whether a test passes and fails in any of all pairs and alone, without chance.
func (w *world) truth(id suite.TestID) (passes, fails bool) {
	ask := func(o suite.Order) {
		run, err := w.answer(o, false)
		if err != nil {
			return
		}
		switch run.Last().Outcome {
		case suite.Pass:
			passes = true
		case suite.Fail:
			fails = true
		}
	}
	ask(suite.Order{id})
	for _, p := range w.suite.Order() {
		if p != id {
			ask(suite.Order{p, id})
		}
	}
	return passes, fails
}

func id(g, t int) suite.TestID { return suite.TestID(fmt.Sprintf("g%d.t%d", g, t)) }
