package investigate

import (
	"sync"
	"time"
)

// githubJobs are how many jobs that talk to GitHub run at once in this process.
const githubJobs = 8

// shareOfOne is how many of them one installation's may be: logs of its builds
// can take long to read, and whoever has one red build must not wait behind
// somebody's hundreds.
const shareOfOne = 3

// turns gives each installation its share.
type turns struct {
	mu   sync.Mutex
	busy map[int64]int
	next map[int64]time.Time // when the next one that finds no room is to come again
}

// longestTurn bounds how long a job that finds no room stays away.
const longestTurn = 5 * time.Minute

// enter takes a place, or says how long to stay away: one after the other, so
// that a thousand which wait do not all ask each time.
func (t *turns) enter(installation int64, now time.Time, look time.Duration) (leave func(), stay time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy == nil {
		t.busy, t.next = map[int64]int{}, map[int64]time.Time{}
	}
	if t.busy[installation] < shareOfOne {
		t.busy[installation]++
		return sync.OnceFunc(func() { t.leave(installation) }), 0
	}
	at := t.next[installation].Add(look / 10)
	if at.Before(now.Add(look)) || at.After(now.Add(longestTurn)) {
		at = now.Add(look)
	}
	t.next[installation] = at
	return nil, at.Sub(now)
}

func (t *turns) leave(installation int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy[installation]--; t.busy[installation] <= 0 {
		delete(t.busy, installation)
		delete(t.next, installation)
	}
}

// inTurn does what talks to GitHub for an installation when that has a place free.
func (s *Service) inTurn(installation int64, do func() error) error {
	leave, stay := s.turns.enter(installation, s.now(), s.o.Pace.Look)
	if leave == nil {
		return laterError{stay, "other jobs of the installation are at work"}
	}
	defer leave()
	return do()
}
