package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/odfix/odfix/internal/suite"
)

// errBudget ends a session whose questions are used up.
var errBudget = errors.New("the budget of questions is used up")

// errKeepTime ends the search for a test so that others can be fixed.
var errKeepTime = errors.New("the rest of the time is kept for repair the other tests")

// Parts of the time that are kept for what comes after a diagnosis (Input.Keep).
const (
	// RepairShare is for the repair of causes: in a diagnosis that hands causes over while it goes
	// on, of those that were not handed over yet.
	RepairShare = 0.4
	// FinishShare is for what comes after the last cause is repaired, such as the proof of all
	// patches as one. It is chosen: that proof takes about as long as one more cause.
	FinishShare = 0.15
)

// session is one Diagnose under way: what all failing tests share.
type session struct {
	*suite.Groups
	in     Input
	strict bool // nothing is spared for being one of many
	runner Runner
	facts  *facts
	known  map[suite.TestID]bool // nil: no suite was given, every id is taken
	all    suite.Order           // every test, as the build would run them

	// places are for runs: one for each of those side by side, all of them for a exclusive one.
	places *semaphore.Weighted
	most   int64 // places there are

	mu       sync.Mutex
	width    int // how many runs may be under way at once; 1 once answers were distrusted
	asked    int
	cost     Cost
	notes    []string
	left     map[suite.TestID]bool // tests that end the process, left out of orders
	runs     []*tried
	again    int // how often the first of them was repeated
	insisted int // tests that were asked by themselves once more before giving up
	progress sync.Mutex

	// steady counts confirmations in which a process that ran by itself said what those side by
	// side had said; enough of them spare the others theirs.
	steady int
	// repairFrom is when searching further ends if something is explained that was not handed over
	// yet; zero: never.
	repairFrom time.Time
	// finishFrom is when searching further ends once a cause was handed over; zero: never.
	finishFrom time.Time
	brokeOff   bool // orders that could have been tried were not, to leave that time
	hintOnly   bool // no answer of an exclusive process is needed: nothing is claimed

	shared   []SharedOrders
	causes   []suite.Order   // confirmed polluters and state-setters, latest first
	cleaners []suite.Cleaner // confirmed cleaners
	// reentry says of polluters, by their keys, whether leaving the class of their last test
	// cleaned up for a victim of that class.
	reentry map[string]bool
	// modes says how victims behave after their polluters, by the keys of both.
	modes map[string]mode
	// uncleaned are polluters for one of whose victims every search for a cleaner found nothing.
	uncleaned []suite.Order
}

// tried is a long order that was run here.
type tried struct {
	suite.Seen
	whole suite.Order          // the order it was cut from, after the last test that mattered
	first map[suite.TestID]int // where each failing test stands first
}

// failing test is one failing test and what is known about it.
type failingTest struct {
	id      suite.TestID
	alone   suite.Outcome
	once    bool   // one process only has run it alone
	joint   bool   // settled by orders that it shares with others
	shown   string // what it was seen to share with others, for a sentence
	failing *tried // an order in which it failed
	passing *tried // one in which it passed, with other tests before it
	settled bool
	// delivered: its cause was handed over (Input.Explained); searched: further causes were looked
	// for.
	delivered, searched bool
	res                 TestResult
}

func newSession(ctx context.Context, r Runner, in Input) *session {
	strict := in.FindAll || in.Rerun >= DefaultRerun // somebody asked for that
	if in.Rerun < 1 {
		in.Rerun = DefaultRerun
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
	if end, limited := ctx.Deadline(); limited && in.Keep > 0 {
		left := float64(time.Until(end))
		s.repairFrom, s.finishFrom = end.Add(-time.Duration(RepairShare*left)), end.Add(-time.Duration(in.Keep*left))
	}
	watched := map[suite.TestID]bool{}
	for _, t := range in.Failing {
		watched[t] = true
	}
	s.facts = newFacts(watched)
	for _, h := range in.Known {
		price := h.Run.Price
		if price == "" {
			price = suite.Fresh
		}
		s.facts.record(h.Run.Order, h.Run, price, h.Exclusive)
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

// usable leaves out unknown ids (returned beside) and repeated ones.
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

// admit makes a failing test of each failing test.
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

// run has o run once and keeps every outcome that the run shows. The cost goes to c too where c is
// given. A run that was cut off is not booked as an answer.
func (s *session) run(ctx context.Context, c *failingTest, o suite.Order, p suite.Price, exclusive bool) (*suite.Run, error) {
	leave, exclusive, err := s.enter(ctx, exclusive)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := s.spend(); err != nil {
		return nil, err
	}
	run, err := s.runner.Run(ctx, slices.Clone(o), p)
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
	s.facts.record(o, run, p, exclusive)
	return run, nil
}

// enter waits until the run may begin; a exclusive one takes every place there is.
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

// charge books what a run cost: tests up to where it ended.
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
			tests++ // the one that ended the process
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cost.add(p, tests, nanos)
	if c != nil {
		c.res.Cost.add(p, tests, nanos)
	}
}

// parallel is how many runs may be under way now.
func (s *session) parallel() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.width
}

// distrust makes everything that follows run by itself, and forgets what was seen while runs were
// side by side.
func (s *session) distrust() {
	s.mu.Lock()
	first := s.width > 1
	s.width = 1
	s.mu.Unlock()
	if first {
		s.facts.forgetShared()
		s.note("Test processes that ran side by side gave answers that changed when they ran one at a time; from there on everything was " +
			"run one at a time.")
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

// note adds a sentence to what is said of the test.
func (c *failingTest) note(format string, args ...any) {
	c.res.Notes = append(c.res.Notes, fmt.Sprintf(format, args...))
}

// report reports progress.
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

// runError is the Runner's own error, given while the session's time was not over.
type runError struct {
	tests int
	err   error
}

func (e *runError) Error() string { return fmt.Sprintf("running %d tests: %v", e.tests, e.err) }
func (e *runError) Unwrap() error { return e.err }

// stopped reports whether err is a budget's or a context's end rather than a fault. A Runner whose
// own time limit was over is at fault.
func stopped(err error) bool {
	var own *runError
	if errors.As(err, &own) {
		return false
	}
	return errors.Is(err, errBudget) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// result puts the answer together; err is why the session ended early, if it did.
func (s *session) result(cases []*failingTest, err error) (*Result, error) {
	res := s.overall()
	for _, c := range cases {
		if !c.settled {
			c.abandon(err)
		}
		res.Unfinished = res.Unfinished || c.res.Unfinished
		res.Tests = append(res.Tests, c.res)
	}
	if stopped(err) {
		res.Unfinished, err = true, nil
	}
	return res, err
}
