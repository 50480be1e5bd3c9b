package order

import "github.com/odfix/odfix/internal/suite"

// sparse returns the order without the tests for which it shows nothing new. A test stays if it
// runs with state that it should still run with. The test that left this state stays, too. No test
// that is left out is between two such tests and changes the state, so every remaining test runs
// with the same state as before.
func (r *reacher) sparse(o []int) []int {
	keep := make([]bool, len(r.t.ids))
	for _, f := range r.flows {
		for m := range f.meetings(o) {
			for _, by := range f.newly(m) {
				keep[m.test] = true
				if by != bare {
					keep[by] = true
				}
			}
		}
	}
	return suite.Filter(o, func(x int) bool { return keep[x] })
}

// newly returns the tests before the meeting's test, of the two in the meeting, with which it
// should still run.
func (f *flow) newly(m meeting) []int {
	var by []int
	if f.need[m.last][m.test] {
		by = append(by, m.last)
	}
	if f.strict[m.lastTouch][m.test] {
		by = append(by, m.lastTouch)
	}
	return by
}

// settle removes settled tests from everything that is to be reached, and records which tests may
// have made them fail.
func (r *reacher) settle(o Options) {
	if o.Settled == nil {
		return
	}
	for x, id := range r.t.ids {
		if r.settled[x] || !o.Settled(id) {
			continue
		}
		r.settled[x] = true
		if !r.asked {
			r.usually.found++
		}
		if o.Sparse && o.Failing != nil {
			r.blame(x, o.Failing(id))
		}
		for _, f := range r.flows {
			f.open[x] = 0
			for p := range f.need {
				delete(f.need[p], x)
				delete(f.strict[p], x)
			}
		}
	}
}
