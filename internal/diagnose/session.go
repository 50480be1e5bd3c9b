package diagnose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/odfix/odfix/internal/suite"
)

// errBudget ends a session whose number of runs is used up.
var errBudget = errors.New("the budget of questions is used up")

// errKeepTime ends the search for a test so that other tests can be fixed in time.
var errKeepTime = errors.New("the rest of the time is kept to repair the other tests")

// Parts of the time that are kept for the work after a diagnosis (Input.Keep).
const (
	// RepairShare is kept for the repair of causes. If a diagnosis delivers causes while it runs,
	// this is for the causes that are not delivered yet.
	RepairShare = 0.4
	// FinishShare is kept for the work after the last cause is repaired, such as the proof of all
	// patches together. The value is an estimate: that proof takes about as long as one more cause.
	FinishShare = 0.15
)

// session is the state of one running Diagnose that all failing tests share.
type session struct {
	*suite.Groups
	in     Input
	strict bool // tests of a cohort are confirmed one by one
	single bool // there is one failing test, so that what it will need later can run in advance
	runner Runner
	facts  *facts
	known  map[suite.TestID]bool // nil: no suite was given, and every id is accepted
	all    suite.Order           // every test, in the order of the build

	// places limits parallel runs: a run takes one place, an exclusive run takes all of them.
	places *semaphore.Weighted
	most   int64 // number of places

	mu       sync.Mutex
	width    int // how many runs may run in parallel; 1 after distrust
	asked    int
	cost     Cost
	notes    []string
	left     map[suite.TestID]bool // tests that end the process, left out of orders
	runs     []*tried
	again    int // how often the first of runs was repeated
	insisted int // how many tests ran alone more often before the search was given up
	progress sync.Mutex

	// steady counts confirmations in which an exclusive result agreed with parallel ones. After
	// enough of them, further conclusions need no exclusive result.
	steady int
	// repairFrom returns the time at which searching ends if a cause is explained that is not
	// delivered yet; nil: never.
	repairFrom func() time.Time
	// finishFrom returns the time at which searching ends once a cause was delivered; nil: never.
	finishFrom func() time.Time
	brokeOff   bool // some orders were not tried, to keep time for repair
	hintOnly   bool // no exclusive result is needed, because the result is only a hint
	noHints    bool // an order's hint was wrong, so that orders run in fresh processes at once

	shared   []SharedOrders
	causes   []suite.Order   // confirmed polluters and state-setters, latest first
	cleaners []suite.Cleaner // confirmed cleaners
	// reentry records, by the polluter's key, whether leaving and entering the class of its last
	// test made a victim of that class pass.
	reentry map[string]bool
	// modes records how victims behave after their polluters, by the keys of both.
	modes map[string]mode
	// postponed is Result.Clean; cleaningNow says that it is running.
	postponed   func(context.Context, suite.TestID) (*Result, error)
	cleaningNow bool
	// uncleaned lists polluters with a victim for which no search found a cleaner.
	uncleaned []suite.Order
}

// tried is a long order that was run here.
type tried struct {
	suite.Seen
	whole suite.Order          // the order before it was cut after the last failing test
	first map[suite.TestID]int // the first position of each failing test
}

// failingTest is one failing test and what is known about it.
type failingTest struct {
	id      suite.TestID
	alone   suite.Outcome
	once    bool   // it has run alone in one process only
	joint   bool   // settled by orders that it shares with other tests
	shown   string // its outcomes in shared orders, as a part of a sentence
	failing *tried // an order in which it failed
	passing *tried // an order in which it passed after other tests
	settled bool
	// delivered: its cause was passed to Input.Explained. searched: further causes were searched.
	delivered, searched bool
	res                 TestResult
}

// before returns the time after which this share is left of the time between now and the deadline,
// which may become later.
func before(ctx context.Context, share float64) func() time.Time {
	began := time.Now()
	return func() time.Time {
		end, _ := ctx.Deadline()
		return end.Add(-time.Duration(share * float64(end.Sub(began))))
	}
}

