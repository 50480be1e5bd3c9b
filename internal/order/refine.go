package order

import (
	"math/rand/v2"
	"slices"
)

// refiner makes a cover smaller. It drops an order and places the pairs that only this order held in
// other orders. These lose pairs in turn, which are placed in the same way until none is missing.
//
// An order is a set of links, as in matcher. A pair (x, y) is the number x*size+y. If each test must
// be the first of an order, the start of an order counts as a further group of one test, which no
// pair enters.
type refiner struct {
	m       *matcher // knows which tests clash
	rng     *rand.Rand
	child   []int32 // test -> group
	size    int32   // tests, with the start
	width   int     // groups, with the start
	starts  bool    // whether each test must be the first of an order
	out, in []int32 // at order*width+group: the pair that leaves or enters the group, or -1
	times   []int32 // by pair: how many orders hold it
	missing []int32 // the pairs that no order holds
	lost    []int32 // the pairs that an order loses for another one
}

const (
	// maxRefined is the largest number of tests for which a cover is refined. It is kept in memory.
	maxRefined = 600
	// refineSteps is how often the refiner tries to place a pair.
	refineSteps = 1_000_000
	// lossEvery is the number of steps after which one more pair may be missing than before.
	lossEvery = 1_000
)

// refined returns a cover of the pairs of different outermost groups, refined until it meets the
// bound or the steps are used up. It returns nil for large suites.
func (t *tree) refined(o Options) *refiner {
	if t.root.fixed || len(t.ids) > maxRefined {
		return nil
	}
	p := t.planner(o)
	size, groups := len(t.ids)+1, len(t.root.children)
	r := &refiner{m: p.matcher, rng: p.matcher.rng, child: append(slices.Clone(p.pairs.child), int32(groups)),
		size: int32(size), width: groups + 1, starts: o.EachFirst, times: make([]int32, size*size)}
	for p.pairs.total > 0 || p.waiting > 0 {
		r.add(p.next(-1))
	}
	bound := t.root.lowerBound(o.EachFirst)
	for steps := refineSteps; r.orders() > bound && steps > 0; {
		out, in := slices.Clone(r.out), slices.Clone(r.in)
		r.drop()
		if steps = r.place(steps); len(r.missing) > 0 {
			r.out, r.in = out, in
		}
	}
	return r
}

func (r *refiner) orders() int { return len(r.out) / r.width }

// order returns the first test of an order and the pairs between its groups; -1 means none.
func (r *refiner) order(o int) (first int, pairs []int32) {
	if r == nil || o >= r.orders() {
		return -1, nil
	}
	links := r.links(o)
	if start := links[r.width-1]; start >= 0 {
		return int(start % r.size), links[:r.width-1]
	}
	return -1, links[:r.width-1]
}

// links returns the pairs of an order, by the group that they leave; -1 means none.
func (r *refiner) links(o int) []int32 { return r.out[o*r.width : (o+1)*r.width] }

func (r *refiner) add(order []int) {
	o := r.orders()
	for range r.width {
		r.out, r.in = append(r.out, -1), append(r.in, -1)
	}
	if r.starts {
		r.put(o, (r.size-1)*r.size+int32(order[0]))
	}
	for i := 1; i < len(order); i++ {
		if x, y := int32(order[i-1]), int32(order[i]); r.child[x] != r.child[y] {
			r.put(o, x*r.size+y)
		}
	}
}

func (r *refiner) put(o int, pair int32) {
	r.out[o*r.width+int(r.child[pair/r.size])] = pair
	r.in[o*r.width+int(r.child[pair%r.size])] = pair
	r.times[pair]++
}

func (r *refiner) take(o int, pair int32) {
	r.out[o*r.width+int(r.child[pair/r.size])] = -1
	r.in[o*r.width+int(r.child[pair%r.size])] = -1
	if r.times[pair]--; r.times[pair] == 0 {
		r.missing = append(r.missing, pair)
	}
}

// drop removes the order after which the fewest pairs are missing.
func (r *refiner) drop() {
	best, fewest := 0, r.width
	for o := range r.orders() {
		n := 0
		for _, pair := range r.links(o) {
			if pair >= 0 && r.times[pair] == 1 {
				n++
			}
		}
		if n < fewest {
			best, fewest = o, n
		}
	}
	for _, pair := range r.links(best) {
		if pair >= 0 {
			r.take(best, pair)
		}
	}
	from, to := best*r.width, (best+1)*r.width
	r.out, r.in = slices.Delete(r.out, from, to), slices.Delete(r.in, from, to)
}

// place puts missing pairs into random orders until none is missing. It returns the steps left. An
// order may lose one pair for another. Now and then it may lose two; without this, the search
// would be stuck soon.
func (r *refiner) place(steps int) int {
	for ; len(r.missing) > 0 && steps > 0; steps-- {
		pair, o, most := r.missing[r.rng.IntN(len(r.missing))], r.rng.IntN(r.orders()), 1
		if r.rng.IntN(lossEvery) == 0 {
			most = 2
		}
		if r.loss(o, pair, most) > most {
			continue
		}
		for _, p := range r.lost {
			r.take(o, p)
		}
		r.put(o, pair)
		r.missing = slices.DeleteFunc(r.missing, func(p int32) bool {
			if r.times[p] == 0 && r.loss(o, p, 0) == 0 && len(r.lost) == 0 {
				r.put(o, p)
			}
			return r.times[p] > 0
		})
	}
	return steps
}

// loss returns how many pairs would be missing if a pair came into an order, and lists in r.lost
// what the order would lose. It may stop as soon as there are more than the limit.
func (r *refiner) loss(o int, pair int32, limit int) int {
	out, in := r.links(o), r.in[o*r.width:(o+1)*r.width]
	x, y := pair/r.size, pair%r.size
	a, b := r.child[x], r.child[y]
	r.lost = r.lost[:0]
	n := r.lose(out[a]) + r.lose(in[b])
	if n > limit {
		return n
	}
	if p := in[a]; p >= 0 && r.m.clash(int(p%r.size), int(x)) {
		n += r.lose(p)
	}
	if p := out[b]; p >= 0 && r.m.clash(int(y), int(p/r.size)) {
		n += r.lose(p)
	}
	return n + r.lose(r.circle(out, a, b))
}

// lose adds a pair to those that an order would lose. It returns how many would be missing then.
func (r *refiner) lose(pair int32) int {
	if pair < 0 || slices.Contains(r.lost, pair) {
		return 0
	}
	r.lost = append(r.lost, pair)
	if r.times[pair] > 1 {
		return 0
	}
	return 1
}

// circle returns a random link of the path from b to a, which a link from a to b would make a
// circle. It returns -1 if there is no such path or a link of it is lost already.
func (r *refiner) circle(out []int32, a, b int32) int32 {
	chosen, length := int32(-1), 0
	for c := b; c != a; c = r.child[out[c]%r.size] {
		if out[c] < 0 || slices.Contains(r.lost, out[c]) {
			return -1
		}
		if length++; r.rng.IntN(length) == 0 {
			chosen = out[c]
		}
	}
	return chosen
}
