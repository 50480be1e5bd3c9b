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

// turns limits each installation to its share.
type turns struct {
	share int
	mu    sync.Mutex
	busy  map[int64]int
	next  map[int64]time.Time // when the next job that is sent away tries again
}

func newTurns(share int) *turns {
	return &turns{share: share, busy: map[int64]int{}, next: map[int64]time.Time{}}
}

// longestTurn bounds how long a job that is sent away waits.
const longestTurn = 5 * time.Minute

// enter takes a place, or returns how long to wait for the next attempt. The waits differ.
func (t *turns) enter(installation int64, now time.Time, look time.Duration) (leave func(), stay time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if stay = t.stay(installation, now, look); stay > 0 {
		return nil, stay
	}
	t.busy[installation]++
	return sync.OnceFunc(func() { t.leave(installation) }), 0
}

// full is how long to wait for the next attempt if there is no place; 0: there is one.
func (t *turns) full(installation int64, now time.Time, look time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stay(installation, now, look)
}

func (t *turns) stay(installation int64, now time.Time, look time.Duration) time.Duration {
	if t.busy[installation] < t.share {
		return 0
	}
	at := t.next[installation].Add(look / comeBack)
	if at.Before(now.Add(look)) || at.After(now.Add(longestTurn)) {
		at = now.Add(look)
	}
	t.next[installation] = at
	return max(at.Sub(now), time.Millisecond)
}

func (t *turns) leave(installation int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy[installation]--; t.busy[installation] <= 0 {
		delete(t.busy, installation)
		delete(t.next, installation)
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
