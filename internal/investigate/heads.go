package investigate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/store"
)

// head is the newest commit of a pull request.
type head struct {
	repository, pull int64
	sha              string
}

func headOf(i store.Investigation) head { return head{i.Repository, i.PullRequest, i.HeadSHA} }

// heads is what this process remembers of heads whose CI it has looked at, to ask GitHub less.
type heads struct {
	mu   sync.Mutex
	seen map[head]seen
}

type seen struct {
	author int64
	looks  int       // because of deliveries after the first one
	last   time.Time // when it was looked at
}

const (
	mostLooks = 8              // after the first delivery: the waits take 42 minutes together
	mostHeads = 10_000         // that are remembered
	longSeen  = 24 * time.Hour // after a look, its head counts as new
)

// again is how long to wait before CI is looked at because of another delivery. After each such
// look, the wait doubles. over: that was often enough.
func (h *heads) again(of head, now time.Time, look time.Duration) (stay time.Duration, over bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x, known := h.seen[of]
	if !known || now.Sub(x.last) > longSeen {
		return 0, false
	}
	if stay = x.last.Add(look << min(x.looks, mostLooks)).Sub(now); stay > 0 {
		return stay, x.looks >= mostLooks
	}
	x.last = now // others wait
	h.seen[of] = x
	return 0, x.looks >= mostLooks
}

// saw remembers a look at CI.
func (h *heads) saw(of head, author int64, now time.Time, again bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x, known := h.seen[of]
	if !known && len(h.seen) >= mostHeads {
		h.forget(now)
	}
	if now.Sub(x.last) > longSeen {
		x.looks = 0
	}
	x.author, x.last = author, now
	if again {
		x.looks++
	}
	h.seen[of] = x
}

// forget makes room: old heads go, or all of them.
func (h *heads) forget(now time.Time) {
	for of, x := range h.seen {
		if now.Sub(x.last) > longSeen {
			delete(h.seen, of)
		}
	}
	if len(h.seen) >= mostHeads {
		clear(h.seen)
	}
}

func (h *heads) author(of head) (author int64, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x, known := h.seen[of]
	return x.author, known
}

// unread is how long to wait for a place to read the logs of a head; 0: there may be one.
func (s *Service) unread(i store.Investigation) time.Duration {
	if stay := s.reading.full(i.Installation, s.now(), s.o.Pace.Look); stay > 0 {
		return stay
	}
	author, known := s.heads.author(headOf(i))
	if !known {
		return 0
	}
	return s.authors.full(authorOf{i.Installation, author}, s.now(), s.o.Pace.Look)
}

// errOthers ends a job without an error: an older job of the investigation looks at the same, or CI
// was looked at often enough.
var errOthers = errors.New("nothing more is looked at")

// later reports whether a job is about a delivery after the first one of its investigation. The error
// is errOthers if that needs no look: it was read, or will be when its run, or the wait for it, ends.
func (s *Service) later(ctx context.Context, i store.Investigation, a collectArgs) (bool, error) {
	if i.State != store.Collecting {
		var known struct { // of the evidence, which can be long
			Read []string `json:"read"`
		}
		err := s.store.View(ctx, func(tx *store.Tx) error { return ignoreMissing(tx.Evidence(i.ID, &known)) })
		if slices.Contains(known.Read, a.Key) {
			return true, errOthers
		}
		return true, err
	}
	older, err := s.olderJob(ctx, a)
	if older && a.ofJob() {
		return true, errOthers
	}
	return older, err
}

// olderJob reports whether the queue has an older job of the investigation.
func (s *Service) olderJob(ctx context.Context, a collectArgs) (bool, error) {
	return store.Read(ctx, s.store, func(tx *store.Tx) (bool, error) { return tx.QueuedBefore(a.Kind(), a.job, a.ID) })
}

// lookAgain makes a job about a later delivery wait for its look at CI.
func (s *Service) lookAgain(ctx context.Context, i store.Investigation, a collectArgs) error {
	switch stay, over := s.heads.again(headOf(i), s.now(), s.o.Pace.Look); {
	case over && a.Again:
		s.log.Info("CI was looked at often enough", zap.String("investigation", i.ID), zap.String("key", a.Key))
		return errOthers
	case stay > 0:
		return s.oneComesBack(ctx, a, laterError{stay, "CI was looked at a short time ago"})
	}
	return nil
}

// oneComesBack is how jobs about later deliveries wait. Of those that look at the same, the oldest
// one comes back; the others end. A job without a key looks at more.
func (s *Service) oneComesBack(ctx context.Context, a collectArgs, later laterError) error {
	older, err := store.Read(ctx, s.store, func(tx *store.Tx) ([][]byte, error) { return tx.WaitingBefore(a.Kind(), a.job, a.ID) })
	if err != nil {
		return err
	}
	if !a.Again && len(older) > 0 {
		older = older[1:] // it is about the first delivery
	}
	for _, args := range older {
		var b collectArgs
		if json.Unmarshal(args, &b) != nil || b.Again != a.Again || !b.Again && b.ofJob() {
			continue
		}
		if b.Key == "" || a.Key != "" {
			return errOthers
		}
	}
	return later
}

// ofJob reports whether the delivery is about a job of GitHub Actions.
func (a collectArgs) ofJob() bool { return strings.HasPrefix(a.Key, "job/") }
