package investigate

import (
	"context"
	"errors"
	"maps"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/accept"
	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// publish posts how an investigation ended: on its check run, and on the pull request if a person
// can act on it.
func (s *Service) publish(ctx context.Context, a publishArgs) error {
	i, err := s.investigation(ctx, a.ID)
	if err != nil {
		return ignoreMissing(err)
	}
	return s.inTurn(i.Installation, func() error { return s.publishOne(ctx, i, a.Again) })
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
	c := endedCheck(i)
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
	t := publication{s: s, at: at, i: i, pull: p, cfg: cfg.Config, report: r, ev: ev}
	err = t.postAll(ctx)
	if errors.Is(err, errMoved) {
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

// publication is a report that is being posted.
type publication struct {
	s      *Service
	at     target
	i      store.Investigation
	pull   *github.Pull
	cfg    config.Config
	report *job.Report
	ev     evidence
}
