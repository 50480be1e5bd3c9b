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
	// State is what is known of who writes what others read; nil: nothing.
	State *State
}

// State is the door for whoever knows which test writes what another reads.
type State struct {
	// Tiers are pairs (p, v), the most promising first: v may fare differently behind p.
	Tiers []order.Pairs
	// Flows are what tests leave to each other, for TechniqueReach.
	Flows iter.Seq[order.Flow]
	// Leaning are tests that may need what others left them: to be tried alone first.
	Leaning []suite.TestID
}

// someRandom is how many random orders Auto runs, and endless a number that no
// budget reaches.
const (
	someRandom = 10
	endless    = 1 << 30
)

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

// mixture is Auto: first what static state makes likely, then what it cannot
// show (files, ports, reflection), then what guarantees most for its price.
func (p Plan) mixture(b *builder) {
	if len(b.suite.Order()) < 2 {
		b.add("alone", order.TechniqueAlone, order.Options{})
		return
	}
	b.add("reverse", order.TechniqueReverse, order.Options{})
	tiers, all := []order.Pairs{nil, nil}, order.Pairs(nil)
	if p.State != nil {
		copy(tiers, p.State.Tiers)
		all = together(p.State.Tiers)
	}
	b.expose("state", tiers[0], all)
	b.add("random", order.TechniqueRandom, order.Options{Seed: p.Seed, Random: someRandom})
	b.expose("written state", tiers[1], all)
	if p.State != nil && len(p.State.Leaning) > 0 {
		b.stages = append(b.stages, leaning(p.State.Leaning))
	}
	o := p.options()
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

func (b *builder) add(name string, technique order.Technique, o order.Options) {
	c, err := order.New(b.suite, technique, o)
	if err != nil || b.err != nil {
		if b.err == nil {
			b.err = err
		}
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

func (b *builder) expose(name string, wanted, touching order.Pairs) {
	if wanted != nil {
		b.stages = append(b.stages, Stage{Name: name, Orders: exposing(b.suite, wanted, touching)})
	}
}

// leaning are the tests that may be brittle, each by itself.
func leaning(tests []suite.TestID) Stage {
	return Stage{Name: "alone", Total: len(tests), Orders: func(yield func(suite.Order) bool) {
		for _, t := range tests {
			if !yield(suite.Order{t}) {
				return
			}
		}
	}}
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

// Touching is the relation of the given tests with all others, and among
// themselves: what a change of them may break.
func Touching(s *suite.Suite, tests []suite.TestID) order.Pairs {
	return order.Touching(s, tests...)
}

// Known is a list of techniques for people.
func Known() string {
	var out string
	for i, t := range Techniques() {
		if i > 0 {
			out += ", "
		}
		out += string(t)
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
