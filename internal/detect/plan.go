package detect

import (
	"fmt"
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
	Technique order.Technique // Auto means the measured mixture
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
	// Leaning are tests that may need what others left them: to be tried alone first.
	Leaning []suite.TestID
}

// someRandom is how many random orders Auto runs, and endless a number that no
// budget reaches.
const (
	someRandom = 10
	endless    = 1 << 30
)

// part is one technique of a plan.
type part struct {
	name      string
	technique order.Technique
	options   order.Options
}

// Stages makes the orders of a plan, and says what all of them cover. The
// errors are those of order.New.
func (p Plan) Stages(s *suite.Suite) ([]Stage, []order.Kind, error) {
	var stages []Stage
	var guarantee []order.Kind
	for _, x := range p.parts(s) {
		c, err := order.New(s, x.technique, x.options)
		if err != nil {
			return nil, nil, err
		}
		total := max(0, c.Exact)
		if x.technique == order.TechniqueRandom && x.options.Random == endless {
			total = 0
		}
		stages = append(stages, Stage{Name: x.name, Orders: c.Orders, Total: total})
		guarantee = union(guarantee, c.Guarantee)
	}
	if p.Technique == Auto && p.State != nil && len(p.State.Leaning) > 0 {
		stages = append([]Stage{leaning(p.State.Leaning)}, stages...)
	}
	return stages, guarantee, nil
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

// parts are the techniques that make up the plan's.
func (p Plan) parts(s *suite.Suite) []part {
	o := order.Options{Seed: p.Seed, Random: p.Random, Pairs: p.Pairs, InGroup: true, EachFirst: true}
	if o.Random <= 0 {
		o.Random = endless
	}
	if p.State != nil {
		o.Promising = together(p.State.Tiers)
		if o.Pairs == nil {
			o.Pairs, o.Before = o.Promising, p.State.Tiers[:max(0, len(p.State.Tiers)-1)]
		}
	}
	if p.Technique != Auto {
		return []part{{string(p.Technique), p.Technique, o}}
	}
	if len(s.Order()) < 2 {
		return nil
	}
	return p.mixture(o)
}

// mixture is Auto: first what static state makes likely, then what it cannot
// show (files, ports, reflection), then what guarantees most for its price.
func (p Plan) mixture(o order.Options) []part {
	some := o
	some.Random, some.Promising = someRandom, nil
	out := []part{{"reverse", order.TechniqueReverse, order.Options{}}}
	if o.Pairs != nil {
		out = append(out, part{"state", order.TechniqueTarget, o})
	}
	return append(out, part{"random", order.TechniqueRandom, some}, part{"intra-class", order.TechniqueIntraClass, o})
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

func union(a, b []order.Kind) []order.Kind {
	for _, k := range b {
		if !slices.Contains(a, k) {
			a = append(a, k)
		}
	}
	return a
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
