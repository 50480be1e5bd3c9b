package investigate

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pause"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/verdict"
)

// progress shows the runner's progress on the check run.
type progress struct {
	r     *running
	mu    sync.Mutex
	last  job.Event
	fresh chan struct{}
}

func newProgress(r *running) *progress {
	return &progress{r: r, fresh: make(chan struct{}, 1), last: job.Event{Message: "fetching the sources"}}
}

// event takes an event of the runner. Its texts are foreign input.
func (p *progress) event(e job.Event) {
	if !accept.Phase(e.Phase) {
		return
	}
	p.mu.Lock()
	p.last = e
	p.mu.Unlock()
	select {
	case p.fresh <- struct{}{}:
	default:
	}
}

// slowest bounds the time between two updates, in Pace.Progress.
const slowest = 6

// show updates the check run now and then until the context ends: each time after twice the time,
// so that long investigations do not use up GitHub's limits. A failed update does not stop the
// investigation.
func (p *progress) show(ctx context.Context) {
	s := p.r.s
	id, err := s.postedID(ctx, p.r.i, checkKey(p.r.i))
	if err != nil || id == 0 {
		return
	}
	begun := s.now()
	for wait := s.o.Pace.Progress; ; wait = min(2*wait, slowest*s.o.Pace.Progress) {
		if _, err := p.r.renew(ctx); err != nil {
			return
		}
		p.mu.Lock()
		e := p.last
		p.mu.Unlock()
		if err := p.update(ctx, id, verdict.Progress(e, s.now().Sub(begun).Seconds())); err != nil {
			s.log.Debug("the check is not updated", zap.String("investigation", p.r.i.ID), zap.Error(err))
		}
		if !pause.For(ctx, wait) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-p.fresh:
		}
	}
}

// updateTime bounds one update.
const updateTime = 15 * time.Second

// update updates the check run. It is not cut off when the job ends: GitHub could still apply it
// after the check run is completed, which would reopen it.
func (p *progress) update(ctx context.Context, id int64, v verdict.Check) error {
	if ctx.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), updateTime)
	defer cancel()
	c := p.r.s.signed(pull.CheckOf(v))
	c.ExternalID, c.Status = p.r.i.ID, "in_progress"
	return p.r.at.client.UpdateCheck(minor(ctx), p.r.at.repo, id, c)
}

// renew renews the lease, if this process has it. If another process took it, that process has
// completed the check run, and an update would reopen it.
func (r *running) renew(ctx context.Context) (i store.Investigation, err error) {
	err = r.s.store.Do(ctx, func(tx *store.Tx) (err error) {
		i, err = tx.Heartbeat(r.i.ID, r.holder)
		return err
	})
	return i, err
}

func newName() string { return strings.ToLower(rand.Text()[:10]) }
