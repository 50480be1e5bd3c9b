package cohort

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// After returns the members that can run after the cause in one order. Members of the group of the
// cause's last test come first, then the others in their order in all. Members of an earlier group
// of the cause are left out, because a group runs contiguously.
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
