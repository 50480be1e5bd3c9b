package investigate

import (
	"testing"
	"time"
)

// TestShares: one installation never has all places, those that wait come one
// after the other, and a place that was left is free again.
func TestShares(t *testing.T) {
	ts := newTurns[int64](shareOfOne)
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

// TestBurst: a hundred builds of one installation that become red at once all have their turn
// within a minute: two jobs of each, of two seconds.
func TestBurst(t *testing.T) {
	const jobs, takes = 200, 2 * time.Second
	ts := newTurns[int64](shareOfOne)
	begun := time.Unix(1000, 0)
	due := make([]time.Time, jobs) // when a job asks for a place
	for n := range due {
		due[n] = begun
	}
	var places []func()
	var ends []time.Time
	for now := begun; len(due)+len(ends) > 0; now = now.Add(100 * time.Millisecond) {
		if now.Sub(begun) > time.Minute {
			t.Fatalf("after a minute, %d of %d jobs had no turn", len(due), jobs)
		}
		for len(ends) > 0 && !ends[0].After(now) {
			places[0]()
			places, ends = places[1:], ends[1:]
		}
		var wait []time.Time
		for _, at := range due {
			if at.After(now) {
				wait = append(wait, at)
				continue
			}
			leave, stay := ts.enter(1, now, DefaultPace.Look)
			if leave == nil {
				wait = append(wait, now.Add(stay))
				continue
			}
			places, ends = append(places, leave), append(ends, now.Add(takes))
		}
		due = wait
	}
}
