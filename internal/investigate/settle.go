package investigate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/verdict"
)

// mayBeSettled reports whether the commit is the head of a pull request that has comments of odfix.
// Only then green CI matters.
func mayBeSettled(tx *store.Tx, repository int64, headSHA string) (bool, error) {
	pulls, err := tx.PullRequestsAt(repository, headSHA)
	for _, p := range pulls {
		list, err := tx.PostedOn(repository, p.Number)
		if err != nil {
			return false, err
		}
		for _, x := range list {
			if x.Kind == kindComment {
				return true, nil
			}
		}
	}
	return false, err
}

// green settles the comments on the pull requests with this head, if all of CI is green.
func (s *Service) green(ctx context.Context, at target, headSHA string) error {
	pulls, err := store.Read(ctx, s.store, func(tx *store.Tx) ([]store.PullRequest, error) {
		return tx.PullRequestsAt(at.repo.ID, headSHA)
	})
	if err != nil || len(pulls) == 0 {
		return err
	}
	ci, err := pull.ReadCI(ctx, at.place(), headSHA)
	if err != nil {
		return err
	}
	for _, p := range pulls {
		if !ci.Green(p.HeadRepository) {
			continue
		}
		// If CI failed on this very commit before, another order made it green, not a fix.
		found, err := s.foundOn(ctx, p)
		if err != nil {
			return err
		}
		if found {
			continue
		}
		if err := s.settle(ctx, at, p); err != nil {
			return err
		}
	}
	return nil
}

// foundOn reports whether an investigation of this head found an order-dependent test.
func (s *Service) foundOn(ctx context.Context, p store.PullRequest) (found bool, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		list, err := tx.Investigations(p.Repository, p.Number)
		for _, i := range list {
			if i.HeadSHA != p.HeadSHA || i.State != store.Done {
				continue
			}
			r, err := tx.Report(i.ID)
			if err != nil {
				return err
			}
			found = found || slices.ContainsFunc(r.Tests, func(t job.TestReport) bool { return t.Verdict.OrderDependent() })
		}
		return err
	})
	return found, err
}

// settle marks every comment of odfix on the pull request as settled, and creates a check run on
// the new head that says so.
func (s *Service) settle(ctx context.Context, at target, p store.PullRequest) error {
	settled, err := pull.Settle(ctx, at.place(), p.Number, p.HeadSHA, s.o.HelpURL)
	if errors.Is(err, pull.ErrMoved) {
		return nil // the new head's CI decides
	}
	if err != nil || settled == 0 {
		return err
	}
	s.log.Info("comments are settled", zap.Int64("repository", p.Repository), zap.Int64("pull", p.Number), zap.Int("comments", settled))
	check := s.signed(pull.CheckOf(verdict.Green(p.HeadSHA)))
	check.HeadSHA, check.Status, check.ExternalID = p.HeadSHA, "completed", "settled-"+p.HeadSHA[:12]
	write := posting{at: at, pull: p.Number, kind: "settled", key: fmt.Sprintf("settled/%d/%d/%s", p.Repository, p.Number, p.HeadSHA)}
	_, err = s.checkOnce(ctx, write, check)
	if github.Forbidden(err) {
		return nil
	}
	return err
}
