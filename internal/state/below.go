package state

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Below returns the differences that a test leaves in these fields for the test after it, field by
// field, each with its access path. They are the changes that Pollute reports. If both tests belong
// to one class, changes by the class's setup and teardown are left out, because those ran for both
// tests.
func (h *Heap) Below(test, next suite.TestID, fields []string) []Change {
	var out []Change
	same := h.groups.Same(test, next)
	all := h.net()
	for _, field := range fields {
		for _, l := range all {
			switch {
			case h.tests[l.test] != test || l.Field != field:
			case same && l.during != DuringTest:
			case !same && l.restored:
			default:
				out = append(out, l.Change)
			}
		}
	}
	return slices.Clip(out)
}
