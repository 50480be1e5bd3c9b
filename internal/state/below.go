package state

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Below returns the differences that tests leave in these fields for the test after them, field by
// field, each with its access path. They are the changes that Pollute reports. What one of the tests
// changes and a later one restores is no difference. Changes by the setup and teardown of a class that
// the next test belongs to, too, are left out, because those ran for both tests.
func (h *Heap) Below(tests suite.Order, next suite.TestID, fields []string) []Change {
	var out []Change
	index := map[string]int{} // place in out, by path
	all := h.net()
	for _, field := range fields {
		for _, l := range all {
			same := h.groups.Same(h.tests[l.test], next)
			switch i, known := index[l.Path]; {
			case !slices.Contains(tests, h.tests[l.test]) || l.Field != field:
			case same && l.during != DuringTest:
			case !same && l.restored:
			case known:
				out[i].After, out[i].By = l.After, l.By
			default:
				index[l.Path] = len(out)
				out = append(out, l.Change)
			}
		}
	}
	return slices.Clip(slices.DeleteFunc(out, func(c Change) bool { return c.Before == c.After }))
}
