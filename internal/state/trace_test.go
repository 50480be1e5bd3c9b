package state

import (
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestSetUp: what only code before a test changes is set up; what the test changes as well, or an unknown value,
// is not.
func TestSetUp(t *testing.T) {
	trace := traced(suite.Order{"A#v", "A#p", "A#q"}, 5,
		Segment{Kind: 't', Position: 0},
		Segment{Kind: 'b', Position: 1, Values: []Value{{Field: 0, Before: 1, After: 2}, {Field: 1, Before: 1, After: 2}, {Field: 3, Unsure: true},
			{Field: 4, Before: 1, After: 2, Behind: 1}}},
		Segment{Kind: 't', Position: 1, Values: changes(1, 2, 3)},
		Segment{Kind: 't', Position: 2, Values: changes(2, 1, 2)},
		Segment{Kind: 'a', Position: 2, Values: changes(0, 2, 3)},
	)
	for _, c := range []struct {
		tests  suite.Order
		fields []string
		want   bool
	}{
		{suite.Order{"A#p"}, []string{"p0"}, true},
		{suite.Order{"A#p", "A#q"}, []string{"p0"}, true},
		{suite.Order{"A#p"}, []string{"p1"}, false},       // the test changes it, too
		{suite.Order{"A#p"}, []string{"p0", "p1"}, false}, // one of them
		{suite.Order{"A#q"}, []string{"p2"}, false},
		{suite.Order{"A#p"}, []string{"p3"}, false}, // not known
		{suite.Order{"A#p"}, []string{"p4"}, false}, // it may have been the test before
		{suite.Order{"A#p"}, []string{"px"}, false},
		{suite.Order{"B#x"}, []string{"p0"}, false},
		{suite.Order{"A#p"}, nil, false},
	} {
		if got := trace.SetUp(c.tests, c.fields); got != c.want {
			t.Errorf("%v %v: %v", c.tests, c.fields, got)
		}
	}
}
