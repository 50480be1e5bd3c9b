package diagnose

import (
	"crypto/sha256"
	"hash"
	"slices"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// answer is one outcome of the last test of an order.
type answer struct {
	outcome   suite.Outcome
	price     suite.Price
	exclusive bool // no other run was in progress
	hint      bool // its run is a hint (see session.hint)
	failure   *suite.Failure
	crash     *suite.Crash
}

// tier ranks how reliable an answer is compared with other answers to the same order.
func (a answer) tier() int {
	if a.hint {
		return 0
	}
	t := 1
	if a.price == suite.Fresh {
		t = 3
	}
	if a.exclusive {
		t++
	}
	return t
}

// facts stores the outcomes of failing tests by order. A process runs its tests one after the
// other. A run of one order therefore also shows the outcome at the end of each prefix that ends in
// a failing test. Such an outcome counts as Batched: it guides the search but confirms nothing.
type facts struct {
	mu      sync.Mutex
	watched map[suite.TestID]bool
	answers map[[sha256.Size]byte][]answer
	nanos   map[suite.TestID]int64 // how long a test last ran
}

func newFacts(watched map[suite.TestID]bool) *facts {
	return &facts{
		watched: watched,
		answers: map[[sha256.Size]byte][]answer{},
		nanos:   map[suite.TestID]int64{},
	}
}

func writeID(h hash.Hash, t suite.TestID) { h.Write([]byte(t)); h.Write([]byte{'\n'}) }

func keyOf(o suite.Order) (k [sha256.Size]byte) {
	h := sha256.New()
	for _, t := range o {
		writeID(h, t)
	}
	h.Sum(k[:0])
	return k
}

// record stores the outcomes of a run of o. A test that runs repeatedly is stored at its first
// position, and at its last position if that ends the order. The many other outcomes of a probing
// order would only fill memory.
func (f *facts) record(o suite.Order, run *suite.Run, price suite.Price, exclusive, hint bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h, seen := sha256.New(), map[suite.TestID]bool{}
	for i, t := range o {
		writeID(h, t)
		res := at(o, run, i)
		if res.Outcome == suite.Pass || res.Outcome == suite.Fail {
			f.nanos[t] = res.Nanos
		}
		last := i == len(o)-1
		if !f.watched[t] || (seen[t] && !last) {
			continue
		}
		seen[t] = true
		a := answer{outcome: res.Outcome, price: suite.Batched, exclusive: exclusive, failure: res.Failure,
			hint: hint}
		if last {
			a.price = price
		}
		if res.Outcome == suite.Unresolved {
			a.crash = run.Crash
		}
		var k [sha256.Size]byte
		h.Sum(k[:0])
		f.answers[k] = append(f.answers[k], a)
	}
}

// at returns the result at position i, or Unresolved if the run reports another test there.
func at(o suite.Order, run *suite.Run, i int) suite.Result {
	res := run.At(i)
	if res.Test != "" && res.Test != o[i] {
		return suite.Result{Test: o[i], Outcome: suite.Unresolved, Position: i}
	}
	return res
}

// took returns how long the test last ran.
func (f *facts) took(t suite.TestID) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Duration(f.nanos[t])
}

func (f *facts) of(o suite.Order) []answer {
	k := keyOf(o)
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.answers[k])
}

// forgetShared drops the answers of runs that ran in parallel with others.
func (f *facts) forgetShared() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for k, as := range f.answers {
		f.answers[k] = slices.DeleteFunc(as, func(a answer) bool { return !a.exclusive })
		if len(f.answers[k]) == 0 {
			delete(f.answers, k)
		}
	}
}

// known returns the outcome on which the most reliable answers agree; "" if there are none. Where
// these may be hints, known guides the search only.
func (f *facts) known(o suite.Order) suite.Outcome {
	return agreed(best(f.of(o)))
}

// ownOf returns the answers that are no hints: those of processes that ran o, or an order that
// begins with o, and nothing before it. Only these support a verdict.
func (f *facts) ownOf(o suite.Order) []answer {
	return slices.DeleteFunc(f.of(o), func(a answer) bool { return a.hint })
}

// shown is known without hints.
func (f *facts) shown(o suite.Order) suite.Outcome {
	return agreed(best(f.ownOf(o)))
}

// suspected returns the outcome that only hints give; "" if there are none, or other answers.
func (f *facts) suspected(o suite.Order) suite.Outcome {
	if f.shown(o) != "" {
		return ""
	}
	return f.known(o)
}

// best returns the answers of the highest tier that passed or failed, or all answers if none passed
// or failed.
func best(as []answer) []answer {
	top := -1
	for _, a := range as {
		if decided(a.outcome) {
			top = max(top, a.tier())
		}
	}
	if top < 0 {
		return as
	}
	return slices.DeleteFunc(as, func(a answer) bool { return a.tier() != top || !decided(a.outcome) })
}

// agreed returns the outcome that all answers share. It returns Flaky if some passed and some
// failed, Unresolved if they differ in another way, and "" if there are none.
func agreed(as []answer) suite.Outcome {
	var out suite.Outcome
	for _, a := range as {
		switch {
		case out == "" || out == a.outcome:
			out = a.outcome
		case decided(out) && decided(a.outcome):
			return suite.Flaky
		default:
			out = suite.Unresolved
		}
	}
	return out
}

func decided(o suite.Outcome) bool { return o == suite.Pass || o == suite.Fail }
