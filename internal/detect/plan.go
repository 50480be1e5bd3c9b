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
	// Pairs is the relation that TechniqueTarget covers. This is the door for
	// whoever knows which test writes what another reads.
	Pairs order.Pairs
	// Promising pairs come early in any technique; nil: nothing is known of them.
	Promising order.Pairs
	Isolated  bool // as in Input
}

// someRandom is how many random orders Auto begins with, and endless a number
// that no budget reaches.
const (
	someRandom = 10
	endless    = 1 << 30
)

// Stages makes the orders of a plan. The errors are those of order.New.
func (p Plan) Stages(s *suite.Suite) ([]Stage, []order.Kind, error) {
	var stages []Stage
	var guarantee []order.Kind
	for _, technique := range p.parts(s) {
		o := order.Options{Seed: p.Seed, Random: p.Random, Pairs: p.Pairs, Promising: p.Promising, InGroup: true, EachFirst: true}
		switch {
		case technique == order.TechniqueRandom && p.Technique == Auto:
			o.Random = someRandom
		case technique == order.TechniqueRandom && p.Random <= 0:
			o.Random = endless
		}
		c, err := order.New(s, technique, o)
		if err != nil {
			return nil, nil, err
		}
		total := c.Exact
		if technique == order.TechniqueRandom && o.Random == endless {
			total = 0
		}
		stages = append(stages, Stage{Name: string(technique), Orders: c.Orders, Total: max(0, total)})
		guarantee = union(guarantee, c.Guarantee)
	}
	return stages, guarantee, nil
}

// parts are the techniques that make up the plan's.
func (p Plan) parts(s *suite.Suite) []order.Technique {
	if p.Technique != Auto {
		return []order.Technique{p.Technique}
	}
	if len(s.Order()) < 2 {
		return nil
	}
	parts := []order.Technique{order.TechniqueReverse, order.TechniqueRandom}
	if p.Pairs != nil {
		parts = append(parts, order.TechniqueTarget)
	}
	return append(parts, order.TechniqueIntraClass)
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
