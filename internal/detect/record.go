package detect

import (
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// ran is one order that was run, and the first outcome of each of its tests.
type ran struct {
	order     suite.Order
	source    string
	outcomes  []suite.Outcome
	busy      bool   // a part of it is being run
	under     []int  // for each repetition in progress, how many of its tests it runs
	exclusive bool   // no other run took place at the same time
	part      bool   // it is a part of another one
	quick     *quick // the quick run whose hint this part is; nil: it is no such part
	of        *ran   // the run of which it is a part, if it shows the same
	tried     bool   // a part of it was run for its suspects, or no part is cheaper
	changed   int    // number of tests whose outcome changed in it for the first time
	compared  bool   // the experiment on its cohort has ended
	attempts  int    // attempts at that experiment
}

// observation is the position in a run in which a test first passed, or first failed.
type observation struct {
	ran         *ran
	at          int
	same, other int // repeats that agreed and that did not, the first run included
	none        int // repeats without a result
}

// repeats returns how many repetitions in progress include the position.
func (s *observation) repeats() int {
	n := 0
	for _, held := range s.ran.under {
		if held > s.at {
			n++
		}
	}
	return n
}

func (s *observation) prefix() suite.Order { return s.ran.order[: s.at+1 : s.at+1] }

// state is the current classification of a test.
type state int

const (
	unremarkable state = iota
	failing            // failed and never passed: must run alone
	suspect            // passed and failed
	found
	flaky
	undecided
	left    // ends its process
	missing // did not exist when an order requested it
)

// record is what is known of one test.
type record struct {
	id         suite.TestID
	number     int
	state      state
	pass, fail *observation
	failure    *suite.Failure // of fail
	turned     *ran           // the run in which its outcome first changed
	shown      *Spent         // when that happened
	observed   suite.Outcome  // before the search; "": not known
	alone      tally
	asking     int  // runs of this test alone in progress
	listed     bool // among the watched
	hinted     bool // a part of the observed run was requested, or no part is cheap enough
	pursued    bool // a fresh run of what a quick run showed is requested
	refuted    int  // quick runs that fresh runs contradicted
	recheck    *recheck
	cohort     string // the order of the experiment that confirmed it; "": none did
	why        string // of flaky, undecided, left
	whyOrder   suite.Order
	total      tally
	crashes    int
	before     settled // what it was before it ended its process
}

// settled is the state of a test, with its reason.
type settled struct {
	state state
	why   string
	order suite.Order
}

// tally counts outcomes.
type tally struct{ passed, failed, none int }

func (t *tally) add(o suite.Outcome) {
	switch o {
	case suite.Pass:
		t.passed++
	case suite.Fail:
		t.failed++
	default:
		t.none++
	}
}

func (t tally) mixed() bool { return t.passed > 0 && t.failed > 0 }
func (t tally) runs() int   { return t.passed + t.failed + t.none }

// outcome returns the outcome on which all runs with a result agree; "" if there are none or they
// disagree.
func (t tally) outcome() suite.Outcome {
	switch {
	case t.mixed():
		return suite.Flaky
	case t.passed > 0:
		return suite.Pass
	case t.failed > 0:
		return suite.Fail
	}
	return ""
}

// contradicts reports whether all runs with a result agree on another outcome.
func (t tally) contradicts(o suite.Outcome) bool {
	mine := t.outcome()
	return decided(o) && decided(mine) && o != mine
}

func (t tally) String() string {
	return fmt.Sprintf("%d of %d runs failed", t.failed, t.passed+t.failed)
}

// recheck is an order in which a test had two outcomes while other processes ran. The order runs
// again exclusively.
type recheck struct {
	order suite.Order
	of    *observation // nil: of the test alone
	said  tally
}

func decided(o suite.Outcome) bool { return o == suite.Pass || o == suite.Fail }

// see records a test's outcome at a position of a run that is not a repeat.
func (r *record) see(x *ran, at int, res suite.Result) {
	r.total.add(res.Outcome)
	if !decided(res.Outcome) {
		return
	}
	s := &observation{ran: x, at: at, same: 1}
	switch {
	case res.Outcome == suite.Pass && r.pass == nil:
		r.pass = s
	case res.Outcome == suite.Fail && r.fail == nil:
		r.fail, r.failure = s, res.Failure
	default:
		return
	}
	was := r.turned
	r.turned = r.otherwise(x)
	if was != nil && r.turned != nil && r.turned.of == was {
		r.turned = was // a part shows the same as its whole run
	}
	if r.turned != nil && r.turned != was {
		r.turned.changed++
	}
}

// remarkable reports whether the test must run alone or be confirmed. It is true for suspects. It
// is also true for a test that failed, or that passed but was observed to fail, if its outcome
// alone is not known.
func (r *record) remarkable() bool {
	passes := r.state == unremarkable && r.pass != nil && r.observed == suite.Fail
	return r.state == suspect || (r.state == failing || passes) && r.alone.runs() == 0
}

// otherwise returns the run in which the outcome of a test changed: the run that differs from the
// observed outcome, or else the last run if the test has both passed and failed; nil: there is
// none.
func (r *record) otherwise(last *ran) *ran {
	switch {
	case r.observed == suite.Pass && r.fail != nil:
		return r.fail.ran
	case r.observed == suite.Fail && r.pass != nil:
		return r.pass.ran
	case r.observed == "" && r.pass != nil && r.fail != nil:
		return last
	}
	return nil
}

// contradicted reports whether the test has both passed and failed in one order, counting this run.
// This can happen when the suite's own order runs twice.
func (r *record) contradicted(x *ran) bool {
	return r.pass != nil && r.fail != nil && r.pass.at == r.fail.at && r.observationIn(x) != nil && r.state <= found &&
		slices.Equal(r.pass.prefix(), r.fail.prefix())
}

// beginsOtherwise reports whether the test had another outcome as the first of an order than alone.
// Both are the same as far as test order matters.
func (r *record) beginsOtherwise() bool {
	return r.pass != nil && r.pass.at == 0 && r.alone.contradicts(suite.Pass) || r.fail != nil &&
		r.fail.at == 0 && r.alone.contradicts(suite.Fail)
}

// observationIn returns the test's observation in that run; nil: there is none.
func (r *record) observationIn(x *ran) *observation {
	for _, s := range []*observation{r.pass, r.fail} {
		if s != nil && s.ran == x {
			return s
		}
	}
	return nil
}

// unsee forgets the observations in that run.
func (r *record) unsee(x *ran) {
	if r.pass != nil && r.pass.ran == x {
		r.pass = nil
	}
	if r.fail != nil && r.fail.ran == x {
		r.fail, r.failure = nil, nil
	}
	r.state = unremarkable
	r.judge()
}

// judge sets the state of a test that is not settled according to its observations.
func (r *record) judge() {
	switch {
	case r.state != unremarkable && r.state != failing:
	case r.pass != nil && r.fail != nil:
		r.state = suspect
	case r.fail != nil:
		r.state = failing
	}
}

// settle stores the order without a copy. Orders never change, and copies of all prefixes would
// take memory quadratic in the number of tests.
func (r *record) settle(s state, o suite.Order, format string, args ...any) {
	r.state, r.why, r.whyOrder = s, fmt.Sprintf(format, args...), o
}

// seemsBrittle reports whether the test, as far as is known, passes only after other tests.
func (r *record) seemsBrittle() bool {
	switch r.alone.outcome() {
	case suite.Pass:
		return false
	case suite.Fail:
		return true
	}
	return r.pass != nil && r.turning() == r.pass
}

// witness returns the observation with the opposite of the test's outcome alone; nil if the outcome
// alone is not known.
func (r *record) witness() *observation {
	switch r.alone.outcome() {
	case suite.Pass:
		return r.fail
	case suite.Fail:
		return r.pass
	}
	return nil
}

// forget drops the outcomes of runs that ran in parallel with others.
func (r *record) forget() {
	r.state, r.alone, r.recheck, r.cohort = unremarkable, tally{}, nil, ""
	if r.pass != nil && !r.pass.ran.exclusive {
		r.pass = nil
	}
	if r.fail != nil && !r.fail.ran.exclusive {
		r.fail, r.failure = nil, nil
	}
	if r.turned = r.otherwise(r.turned); r.turned == nil {
		r.shown = nil
	}
}
