package investigate

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
)

// GitHub delivers a webhook once, so deliveries get lost. At the start and at intervals, odfix asks
// for those that it missed. As GitHub keeps them for three days, odfix also checks all open pull
// requests.
type (
	redeliverArgs struct{} // ask for missed deliveries
	sweepArgs     struct{} // begin a sweep
	sweepOneArgs  struct { // sweep an installation
		Installation int64 `json:"installation"`
	}
)

func (redeliverArgs) Kind() string { return "redeliver" }
func (sweepArgs) Kind() string     { return "sweep" }
func (sweepOneArgs) Kind() string  { return "sweep-installation" }

// kept is how long GitHub keeps deliveries, less some time for clocks.
const kept = 71 * time.Hour

// mostAgain bounds how many deliveries are asked for at once.
const mostAgain = 500

// redeliver asks GitHub for the deliveries that odfix missed.
func (s *Service) redeliver(ctx context.Context, _ redeliverArgs) error {
	missed, err := s.app.Missed(ctx, s.now().Add(-kept))
	if err != nil {
		return err
	}
	for n, id := range missed[:min(len(missed), mostAgain)] {
		if err := s.app.Redeliver(ctx, id); err != nil {
			if github.Unprocessable(err) || errors.Is(err, github.ErrGone) {
				continue // too old by now
			}
			s.log.Info("missed deliveries are asked for", zap.Int("so far", n))
			return err
		}
	}
	if len(missed) > 0 {
		s.log.Info("missed deliveries are asked for", zap.Int("count", len(missed)))
	}
	return nil
}

// sweep queues a job for every installation.
func (s *Service) sweep(ctx context.Context, _ sweepArgs) error {
	list, err := s.app.Installations(ctx)
	if err != nil {
		return err
	}
	err = s.store.Do(ctx, func(tx *store.Tx) error {
		for _, i := range list {
			known := store.Installation{ID: i.ID, AccountID: i.AccountID, Account: i.Account, Permissions: i.Permissions,
				Suspended: i.Suspended, Updated: i.Updated}
			if err := tx.SaveInstallation(known); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var jobs []river.InsertManyParams
	for _, i := range list {
		if i.Suspended || s.permit(ctx, i.ID, 0) != nil {
			continue // jobs of a paused installation would pile up
		}
		jobs = append(jobs, s.in(sweepOneArgs{i.ID}, 0))
	}
	return s.store.Do(ctx, func(tx *store.Tx) error { return tx.Enqueue(jobs...) })
}

// sweepOne updates the index of an installation, and opens investigations of red heads that have
// none.
func (s *Service) sweepOne(ctx context.Context, a sweepOneArgs) error {
	return s.inTurn(ctx, a.Installation, 0, func() error { return s.sweepAll(ctx, a.Installation) })
}

func (s *Service) sweepAll(ctx context.Context, installation int64) error {
	repos, err := s.app.For(installation).Repositories(ctx)
	if err != nil {
		return err
	}
	for _, r := range repos {
		at := target{s.app.For(installation), r, installation}
		save := store.Repository{ID: r.ID, Installation: installation, FullName: r.Owner + "/" + r.Name}
		if err := s.store.Do(ctx, func(tx *store.Tx) error { return tx.SaveRepository(save) }); err != nil {
			return err
		}
		if stopped(s.permit(ctx, installation, r.ID)) {
			continue
		}
		if err := s.sweepRepository(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// recent is how long after its last change a pull request is swept.
const recent = 14 * 24 * time.Hour

func (s *Service) sweepRepository(ctx context.Context, at target) error {
	pulls, err := at.client.OpenPulls(ctx, at.repo)
	if err != nil {
		return err
	}
	for _, p := range pulls {
		pr, err := s.learn(ctx, at, p)
		if err != nil {
			return err
		}
		if s.now().Sub(p.Updated) > recent {
			continue
		}
		looked, err := s.lookedAt(ctx, pr)
		if err != nil {
			return err
		}
		if looked {
			continue
		}
		if err := s.sweepHead(ctx, at, pr); err != nil {
			return err
		}
	}
	return s.closeGone(ctx, at, pulls)
}

// sweepHead handles a head without an investigation. If CI is red, it opens one. If CI is green, it
// settles comments about older heads.
func (s *Service) sweepHead(ctx context.Context, at target, p store.PullRequest) error {
	red, err := isRed(ctx, at, p.HeadSHA)
	if err != nil {
		return err
	}
	if red {
		return s.open(ctx, at, p)
	}
	said, err := store.Read(ctx, s.store, func(tx *store.Tx) (bool, error) { return mayBeSettled(tx, p.Repository, p.HeadSHA) })
	if err != nil || !said {
		return err
	}
	return s.green(ctx, at, p.HeadSHA)
}

// isRed reports whether a workflow failed, or a check run of another CI system.
func isRed(ctx context.Context, at target, headSHA string) (bool, error) {
	runs, err := at.client.Runs(ctx, at.repo, headSHA)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(pull.NewestRuns(runs), func(r github.Run) bool { return r.Completed() && github.Red(r.Conclusion) }) {
		return true, nil
	}
	checks, err := at.client.RedChecks(ctx, at.repo, headSHA)
	return len(checks) > 0, err
}

// lookedAt reports whether this head has an investigation.
func (s *Service) lookedAt(ctx context.Context, p store.PullRequest) (bool, error) {
	list, err := s.investigations(ctx, p.Repository, p.Number)
	return slices.ContainsFunc(list, func(i store.Investigation) bool { return i.HeadSHA == p.HeadSHA }), err
}

// closeGone updates pull requests that are open in the index and that GitHub does not list as open.
func (s *Service) closeGone(ctx context.Context, at target, open []github.Pull) error {
	listed := map[int64]bool{}
	for _, p := range open {
		listed[p.Number] = true
	}
	known, err := store.Read(ctx, s.store, func(tx *store.Tx) ([]store.PullRequest, error) { return tx.OpenPullRequests(at.repo.ID) })
	for _, k := range known {
		if listed[k.Number] || err != nil {
			continue
		}
		var p github.Pull
		if p, err = at.client.Pull(ctx, at.repo, k.Number); errors.Is(err, github.ErrGone) {
			err = nil
			continue
		}
		if err == nil {
			_, err = s.learn(ctx, at, p)
		}
	}
	return err
}
