package investigate

import (
	"context"
	"sync"
	"time"
)

// githubJobs is how many jobs that use GitHub's API run at once in this process. They mostly wait for
// GitHub.
const githubJobs = 32

// shareOfOne is how many of them one installation may have. Logs can take long to read, and one red
// build must not wait for hundreds of another installation.
const shareOfOne = 12

// comeBack is how many jobs that were sent away try again in each Pace.Look, so that thousands do not
// try at once. The places of one installation can take about as many.
const comeBack = 40

// turns limits each installation, or each author, to a share.
type turns[K comparable] struct {
	share int
	mu    sync.Mutex
	busy  map[K]int
	next  map[K]time.Time // when the next job that is sent away tries again
	// room reports whether there is a place at all, whatever the share; nil: there is.
	room func(who K, now time.Time) bool
}

func newTurns[K comparable](share int) *turns[K] {
	return &turns[K]{share: share, busy: map[K]int{}, next: map[K]time.Time{}}
}

// longestTurn bounds how long a job that is sent away waits.
const longestTurn = 5 * time.Minute

// enter takes a place, or returns how long to wait for the next attempt. The waits differ.
func (t *turns[K]) enter(who K, now time.Time, look time.Duration) (leave func(), stay time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if stay = t.stay(who, now, look); stay > 0 {
		return nil, stay
	}
	t.busy[who]++
	return sync.OnceFunc(func() { t.leave(who) }), 0
}

// full is how long to wait for the next attempt if there is no place; 0: there is one.
func (t *turns[K]) full(who K, now time.Time, look time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stay(who, now, look)
}

func (t *turns[K]) stay(who K, now time.Time, look time.Duration) time.Duration {
	if t.busy[who] < t.share && (t.room == nil || t.room(who, now)) {
		return 0
	}
	at := t.next[who].Add(look / comeBack)
	if at.Before(now.Add(look)) || at.After(now.Add(longestTurn)) {
		at = now.Add(look)
	}
	t.next[who] = at
	return max(at.Sub(now), time.Millisecond)
}

func (t *turns[K]) leave(who K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy[who]--; t.busy[who] <= 0 {
		delete(t.busy, who)
		delete(t.next, who)
	}
}

// inTurn calls a function that uses GitHub's API, if the operator permits it and the installation
// has a free place.
func (s *Service) inTurn(ctx context.Context, installation, repository int64, do func() error) error {
	if err := s.permit(ctx, installation, repository); err != nil {
		return err
	}
	leave, stay := s.turns.enter(installation, s.now(), s.o.Pace.Look)
	if leave == nil {
		return laterError{stay, "other jobs of the installation are running"}
	}
	defer leave()
	return do()
}
