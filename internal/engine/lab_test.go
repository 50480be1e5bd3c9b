package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// standIn is a project of which only what a test sets is there.
type standIn struct {
	project.Project
	run    func(o suite.Order) *suite.Run
	origin func(place string, t suite.TestID) project.Origin
	runs   *atomic.Int64
}

var _ project.Observer = standIn{}

func (s standIn) Run(_ context.Context, o suite.Order, _ repair.Trial) (*suite.Run, error) {
	if s.runs != nil {
		s.runs.Add(1)
	}
	return s.run(o), nil
}

func (s standIn) Stats() project.Stats { return project.Stats{} }

func (standIn) Parallel() int { return 1 }

func (standIn) Syntax() suite.Syntax { return junitid.Syntax{} }

func (s standIn) Origin(place string, t suite.TestID) project.Origin { return s.origin(place, t) }

func (standIn) Observe(ctx context.Context, _ suite.Order, _ project.Look) (*project.Observation, error) {
	return nil, context.Cause(ctx)
}

func (standIn) RunRestored(context.Context, suite.Order, []string, int) (*suite.Run, []project.Restored, error) {
	panic("not asked for")
}

func (standIn) Unobserved() string { return "" }

func (standIn) FilesLeft(context.Context, suite.Order) ([]string, error) { panic("not asked for") }

// ending is a run whose process ended early.
func ending(o suite.Order) *suite.Run {
	return &suite.Run{Order: o, Price: suite.Fresh, Crash: &suite.Crash{Kind: "exit", During: o[0]}}
}

// TestEndsOfPatchedProcessesAreNotTheProjectsOwn: what a patch under trial does
// is no news about the build.
func TestEndsOfPatchedProcessesAreNotTheProjectsOwn(t *testing.T) {
	l := &lab{base: standIn{run: ending}, log: zap.NewNop()}
	o := suite.Order{"a.A#one"}
	run, err := l.Run(t.Context(), o, repair.Trial{Price: suite.Fresh, Overlay: "overlay"})
	if err != nil || run.Crash == nil {
		t.Fatalf("%+v, %v", run, err)
	}
	if len(l.ends.ended) > 0 {
		t.Errorf("ends of patches are kept: %+v", l.ends.ended)
	}
	if _, err := l.Run(t.Context(), o, repair.Trial{Price: suite.Fresh}); err != nil || len(l.ends.ended) != 1 || l.ends.ended[0].Times != 1 {
		t.Errorf("of the project: %+v, %v", l.ends.ended, err)
	}
}

// TestNothingIsAskedWhereThereIsNoHelper: no run of the whole suite for a proof
// that nobody will begin.
func TestNothingIsAskedWhereThereIsNoHelper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		l := &lab{base: standIn{run: ending, runs: &runs}, log: zap.NewNop(), original: suite.Order{"a.A#one"}}
		m := &repairing{w: &worker{}, p: &module{lab: l}, r: &job.Report{}, search: NewSearch(nil, nil)}
		if fixed, err := m.cause(t.Context(), repair.Cause{Cases: []repair.Case{{Test: "a.A#one"}}}, nil); err != nil || len(fixed) > 0 {
			t.Errorf("%v, %v", fixed, err)
		}
		synctest.Wait() // for whatever that began
		if n := runs.Load(); n > 0 {
			t.Errorf("%d orders were asked", n)
		}
	})
}

// A job without a budget gets the time that fits its tests once half of them have run in a new
// process, or fewer that take long. Other runs show less.
func TestTheBudgetFitsTheTests(t *testing.T) {
	all := suite.Order{"a.ATest#one", "a.ATest#two", "a.ATest#three", "a.ATest#four"}
	notes := map[string]string{
		"all tests":         "4 tests take about 60s here. Each cause takes about 7 minutes as a rule, and all 30 minutes at most.",
		"half of the tests": "4 tests take about 120s here. Each cause takes about 13 minutes as a rule, and all 50 minutes at most.",
		"one test": "One process with few tests takes about 60s here. Each cause takes about 52 minutes as a rule, and all 52 " +
			"minutes at most.",
	}
	for name, c := range map[string]struct {
		budget time.Duration
		order  suite.Order
		trial  repair.Trial
		crash  *suite.Crash
		want   time.Duration
	}{
		"all tests":           {0, all, repair.Trial{Price: suite.Fresh}, nil, 30 * time.Minute},
		"a budget":            {12 * time.Minute, all, repair.Trial{Price: suite.Fresh}, nil, 12 * time.Minute},
		"half of the tests":   {0, all[2:], repair.Trial{Price: suite.Fresh}, nil, 50 * time.Minute},
		"one test":            {0, all[:1], repair.Trial{Price: suite.Fresh}, nil, 52 * time.Minute},
		"a warm process":      {0, all, repair.Trial{Price: suite.Warm}, nil, job.DefaultBudget},
		"with a patch":        {0, all, repair.Trial{Price: suite.Fresh, Overlay: "patched"}, nil, job.DefaultBudget},
		"a process that ends": {0, all, repair.Trial{Price: suite.Fresh}, &suite.Crash{Kind: "exit"}, job.DefaultBudget},
	} {
		said := ""
		synctest.Test(t, func(t *testing.T) {
			w := newWorker(job.Job{Budget: c.budget}, Options{Log: zap.NewNop(), Progress: func(e job.Event) { said = e.Note }})
			end, cancel := budget.Extendable(t.Context(), w.budget(), errBudget)
			defer cancel()
			w.end = end
			l := &lab{base: standIn{run: func(o suite.Order) *suite.Run {
				return &suite.Run{Order: o, Nanos: int64(time.Minute), Crash: c.crash}
			}}, original: all, timed: func(tests int, took time.Duration) { w.fit(tests, len(all), took, time.Second) }}
			if _, err := l.Run(end, c.order, c.trial); err != nil {
				t.Fatal(err)
			}
			if got := budget.Share(end, 1); got != c.want {
				t.Errorf("%s: %s are left, want %s", name, got, c.want)
			}
		})
		if said != notes[name] {
			t.Errorf("%s: said %q, want %q", name, said, notes[name])
		}
	}
}