func newSession(ctx context.Context, r Runner, in Input) *session {
	strict := in.FindAll || in.Rerun >= DefaultRerun // the input asks for it
	if in.Rerun < 1 {
		in.Rerun = DefaultRerun
	}
	if in.Located == nil {
		in.Located = func(context.Context, TestResult) {}
	}
	if in.Explained == nil {
		in.Explained = func(context.Context, *Result) error { return nil }
	}
	if in.Groups == nil {
		in.Groups = suite.NewGroups(in.Suite, nil)
	}
	s := &session{Groups: in.Groups, in: in, strict: strict, runner: r, width: max(1, r.Parallel()), left: map[suite.TestID]bool{},
		reentry: map[string]bool{}, modes: map[string]mode{}}
	s.most = int64(s.width)
	s.places = semaphore.NewWeighted(s.most)
	if _, limited := ctx.Deadline(); limited && in.Keep > 0 {
		s.repairFrom, s.finishFrom = before(ctx, RepairShare), before(ctx, in.Keep)
	}
	watched := map[suite.TestID]bool{}
	for _, t := range in.Failing {
		watched[t] = true
	}
	s.single = len(watched) == 1
	s.facts = newFacts(watched)
	for _, h := range in.Known {
		price := h.Run.Price
		price = cmp.Or(price, suite.Fresh)
		s.facts.record(h.Run.Order, h.Run, price, h.Exclusive, in.Once && price != suite.Fresh)
	}
	if in.Suite != nil && in.Suite.Root != nil {
		s.known = map[suite.TestID]bool{}
		for _, t := range in.Suite.Order() {
			s.known[t] = true
		}
	}
	s.all = in.Original
	if len(s.all) == 0 && in.Suite != nil {
		s.all = in.Suite.Order()
	}
	s.all, _ = s.usable(s.all)
	return s
}

// usable removes unknown ids, which it also returns, and repeated ids.
func (s *session) usable(o suite.Order) (kept, unknown suite.Order) {
	seen := map[suite.TestID]bool{}
	for _, t := range o {
		switch {
		case s.known != nil && !s.known[t]:
			unknown = append(unknown, t)
		case !seen[t]:
			seen[t] = true
			kept = append(kept, t)
		}
	}
	return kept, unknown
}

// admit returns a failingTest for each test of Input.Failing.
func (s *session) admit() []*failingTest {
	var out []*failingTest
	seen := map[suite.TestID]bool{}
	for _, t := range s.in.Failing {
		if seen[t] {
			continue
		}
		seen[t] = true
		c := &failingTest{id: t, res: TestResult{Test: t}}
		if s.known != nil && !s.known[t] {
			c.settle(suite.Undecided, "is not a test of this suite, so nothing was run")
		}
		out = append(out, c)
	}
	return out
}

// run runs o once and records every outcome that the run shows. It adds the cost to c, too, unless
// c is nil. It records no outcome of a run that was cut off.
func (s *session) run(ctx context.Context, c *failingTest, o suite.Order, p suite.Price, exclusive bool) (*suite.Run, error) {
	return s.runAs(ctx, c, o, p, exclusive, false)
}

// hint runs o in a cheap process. Its answers are hints only. A process that is not fresh may have
// run other orders before (Input.Once), and then all its answers are hints.
func (s *session) hint(ctx context.Context, o suite.Order) (*suite.Run, error) {
	return s.runAs(ctx, nil, o, suite.Batched, false, true)
}

