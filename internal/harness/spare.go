package harness

import (
	"context"
	"slices"
	"sync"
	"time"
)

// idleFor is how long a spare process waits for a question.
const idleFor = 15 * time.Second

// spares keeps processes that have started and wait for an order. It starts none before the first
// Warm question. After that it keeps as many as questions ran at once. A start needs capacity at
// the gate that no question needs. A spare ends if it is not used for a while.
type spares struct {
	pool *Pool
	most int

	mu       sync.Mutex
	idle     []*spare
	starting int
	waiting  []chan *process // questions that wait for a starting process, at most starting
	using    int             // Warm questions running
	want     int             // spares to keep: how many questions ran at once recently
	failed   bool            // one could not be started: questions start their own processes and report the error
}

type spare struct {
	proc  *process
	taken chan struct{}
}

// take returns a waiting process, or nil if the caller should start its own. In both cases, the
// caller calls release after its question.
func (s *spares) take(ctx context.Context) *process {
	s.mu.Lock()
	s.using++
	s.want = min(s.using, s.most)
	if n := len(s.idle); n > 0 {
		sp := s.idle[n-1]
		s.idle = s.idle[:n-1]
		close(sp.taken)
		s.mu.Unlock()
		s.refill()
		return sp.proc
	}
	if s.starting <= len(s.waiting) {
		s.mu.Unlock()
		s.refill()
		return nil
	}
	ready := make(chan *process, 1)
	s.waiting = append(s.waiting, ready)
	s.mu.Unlock()
	return s.await(ctx, ready)
}

// await waits for a spare that is starting, which takes less time than a new start.
func (s *spares) await(ctx context.Context, ready chan *process) *process {
	select {
	case proc := <-ready:
		return proc
	case <-ctx.Done():
	}
	s.mu.Lock()
	i := slices.Index(s.waiting, ready)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.mu.Unlock()
	if i < 0 {
		return <-ready // handed over at the same moment; the caller kills it
	}
	return nil
}

func (s *spares) release() {
	s.mu.Lock()
	s.using--
	s.mu.Unlock()
}

// refill starts spares in the background, as many as are wanted and as the gate allows.
func (s *spares) refill() {
	for s.needed() {
		ctx, done, err := s.pool.use(context.Background())
		if err != nil {
			s.hand(nil, err)
			return
		}
		go func() {
			defer done()
			proc, err := s.pool.start(ctx, s.pool.quick, quickRole)
			if sp := s.hand(proc, err); sp != nil {
				s.keep(ctx, sp)
			}
		}()
	}
}

// needed reserves a start if a spare is needed and may be started now.
func (s *spares) needed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed || len(s.idle)+s.starting >= s.want || !s.pool.gate.tryStart() {
		return false
	}
	s.starting++
	return true
}

// hand gives a started process to the question that has waited longest, or keeps it. It returns the
// kept spare, if any.
func (s *spares) hand(proc *process, err error) *spare {
	s.pool.gate.started()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting--
	s.failed = s.failed || err != nil
	if len(s.waiting) > 0 {
		s.waiting[0] <- proc
		s.waiting = s.waiting[1:]
		return nil
	}
	if err != nil {
		return nil
	}
	sp := &spare{proc, make(chan struct{})}
	s.idle = append(s.idle, sp)
	return sp
}

// keep ends a spare that is not used in time.
func (s *spares) keep(ctx context.Context, sp *spare) {
	timer, stop := s.pool.clock.after(idleFor)
	defer stop()
	select {
	case <-sp.taken:
		return
	case <-sp.proc.gone:
	case <-timer:
	case <-ctx.Done():
	}
	s.mu.Lock()
	i := slices.Index(s.idle, sp)
	if i >= 0 {
		s.idle = slices.Delete(s.idle, i, i+1)
	}
	s.mu.Unlock()
	if i >= 0 { // it was not taken at the same moment
		sp.proc.kill()
		s.pool.counters.add(func(st *Stats) { st.Unused++ })
	}
}