// Each repeat of a proof comes from a process of its own: what a proof runs itself does not count
// again. The runs of the diagnosis and of earlier proofs count once.
func TestRepeatsWithoutThePatchAreProcesses(t *testing.T) {
	runs := &atomic.Int64{}
	base := standIn{runs: runs, run: func(o suite.Order) *suite.Run { return &suite.Run{Order: o} }}
	l := &lab{base: base, log: zap.NewNop()}
	o := suite.Order{"a.A#one", "a.A#two"}
	repeat := func(site repair.Site, n int) (made int64) {
		t.Helper()
		before, seen := runs.Load(), map[*suite.Run]bool{}
		for range n {
			run, err := site.Run(t.Context(), o)
			if err != nil || seen[run] {
				t.Errorf("%v, %v counts twice", err, run)
			}
			seen[run] = true
		}
		return runs.Load() - before
	}
	first := newPlain(l)
	if made := repeat(first, 3); made != 3 {
		t.Errorf("3 repeats are %d processes", made)
	}
	if made := repeat(first.Alone(), 1); made != 1 {
		t.Errorf("an exclusive repeat is %d processes", made)
	}
	if made := repeat(first, 1); made != 1 {
		t.Errorf("after an exclusive repeat, another one is %d processes", made)
	}
	if made := repeat(newPlain(l), 6); made != 1 {
		t.Errorf("6 repeats of a second proof are %d new processes, want 1", made)
	}
}

// TestHintFromARunOfTheProof checks that a hint needs no process if a fresh run, such as one of a
// proof, began with its order.
func TestHintFromARunOfTheProof(t *testing.T) {
	var runs atomic.Int64
	all := func(o suite.Order) *suite.Run {
		run := &suite.Run{Order: o, Price: suite.Fresh}
		for i, id := range o {
			run.Results = append(run.Results, suite.Result{Test: id, Outcome: suite.Pass, Position: i})
		}
		return run
	}
	own := suite.Order{"a.A#one", "a.A#two", "b.B#three"}
	l := &lab{base: standIn{run: all, runs: &runs}, log: zap.NewNop(), original: own}
	if _, err := newPlain(l).Run(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		o         suite.Order
		p         suite.Price
		exclusive bool
		runs      int64
		price     suite.Price
	}{
		{"a hint of its beginning", own[:2], suite.Batched, false, 0, suite.Batched},
		{"a hint of the whole order", own, suite.Batched, false, 0, suite.Batched},
		{"no other process may run", own, suite.Batched, true, 1, suite.Fresh},
		{"a fresh run is made", own[:2], suite.Fresh, false, 1, suite.Fresh},
		{"another order", suite.Order{"b.B#three", "a.A#one"}, suite.Batched, false, 1, suite.Fresh},
		{"more than it ran", append(own[:3:3], "c.C#four"), suite.Batched, false, 1, suite.Fresh},
	} {
		runs.Store(0)
		run, err := asker{l}.Run(t.Context(), c.o, c.p, c.exclusive)
		if err != nil || runs.Load() != c.runs || run.Price != c.price || len(run.Results) != len(c.o) {
			t.Errorf("%s: %d runs, %+v, %v", c.name, runs.Load(), run, err)
		}
	}
	l.own = nil
	if l.beginning(own) == nil {
		t.Error("a run that is not that of the suite's own order")
	}
	other := all(own)
	other.Results[1].Outcome = suite.Fail
	if l.remember(own, other); l.beginning(own[:2]) != nil || l.beginning(own[:1]) == nil {
		t.Error("stored runs disagree on the second test only")
	}
	cut := all(own)
	cut.Results = cut.Results[:1]
	if run := beginningOf(cut, own[:2]); run != nil {
		t.Errorf("a run that ended early: %+v", run)
	}
}

// quietWorker is a job whose log and progress nobody reads.
func quietWorker() *worker {
	return newWorker(job.Job{}, Options{Log: zap.NewNop(), Progress: func(job.Event) {}})
}
