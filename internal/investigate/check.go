package investigate

import (
	"context"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/internal/verdict"
)

const kindCheck = "check"

func checkKey(i store.Investigation) string { return "check/" + i.ID }

// check creates the investigation's check run, or finds the existing one.
func (s *Service) check(ctx context.Context, at target, i store.Investigation, c github.Check) (int64, error) {
	c.HeadSHA, c.ExternalID = i.HeadSHA, i.ID
	return s.checkOnce(ctx, posting{at: at, pull: i.PullRequest, kind: kindCheck, key: checkKey(i)}, c)
}

// conclude completes the check run of an investigation. If there is no check run, it creates one
// only if evenNew is set.
func (s *Service) conclude(ctx context.Context, at target, i store.Investigation, c github.Check, evenNew bool) error {
	c.HeadSHA, c.ExternalID, c.Status = i.HeadSHA, i.ID, "completed"
	row, begun, err := s.posted(ctx, i, checkKey(i))
	id := row.RemoteID
	if err == nil && id == 0 && begun { // the process that created it may have died before GitHub answered
		id, err = at.client.FindCheck(ctx, at.repo, i.HeadSHA, i.ID)
	}
	if err != nil || id == 0 && !evenNew {
		return err
	}
	if id == 0 {
		if id, err = s.check(ctx, at, i, c); err != nil {
			return err
		}
	}
	err = at.client.UpdateCheck(ctx, at.repo, id, c)
	if github.Forbidden(err) {
		return nil // the permission was removed since
	}
	return err
}

// queuedCheck is the check run of an investigation that waits for a runner.
func queuedCheck(ev evidence) github.Check {
	c := pull.CheckOf(verdict.Waiting(ev.Tests))
	c.Status = "queued"
	for _, n := range ev.Notes {
		c.Summary += "\n" + noteLine(n)
	}
	return c
}
