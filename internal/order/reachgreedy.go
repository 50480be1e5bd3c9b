package order

import (
	"iter"
	"math"
)

// What is likely before anything ran. Neither figure is more than a guess; what they are to
// say is that a second thing a test meets shows less than the first, and that what is far after its
// writer may have been restored by a reader between.
const (
	// matters is that a test behaves differently for what one certain writer left.
	matters = 0.5
	// tidies is that a class (its setup, often) which reads a thing, and was not seen to write it,
	// restores it where it finds it polluted.
	tidies = 1.0 / 8
)

// start is an order to be built: a leader's, forwards or backwards.
type start struct {
	f     *flow
	p     int
	back  bool
	given *[2]bool // its directions that were yielded

	worth float64 // at least what it is worth now
}

// promising yields the leaders' orders, each time the one that shows most: of how many tests it
// is likely to show, and nothing so far, that they depend on what a flow carries. Worth only
// falls as other orders are yielded, so that a start counted anew which still leads is the best
// (the lazy greedy choice of Minoux, 1978, for submodular functions). An order that follows up goes
// first where it shows more for its cost, both corrected by what came of their like.
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

// goesOn reports whether a start has anything left: several tests that its leader has still to
// reach, or, once it was yielded the other way round, any test that has not met something.
func (r *reacher) goesOn(s *start, o []int) bool {
	return s.f.reaches(o, s.p) > 1 || s.given[way(!s.back)] && r.news(o)
}

func way(back bool) int {
	if back {
		return 1
	}
	return 0
}

// reachWork bounds how many tests are looked at for one order: a fraction of a second. With a
// sixteenth of it only eight starts were compared on 1,220 tests with 104 flows, and a polluter
// of nearly all classes came into one early order only.
const reachWork = 1 << 24

// ahead is how many starts are compared, and moves tried: each costs a look at every test for every
// flow.
func (r *reacher) ahead() int {
	return max(2, min(maxWindow, reachWork/max(1, len(r.t.ids)*len(r.flows))))
}

// starts are the leaders in turns, the first of each flow, the second of each, and so on, in both
// directions.
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

// worth is how many tests an order is expected to show for the first time to depend on a flow, each
// counted once for each flow.
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

// shows are the tests that meet what they are to meet, with how likely it is that this shows
// whether they depend on it.
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
