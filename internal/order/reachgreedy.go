package order

import (
	"iter"
	"math"
)

// Probabilities before any results. Both are guesses. Their effect: state that was met later counts
// less than state that was met first, and a test far after the writer counts less, because a reader
// between them may have restored the state.
const (
	// matters is the probability that a test depends on what one writer left.
	matters = 0.5
	// tidies is the probability that a class restores polluted state, often in its setup, if it
	// reads the state and was not seen to write it.
	tidies = 1.0 / 8
)

// start is an order that can be built: a leader's order, forwards or backwards.
type start struct {
	f     *flow
	p     int
	back  bool
	given *[2]bool // the directions that were yielded

	worth float64 // an upper bound for the order's worth
}

// promising yields the leaders' orders, each time the one with the greatest worth: the number of
// tests that are likely to show for the first time whether they depend on a flow. Worth only
// decreases as other orders are yielded. So a start that is still first after a new count is the
// best (the lazy greedy choice of Minoux, 1978, for submodular functions). A follow-up order goes
// first if it shows more for its cost. Both estimates are corrected by earlier results.
func (r *reacher) promising(yield func([]int) bool) {
	next, stop := iter.Pull(r.starts)
	defer stop()
	var open []*start
	size := r.ahead()
	for more := true; ; {
		for more && len(open) < size {
			var s *start
			if s, more = next(); more {
				open = append(open, s)
			}
		}
		if len(open) == 0 {
			_ = r.followAll(yield)
			return
		}
		best := 0
		for i, s := range open {
			if s.worth > open[best].worth {
				best = i
			}
		}
		s := open[best]
		o := r.build(s.f, s.p, bare, s.back)
		if !r.goesOn(s, o) {
			open = append(open[:best], open[best+1:]...)
			continue
		}
		if now := r.worth(o); now < s.worth {
			s.worth = now
			continue
		}
		if next, density := r.followUp(); density > s.worth*r.usually.comesTrue(1)/cost(r.sparse(o)) {
			if !r.unchanged(next, yield) {
				return
			}
			continue
		}
		s.given[way(s.back)] = true
		if !yield(r.polished(o)) {
			return
		}
	}
}

// goesOn reports whether a start has anything left. Either its leader still has to reach several
// tests, or it was already yielded in the other direction and some test still runs with new state.
func (r *reacher) goesOn(s *start, o []int) bool {
	return s.f.reaches(o, s.p) > 1 || s.given[way(!s.back)] && r.news(o)
}

func way(back bool) int {
	if back {
		return 1
	}
	return 0
}

// reachWork limits how many tests are examined for one order, to a fraction of a second. With a
// sixteenth of it, only eight starts were compared on 1,220 tests with 104 flows, and a polluter of
// nearly all classes came into only one early order.
const reachWork = 1 << 24

// ahead is the number of starts that are compared, and of moves that are tried. Each of them
// examines every test for every flow.
func (r *reacher) ahead() int {
	return max(2, min(maxWindow, reachWork/max(1, len(r.t.ids)*len(r.flows))))
}

// starts yields the leaders in the order of turns, each in both directions.
func (r *reacher) starts(yield func(*start) bool) {
	for f, p := range r.turns {
		given := new([2]bool)
		for _, back := range []bool{false, true} {
			if !yield(&start{f: f, p: p, back: back, given: given, worth: math.Inf(1)}) {
				return
			}
		}
	}
}

// worth is the expected number of tests that the order shows for the first time to depend on a
// flow. A test counts once for each flow.
func (r *reacher) worth(o []int) float64 {
	sum := 0.0
	for _, f := range r.flows {
		if len(f.leaders) == 0 {
			continue
		}
		for x, likely := range f.shows(o) {
			sum += f.open[x] * likely
		}
	}
	return sum
}

// shows yields the tests that run with state they should run with, and how likely it is that a
// dependence on the state shows.
func (f *flow) shows(o []int) iter.Seq2[int, float64] {
	return func(yield func(x int, likely float64) bool) {
		wanted, likely, looked := f.strict[bare], matters, bare
		for _, x := range o {
			if !f.involved[x] {
				continue
			}
			if _, ok := wanted[x]; ok && !yield(x, likely) {
				return
			}
			switch {
			case f.writes[x]:
				wanted, likely, looked = f.strict[x], matters, bare
			case f.touches[x] && f.group[x] != looked:
				likely *= 1 - tidies
				looked = f.group[x]
			}
		}
	}
}
