package investigate

import (
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/store"
)

// TestAttackReadersOfAll: installations that read slow logs leave places to those that read little,
// one each. An hour later, they have read little.
func TestAttackReadersOfAll(t *testing.T) {
	now := time.Unix(100_000, 0)
	r := newReadings(func() time.Time { return now })
	enter := func(who int64) func() {
		leave, _ := r.enter(who, now, time.Second)
		return leave
	}
	var leave []func()
	for range 3 { // more than the places
		for who := range int64(11) {
			if l := enter(who); l != nil {
				leave = append(leave, l)
			}
		}
	}
	if len(leave) != commitsAtOnce || enter(20) != nil {
		t.Fatalf("%d read at once", len(leave))
	}
	for _, l := range leave {
		l()
		l() // says nothing new
	}
	leave = nil
	for who := range int64(3) { // slow logs
		for range 2 {
			leave = append(leave, enter(who))
		}
	}
	now = now.Add(little)
	if enter(0) != nil {
		t.Error("an installation that has read for long takes a place that is left to others")
	}
	quick := enter(30)
	if quick == nil || enter(30) != nil {
		t.Fatal("one that has read little gets no place, or two")
	}
	now = now.Add(time.Second)
	quick()
	if quick = enter(30); quick == nil {
		t.Error("it has read for a second, and waits")
	}
	now = now.Add(little)
	quick()
	if enter(30) != nil {
		t.Error("it has read for long, and still counts as new")
	}
	if now = now.Add(longRead); enter(0) != nil || enter(30) == nil {
		t.Error("an hour later, it counts as one that reads")
	}
	for _, l := range leave {
		l()
	}
	now = now.Add(2 * longRead)
	if enter(1); len(r.list) != 2 || len(r.next) > 0 { // 30 still reads
		t.Errorf("%d installations are remembered, %d waits", len(r.list), len(r.next))
	}
}

// TestAttackPlacesOfAll: while all places for logs are taken, another installation's job holds no
// place for jobs, and asks GitHub for nothing.
func TestAttackPlacesOfAll(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	var leave []func()
	for who := range int64(commitsAtOnce) {
		l, _ := h.s.reading.enter(another+who, h.now(), DefaultPace.Look)
		leave = append(leave, l)
	}
	p := h.Pull(nil)
	h.red(p, "demo.log")
	h.Must(h.Drain(h.Ctx))
	for range 20 { // deliveries are handled
		h.step()
	}
	before := len(h.Requests())
	for range 20 { // each ends
		h.step()
	}
	list := h.investigations(p)
	if n := len(h.Requests()) - before; n > 0 || len(list) != 1 || list[0].State != store.Collecting || len(h.s.turns.busy) > 0 {
		t.Fatalf("%d requests, %+v, busy %v", n, list, h.s.turns.busy)
	}
	leave[0]()
	if h.settled(p, 1); len(h.asked()) != 1 || len(h.s.reading.busy) != commitsAtOnce-1 {
		t.Errorf("%d jobs, reading %v", len(h.asked()), h.s.reading.busy)
	}
}

// TestAttackSlowLogsForHours: two installations always have sixty commits with slow logs. A third one
// has a red build each half minute, whose logs take five seconds; each of them is read soon.
func TestAttackSlowLogsForHours(t *testing.T) {
	const look, tick, victim = 10 * time.Second, 5 * time.Second, int64(9)
	now := time.Unix(1_000_000, 0)
	r := newReadings(func() time.Time { return now })
	type commit struct {
		who            int64
		born, due, end time.Time
		leave          func()
	}
	takes := map[int64]time.Duration{0: 280 * time.Second, 1: 280 * time.Second, victim: 5 * time.Second}
	var commits []*commit
	for i := range 120 {
		commits = append(commits, &commit{who: int64(i % 2), born: now, due: now.Add(time.Duration(i) * 100 * time.Millisecond)})
	}
	longest, read := time.Duration(0), 0
	for step := range 2 * int(time.Hour/tick) {
		if step%6 == 0 {
			commits = append(commits, &commit{who: victim, born: now, due: now})
		}
		slices.SortStableFunc(commits, func(a, b *commit) int { return a.due.Compare(b.due) }) // as the queue does
		for _, c := range commits {
			switch {
			case c.leave != nil && !now.Before(c.end):
				c.leave()
				c.leave, c.due = nil, now.Add(time.Second) // another commit of the same
				if c.who == victim {
					read, c.who = read+1, -1
				}
			case c.leave == nil && !c.due.After(now):
				leave, stay := r.enter(c.who, now, look)
				if c.leave, c.due, c.end = leave, now.Add(stay), now.Add(takes[c.who]); leave != nil && c.who == victim {
					longest = max(longest, now.Sub(c.born))
				}
			}
		}
		commits = slices.DeleteFunc(commits, func(c *commit) bool { return c.who < 0 })
		now = now.Add(tick)
	}
	if read < 235 || longest > time.Minute {
		t.Errorf("%d of 240 were read, one after %s", read, longest)
	}
}
