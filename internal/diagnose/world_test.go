package diagnose

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/suite"
)

// world is a suite whose tests read and write variables. It implements Runner without processes:
// each run begins with new state.
type world struct {
	tests map[suite.TestID]func(p *proc) suite.Outcome
	all   suite.Order
	width int

	nanos map[suite.TestID]int64   // durations of tests, if not 10
	setup map[string]func(p *proc) // effects of entering a class

	mu          sync.Mutex
	rng         *rand.Rand
	runs        int
	ran         int
	price       map[suite.Price]int
	takes       time.Duration // duration of each run; only inside synctest
	cohortWorld bool          // conclusions about tests of a cohort need fewer confirmations
	varies      bool          // its costs differ from run to run: it draws random numbers, or asks ahead
	// before is called at the beginning of each run; it may be nil.
	before func(run int, o suite.Order) error
	shared atomic.Int64 // current runs
	worst  atomic.Int64
}

// proc is one process: its variables, and whether it was killed.
type proc struct {
	vars   map[string]int
	crash  *suite.Crash
	random func() float64
	price  suite.Price
	alone  bool // no other process is running
}

func newWorld() *world {
	return &world{
		tests: map[suite.TestID]func(*proc) suite.Outcome{}, width: 1,
		rng: rand.New(rand.NewPCG(7, 7)), price: map[suite.Price]int{},
	}
}

// add adds a test after all others. A nil body means a test that always passes.
func (w *world) add(id suite.TestID, body func(p *proc) suite.Outcome) suite.TestID {
	if body == nil {
		body = func(*proc) suite.Outcome { return suite.Pass }
	}
	w.tests[id] = body
	w.all = append(w.all, id)
	return id
}

// fill adds n classes of k independent tests each.
func (w *world) fill(prefix string, n, k int) {
	for i := range n {
		for j := range k {
			w.add(suite.TestID(fmt.Sprintf("%s.C%03dTest#t%02d", prefix, i, j)), nil)
		}
	}
}

func sets(name string, v int) func(*proc) suite.Outcome {
	return func(p *proc) suite.Outcome { p.vars[name] = v; return suite.Pass }
}

// needs returns a test that passes while the variable has the value.
func needs(name string, v int) func(*proc) suite.Outcome {
	return func(p *proc) suite.Outcome { return passIf(p.vars[name] == v) }
}

func passIf(ok bool) suite.Outcome {
	if ok {
		return suite.Pass
	}
	return suite.Fail
}

func crashes(kind string) func(*proc) suite.Outcome {
	return func(p *proc) suite.Outcome {
		p.crash = &suite.Crash{Kind: kind}
		return suite.Unresolved
	}
}

func (w *world) suite() *suite.Suite {
	root := &suite.Node{}
	for _, cl := range junitid.Split(w.all) {
		n := &suite.Node{Name: junitid.Launched(cl[0])}
		for _, t := range cl {
			n.Children = append(n.Children, &suite.Node{Name: junitid.Method(t), Test: t})
		}
		root.Children = append(root.Children, n)
	}
	return &suite.Suite{Root: root}
}

func (w *world) Parallel() int { return w.width }

