package detect

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// Search is one detection in progress. One goroutine at a time uses it.
type Search struct {
	in      Input
	runner  Runner
	records []*record
	byID    map[suite.TestID]*record
	watched []*record // suspects and failing ones, oldest first
	pairs   *pairs

	next      func() (suite.Order, bool)
	stop      func()
	stage     int
	drawn     bool // every order of every stage was drawn
	waiting   []*task
	held      *task // an order that was drawn but waits for short runs
	seen      *ran  // the run that was made before the search; nil: none
	hints     int   // runs of parts of the observed run in progress
	aloneRuns int   // runs of one test in progress

	finds      []Find
	notes      []string
	own        []*own // the suite's own order, in parts that share no process
	extra      int    // runs of it that do not belong to a stage
	spent      Spent
	began      time.Time
	empty      int // runs in a row without any result
	sequential bool
	short      struct{ right, wrong int } // suspects that behaved in a part of an order as in the whole, or not
	ended      bool                       // no order is left
	odd        int                        // tests that passed but were observed to fail, and therefore run alone
}

// what is the purpose of a task.
type what int

const (
	scheduled   what = iota
	repeat           // a prefix of ran, again
	byItself         // one test alone
	settling         // an exclusive run of a recheck
	checking         // an exclusive run of an order that finds rest on
	shortening       // a part of ran, for its suspects
	contrasting      // ran, one of the two orders of an experiment
)

// task is one run: first the request, then also the result.
type task struct {
	what      what
	order     suite.Order
	ran       *ran      // the earlier run, for repeat, checking, shortening and contrasting
	test      *record   // the test, for byItself and settling
	also      []*record // other tests whose rechecks a settling run answers
	exclusive bool
	name      string
	cut       int  // how many tests that crashed were removed from it
	rest      bool // it is the rest of an order after a crash; the order is counted already
	again     bool // it ran before, and is counted already
	fresh     bool // a quick run is not enough
	part      *part
	draw      *draw
	quick     *quick // the quick run; nil: there is none

	run *suite.Run
	err error
}

// New prepares a search. Nothing runs before Run.
func New(r Runner, in Input) *Search {
	if in.Rerun < 1 {
		in.Rerun = DefaultRerun
	}
	if in.Now == nil {
		in.Now = time.Now
	}
	if in.Width < 1 {
		in.Width = max(1, r.Parallel())
	}
	s := &Search{in: in, runner: r, byID: map[suite.TestID]*record{}, pairs: newPairs(in)}
	for i, t := range in.Tests {
		rec := &record{id: t, number: i, observed: in.Observed.outcome(t)}
		s.records = append(s.records, rec)
		s.byID[t] = rec
	}
	s.divide()
	if in.Observed != nil {
		s.spent.Executions += len(in.Tests)
		in.Outcomes.observe(in.Tests, in.Observed)
		s.seen = in.Observed.ran(in.Tests)
	}
	for _, o := range s.own {
		if in.Observed == nil || !in.Observed.Later {
			first := s.original(o)
			first.draw = in.Outcomes.add(len(first.order), in.Width)
			s.waiting = append(s.waiting, first)
			s.extra++
		}
	}
	if in.Observed == nil && !in.Isolated {
		for _, o := range s.own {
			s.originalAgain(o)
		}
	}
	return s
}

// Run searches until the time until. After that it begins no new order, but it finishes the runs in
// progress and confirms every suspect. It returns true if nothing is left to do except what Sharpen
// does. If ctx ends, Run stops, which is no error. It may be called again.
func (s *Search) Run(ctx context.Context, until time.Time) (done bool, err error) {
	return s.run(ctx, func() *task { return s.choose(until) })
}

// Sharpen runs tests alone that were found with a cohort, to decide whether they are victims or
// brittle. It stops at the time until, and skips tests for which known returns true. Its results
// may contradict earlier finds. It may be called when Run has nothing left to do.
func (s *Search) Sharpen(ctx context.Context, until time.Time, known func(suite.TestID) bool) error {
	_, err := s.run(ctx, func() *task { return s.chooseAlone(until, known) })
	return err
}

// run executes the tasks that choose returns until choose returns none. It returns true if no order
// is left either.
func (s *Search) run(ctx context.Context, choose func() *task) (done bool, err error) {
	s.began = s.in.Now()
	defer func() { s.spent.Time += s.in.Now().Sub(s.began); s.began = time.Time{} }()
	answered := make(chan *task)
	running := 0
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		var x *ran
		if err == nil && ctx.Err() == nil {
			var of []*record
			if x, of = s.nextCohort(); len(s.waiting) > 0 {
				x = nil
			} else if x != nil && running == 0 {
				if e := s.experiment(ctx, x, of); ctx.Err() == nil {
					err = e
				}
				continue
			}
		}
		for x == nil && err == nil && ctx.Err() == nil && running < s.width() {
			t := choose()
			if t == nil {
				break
			}
			running++
			s.begun(t, 1)
			t.exclusive = t.exclusive || s.sequential
			q := s.quickly(t)
			go func() {
				if q != nil && q.do(ctx) {
					t.quick, t.run = q, q.run
				} else {
					t.run, t.err = s.runner.Run(ctx, t.order, t.exclusive)
				}
				answered <- t
			}()
		}
		if running == 0 {
			// Nothing runs and nothing was chosen. If no order is left either, no later call finds
			// more.
			return err == nil && ctx.Err() == nil && s.drawn && s.held == nil && len(s.waiting) == 0 &&
				!slices.ContainsFunc(s.watched, s.waits), err
		}
		t := <-answered
		running--
		if e := s.receive(ctx, t); e != nil && err == nil {
			err = e
			cancel()
		}
	}
}

// Close releases the iterators of the stages.
func (s *Search) Close() {
	if s.stop != nil {
		s.stop()
		s.stop, s.next = nil, nil
	}
}

func (s *Search) width() int {
	if s.sequential {
		return 1
	}
	return max(1, s.runner.Parallel())
}

func (s *Search) finished() bool {
	return s.drawn && s.held == nil && len(s.waiting) == 0 && len(s.watched) == 0
}

// maxOdd is how many tests run alone only because they passed but were observed to fail. If there
// are more, they depend on the observation itself.
const maxOdd = 32

// watch adds a test that became remarkable to the list.
func (s *Search) watch(r *record) {
	r.judge()
	if r.remarkable() && !r.listed {
		if r.state == unremarkable {
			if s.odd == maxOdd {
				return
			}
			s.odd++
		}
		r.listed = true
		s.watched = append(s.watched, r)
	}
}

// drop removes tests from the list that are no longer remarkable.
func (s *Search) drop() {
	s.watched = slices.DeleteFunc(s.watched, func(r *record) bool {
		r.listed = r.remarkable()
		return !r.listed
	})
}

func (s *Search) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(s.notes, n) {
		s.notes = append(s.notes, n)
	}
}

func (s *Search) progress(t *task) {
	if s.in.Progress == nil {
		return
	}
	p := Progress{Stage: t.name, Orders: s.spent.Orders, Total: s.total(), Pairs: s.pairs.Share, Finds: len(s.finds), Open: len(s.watched)}
	if len(s.finds) > 0 {
		p.Latest = s.finds[len(s.finds)-1].Test
	}
	s.in.Progress(p)
}

// total returns how many orders there are, including the runs of the original order; 0: unknown.
func (s *Search) total() int {
	n := s.extra
	for _, st := range s.in.Stages {
		if st.Total <= 0 {
			return 0
		}
		n += st.Total
	}
	return n
}
