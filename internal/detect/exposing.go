package detect

import (
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// exposing makes orders until each of the wanted pairs (p, v) was exposed: v ran
// behind p with nothing in between that is known to touch what v reads. One order
// exposes a pair for each test of the suite, where Target Pairs, which wants
// them side by side, covers one for each polluter: a test that spoils what a hundred
// others read takes it a hundred orders, and this two. What nobody knows to
// touch the state may clean up unseen; that is why covering side by side comes
// later all the same. Nothing is yielded for what no order can hold.
func exposing(s *suite.Suite, wanted, touching order.Pairs) iter.Seq[suite.Order] {
	return func(yield func(suite.Order) bool) {
		x := newExposure(s, wanted, touching)
		for len(x.open) > 0 {
			o := x.next(s)
			if o == nil || !yield(o) {
				return
			}
			x.see(o)
		}
	}
}

// exposure is which pairs are open, and who touches what a test reads.
type exposure struct {
	number map[suite.TestID]int
	touch  []map[int]bool // by v: who comes between
	open   map[[2]suite.TestID]bool
	list   [][2]suite.TestID // of the wanted pairs, in their order of promise
	rng    *rand.Rand
}

// maxExposed bounds the pairs that are looked at, the most promising first: they
// are held in memory. What is left out is covered by later stages.
const maxExposed = 1 << 20

func newExposure(s *suite.Suite, wanted, touching order.Pairs) *exposure {
	x := &exposure{number: map[suite.TestID]int{}, open: map[[2]suite.TestID]bool{}, rng: rand.New(rand.NewPCG(1, 0x6f64666978))}
	for i, t := range s.Order() {
		x.number[t] = i
	}
	x.touch = make([]map[int]bool, len(x.number))
	n := 0
	for _, pairs := range []order.Pairs{wanted, touching} {
		for p, v := range pairs {
			if n++; n > maxExposed {
				break
			}
			x.touches(p, v)
		}
	}
	for p, v := range wanted {
		if len(x.list) == maxExposed {
			break
		}
		if k := [2]suite.TestID{p, v}; x.known(p) && x.known(v) && !x.open[k] {
			x.open[k] = true
			x.list = append(x.list, k)
		}
	}
	return x
}

func (x *exposure) known(t suite.TestID) bool { _, ok := x.number[t]; return ok }

func (x *exposure) touches(p, v suite.TestID) {
	if !x.known(p) || !x.known(v) {
		return
	}
	i := x.number[v]
	if x.touch[i] == nil {
		x.touch[i] = map[int]bool{}
	}
	x.touch[i][x.number[p]] = true
}

// sampled is how many random orders are looked at for each that is run.
const sampled = 16

// next is the order that exposes most open pairs among a few: that in which
// the test with most of them comes first of all, some random ones, and that
// of Target Pairs, which makes sure of at least one. Nil where no order holds any.
func (x *exposure) next(s *suite.Suite) suite.Order {
	x.list = slices.DeleteFunc(x.list, func(k [2]suite.TestID) bool { return !x.open[k] })
	count := map[suite.TestID]int{}
	var leader suite.TestID
	for _, k := range x.list {
		if count[k[0]]++; count[k[0]] > count[leader] {
			leader = k[0]
		}
	}
	var best suite.Order
	most := 0
	look := func(o suite.Order) {
		if n := len(x.exposed(o)); n > most {
			best, most = o, n
		}
	}
	look(leaderFirst(s.Root, leader, x.rng))
	for range sampled {
		look(leaderFirst(s.Root, "", x.rng))
	}
	if most > len(s.Order())/2 {
		return best
	}
	if c, err := order.New(s, order.TechniqueTarget, order.Options{Pairs: order.Relation(x.list)}); err == nil {
		for o := range c.Orders {
			look(o)
			break
		}
	}
	return best
}

// leaderFirst is a random order in which the test stands as early as its groups allow.
func leaderFirst(n *suite.Node, leader suite.TestID, rng *rand.Rand) suite.Order {
	if n.Test != "" {
		return suite.Order{n.Test}
	}
	parts := make([]suite.Order, len(n.Children))
	for i, c := range n.Children {
		parts[i] = leaderFirst(c, leader, rng)
	}
	if !n.Fixed {
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		for i, o := range parts {
			if leader != "" && slices.Contains(o, leader) {
				parts[0], parts[i] = parts[i], parts[0]
			}
		}
	}
	return slices.Concat(parts...)
}

// exposed are the open pairs that an order exposes: each test with whoever last
// touched what it reads.
func (x *exposure) exposed(o suite.Order) [][2]suite.TestID {
	var out [][2]suite.TestID
	for j, v := range o {
		by := x.touch[x.number[v]]
		for i := j - 1; i >= 0 && len(by) > 0; i-- {
			if by[x.number[o[i]]] {
				if k := [2]suite.TestID{o[i], v}; x.open[k] {
					out = append(out, k)
				}
				break
			}
		}
	}
	return out
}

func (x *exposure) see(o suite.Order) {
	for _, k := range x.exposed(o) {
		delete(x.open, k)
	}
}
