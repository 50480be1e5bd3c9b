package investigate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// The code of a person who has not contributed before runs only after a maintainer has approved its
// commit. An approval is for one commit: what is pushed later was not seen by the maintainer.

// commandRun is the request that approves a commit: a comment, a button or a label.
const commandRun = "run"

// held ends an investigation that may not run: its author's limit is used up, or a maintainer has
// to approve the commit, and the check says so. Otherwise it returns false.
func (s *Service) held(ctx context.Context, at target, i store.Investigation, p *github.Pull, ev *evidence) (bool, error) {
	cfg, err := s.ofDefaultBranch(ctx, at, p)
	if err != nil {
		return true, err
	}
	waits, err := s.unapproved(ctx, at, p, cfg.Approval)
	if err != nil {
		return true, err
	}
	if waits {
		return true, s.wait(ctx, at, i, p, *ev, cfg.Approval)
	}
	if needsApproval(at, p, cfg.Approval) {
		// The person has approved this commit. A merge that only CI's log names may hold other code.
		ev.Merged = ""
	}
	n, err := store.Read(ctx, s.store, func(tx *store.Tx) (int64, error) {
		return tx.CountOfAuthor(i.Repository, p.Author.ID, s.now().AddDate(0, 0, -1))
	})
	switch {
	case err != nil:
		return true, err
	case n >= int64(cfg.Budgets.AuthorPerDay):
		return true, s.end(ctx, i, store.Cancelled, "its author has had as many investigations today as the configuration allows for one author")
	}
	return false, nil
}

// unapproved reports whether the head's code needs an approval that it does not have.
func (s *Service) unapproved(ctx context.Context, at target, p *github.Pull, cfg config.Approval) (bool, error) {
	if !needsApproval(at, p, cfg) {
		return false, nil
	}
	approved, err := store.Read(ctx, s.store, func(tx *store.Tx) (bool, error) { return tx.Approved(at.repo.ID, p.Number, p.HeadSHA) })
	return !approved, err
}

// ofDefaultBranch is the configuration of the default branch. The author of a pull request chooses
// its base branch, and so must not be able to choose whose code runs. A file with mistakes weakens
// nothing: every fork then needs an approval.
func (s *Service) ofDefaultBranch(ctx context.Context, at target, p *github.Pull) (config.Config, error) {
	r, err := s.config(ctx, at, p.DefaultBranch)
	if len(r.Problems) > 0 {
		r.Config.Approval.When = config.Always
	}
	return r.Config, err
}

// needsApproval reports whether the code may only run after an approval. Who pushes to a branch of
// the repository itself can write to it.
func needsApproval(at target, p *github.Pull, cfg config.Approval) bool {
	return p.HeadRepository != at.repo.ID && !trusted(p.Author.Association, p.Author.ID, p.HeadOwner) &&
		(cfg.When == config.Always || cfg.When == config.InPublic && !p.Private)
}

// wait posts that the commit has to be approved, and ends the investigation. It does not count for
// any limit.
func (s *Service) wait(ctx context.Context, at target, i store.Investigation, p *github.Pull, ev evidence, cfg config.Approval) error {
	check := s.signed(waitingCheck(p, ev, cfg))
	check.HeadSHA, check.Status, check.ExternalID = i.HeadSHA, "completed", fmt.Sprintf("approval-%d-%s", i.PullRequest, i.HeadSHA[:12])
	write := posting{at: at, pull: i.PullRequest, kind: "approval", key: approvalKey(i.Repository, i.PullRequest, i.HeadSHA)}
	if _, err := s.checkOnce(ctx, write, check); err != nil && !github.Forbidden(err) {
		return err
	}
	return s.end(ctx, i, store.Cancelled, "a maintainer has not approved that this commit's code runs")
}

func approvalKey(repository, pull int64, head string) string {
	return fmt.Sprintf("approval/%d/%d/%s", repository, pull, head)
}

// asksToRun reports whether the event is a request. A label is one only if it has the name that the
// default branch's configuration gives.
func (s *Service) asksToRun(ctx context.Context, w request, e *github.Event) (bool, error) {
	if e.PullRequest == nil {
		return true, nil
	}
	cfg, err := s.config(ctx, w.at, "HEAD")
	return e.PullRequest.Open && e.PullRequest.Label == string(cfg.Config.Approval.Label), err
}

// approve lets the head's code run. The person who asks can write to the repository. A comment must
// name the commit: whoever pushes while the maintainer types, or brings back an older commit, cannot
// use it. A button and a label say which commit they are about.
func (s *Service) approve(ctx context.Context, w request) error {
	p, err := w.at.client.Pull(ctx, w.at.repo, w.pull)
	if errors.Is(err, github.ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	if w.comment != 0 {
		w.head = strings.ToLower(strings.TrimSpace(w.rest))
	}
	switch {
	case !p.Open || w.comment == 0 && w.head != p.HeadSHA:
		return w.react(ctx, "confused")
	case w.head != p.HeadSHA:
		return s.answer(ctx, w, "Nothing runs yet: an approval names the commit. "+toApprove(p.HeadSHA))
	}
	waited := false
	err = s.store.Do(ctx, func(tx *store.Tx) (err error) {
		if waited, err = tx.HasPosted(approvalKey(w.at.repo.ID, w.pull, p.HeadSHA)); err != nil {
			return err
		}
		return tx.Approve(store.Approval{Repository: w.at.repo.ID, PullRequest: w.pull, HeadSHA: p.HeadSHA, By: w.by})
	})
	if err != nil {
		return err
	}
	s.log.Info("a commit is approved", zap.Int64("repository", w.at.repo.ID), zap.Int64("pull", w.pull), zap.String("head", p.HeadSHA),
		zap.String("by", w.by))
	if w.comment == 0 && !waited {
		return nil // a label; the investigation begins when CI is red
	}
	return s.retry(ctx, w)
}

// toApprove says how to approve the head.
func toApprove(head string) string {
	return "Look at the newest commit, and then comment\n\n```\n" + approval(head) + "\n```\n"
}

// approval is the comment that approves a commit.
func approval(head string) string { return "/odfix " + commandRun + " " + head }
