package diagnose

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestProvenanceOfChangedOrders checks that an order is not exact if tests had to be left out or
// inserted.
func TestProvenanceOfChangedOrders(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world, o suite.Order, v suite.TestID) suite.Order
		want   suite.Provenance
	}{
		"as seen": {func(_ *world, o suite.Order, _ suite.TestID) suite.Order { return o }, suite.Exact},
		"one gone": {func(_ *world, o suite.Order, _ suite.TestID) suite.Order {
			return slices.Insert(slices.Clone(o), 0, "old.GoneTest#x")
		}, suite.Partial},
		"one put into": {func(_ *world, o suite.Order, v suite.TestID) suite.Order {
			return slices.DeleteFunc(slices.Clone(o), func(t suite.TestID) bool { return t == v })
		}, suite.Inferred},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			w.add("b.Polluter#sets", sets("x", 1))
			v := w.add("c.Victim#needs", needs("x", 0))
			in := Input{Failing: []suite.TestID{v},
				Seen: []suite.Seen{{Source: "CI", Provenance: suite.Exact, Order: c.change(w, w.all, v)}}}
			r := w.only(t, in)
			if r.FailingOrder == nil || r.FailingOrder.Provenance != c.want {
				t.Errorf("failing order %+v, want %s", r.FailingOrder, c.want)
			}
		})
	}
}
