package order

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Flow is one piece of state through which tests can affect each other, such as the value of a
// static field.
type Flow struct {
	// Writers lists the tests that change it. The state that one leaves remains until the next
	// writer runs.
	Writers []suite.TestID
	// Readers lists the tests that touch it and for which no change was observed. Such a test may
	// still restore polluted state.
	Readers []suite.TestID
	// Pairs yields pairs (p, v) of a writer p and a test v. v should run while the state is as p
	// left it.
	Pairs Pairs
	// Leaders lists the writers to start with. Each represents other writers that leave the same
	// state.
	Leaders []suite.TestID
	// Bare lists the tests that should run before any writer has run.
	Bare []suite.TestID
}

// Limited returns the first flows, limited so that they have at most this number of pairs together.
func Limited(flows iter.Seq[Flow], pairs int) iter.Seq[Flow] {
	return func(yield func(Flow) bool) {
		left := pairs
		for f := range flows {
			all, here := f.Pairs, left
			n := 0
			for range all {
				if n++; n == here {
					break
				}
			}
			left -= n
			f.Pairs = func(yield func(p, v suite.TestID) bool) {
				i := 0
				for p, v := range all {
					if i++; i > here || !yield(p, v) {
						return
					}
				}
			}
			if !yield(f) || left == 0 {
				return
			}
		}
	}
}

// bare is used in place of a writer: no writer has run yet.
const bare = -1

// flow is a Flow in numbers.
type flow struct {
	writes  []bool
	touches []bool // by test: whether it is a writer or a reader
	group   []int  // by test: its outermost group
	// involved are the tests that touch the state, or should run with what a writer left.
	involved []bool
	need     map[int]map[int]bool // writer or bare -> tests that should still run with what it left
	strict   map[int]map[int]bool // the same; here no other test between the two may touch the state
	leaders  []int
	// met holds, for each test, the writers after which it should run and has run.
	met map[int][]int
	// writers are the groups that contain writers.
	writers map[int]bool
	// open says for each test how likely it is that no order so far has shown whether the test
	// depends on this state.
	open []float64
}

// reacher makes orders in which the state that one test leaves reaches all tests that should run
// with it. It reaches each test up to the next writer, not only the direct neighbour. One such
// order can replace as many orders of Target Pairs as there are readers.
type reacher struct {
	t     *tree
	flows []*flow
	steps []int // by test: its rank in the order that is being built
	rng   *rand.Rand
	// settled are the tests that need no more orders, by Options.Settled.
	settled   []bool
	numbers   map[suite.TestID]int
	suspected []*suspected // the most likely first
	usually   tally        // of orders that do not follow up
	asked     bool         // the current order is a follow-up order
}

// reach yields the leaders' orders, the most promising first, as long as one order reaches several
// tests. Then it covers the remaining pairs with direct neighbours, as Target Pairs does. Last come
// the tests that should run before any writer and have not. Every pair is covered that some order
// can have as neighbours.
func (t *tree) reach(o Options) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		r := &reacher{t: t, steps: make([]int, len(t.ids)), rng: rand.New(rand.NewPCG(o.Seed, 0x7265616368)),
			settled: make([]bool, len(t.ids))}
		r.read(o.Flows)
		give := func(next []int) bool {
			if o.Sparse && !r.asked {
				next = r.sparse(next)
			}
			r.cover(next)
			goesOn := yield(next)
			r.settle(o)
			return goesOn
		}
		for o := range r.promising {
			if !give(o) {
				return
			}
		}
		last := func(next []int) bool { return give(next) && r.followAll(give) }
		_ = r.beside(o, func(f *flow) map[int]map[int]bool { return f.need }, last) && r.bares(last) &&
			r.beside(o, func(f *flow) map[int]map[int]bool { return f.strict }, last)
	}
}

// beside covers the remaining pairs of the flows with direct neighbours; it returns false if the
// caller stopped it.
func (r *reacher) beside(o Options, of func(*flow) map[int]map[int]bool, give func([]int) bool) bool {
	o.Before, o.Pairs = nil, func(yield func(a, b suite.TestID) bool) { r.left(of, yield) }
	for next := range r.t.targetPairs(o) {
		if r.news(next) && !give(next) {
			return false
		}
	}
	return true
}

// turns yields the leaders: the first of each flow, the second of each flow, and so on.
func (r *reacher) turns(yield func(f *flow, p int) bool) {
	for i, more := 0, true; more; i++ {
		more = false
		for _, f := range r.flows {
			if i < len(f.leaders) {
				if more = true; !yield(f, f.leaders[i]) {
					return
				}
			}
		}
	}
}

