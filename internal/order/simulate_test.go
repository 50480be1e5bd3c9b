package order

import (
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Dependency is what is known of one order-dependent test. A victim has
// polluters, each with its cleaners; a brittle has state-setters.
type Dependency struct {
	Test         suite.TestID
	Polluters    map[suite.TestID][]suite.TestID // polluter -> cleaners
	StateSetters []suite.TestID
}

// Fails says how the test comes out in an order, from what is known (Li et al.,
// ISSTA 2023, sections 2.1 and 4): a victim fails after a polluter without one
// of its cleaners in between, a brittle where no state-setter ran before.
func (d Dependency) Fails(o suite.Order) bool {
	polluted := map[suite.TestID]bool{}
	set := len(d.StateSetters) == 0
	for _, t := range o {
		if t == d.Test {
			break
		}
		for p := range polluted {
			if slices.Contains(d.Polluters[p], t) {
				delete(polluted, p)
			}
		}
		if _, ok := d.Polluters[t]; ok {
			polluted[t] = true
		}
		set = set || slices.Contains(d.StateSetters, t)
	}
	return !set || len(polluted) > 0
}

// Find says that a test was found to be order-dependent: by the order with this
// number (from 1) it had both passed and failed.
type Find struct {
	Test   suite.TestID
	Orders int
}

// Finds says which of the known order-dependent tests are found by running the
// orders, and how soon: the measure of how good a beginning is.
func Finds(orders iter.Seq[suite.Order], known []Dependency) []Find {
	var finds []Find
	passed, failed, found := make([]bool, len(known)), make([]bool, len(known)), make([]bool, len(known))
	n := 0
	for o := range orders {
		n++
		for i, d := range known {
			if found[i] || !slices.Contains(o, d.Test) {
				continue
			}
			fails := d.Fails(o)
			failed[i], passed[i] = failed[i] || fails, passed[i] || !fails
			if found[i] = failed[i] && passed[i]; found[i] {
				finds = append(finds, Find{d.Test, n})
			}
		}
		if len(finds) == len(known) {
			break
		}
	}
	return finds
}
