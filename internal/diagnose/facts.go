package diagnose

import (
	"crypto/sha256"
	"hash"
	"slices"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// answer is one observation of the last test of an order.
type answer struct {
	outcome   suite.Outcome
	price     suite.Price
	exclusive bool // no other run was under way
	failure   *suite.Failure
	crash     *suite.Crash
}

// tier ranks how far an answer is trusted against others to the same order.
func (a answer) tier() int {
	t := 1
	if a.price == suite.Fresh {
		t = 3
	}
	if a.exclusive {
		t++
	}
	return t
}

// facts remembers what failing tests did at the end of which orders. A run of one order shows the
// outcome at the end of every prefix of it that ends in a failing test, since a process runs its
// tests one after the other; such an observation counts as Batched, which steers the search but
// confirms nothing.
type facts struct {
	mu      sync.Mutex
	watched map[suite.TestID]bool
	answers map[[sha256.Size]byte][]answer
	nanos   map[suite.TestID]int64 // what a test last took
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

// record books a run of o. Repeated visits of one test are booked once, and where it stands last:
// the many observations of a probing order would only fill memory.
func (f *facts) record(o suite.Order, run *suite.Run, price suite.Price, exclusive bool) {
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
		a := answer{outcome: res.Outcome, price: suite.Batched, exclusive: exclusive, failure: res.Failure}
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

// at is the result at position i, Unresolved where the run reports another test there.
func at(o suite.Order, run *suite.Run, i int) suite.Result {
	res := run.At(i)
	if res.Test != "" && res.Test != o[i] {
		return suite.Result{Test: o[i], Outcome: suite.Unresolved, Position: i}
	}
	return res
}

// took is how long the test last ran.
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

// forgetShared drops what was observed while other runs were under way.
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

// known is what the most trusted answers agree on; "" where there are none.
func (f *facts) known(o suite.Order) suite.Outcome {
	return agreed(best(f.of(o)))
}

// best keeps the answers of the highest tier that said pass or fail, or all where none did.
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

// agreed is the outcome all answers share, Flaky where some passed and some failed, Unresolved
// where some said nothing, "" where there are none.
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
