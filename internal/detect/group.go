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
	// Locations are the pieces of state through which it may suffer; none where that is not known.
	Locations []string
}

// Cause is one defect: what the tests that suffer from it have in common.
type Cause struct {
	Tests   []suite.TestID // that suffer, in the order given
	Causes  []suite.Order  // polluters or state-setters, those of most of them first
	Setters bool
	// Locations are those that all of its tests have in common.
	Locations []string
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
			out = append(out, Cause{Setters: d.Setters, Locations: d.Locations})
			counts = append(counts, map[string]int{})
		}
		c := &out[k]
		c.Tests = append(c.Tests, d.Test)
		c.Locations = common(c.Locations, d.Locations)
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
	if a.Setters != b.Setters || len(a.Locations) > 0 && len(b.Locations) > 0 && len(common(a.Locations, b.Locations)) == 0 {
		return false
	}
	return slices.ContainsFunc(a.Causes, func(o suite.Order) bool {
		return slices.ContainsFunc(b.Causes, func(p suite.Order) bool { return slices.Equal(o, p) })
	})
}

// common is what both have; the other's, where one says nothing.
func common(a, b []string) []string {
	if len(a) == 0 || len(b) == 0 {
		return append(slices.Clone(a), b...)
	}
	return slices.DeleteFunc(slices.Clone(a), func(x string) bool { return !slices.Contains(b, x) })
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
