package investigate

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/odfix/odfix/internal/pull"
)

// TestAttackManyTexts: what reports hold to be planned from is bounded. Those beyond an installation's
// share come back later, and the others wait.
func TestAttackManyTexts(t *testing.T) {
	if mostTexts*pull.MaxInput > 128<<20 {
		t.Errorf("%d times %d bytes", mostTexts, pull.MaxInput)
	}
	s := &Service{now: time.Now, planning: newTurns[int64](textsOfOne), texts: semaphore.NewWeighted(mostTexts)}
	ran := 0
	last := func() error { ran++; return nil }
	all := func() error {
		if err := s.planned(1)(t.Context(), last); !errors.As(err, new(laterError)) || ran > 0 {
			t.Errorf("one more of an installation: %v", err)
		}
		return s.planned(2)(t.Context(), last) // another one has a place
	}
	for range textsOfOne { // each within the next
		inner := all
		all = func() error { return s.planned(1)(t.Context(), inner) }
	}
	if err := all(); err != nil || ran != 1 || len(s.planning.busy) > 0 {
		t.Errorf("%v, after %d", err, ran)
	}
	if !s.texts.TryAcquire(mostTexts) {
		t.Fatal("a place is not free again")
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.planned(1)(gone, last); !errors.Is(err, context.Canceled) || ran != 1 {
		t.Errorf("more than all: %v", err)
	}
}
