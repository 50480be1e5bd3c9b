package order

import (
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Dependency describes one order-dependent test. A victim has polluters, each with its cleaners. A
// brittle has state-setters.
type Dependency struct {
	Test         suite.TestID
	Polluters    map[suite.TestID][]suite.TestID // polluter -> cleaners
	StateSetters []suite.TestID
}

// Fails returns whether the test fails in an order (Li et al., ISSTA 2023, sections 2.1 and 4). A
// victim fails after a polluter without one of its cleaners in between. A brittle fails if no
// state-setter ran before.
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

// Find is a test that both passed and failed in the first orders. Orders is their number.
type Find struct {
	Test   suite.TestID
	Orders int
}

// Finds returns which of the known order-dependent tests the orders find, and after how many
// orders.
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
