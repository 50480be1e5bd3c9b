package investigate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/verdict"
)

// publish posts how an investigation ended: on its check run, and on the pull request if a person
// can act on it.
func (s *Service) publish(ctx context.Context, a publishArgs) error {
	i, err := s.investigation(ctx, a.ID)
	if err != nil {
		return ignoreMissing(err)
	}
	return s.inTurn(ctx, i.Installation, i.Repository, func() error { return s.publishOne(ctx, i, a.Again) })
}

func (s *Service) publishOne(ctx context.Context, i store.Investigation, again bool) error {
	if i.State == store.Reporting {
		return s.report(ctx, i)
	}
	at, err := s.targetOf(ctx, i)
	if err != nil || !i.State.Ended() || i.State == store.Done {
		return err
	}
	if !again {
		s.observe(i, nil)
	}
	c := s.signed(endedCheck(i))
	c.Buttons = buttons
	return s.conclude(ctx, at, i, c, i.State == store.Failed || i.State == store.Expired)
}

func (s *Service) observe(i store.Investigation, r *job.Report) {
	if s.o.Observe == nil {
		return
	}
	e := Ended{State: i.State, Took: s.now().Sub(i.Created)}
	if r != nil {
		for _, t := range r.Tests {
			e.Verdicts = append(e.Verdicts, string(t.Verdict))
		}
		e.Seconds = maps.Clone(r.Cost.Seconds)
		if e.Seconds == nil {
			e.Seconds = map[string]float64{}
		}
		e.Seconds["before"] = max(0, r.Started.Sub(i.Created).Seconds())
		e.Seconds["after"] = max(0, s.now().Sub(r.Started).Seconds()-r.Cost.Total)
	}
	s.o.Observe(e)
}

// report posts a report, unless the pull request has another head: the report is about its commit
// alone.
func (s *Service) report(ctx context.Context, i store.Investigation) error {
	if stay := s.planning.full(i.Installation, s.now(), s.o.Pace.Look); stay > 0 {
		return laterError{stay, whyUnplanned} // before GitHub is asked
	}
	at, p, cfg, err := s.current(ctx, i)
	if err != nil || p == nil {
		return err
	}
	var r *job.Report
	var ev evidence
	err = s.store.View(ctx, func(tx *store.Tx) error {
		var err error
		if r, err = tx.Report(i.ID); err != nil {
			return err
		}
		return tx.Evidence(i.ID, &ev)
	})
	if err != nil {
		return err
	}
	if !ev.Confirmed {
		accept.Unconfirmed(r)
	}
	err = s.post(ctx, at, i, p, cfg.Config, r, ev)
	if errors.Is(err, pull.ErrMoved) {
		return laterError{why: err.Error()} // the next attempt finds that the investigation has ended
	}
	if err != nil {
		return err
	}
	err = s.store.Do(ctx, func(tx *store.Tx) error {
		i, err = tx.Move(i.ID, store.Change{To: store.Done, From: store.Reporting})
		return err
	})
	if errors.Is(err, store.ErrState) {
		return nil // a newer push has its own investigation
	}
	if err == nil {
		s.observe(i, r)
		s.log.Info("investigation reported", zap.String("investigation", i.ID), zap.Duration("took", s.now().Sub(i.Created)))
	}
	return err
}

const kindComment = "comment"

// post posts the comments, and then completes the check run, which links to them.
func (s *Service) post(ctx context.Context, at target, i store.Investigation, p *github.Pull, cfg config.Config, r *job.Report,
	ev evidence) error {
	t := pull.Publication{Place: at.place(), Pull: p, HeadSHA: i.HeadSHA, Tested: ev.Tested, Report: r, Config: cfg,
		Log: s.log.With(zap.String("investigation", i.ID)), Once: s.commentOnce(at, i, cfg),
		HelpURL: s.o.HelpURL, Notes: ev.Notes, Commands: true, Reading: s.planned(at.inst), Plans: s.plans}
	id, err := s.postedID(ctx, i, checkKey(i))
	if err == nil && id != 0 {
		var c github.CheckNow
		c, err = at.client.ReadCheck(ctx, at.repo, id)
		t.CheckURL = c.URL
	}
	if err != nil {
		return err
	}
	said, err := t.Post(ctx)
	if err != nil {
		return err
	}
	c := pull.CheckOf(said)
	c.Buttons = buttons
	return s.conclude(ctx, at, i, c, true)
}

// commentOnce writes a comment once, if the repository's comments of the last day are not used up.
func (s *Service) commentOnce(at target, i store.Investigation, cfg config.Config) pull.Once {
	return func(ctx context.Context, m verdict.Marker, find, write func() (int64, error)) (int64, error) {
		key := fmt.Sprintf("comment/%d/%d/%s", i.Repository, i.PullRequest, m.Fingerprint())
		return s.once(ctx, posting{at: at, pull: i.PullRequest, kind: kindComment, key: key, sought: true}, find, func() (int64, error) {
			if full, err := s.commentsUsed(ctx, i.Repository, cfg); err != nil || full {
				return 0, errors.Join(err, pull.ErrEnough)
			}
			return write()
		})
	}
}

// commentsUsed reports whether the repository's comments of the last day are used up. The claim
// that is being made counts.
func (s *Service) commentsUsed(ctx context.Context, repository int64, cfg config.Config) (bool, error) {
	n, err := store.Read(ctx, s.store, func(tx *store.Tx) (int64, error) {
		return tx.CountPosted(repository, kindComment, s.now().Add(-24*time.Hour))
	})
	return n > int64(cfg.Comments.MaxPerDay), err
}
