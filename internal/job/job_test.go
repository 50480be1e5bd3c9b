package job

import (
	"math"
	"testing"
	"time"
)

func TestFittingBudget(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0: 10 * time.Minute, 2 * time.Second: 11 * time.Minute, 16 * time.Second: 16 * time.Minute,
		time.Minute: 30 * time.Minute, time.Hour: 2 * time.Hour, math.MaxInt64: 2 * time.Hour, -1: 2 * time.Hour,
	} {
		if got := FittingBudget(took); got != want {
			t.Errorf("after %s: %s, want %s", took, got, want)
		}
	}
}
