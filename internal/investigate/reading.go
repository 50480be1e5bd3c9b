package investigate

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Commits whose logs are read at once. Each has one log or artifact on disk, of up to maxLog, so
// that the disk's use has a bound. Sources need no places, since only the runners' jobs hold them.
const (
	commitsAtOnce = 8
	commitsOfOne  = 3 // of one installation
	// commitsOfNew are left to installations that have read little and are not reading, so that
	// they do not wait for the slow logs of others.
	commitsOfNew = 2
	little       = 2 * time.Minute // in longRead
	// commitsOfMuch are what installations have together that have read very much.
	commitsOfMuch = 3
	much          = 15 * time.Minute // in longRead
	longRead      = time.Hour
)

// readings gives the places for commits whose logs are read.
type readings struct {
	*turns[int64]
	now  func() time.Time
	list map[int64][]*reading // under way, or ended within longRead, by installation
	// refused is when an installation was last without a place for all. Of several, the one that has
	// read least comes first: one with very many commits tries more often.
	refused map[int64]time.Time
}

// comesBack is how long after a refusal an installation has tried again.
const comesBack = 20 * time.Second

type reading struct{ began, ended time.Time } // ended is zero while it is under way

func newReadings(now func() time.Time) *readings {
	r := &readings{turns: newTurns[int64](commitsOfOne), now: now, list: map[int64][]*reading{},
		refused: map[int64]time.Time{}}
	r.room = r.free
	return r
}

// enter takes a place, like turns.enter, and counts the time until it is left.
func (r *readings) enter(who int64, now time.Time, look time.Duration) (leave func(), stay time.Duration) {
	out, stay := r.turns.enter(who, now, look)
	if out == nil {
		return nil, stay
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(now)
	one := &reading{began: now}
	r.list[who] = append(r.list[who], one)
	return sync.OnceFunc(func() {
		r.mu.Lock()
		one.ended = r.now()
		r.mu.Unlock()
		out()
	}), 0
}

// free reports whether there is a place for an installation, and none that comes before it waits.
func (r *readings) free(who int64, now time.Time) bool {
	if !r.placeFor(who, now) || r.behind(who, now) {
		r.refused[who] = now
		return false
	}
	delete(r.refused, who)
	return true
}

func (r *readings) placeFor(who int64, now time.Time) bool {
	n, took := commitsAtOnce, r.took(who, now)
	for _, busy := range r.busy {
		n -= busy
	}
	switch {
	case took > much:
		return n > commitsAtOnce-commitsOfMuch
	case took < little && r.busy[who] == 0:
		return n > 0
	}
	return n > commitsOfNew
}

// behind reports whether another installation waits that has read less.
func (r *readings) behind(who int64, now time.Time) bool {
	took := r.took(who, now)
	for other, at := range r.refused {
		if other != who && now.Sub(at) <= comesBack && r.busy[other] < commitsOfOne && r.took(other, now) < took && r.placeFor(other, now) {
			return true
		}
	}
	return false
}

// took is for how long an installation has read within longRead.
func (r *readings) took(who int64, now time.Time) (all time.Duration) {
	since := now.Add(-longRead)
	for _, x := range r.list[who] {
		began, ended := x.began, x.ended
		if ended.IsZero() {
			ended = now
		}
		if began.Before(since) {
			began = since
		}
		all += max(0, ended.Sub(began))
	}
	return all
}

// forget removes what counts no longer.
func (r *readings) forget(now time.Time) {
	since := now.Add(-longRead)
	for who, list := range r.list {
		r.list[who] = slices.DeleteFunc(list, func(x *reading) bool { return !x.ended.IsZero() && x.ended.Before(since) })
	}
	maps.DeleteFunc(r.list, func(_ int64, list []*reading) bool { return len(list) == 0 })
	maps.DeleteFunc(r.refused, func(_ int64, at time.Time) bool { return now.Sub(at) > comesBack })
	maps.DeleteFunc(r.next, func(_ int64, at time.Time) bool { return at.Before(since) })
}
