package investigate

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
)

// authorOf is an author of pull requests in an installation. One author leaves a place to others.
type authorOf struct{ installation, author int64 }

// gatherInTurn is gather, if another commit's logs of the installation may be read now. It does
// not wait for that, since logs can take long, and the places for jobs are few.
func (s *Service) gatherInTurn(ctx context.Context, at target, p *github.Pull, runs ciRuns, cfg config.CI) (
	ev evidence, whole bool, err error) {
	done, stay := s.authors.enter(authorOf{at.inst, p.Author.ID}, s.now(), s.o.Pace.Look)
	if done == nil {
		return ev, false, laterError{stay, whyUnread}
	}
	defer done()
	leave, stay := s.reading.enter(at.inst, s.now(), s.o.Pace.Look)
	if leave == nil {
		return ev, false, laterError{stay, whyUnread}
	}
	defer leave()
	return s.gather(ctx, at, p, runs, cfg)
}

const whyUnread = "logs of other commits are being read"

// errSlow is for a download beyond the time for all downloads.
var errSlow = errors.New("downloading the logs and reports takes too long")

// download writes a file within what is left of the time for all downloads.
func (g *gathering) download(ctx context.Context, name string, write func(context.Context, *os.File) error) error {
	if g.loading <= 0 || g.left <= 0 { // it could not be read
		return errSlow
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	within, cancel := context.WithTimeoutCause(ctx, g.loading, errSlow)
	defer cancel()
	began := time.Now()
	err = errors.Join(write(within, f), f.Close())
	g.loading -= time.Since(began)
	if err != nil && errors.Is(context.Cause(within), errSlow) {
		g.loading = 0 // its timeout began a moment before the measured time
		return errSlow
	}
	return err
}
