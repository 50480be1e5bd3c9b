package detect

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Diagnosed is what a diagnosis said of one find.
type Diagnosed struct {
	Test suite.TestID
	// Causes are its polluters (of a brittle its state-setters), first the one found first.
	Causes  []suite.Order
	Setters bool // the causes are state-setters
	// Location is the state that the causes leave changed; "" where that is not known.
	Location string
}

// Cause is one defect: what the tests that suffer from it have in common.
type Cause struct {
	Tests    []suite.TestID // that suffer, in the order given
	Causes   []suite.Order  // polluters or state-setters, those of most of them first
	Setters  bool
	Location string
}

// Group puts together the tests that have a polluter (or state-setter) in
// common, unless the state is known to differ: one cause, one entry. A test
// whose cause is not known stands by itself. Diagnoses name a handful of
// polluters only, so that sharing one is taken as enough, and sharing carries on
// from test to test.
func Group(all []Diagnosed) []Cause {
	leader := make([]int, len(all))
	for i := range all {
		leader[i] = i
		for j := range i {
			if same(all[i], all[j]) {
				join(leader, i, j)
			}
		}
	}
	var out []Cause
	at := map[int]int{}
	counts := []map[string]int{}
	for i, d := range all {
		l := lead(leader, i)
		k, ok := at[l]
		if !ok {
			k = len(out)
			at[l] = k
			out = append(out, Cause{Setters: d.Setters, Location: d.Location})
			counts = append(counts, map[string]int{})
		}
		c := &out[k]
		c.Tests = append(c.Tests, d.Test)
		for _, o := range d.Causes {
			if counts[k][o.Key()]++; counts[k][o.Key()] == 1 {
				c.Causes = append(c.Causes, o)
			}
		}
	}
	for k := range out {
		slices.SortStableFunc(out[k].Causes, func(a, b suite.Order) int { return counts[k][b.Key()] - counts[k][a.Key()] })
	}
	return out
}

func same(a, b Diagnosed) bool {
	if a.Setters != b.Setters || a.Location != "" && b.Location != "" && a.Location != b.Location {
		return false
	}
	return slices.ContainsFunc(a.Causes, func(o suite.Order) bool {
		return slices.ContainsFunc(b.Causes, func(p suite.Order) bool { return slices.Equal(o, p) })
	})
}

func lead(leader []int, i int) int {
	for leader[i] != i {
		i = leader[i]
	}
	return i
}

// join makes the earlier of two leaders the leader of both.
func join(leader []int, i, j int) {
	a, b := lead(leader, i), lead(leader, j)
	leader[max(a, b)] = min(a, b)
}
