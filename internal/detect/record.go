package detect

import (
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// ran is one order that was run, and what became of each of its tests the first time.
type ran struct {
	order     suite.Order
	source    string
	outcomes  []suite.Outcome
	busy      bool  // a part of it is being run
	under     []int // how many of its tests each repetition under way holds
	exclusive bool  // nothing ran beside it
	part      bool  // it is a part of another one
	of        *ran  // that one, where it shows what that showed
	tried     bool  // a part of it was run for its suspects, or none is worth it
	turned    int   // tests that had only ever passed, or only failed, before it
	compared  bool  // the experiment on its cohort was made
	attempts  int   // of that
}

// observation is where a test was first seen to pass, or to fail.
type observation struct {
	ran         *ran
	at          int
	same, other int // repeats that agreed and that did not, the first run included
	none        int // repeats without a result
}

// repeats is how many repetitions under way hold the place.
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

// state is how a test is judged.
type state int

const (
	unremarkable state = iota
	failing            // failed, and never passed: to be run alone
	suspect            // passed and failed
	found
	flaky
	undecided
	left    // ends its process
	missing // was not there when it was asked for
)

// record is what is known of one test.
type record struct {
	id         suite.TestID
	number     int
	state      state
	pass, fail *observation
	failure    *suite.Failure // of fail
	turned     *ran           // the run in which it first behaved otherwise
	shown      *Spent         // when that was
	observed   suite.Outcome  // before the search; "": not known
	alone      tally
	asking     int  // runs for it alone under way
	listed     bool // among the watched
	hinted     bool // a part of the observed run was asked for, or none is worth it
	recheck    *recheck
	cohort     string // the order of the experiment that confirmed it; "": none did
	why        string // of flaky, undecided, left
	whyOrder   suite.Order
	total      tally
	crashes    int
	before     settled // what it was before it ended its process
}

// settled is how a test stands, and why.
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

// outcome is what all that gave a result agreed on; "" where there is none.
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

// contradicts says that all that gave a result agreed on another outcome.
func (t tally) contradicts(o suite.Outcome) bool {
	mine := t.outcome()
	return decided(o) && decided(mine) && o != mine
}

func (t tally) String() string {
	return fmt.Sprintf("%d of %d runs failed", t.failed, t.passed+t.failed)
}

// recheck is an order in which a test disagreed with itself while other processes
// ran; it is asked again with none beside.
type recheck struct {
	order suite.Order
	of    *observation // nil: of the test alone
	said  tally
}

func decided(o suite.Outcome) bool { return o == suite.Pass || o == suite.Fail }

// see takes note of a test's outcome at a place of a run that is not a repeat.
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
		r.turned = was // what a part shows is what its whole did
	}
	if r.turned != nil && r.turned != was {
		r.turned.turned++
	}
}

// remarkable says that the test is to be asked for alone, or confirmed: it is a suspect, or behaved
// otherwise than a test should, or than it was observed to, and its outcome alone is not known.
func (r *record) remarkable() bool {
	passes := r.state == unremarkable && r.pass != nil && r.observed == suite.Fail
	return r.state == suspect || (r.state == failing || passes) && r.alone.runs() == 0
}

// otherwise is the run in which a test behaved otherwise than it had: that which differs from what
// was observed before, or the one answered last; nil: there is none.
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

// contradicted says that with this run the test has both passed and failed in one and the
// same order: the suite's own runs twice.
func (r *record) contradicted(x *ran) bool {
	return r.pass != nil && r.fail != nil && r.pass.at == r.fail.at && r.observationIn(x) != nil && r.state <= found &&
		slices.Equal(r.pass.prefix(), r.fail.prefix())
}

// beginsOtherwise says that as the first of an order, which is alone as far as order goes, the test
// behaved otherwise than alone.
func (r *record) beginsOtherwise() bool {
	return r.pass != nil && r.pass.at == 0 && r.alone.contradicts(suite.Pass) || r.fail != nil && r.fail.at == 0 && r.alone.contradicts(suite.Fail)
}

// observationIn is the test's observation in that run, if it has one there.
func (r *record) observationIn(x *ran) *observation {
	for _, s := range []*observation{r.pass, r.fail} {
		if s != nil && s.ran == x {
			return s
		}
	}
	return nil
}

// unsee forgets what was seen in that run.
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

// judge moves a test that is not settled to the state that its observations call for.
func (r *record) judge() {
	switch {
	case r.state != unremarkable && r.state != failing:
	case r.pass != nil && r.fail != nil:
		r.state = suspect
	case r.fail != nil:
		r.state = failing
	}
}

// settle takes the order as it is: orders are never changed, and a clone of each
// prefix would take memory for the square of the tests.
func (r *record) settle(s state, o suite.Order, format string, args ...any) {
	r.state, r.why, r.whyOrder = s, fmt.Sprintf(format, args...), o
}

// seemsBrittle says that the test passed where others ran in front of it, and not otherwise, as far as is
// known.
func (r *record) seemsBrittle() bool {
	switch r.alone.outcome() {
	case suite.Pass:
		return false
	case suite.Fail:
		return true
	}
	return r.pass != nil && r.turning() == r.pass
}

// witness is the observation that decides: of the outcome that the test does not have alone.
func (r *record) witness() *observation {
	switch r.alone.outcome() {
	case suite.Pass:
		return r.fail
	case suite.Fail:
		return r.pass
	}
	return nil
}

// forget drops what was seen while other processes ran.
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
