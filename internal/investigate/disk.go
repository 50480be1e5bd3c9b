package investigate

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/odfix/odfix/internal/config"
)

// Logs and artifacts that are on disk at once, each of up to maxLog, so that the disk's use has a
// bound. Each commit that is read has one. Sources need no places, since only the runners' jobs hold
// them.
const (
	filesAtOnce  = 8
	commitsOfOne = 3 // commits of one installation whose logs are read at once
)

// authorOf is an author of pull requests in an installation. One author leaves a place to others.
type authorOf struct{ installation, author int64 }

// gatherInTurn is gather, if the installation may read another commit's logs now. It does not wait
// for that, since logs can take long, and the places for jobs are few.
func (s *Service) gatherInTurn(ctx context.Context, at target, author int64, headSHA string, runs ciRuns, cfg config.CI) (
	ev evidence, whole bool, err error) {
	done, stay := s.authors.enter(authorOf{at.inst, author}, s.now(), s.o.Pace.Look)
	if done == nil {
		return ev, false, laterError{stay, whyUnread}
	}
	defer done()
	leave, stay := s.reading.enter(at.inst, s.now(), s.o.Pace.Look)
	if leave == nil {
		return ev, false, laterError{stay, whyUnread}
	}
	defer leave()
	return s.gather(ctx, at, headSHA, runs, cfg)
}

const whyUnread = "logs of other commits of the installation are being read"

// onDisk calls a function as soon as there is a place for its file, which it removes. They
// are given in the order of the calls.
func (g *gathering) onDisk(ctx context.Context, do func() error) error {
	if err := g.disk.Acquire(ctx, 1); err != nil {
		return err
	}
	defer g.disk.Release(1)
	return do()
}

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
		return errSlow
	}
	return err
}
