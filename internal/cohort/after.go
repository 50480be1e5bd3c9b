package cohort

import (
	"cmp"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// After returns the members that can run after the cause in one order. Those that share the most
// groups with the cause's last test come first; otherwise they keep their order in all. Members of
// a group that the cause has left are left out, because a group runs contiguously, at every depth.
// So are those that run before the cause in every order.
func After(groups *suite.Groups, all, cause suite.Order, member func(suite.TestID) bool) suite.Order {
	last := cause[len(cause)-1]
	var out suite.Order
	for _, t := range all {
		left := func(x suite.TestID) bool { return groups.Shared(x, t) > groups.Shared(last, t) || groups.Before(t, x) }
		if member(t) && !slices.Contains(cause, t) && !slices.ContainsFunc(cause, left) {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b suite.TestID) int { return cmp.Compare(groups.Shared(last, b), groups.Shared(last, a)) })
	return out
}
