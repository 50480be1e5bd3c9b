package order

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Guesses about suspected writers, and the cost of starting a process.
const (
	// minds is how likely it is that one more test fails after a suspected writer, if the writer
	// really is a polluter. It is the value before any results; results correct it.
	minds = 1.0 / 32
	// replaces is how likely it is that a later writer replaces all of the state that the suspected
	// writer left. Some writers only add to the state.
	replaces = 1.0 / 2
	// unseen is how likely it is that a test writes the state although no write of it was observed,
	// if other tests of its group write it. A test that writes the current value again changes
	// nothing, and its write is not observed.
	unseen = 1.0 / 4
	// leastWorth is the least number of tests that a follow-up order must be expected to make fail
	// for the first time, if the suspected writer is a polluter.
	leastWorth = matters / 16
	// process is the cost of starting a process, expressed as a number of tests.
	process = 25
	// mostSuspected is how many writers are followed up at a time, the likeliest first. A failing
	// test with more possible writers adds none of them.
	mostSuspected = 32
)

// suspected is a test that may have left the state of a flow so that another test failed. Other
// tests that touch the state should run after it. Each group gets an order of its own, because
// tests of one group often restore the state for each other.
type suspected struct {
	f *flow
	p int
	// likely is how likely it is that this test made others fail.
	likely float64
	// shown maps each other test to the probability that it would have failed by now if it depends
	// on the state.
	shown map[int]float64
	tally
}

// tally compares the number of found failures with the number of expected ones.
type tally struct{ found, expected float64 }

// comesTrue returns which share of the expected failures is found. prior is the share that was
// assumed before any results.
func (t tally) comesTrue(prior float64) float64 { return (1 + t.found) / (1/prior + t.expected) }

// blame records which tests may have made test x fail in an order. If too many tests may have, it
// records none.
func (r *reacher) blame(x int, failing suite.Order) {
	type suspect struct {
		f *flow
		p int
	}
	var all []suspect
	for _, f := range r.flows {
		for _, p := range r.suspects(f, x, failing) {
			all = append(all, suspect{f, p})
		}
	}
	if len(all) > mostSuspected {
		return
	}
	likely := 1 / float64(len(all))
	for _, s := range all {
		if i := slices.IndexFunc(r.suspected, func(a *suspected) bool { return a.f == s.f && a.p == s.p }); i >= 0 {
			a := r.suspected[i]
			a.likely, a.found = 1-(1-a.likely)*(1-likely), a.found+likely
		} else {
			r.suspected = append(r.suspected, &suspected{f: s.f, p: s.p, likely: likely, shown: map[int]float64{}})
		}
	}
	slices.SortStableFunc(r.suspected, func(a, b *suspected) int { return cmp.Compare(b.likely, a.likely) })
}

// suspects returns the tests of a flow that may have made test x fail in an order: the last writer
// before x, unless x was seen to pass after it, and the tests between them that may write although
// no write was observed.
func (r *reacher) suspects(f *flow, x int, failing suite.Order) (found []int) {
	if len(f.leaders) == 0 || !f.involved[x] {
		return nil
	}
	for _, t := range failing {
		y, ok := r.numbers[t]
		switch {
		case !ok || y == x:
		case f.writes[y]:
			if found = found[:0]; f.wanted(y, x) {
				found = append(found, y)
			}
		case f.touches[y] && f.writers[f.group[y]]:
			found = append(found, y)
		}
	}
	return found
}

// wanted reports whether x should run after p in this flow, or has already done so.
func (f *flow) wanted(p, x int) bool { return f.need[p][x] || slices.Contains(f.met[x], p) }

// expects reports whether a test may fail because of what the suspected test left.
func (a *suspected) expects(r *reacher, x int) bool {
	return x != a.p && a.f.involved[x] && !r.settled[x] && r.t.canPrecede(a.p, x) && (!a.f.writes[a.p] || a.f.wanted(a.p, x))
}

