package detect

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestFailedIn checks that a failing test's order is the first drawn order in which it failed, cut
// after it, once that order has been processed. The observed run does not count.
func TestFailedIn(t *testing.T) {
	var s Outcomes
	tests := suite.Order{"a", "b", "c"}
	s.observe(tests, &Observed{Failed: tests[2:]})
	if s.failedIn("c") != nil || !s.failed["c"] {
		t.Error("the observed run was taken for a drawn one")
	}
	first, second := s.add(3, 4), s.add(3, 4)
	second.receive(suite.Order{"c", "b", "a"}, []suite.Outcome{suite.Pass, suite.Fail, suite.Pass})
	if s.ready() || s.failedIn("b") != nil {
		t.Error("an order was taken in before the one drawn ahead of it")
	}
	first.receive(suite.Order{"a", "b", "c"}, []suite.Outcome{suite.Pass, suite.Fail, suite.Pass})
	if !s.ready() || !slices.Equal(s.failedIn("b"), suite.Order{"a", "b"}) || s.failedIn("a") != nil {
		t.Errorf("failedIn(b) is %v", s.failedIn("b"))
	}
	var none *Outcomes
	if none.failedIn("b") != nil {
		t.Error("an order is returned although none was processed")
	}
}
