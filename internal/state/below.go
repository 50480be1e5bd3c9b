package state

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Below is what a test leaves changed for the one after it in these places: each difference by its
// access path, place by place. The capture that shows it is what Pollute reports, but for setup and
// teardown of a class that both tests belong to: those ran for either.
func (h *Heap) Below(test, next suite.TestID, places []string) []Change {
	var out []Change
	same := h.groups.Same(test, next)
	all := h.net()
	for _, place := range places {
		for _, l := range all {
			switch {
			case h.tests[l.test] != test || l.Field != place:
			case same && l.during != DuringTest:
			case !same && l.restored:
			default:
				out = append(out, l.Change)
			}
		}
	}
	return slices.Clip(out)
}
