package investigate

import (
	"testing"
	"time"
)

// TestShares: one installation never has all places, those that wait come one
// after the other, and a place that was left is free again.
func TestShares(t *testing.T) {
	var ts turns
	now := time.Unix(1000, 0)
	var leave []func()
	for range shareOfOne {
		l, _ := ts.enter(1, now, time.Second)
		if l == nil {
			t.Fatal("no place while there are some")
		}
		leave = append(leave, l)
	}
	last := time.Duration(0)
	for n := range 10_000 {
		l, stay := ts.enter(1, now, time.Second)
		if l != nil || stay < time.Second || stay > longestTurn {
			t.Fatalf("%d: stays away for %s", n, stay)
		}
		if stay <= last && last < longestTurn-time.Second {
			t.Fatalf("%d: two come at once: %s after %s", n, stay, last)
		}
		last = stay
	}
	if l, _ := ts.enter(2, now, time.Second); l == nil {
		t.Error("another installation waits for the first")
	}
	leave[0]()
	leave[0]() // says nothing new
	if l, _ := ts.enter(1, now, time.Second); l == nil {
		t.Error("a place that was left is not free")
	}
	if l, _ := ts.enter(1, now, time.Second); l != nil {
		t.Error("one place was left, and two are free")
	}
}
