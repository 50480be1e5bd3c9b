package detect

import (
	"fmt"
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// Auto is the technique used if none is named.
const Auto order.Technique = "auto"

// Techniques returns the techniques that can be named.
func Techniques() []order.Technique {
	return append([]order.Technique{Auto}, order.Techniques()...)
}

// Plan says which orders to run.
type Plan struct {
	Technique order.Technique // Auto means a mixture of techniques
	Seed      uint64
	Random    int // random orders; 0: as many as time allows
	// Pairs is the relation that TechniqueTarget covers.
	Pairs order.Pairs
	// State says which tests write state that other tests read; nil: not known.
	State *State
	// Observed: an earlier run replaces the first run of the suite's own order, which then runs
	// later.
	Observed bool
	// Quick says that the search has quick runs (Input.Quick), so that an order of all tests costs
	// little. Auto then begins with such orders.
	Quick bool
	// Outcomes are those of the search that runs the plan. Guided orders leave out tests of which
	// enough is known; nil: they contain all tests.
	Outcomes *Outcomes
}

// State says which tests write state that other tests read.
type State struct {
	// Tiers are pairs (p, v), the most promising first: v may behave differently after p.
	Tiers []order.Pairs
	// Flows are the pieces of state through which tests affect each other, the most promising
	// first.
	Flows iter.Seq[order.Flow]
	// MaybeBrittle are tests that may need state that other tests leave. They run alone first.
	MaybeBrittle []suite.TestID
}

// maybeBrittle returns the tests that may need state that other tests leave. Tests of the most
// promising flows come first.
func (s *State) maybeBrittle() []suite.TestID {
	rest := set(s.MaybeBrittle)
	var out []suite.TestID
	for f := range order.Limited(s.Flows, maxReached) {
		for _, t := range f.Bare {
			if rest[t] {
				out = append(out, t)
				delete(rest, t)
			}
		}
	}
	return append(out, suite.Filter(s.MaybeBrittle, func(t suite.TestID) bool { return rest[t] })...)
}

// Auto runs someRandom random orders. It runs one unguided order after guided orders with
// everyGuided times as many executions as the suite has tests. Executions are counted and not
// orders, because guided orders leave out tests.
const (
	someRandom  = 10
	everyGuided = 3
)

// mostAlone tests that may be brittle run alone before any order, but at most one in everyAlone of
// all tests. Such a run shows a brittle test at the cost of one execution, where an order costs one
// execution of each test.
const (
	mostAlone  = 16
	everyAlone = 5
)

// endless is a number of orders that no search reaches.
const endless = 1 << 30

// maxReached limits the pairs that guided orders remember, the most promising first. Later stages
// cover the other pairs.
const maxReached = 1 << 21

// Stages makes the orders of a plan, and returns what all of them together cover. The errors are
// those of order.New.
func (p Plan) Stages(s *suite.Suite) ([]Stage, []order.Kind, error) {
	b := builder{suite: s}
	if p.Technique != Auto {
		b.add(string(p.Technique), p.Technique, p.options())
		return b.stages, b.kinds, b.err
	}
	p.mixture(&b)
	return b.stages, b.kinds, b.err
}

// options returns the options of a single technique.
func (p Plan) options() order.Options {
	o := order.Options{Seed: p.Seed, Random: p.Random, Pairs: p.Pairs, InGroup: true, EachFirst: true}
	if o.Random <= 0 {
		o.Random = endless
	}
	if p.State != nil {
		o.Promising, o.Flows = together(p.State.Tiers), p.State.Flows
		if o.Pairs == nil {
			o.Pairs, o.Before = o.Promising, p.State.Tiers[:max(0, len(p.State.Tiers)-1)]
		}
	}
	return o
}

// mixture makes the stages of Auto. Orders that static state makes likely alternate with orders
// that can show other causes (files, ports, reflection). Then come the techniques with the best
// guarantee for their cost.
func (p Plan) mixture(b *builder) {
	if len(b.suite.Order()) < 2 {
		b.add("alone", order.TechniqueAlone, order.Options{})
		return
	}
	o := p.options()
	plain := inSequence(
		b.orders(order.TechniqueReverse, order.Options{}),
		b.orders(order.TechniqueRandom, order.Options{Seed: p.Seed, Random: someRandom}))
	if p.State == nil {
		b.stages = append(b.stages, Stage{Name: "random", Orders: plain, Total: 1 + someRandom})
	} else {
		reach := order.Options{Flows: order.Limited(p.State.Flows, maxReached), Sparse: p.Outcomes != nil,
			Settled: p.Outcomes.has, Failing: p.Outcomes.failedIn}
		if p.Observed {
			plain = inSequence(b.orders(order.TechniqueOriginal, order.Options{}), plain)
		}
		all := len(b.suite.Order())
		var first orders = inSequence()
		if p.Quick {
			first, plain = plain, inSequence()
		}
		guided := inTurns(everyGuided*all, all/everyGuided, b.orders(order.TechniqueReach, reach), plain)
		brittle := p.State.maybeBrittle()
		n := min(len(brittle), mostAlone, all/everyAlone)
		orders := inSequence(first, eachAlone(brittle[:n]), inTurns(1, 1, guided, eachAlone(brittle[n:])))
		b.stages = append(b.stages, Stage{Name: "state and random", Orders: orders})
	}
	b.add("intra-class", order.TechniqueIntraClass, o)
	if o.Pairs != nil {
		b.add("target-pairs", order.TechniqueTarget, o)
	}
}

// builder collects stages until an error occurs.
type builder struct {
	suite  *suite.Suite
	stages []Stage
	kinds  []order.Kind
	err    error
}

// schedule returns nil after an error.
func (b *builder) schedule(technique order.Technique, o order.Options) *order.Schedule {
	c, err := order.New(b.suite, technique, o)
	if err != nil && b.err == nil {
		b.err = err
	}
	return c
}

// orders returns the orders of a technique whose guarantee is not needed.
func (b *builder) orders(technique order.Technique, o order.Options) iter.Seq[suite.Order] {
	if c := b.schedule(technique, o); c != nil {
		return c.Orders
	}
	return inSequence()
}

func (b *builder) add(name string, technique order.Technique, o order.Options) {
	c := b.schedule(technique, o)
	if c == nil {
		return
	}
	total := max(0, c.Exact)
	if technique == order.TechniqueRandom && o.Random == endless {
		total = 0
	}
	b.stages = append(b.stages, Stage{Name: name, Orders: c.Orders, Total: total})
	b.kinds = suite.AppendNew(b.kinds, c.Guarantee...)
}

// together yields all pairs of several relations.
func together(tiers []order.Pairs) order.Pairs {
	return func(yield func(a, b suite.TestID) bool) {
		for _, t := range tiers {
			for a, b := range t {
				if !yield(a, b) {
					return
				}
			}
		}
	}
}

// Known lists the techniques for people.
func Known() string {
	out := string(Auto)
	for _, t := range order.Techniques() {
		out += ", " + string(t)
	}
	return out
}

// Check returns an error if there is no such technique.
func Check(t order.Technique) error {
	if !slices.Contains(Techniques(), t) {
		return fmt.Errorf("there is no technique %q; there are %s", t, Known())
	}
	return nil
}
