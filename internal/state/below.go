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
	type last struct{ i, at int } // place in out, and the capture that showed the last change
	index := map[string]last{}    // by path
	all := h.net()
	for _, field := range fields {
		for _, l := range all {
			same := h.groups.Same(h.tests[l.test], next)
			switch seen, known := index[l.Path]; {
			case !slices.Contains(tests, h.tests[l.test]) || l.Field != field:
			case same && l.during != DuringTest:
			case !same && l.restored:
			case known:
				c := &out[seen.i]
				c.Also = merged(c.Also, l.Also)
				if l.at > seen.at { // teardown may have ended after it
					c.After, c.By, index[l.Path] = l.After, l.By, last{seen.i, l.at}
				}
			default:
				index[l.Path] = last{len(out), l.at}
				out = append(out, l.Change)
			}
		}
	}
	return slices.Clip(slices.DeleteFunc(out, func(c Change) bool { return c.Before == c.After }))
}