func (s *session) runAs(ctx context.Context, c *failingTest, o suite.Order, p suite.Price, exclusive, hint bool) (*suite.Run, error) {
	leave, exclusive, err := s.enter(ctx, exclusive)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := s.spend(); err != nil {
		return nil, err
	}
	run, err := s.runner.Run(ctx, slices.Clone(o), p, exclusive)
	if run == nil && err == nil {
		err = errors.New("the runner gave neither a run nor an error")
	}
	if run != nil && run.Price != "" {
		p = run.Price
	}
	s.charge(c, p, o, run)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &runError{len(o), err}
	}
	s.facts.record(o, run, p, exclusive, hint || s.in.Once && p != suite.Fresh)
	return run, nil
}

// enter waits until the run may begin; an exclusive run takes all places.
func (s *session) enter(ctx context.Context, exclusive bool) (leave func(), _ bool, _ error) {
	s.mu.Lock()
	exclusive = exclusive || s.width == 1
	s.mu.Unlock()
	places := int64(1)
	if exclusive {
		places = s.most
	}
	if err := s.places.Acquire(ctx, places); err != nil {
		return nil, false, err
	}
	return func() { s.places.Release(places) }, exclusive, nil
}

func (s *session) spend() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.in.MaxQuestions; m < 0 || (m > 0 && s.asked >= m) {
		return errBudget
	}
	s.asked++
	return nil
}

// charge adds up what a run cost: its time, and the tests that ran before it ended.
func (s *session) charge(c *failingTest, p suite.Price, o suite.Order, run *suite.Run) {
	tests, nanos := 0, int64(0)
	if run != nil {
		nanos = run.Nanos
		for i := range o {
			if run.At(i).Outcome != suite.Unresolved {
				tests++
			}
		}
		if run.Crash != nil && run.Crash.During != "" {
			tests++ // the test that ended the process
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost.add(p, tests, nanos)
	if c != nil {
		c.res.Cost.add(p, tests, nanos)
	}
}

// parallel returns how many runs may run in parallel now.
func (s *session) parallel() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width
}

// distrust makes all later runs exclusive, and forgets the results of parallel runs.
func (s *session) distrust() {
	s.mu.Lock()
	first := s.width > 1
	s.width = 1
	s.mu.Unlock()
	if first {
		s.facts.forgetShared()
		s.note("Parallel test processes gave results that changed when they ran one at a time; from then on " +
			"everything ran one at a time.")
	}
}

func (s *session) note(format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.notes, n) {
		s.notes = append(s.notes, n)
	}
}

// note adds a note to the test's result.
func (c *failingTest) note(format string, args ...any) {
	c.res.Notes = append(c.res.Notes, fmt.Sprintf(format, args...))
}

// report calls Input.Progress.
func (s *session) report(c *failingTest, best, format string, args ...any) {
	if s.in.Progress == nil {
		return
	}
	s.mu.Lock()
	e := Event{Message: fmt.Sprintf(format, args...), Questions: s.asked, Best: best}
	s.mu.Unlock()
	if c != nil {
		e.Test = c.id
	}
	s.progress.Lock()
	defer s.progress.Unlock()
	s.in.Progress(e)
}

// runError is the Runner's own error, returned before the session's time was over.
type runError struct {
	tests int
	err   error
}

func (e *runError) Error() string { return fmt.Sprintf("running %d tests: %v", e.tests, e.err) }
func (e *runError) Unwrap() error { return e.err }

// stopped reports whether err is the end of a budget or of a context, not a fault. If a Runner
// exceeded its own time limit, this is a fault.
func stopped(err error) bool {
	if _, ok := errors.AsType[*runError](err); ok {
		return false
	}
	return errors.Is(err, errBudget) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// result builds the Result; err says why the session ended early, if it did.
func (s *session) result(cases []*failingTest, err error) (*Result, error) {
	res := s.overall()
	for _, c := range cases {
		if !c.settled {
			s.abandon(c, err)
		}
		res.Unfinished = res.Unfinished || c.res.Unfinished
		res.Tests = append(res.Tests, c.res)
	}
	if stopped(err) {
		res.Unfinished, err = true, nil
	}
	return res, err
}
