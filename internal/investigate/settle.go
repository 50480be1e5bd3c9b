package investigate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
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
	if ok, err := allGreen(ctx, at, headSHA); err != nil || !ok {
		return err
	}
	for _, p := range pulls {
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

// allGreen reports whether all of CI has ended on this commit without a failure, and with a
// success.
func allGreen(ctx context.Context, at target, headSHA string) (bool, error) {
	runs, err := at.client.Runs(ctx, at.repo, headSHA)
	if err != nil {
		return false, err
	}
	good := false
	for _, r := range newestFirst(runs) {
		if !r.Completed() || github.Red(r.Conclusion) {
			return false, nil
		}
		good = good || r.Conclusion == "success"
	}
	others, err := at.client.Others(ctx, at.repo, headSHA)
	return (good || others.Green > 0) && others.Red+others.Waiting == 0, err
}

// settle marks every comment of odfix on the pull request as settled, and creates a check run on
// the new head that says so.
func (s *Service) settle(ctx context.Context, at target, p store.PullRequest) error {
	there, err := ownCommentsOn(ctx, at, p.Number)
	if err != nil {
		return err
	}
	settled := 0
	for _, c := range there.first {
		if c.marker.Settled {
			continue
		}
		if err := stillAt(ctx, at, p.Number, p.HeadSHA); errors.Is(err, errMoved) {
			return nil // the new head's CI decides
		} else if err != nil {
			return err
		}
		if err := rewrite(ctx, at, c, verdict.Settled(c.marker, verdict.Green, p.HeadSHA)); err != nil {
			return err
		}
		if err := dropParts(ctx, at, c.marker, there); err != nil {
			return err
		}
		settled++
	}
	if settled == 0 {
		return nil
	}
	s.log.Info("comments are settled", zap.Int64("repository", p.Repository), zap.Int64("pull", p.Number), zap.Int("comments", settled))
	check := checkOf(verdict.CauseGone(verdict.Green, p.HeadSHA))
	check.HeadSHA, check.Status, check.ExternalID = p.HeadSHA, "completed", "settled-"+p.HeadSHA[:12]
	write := posting{at: at, pull: p.Number, kind: "settled", key: fmt.Sprintf("settled/%d/%d/%s", p.Repository, p.Number, p.HeadSHA)}
	_, err = s.checkOnce(ctx, write, check)
	if github.Forbidden(err) {
		return nil
	}
	return err
}

// stillAt is errMoved where the pull request is closed or has another head.
func stillAt(ctx context.Context, at target, pull int64, headSHA string) error {
	p, err := at.client.Pull(ctx, at.repo, pull)
	if errors.Is(err, github.ErrGone) || err == nil && (p.HeadSHA != headSHA || !p.Open) {
		return errMoved
	}
	return err
}
