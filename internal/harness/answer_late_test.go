package harness

import (
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestLateBusyEvent: a starting process reports its work from a thread of its own, so that the last
// report can follow its hello. It disturbs no order.
func TestLateBusyEvent(t *testing.T) {
	a := newAnswer(suite.Order{"a"}, suite.Fresh, 1, nil)
	if done, err := a.take(busy{micros: 5}); done || err != nil {
		t.Errorf("done %v, %v", done, err)
	}
}
