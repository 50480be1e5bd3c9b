package investigate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/odfix/odfix/internal/store"
)

// head is the newest commit of a pull request.
type head struct {
	repository, pull int64
	sha              string
	others           bool // what counts are looks because of other CI systems than GitHub Actions
}

func headOf(i store.Investigation) head {
	return head{repository: i.Repository, pull: i.PullRequest, sha: i.HeadSHA}
}

// looksOf is the head for a look because of a delivery. Results of other CI systems, which other pull
// requests with this commit can cause, do not delay jobs of GitHub Actions.
func looksOf(i store.Investigation, key string) head {
	h := headOf(i)
	h.others = key == ""
	return h
}

// heads is what this process remembers of heads whose CI it has looked at, to ask GitHub less.
type heads struct {
	mu   sync.Mutex
	seen map[head]seen
}

type seen struct {
	author int64
	looks  int       // because of deliveries after the first one
	vain   int       // those that found nothing red; they count up to mostVain
	last   time.Time // when it was looked at
}

const (
	mostDoublings = 8              // of the wait, from ten seconds to 43 minutes
	mostVain      = 3              // of them after looks that found nothing red, to 80 seconds
	mostHeads     = 10_000         // that are remembered
	longSeen      = 24 * time.Hour // after a look, its head counts as new
)

// again is how long to wait before CI is looked at because of another delivery; 0: now, and other
// jobs wait. After each look that read something, the wait doubles.
func (h *heads) again(of head, now time.Time, look time.Duration) (stay time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.at(of, now)
	if !x.last.IsZero() {
		stay = x.last.Add(look << min(x.looks+x.vain, mostDoublings)).Sub(now)
	}
	if stay <= 0 {
		x.last = now
		h.seen[of] = x
	}
	return max(0, stay)
}

// saw remembers whose head it is, and that its CI is being looked at.
func (h *heads) saw(of head, author int64, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.at(of, now)
	x.author, x.last = author, now
	h.seen[of] = x
}

// read counts a look because of a delivery after the first one, and returns how many there were.
func (h *heads) read(of head, now time.Time) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.at(of, now)
	x.looks++
	h.seen[of] = x
	return x.looks
}

// nothing counts a look because of a delivery after the first one, after which nothing was read:
// what is red belongs to another pull request with this head.
func (h *heads) nothing(of head, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.at(of, now)
	x.vain = min(x.vain+1, mostVain)
	h.seen[of] = x
}

// at is what counts of a head. It makes room if the head is a new one.
func (h *heads) at(of head, now time.Time) seen {
	x, known := h.seen[of]
	if !known && len(h.seen) >= mostHeads {
		h.forget(now)
	}
	if now.Sub(x.last) > longSeen {
		return seen{author: x.author}
	}
	return x
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
	x := h.seen[of]
	if of.others = true; x.author == 0 {
		x = h.seen[of]
	}
	return x.author, x.author != 0
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

// errNoLook ends a job without an error: what it is about was read, or an older job that waits will
// read it.
var errNoLook = errors.New("there is nothing more to look at")

// later reports whether a job is about a delivery after the first one of its investigation. The error
// is errNoLook if it needs no look at CI.
func (s *Service) later(ctx context.Context, i store.Investigation, a collectArgs) (bool, error) {
	if i.State != store.Collecting {
		return true, nil
	}
	if a.ofJob() { // one that runs already may have asked GitHub before
		waiting, err := s.waitingBefore(ctx, a)
		if err != nil || slices.ContainsFunc(waiting, willLookAtJobs) {
			return true, cmp.Or(err, errNoLook)
		}
	}
	return s.olderJob(ctx, a)
}

// wasRead reports whether what a delivery is about was read for an investigation, or left out.
func (s *Service) wasRead(ctx context.Context, i store.Investigation, key string) (bool, error) {
	var known struct { // of the evidence, which can be long
		Read []string `json:"read"`
	}
	err := s.store.View(ctx, func(tx *store.Tx) error { return ignoreMissing(tx.Evidence(i.ID, &known)) })
	return slices.Contains(known.Read, key), err
}

// waitingBefore are the older jobs of the investigation that wait.
func (s *Service) waitingBefore(ctx context.Context, a collectArgs) ([]store.Waiting, error) {
	return store.Read(ctx, s.store, func(tx *store.Tx) ([]store.Waiting, error) { return tx.WaitingBefore(a.Kind(), a.job, a.ID) })
}

// olderJob reports whether the queue has an older job of the investigation.
func (s *Service) olderJob(ctx context.Context, a collectArgs) (bool, error) {
	return store.Read(ctx, s.store, func(tx *store.Tx) (bool, error) { return tx.QueuedBefore(a.Kind(), a.job, a.ID) })
}

// lookAgain makes a job about a later delivery wait for its look at CI.
func (s *Service) lookAgain(ctx context.Context, i store.Investigation, a collectArgs) error {
	if stay := s.heads.again(looksOf(i, a.Key), s.now(), s.o.Pace.Look); stay > 0 {
		return s.oneComesBack(ctx, a, laterError{stay, "CI was looked at a short time ago"})
	}
	return nil
}

// oneComesBack is how jobs about later deliveries wait. Of those that look at the same, the oldest
// one comes back and looks, whatever was read meanwhile; the others end. A job without a key looks
// at more, and can wait for longer.
func (s *Service) oneComesBack(ctx context.Context, a collectArgs, later laterError) error {
	older, err := s.waitingBefore(ctx, a)
	if err != nil {
		return err
	}
	if !a.Again && len(older) > 0 {
		older = older[1:] // it is about the first delivery
	}
	for _, w := range older {
		var b collectArgs
		if json.Unmarshal(w.Args, &b) == nil && (b.Key == "") == (a.Key == "") && b.looks(w.Ran) && (a.Again || !b.Again && !b.ofJob()) {
			return errNoLook
		}
	}
	return later
}

// ofJob reports whether the delivery is about a job of GitHub Actions.
func (a collectArgs) ofJob() bool { return strings.HasPrefix(a.Key, "job/") }

// looks reports whether the job looks at CI whatever is read before it runs: it ran before, and others
// may have ended because it will look. The job that opened the investigation has nothing to look at
// once somebody else has read for it, unless it is about a red job or run.
func (a collectArgs) looks(ran bool) bool { return ran && (a.Later || a.Again || a.Key != "") }

// willLook reports whether a job that waits will look in any case.
func willLook(w store.Waiting) bool {
	var a collectArgs
	return json.Unmarshal(w.Args, &a) == nil && a.looks(w.Ran)
}

// willLookAtJobs reports whether it will look because of GitHub Actions. One because of another CI
// system can wait for much longer.
func willLookAtJobs(w store.Waiting) bool {
	var a collectArgs
	return json.Unmarshal(w.Args, &a) == nil && a.Key != "" && a.looks(w.Ran)
}
