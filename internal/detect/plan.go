package detect

import (
	"fmt"
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// Auto is the technique used where none is asked for.
const Auto order.Technique = "auto"

// Techniques are those that can be asked for.
func Techniques() []order.Technique {
	return append([]order.Technique{Auto}, order.Techniques()...)
}

// Plan is what to run.
type Plan struct {
	Technique order.Technique // Auto means the mixture
	Seed      uint64
	Random    int // random orders; 0: as many as there is time for
	// Pairs is the relation that TechniqueTarget covers.
	Pairs order.Pairs
	// State is what is known of which tests write what others read; nil: nothing.
	State *State
	// Observed says that an observed run stands for one of the suite's own order until that has its
	// turn.
	Observed bool
	// Shown is what the search that runs the plan says, so that guided orders leave
	// tests out of which enough is known; nil: they hold all.
	Outcomes *Outcomes
}

// State is what is known of which test writes what another reads.
type State struct {
	// Tiers are pairs (p, v), the most promising first: v may behave differently after p.
	Tiers []order.Pairs
	// Flows are what tests leave to each other, the most promising first.
	Flows iter.Seq[order.Flow]
	// MaybeBrittle are tests that may need what others left them: to be tried alone first.
	MaybeBrittle []suite.TestID
}

// maybeBrittle are the tests that may need what others left, those first for which the most
// promising flows say so.
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
	for _, t := range s.MaybeBrittle {
		if rest[t] {
			out = append(out, t)
		}
	}
	return out
}

// What Auto runs of what is not guided, and how many executions of guided orders stand before one
// of its. Guided orders leave tests out, so that these are counted and not the orders.
const (
	someRandom  = 10
	everyGuided = 3
)

// How many tests that may need what others left run alone before any order: what shows a brittle
// test for one execution comes before what costs one of each test, as long as it is a small part
// (of everyAlone) of that, and few processes.
const (
	mostAlone  = 16
	everyAlone = 5
)

// endless is a number that no budget reaches.
const endless = 1 << 30

// maxReached bounds the pairs that guided orders remember, the most promising first. What is
// left out is covered by the stages after them.
const maxReached = 1 << 21

// Stages makes the orders of a plan, and says what all of them cover. The
// errors are those of order.New.
func (p Plan) Stages(s *suite.Suite) ([]Stage, []order.Kind, error) {
	b := builder{suite: s}
	if p.Technique != Auto {
		b.add(string(p.Technique), p.Technique, p.options())
		return b.stages, b.kinds, b.err
	}
	p.mixture(&b)
	return b.stages, b.kinds, b.err
}

// options are those of a single technique.
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

// mixture is Auto: what static state makes likely takes turns with what it cannot show
// (files, ports, reflection); then comes what guarantees most for its price.
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
		guided := inTurns(everyGuided*all, all/everyGuided, b.orders(order.TechniqueReach, reach), plain)
		brittle := p.State.maybeBrittle()
		first := min(len(brittle), mostAlone, all/everyAlone)
		orders := inSequence(eachAlone(brittle[:first]), inTurns(1, 1, guided, eachAlone(brittle[first:])))
		b.stages = append(b.stages, Stage{Name: "state and random", Orders: orders})
	}
	b.add("intra-class", order.TechniqueIntraClass, o)
	if o.Pairs != nil {
		b.add("target-pairs", order.TechniqueTarget, o)
	}
}

// builder collects stages until something is wrong.
type builder struct {
	suite  *suite.Suite
	stages []Stage
	kinds  []order.Kind
	err    error
}

// schedule is nil where something is wrong.
func (b *builder) schedule(technique order.Technique, o order.Options) *order.Schedule {
	c, err := order.New(b.suite, technique, o)
	if err != nil && b.err == nil {
		b.err = err
	}
	return c
}

// orders are those of a technique whose guarantee others give.
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
	for _, k := range c.Guarantee {
		if !slices.Contains(b.kinds, k) {
			b.kinds = append(b.kinds, k)
		}
	}
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

// Known is a list of techniques for people.
func Known() string {
	out := string(Auto)
	for _, t := range order.Techniques() {
		out += ", " + string(t)
	}
	return out
}

// Check says whether there is such a technique.
func Check(t order.Technique) error {
	if !slices.Contains(Techniques(), t) {
		return fmt.Errorf("there is no technique %q; there are %s", t, Known())
	}
	return nil
}
