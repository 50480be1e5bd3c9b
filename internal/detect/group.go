package detect

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Diagnosed is the result of the diagnosis of one find.
type Diagnosed struct {
	Test suite.TestID
	// Causes lists its polluters (for a brittle, its state-setters), in the order in which they
	// were found.
	Causes  []suite.Order
	Setters bool // the causes are state-setters
	// Locations lists the state through which the test may be polluted; empty if it is not known.
	Locations []string
}

// Cause is one defect, and the tests that share it.
type Cause struct {
	Tests   []suite.TestID // the tests with this cause, in the order given
	Causes  []suite.Order  // polluters or state-setters, those of most tests first
	Setters bool
	// Locations are those that all of its tests have in common.
	Locations []string
}

// Group joins tests that have a polluter (or state-setter) in common into one cause, unless their
// state is known to differ. A test whose cause is not known forms a group of its own. Diagnoses
// name only a few polluters, so one common polluter is enough. If two tests each share a polluter
// with a third, all three form one group.
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

// common returns the locations that both have. If one of them is empty, it returns the other.
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

// join makes the earlier of two leaders the leader of both groups.
func join(leader []int, i, j int) {
	a, b := lead(leader, i), lead(leader, j)
	leader[max(a, b)] = min(a, b)
}
