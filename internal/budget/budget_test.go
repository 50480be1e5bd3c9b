package budget

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestPart(t *testing.T) {
	for _, c := range []struct{ left, usual, want time.Duration }{
		{60 * time.Minute, 2 * time.Minute, 10 * time.Minute},
		{12 * time.Minute, 2 * time.Minute, 2 * time.Minute},
		{10 * time.Minute, 2 * time.Minute, 2 * time.Minute},
		{3 * time.Minute, 2 * time.Minute, 90 * time.Second},
		{time.Second, 2 * time.Minute, time.Second / 2},
		{-time.Second, 2 * time.Minute, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(c.left))
			defer cancel()
			if got := Part(ctx, c.usual, 6); got != c.want {
				t.Errorf("%s of %s: %s, want %s", c.usual, c.left, got, c.want)
			}
			if got, want := Share(ctx, 6), max(0, c.left/6); got != want {
				t.Errorf("a sixth of %s: %s", c.left, got)
			}
		})
	}
	if part, share := Part(t.Context(), time.Minute, 6), Share(t.Context(), 6); part != time.Minute || share < 1000*time.Hour {
		t.Errorf("without an end: %s, %s", part, share)
	}
}
