package cohort

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// After is the members that can run after the cause in one order: those of the group of its last
// test first, the others as all has them. A member of an earlier group of the cause cannot, since a
// group runs contiguously.
func After(groups *suite.Groups, all, cause suite.Order, member func(suite.TestID) bool) suite.Order {
	last := cause[len(cause)-1]
	var own, others suite.Order
	for _, t := range all {
		switch {
		case !member(t) || slices.Contains(cause, t):
		case groups.Same(t, last):
			own = append(own, t)
		case !slices.ContainsFunc(cause, func(x suite.TestID) bool { return groups.Same(x, t) }):
			others = append(others, t)
		}
	}
	return slices.Concat(own, others)
}
