package investigate

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
)

// progress shows on the check what the runner is doing.
type progress struct {
	r     *running
	mu    sync.Mutex
	last  job.Event
	fresh chan struct{}
}

func newProgress(r *running) *progress {
	return &progress{r: r, fresh: make(chan struct{}, 1), last: job.Event{Phase: "fetch"}}
}

// event takes one from the runner, whose texts are anybody's.
func (p *progress) event(e job.Event) {
	p.mu.Lock()
	p.last = e
	p.mu.Unlock()
	select {
	case p.fresh <- struct{}{}:
	default:
	}
}

// show updates the check, at most once in a while, until the context ends. Where
// that fails the investigation goes on: what counts is the end.
func (p *progress) show(ctx context.Context) {
	s := p.r.s
	id, err := s.postedID(ctx, p.r.i, checkKey(p.r.i))
	if err != nil || id == 0 {
		return
	}
	for {
		p.mu.Lock()
		e := p.last
		p.mu.Unlock()
		c := github.Check{ExternalID: p.r.i.ID, Status: "in_progress", Title: phaseTitle(e), Summary: progressText(p.r.ev, e)}
		if err := p.r.at.client.UpdateCheck(ctx, p.r.at.repo, id, c); err != nil && ctx.Err() == nil {
			s.log.Debug("the check is not updated", zap.String("investigation", p.r.i.ID), zap.Error(err))
		}
		if !pause(ctx, s.o.Pace.Progress) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-p.fresh:
		}
	}
}

// pause waits; false when the context ended.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

var phases = map[string]string{
	"fetch": "Fetching the sources", job.PhaseBuild: "Building the project", job.PhaseDiscover: "Listing the tests", job.PhaseDiagnose: "Running tests in other orders",
	job.PhaseRepair: "Looking for a patch", job.PhaseProve: "Proving a patch", job.PhaseReproduce: "Looking for a command that shows the failure",
}

func phaseTitle(e job.Event) string {
	title := phases[e.Phase]
	if title == "" {
		title = "At work"
	}
	switch {
	case e.Done > 0 && e.Total > e.Done:
		title += fmt.Sprintf(" (%d of about %d runs)", e.Done, e.Total)
	case e.Done > 0:
		title += " (" + counted(e.Done, "run") + ")"
	}
	return title
}

func newName() string { return rand.Text()[:10] }