// left returns the pairs that are not reached yet.
func (r *reacher) left(of func(*flow) map[int]map[int]bool, yield func(a, b suite.TestID) bool) {
	for _, f := range r.flows {
		need := of(f)
		for _, p := range slices.Sorted(maps.Keys(need)) {
			for _, v := range slices.Sorted(maps.Keys(need[p])) {
				if p != bare && !yield(r.t.ids[p], r.t.ids[v]) {
					return
				}
			}
		}
	}
}

// bares yields orders that begin with one of the tests that have not run bare yet; it returns false
// if the caller stopped it.
func (r *reacher) bares(give func([]int) bool) bool {
	for _, f := range r.flows {
		for _, v := range slices.Sorted(maps.Keys(f.need[bare])) {
			if !f.need[bare][v] {
				continue
			}
			if o := r.build(f, bare, v, false); f.reaches(o, bare) > 0 && !give(o) {
				return false
			}
		}
	}
	return true
}

func (r *reacher) read(flows iter.Seq[Flow]) {
	numbers := r.t.numbers()
	r.numbers = numbers
	group := make([]int, len(r.t.ids))
	for i, c := range r.t.root.only().children {
		for x := c.lo; x < c.hi; x++ {
			group[x] = i
		}
	}
	for given := range flows {
		f := &flow{
			group:  group,
			open:   slices.Repeat([]float64{1}, len(r.t.ids)),
			writes: make([]bool, len(r.t.ids)), touches: make([]bool, len(r.t.ids)), involved: make([]bool, len(r.t.ids)),
			need: map[int]map[int]bool{}, strict: map[int]map[int]bool{}, met: map[int][]int{}, writers: map[int]bool{},
		}
		for i, t := range slices.Concat(given.Writers, given.Readers) {
			if x, ok := numbers[t]; ok {
				if i < len(given.Writers) {
					f.writes[x], f.writers[group[x]] = true, true
				}
				f.touches[x], f.involved[x] = true, true
			}
		}
		for _, b := range given.Bare {
			if x, ok := numbers[b]; ok {
				f.want(bare, x)
			}
		}
		for a, b := range given.Pairs {
			x, ok := numbers[a]
			y, both := numbers[b]
			if ok && both && f.writes[x] && r.t.canPrecede(x, y) {
				f.want(x, y)
			}
		}
		if len(f.need[bare]) > 0 {
			f.leaders = append(f.leaders, bare)
		}
		for _, p := range given.Leaders {
			if x, ok := numbers[p]; ok {
				f.leaders = append(f.leaders, x)
			}
		}
		r.flows = append(r.flows, f)
	}
}

// canPrecede reports whether there is an order with y somewhere after x.
func (t *tree) canPrecede(x, y int) bool {
	if x == y {
		return false
	}
	n, i, j := t.meet(x, y)
	return !n.fixed || i < j
}

func (f *flow) want(p, v int) {
	if f.need[p] == nil {
		f.need[p], f.strict[p] = map[int]bool{}, map[int]bool{}
	}
	f.need[p][v], f.strict[p][v], f.involved[v] = true, p != bare, true
}

// reaches counts the tests that should still run after p and do so in this order.
func (f *flow) reaches(o []int, p int) int {
	n := 0
	for m := range f.meetings(o) {
		if m.last == p && f.need[p][m.test] {
			n++
		}
	}
	return n
}

// meeting is a test of an order, with the last writer before it, and the last test before it that
// touches the same state.
type meeting struct{ test, last, lastTouch int }

func (f *flow) meetings(o []int) iter.Seq[meeting] {
	return func(yield func(meeting) bool) {
		m := meeting{last: bare, lastTouch: bare}
		for _, x := range o {
			m.test = x
			if !yield(m) {
				return
			}
			if f.writes[x] {
				m.last = x
			}
			if f.touches[x] {
				m.lastTouch = x
			}
		}
	}
}

// news reports whether some test runs in the order with state that it should still run with.
func (r *reacher) news(o []int) bool {
	for _, f := range r.flows {
		for m := range f.meetings(o) {
			if len(f.newly(m)) > 0 {
				return true
			}
		}
	}
	return false
}

// cover removes from all flows what an order reaches.
func (r *reacher) cover(o []int) {
	if !r.asked {
		r.usually.expected += r.worth(o)
	}
	for _, a := range r.suspected {
		a.note(r, o)
	}
	for _, f := range r.flows {
		for x, likely := range f.shows(o) {
			f.open[x] *= 1 - likely
		}
		for m := range f.meetings(o) {
			if m.last != bare && f.need[m.last][m.test] {
				f.met[m.test] = append(f.met[m.test], m.last)
			}
			delete(f.need[m.last], m.test)
			delete(f.strict[m.lastTouch], m.test)
		}
	}
}