func (w *world) Run(ctx context.Context, o suite.Order, p suite.Price, _ bool) (*suite.Run, error) {
	n := w.shared.Add(1)
	defer w.shared.Add(-1)
	if n > w.worst.Load() {
		w.worst.Store(n)
	}
	w.mu.Lock()
	w.runs++
	run := w.runs
	w.price[p]++
	w.mu.Unlock()
	if w.before != nil {
		if err := w.before(run, o); err != nil {
			return nil, err
		}
	}
	if w.takes > 0 {
		select {
		case <-time.After(w.takes / 2):
			n = w.shared.Load() // every parallel run has begun by now
			<-time.After(w.takes / 2)
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return w.process(o, p, n == 1), nil
}

func (w *world) process(o suite.Order, price suite.Price, alone bool) *suite.Run {
	run := &suite.Run{Order: o, Price: price, Nanos: 1000}
	p := &proc{vars: map[string]int{}, price: price, alone: alone, random: func() float64 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.varies = true // parallel questions draw in any order
		return w.rng.Float64()
	}}
	visited := map[suite.TestID]bool{} // since the class was entered last
	for i, t := range o {
		out := suite.Unresolved
		if enter := w.setup[junitid.Launched(t)]; enter != nil &&
			(i == 0 || junitid.Launched(o[i-1]) != junitid.Launched(t) || visited[t]) {
			enter(p)
			clear(visited)
		}
		visited[t] = true
		if p.crash == nil {
			out = w.tests[t](p)
			if p.crash != nil {
				p.crash.During = t
			}
			w.mu.Lock()
			w.ran++
			w.mu.Unlock()
		}
		res := suite.Result{Test: t, Outcome: out, Nanos: max(10, w.nanos[t]), Position: i}
		if out == suite.Fail {
			res.Failure = &suite.Failure{Type: "AssertionError", Message: "in " + string(t)}
		}
		run.Results = append(run.Results, res)
	}
	run.Crash = p.crash
	return run
}

func (w *world) ask(o suite.Order) suite.Outcome {
	return w.process(o, suite.Fresh, true).Last().Outcome
}

// diagnose runs Diagnose on the world and checks what is true of every result.
func (w *world) diagnose(t *testing.T, in Input) *Result {
	if in.Groups == nil {
		in.Groups = groups
	}
	t.Helper()
	if in.Suite == nil {
		in.Suite = w.suite()
	}
	events, progress := 0, in.Progress
	in.Progress = func(e Event) {
		events++
		if progress != nil {
			progress(e)
		}
	}
	res, err := Diagnose(t.Context(), w, in)
	if err != nil {
		t.Fatal(err)
	}
	if w.width == 1 && w.takes == 0 && !w.varies {
		checkCosts(t, res, events)
	}
	if res.Cost.Total() != w.runs || res.Cost.Tests != w.ran {
		t.Errorf("the cost has %d runs and %d tests; there were %d and %d", res.Cost.Total(), res.Cost.Tests, w.runs, w.ran)
	}
	for p, n := range w.price {
		if res.Cost.Questions[p] != n {
			t.Errorf("the cost has %d %s questions; there were %d", res.Cost.Questions[p], p, n)
		}
	}
	if int(w.worst.Load()) > w.width {
		t.Errorf("%d runs at once, %d allowed", w.worst.Load(), w.width)
	}
	return res
}

// only returns the result of a diagnosis of one test.
func (w *world) only(t *testing.T, in Input) TestResult {
	t.Helper()
	res := w.diagnose(t, in)
	if len(res.Tests) != 1 {
		t.Fatalf("%d results", len(res.Tests))
	}
	return res.Tests[0]
}

// holds checks every claim of a stable test's result against the world.
func (w *world) holds(t *testing.T, r TestResult) {
	t.Helper()
	v := suite.Order{r.Test}
	for _, p := range r.Polluters {
		o := suite.Join(p, v)
		if r.Verdict == suite.VictimBrittle {
			o = suite.Join(r.StateSetters[0], o)
		}
		if w.ask(o) != suite.Fail {
			t.Errorf("%s passes after its polluter %v", r.Test, p)
		}
	}
	for _, p := range r.StateSetters {
		if w.ask(suite.Join(p, v)) != suite.Pass {
			t.Errorf("%s fails after its state-setter %v", r.Test, p)
		}
	}
	for _, c := range r.Cleaners {
		if w.ask(suite.Join(c.Polluter, c.Cleaner, v)) != suite.Pass {
			t.Errorf("%s fails after %v and its cleaner %v", r.Test, c.Polluter, c.Cleaner)
		}
	}
	for _, e := range r.Evidence {
		least := DefaultRerun
		if w.cohortWorld {
			least = 1
		}
		if e.Outcome != suite.Flaky && (w.ask(e.Order) != e.Outcome || e.Repeats < least) {
			t.Errorf("evidence %v: %s, %d repeats", e.Order, e.Outcome, e.Repeats)
		}
	}
	w.minimal(t, r)
}

// minimal checks that no test of the minimal order can be removed.
func (w *world) minimal(t *testing.T, r TestResult) {
	t.Helper()
	o := r.MinimalOrder
	if len(o) == 0 {
		return
	}
	want := w.ask(o)
	for i := range len(o) - 1 {
		less := append(append(suite.Order(nil), o[:i]...), o[i+1:]...)
		if w.ask(less) == want {
			t.Errorf("%v is not minimal: %v does as well", o, less)
		}
	}
}

func show(os []suite.Order) string {
	var parts []string
	for _, o := range os {
		parts = append(parts, names(o))
	}
	return strings.Join(parts, "; ")
}

// names and short format tests as the sentences of a diagnosis do.
func names(o suite.Order) string { return groups.Names(o) }

func short(t suite.TestID) string { return groups.Short(t) }