// followUp returns the follow-up order that should show the most failing tests for its cost, and
// the number of such tests for one unit of cost. It returns nil if no follow-up order is worth its
// cost.
func (r *reacher) followUp() (best []int, density float64) {
	for _, a := range r.suspected[:min(len(r.suspected), mostSuspected)] {
		for _, o := range a.orders(r) {
			worth := a.worth(r, o)
			if now := worth * a.comesTrue(minds) / cost(o); worth >= leastWorth*a.likely && now > density {
				best, density = o, now
			}
		}
	}
	return best, density
}

func cost(o []int) float64 { return float64(process + len(o)) }

// orders returns the follow-up orders of a suspected test. In one it runs before all groups without
// a writer. In the others it runs before one other group each.
func (a *suspected) orders(r *reacher) [][]int {
	groups := r.t.root.only().children
	alone := map[int]float64{a.p: -1}
	own := groups[a.f.group[a.p]]
	quiet := own.least(nil, alone)
	out := [][]int{nil}
	for i, c := range groups {
		some := map[int]float64{}
		for x := c.lo; x < c.hi; x++ {
			if a.expects(r, x) && a.shown[x] < matters {
				some[x] = a.shown[x]
			}
		}
		switch {
		case c == own:
			some[a.p] = -1
			out = append(out, c.least(nil, some))
		case a.f.writers[i]:
			out = append(out, c.least(own.least(nil, alone), some))
		default:
			quiet = c.least(quiet, some)
		}
	}
	out[0] = quiet
	return out
}

// least returns the tests of a node that have a number, in ascending order of the numbers as far as
// groups allow it.
func (n *node) least(out []int, number map[int]float64) []int {
	if n.leaf() {
		if _, ok := number[n.lo]; ok {
			out = append(out, n.lo)
		}
		return out
	}
	children := slices.Clone(n.children)
	if !n.fixed {
		least := make(map[*node]float64, len(children))
		for _, c := range children {
			least[c] = math.Inf(1)
			for x := c.lo; x < c.hi; x++ {
				if v, ok := number[x]; ok {
					least[c] = min(least[c], v)
				}
			}
		}
		slices.SortStableFunc(children, func(x, y *node) int { return cmp.Compare(least[x], least[y]) })
	}
	for _, c := range children {
		out = c.least(out, number)
	}
	return out
}

// meets yields the tests that run in an order with the state that the suspected test left, and how
// likely it is that a dependence on that state shows.
func (a *suspected) meets(r *reacher, o []int) iter.Seq2[int, float64] {
	return func(yield func(x int, likely float64) bool) {
		f, likely, looked := a.f, 0.0, bare
		for _, x := range o {
			if x == a.p {
				likely = matters
				continue
			}
			if likely > 0 && a.expects(r, x) && !yield(x, likely) {
				return
			}
			switch {
			case f.writes[x]:
				likely *= 1 - replaces
			case f.touches[x] && f.writers[f.group[x]]:
				likely *= 1 - unseen
			case f.touches[x] && f.group[x] != looked:
				likely *= 1 - tidies
				looked = f.group[x]
			}
		}
	}
}

// worth estimates how many tests the order shows for the first time to fail because of the
// suspected test.
func (a *suspected) worth(r *reacher, o []int) float64 {
	sum := 0.0
	for x, likely := range a.meets(r, o) {
		sum += a.likely * max(0, likely-a.shown[x])
	}
	return sum
}

// note records what an order shows.
func (a *suspected) note(r *reacher, o []int) {
	a.expected += a.worth(r, o)
	for x, likely := range a.meets(r, o) {
		a.shown[x] = max(a.shown[x], likely)
	}
}

// unchanged yields an order, and no test of it may be left out.
func (r *reacher) unchanged(o []int, give func([]int) bool) bool {
	r.asked = true
	defer func() { r.asked = false }()
	return give(o)
}

// followAll yields all follow-up orders; it returns false if the caller stopped it.
func (r *reacher) followAll(give func([]int) bool) bool {
	for {
		o, _ := r.followUp()
		if o == nil {
			return true
		}
		if !r.unchanged(o, give) {
			return false
		}
	}
}
