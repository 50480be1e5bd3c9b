package investigate

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
	"github.com/odfix/odfix/templates"
)

// commandPollution is the request to repeat the search for pollution. GitHub's "Re-run" button
// makes it. It cannot occur in a comment, because it contains a space.
const commandPollution = github.PollutionName

// pollutionAgain repeats the search on the current head. The person who asks can write to the
// repository, so that the code of any fork may run. The result is always posted, since somebody
// waits for it.
func (s *Service) pollutionAgain(ctx context.Context, w request) error {
	p, err := w.at.client.Pull(ctx, w.at.repo, w.pull)
	if errors.Is(err, github.ErrGone) || err == nil && (!p.Open || w.head != p.HeadSHA) {
		return nil
	}
	if err != nil {
		return err
	}
	row, err := s.learn(ctx, w.at, p)
	if err != nil {
		return err
	}
	cfg, err := s.config(ctx, w.at, p.BaseRef)
	if err != nil {
		return err
	}
	here := push{Installation: w.at.inst, Repository: w.at.repo.ID, FullName: w.at.repo.Owner + "/" + w.at.repo.Name,
		Pull: w.pull, Head: p.HeadSHA, Again: w.when.UnixMicro()}
	switch {
	case len(cfg.Problems) > 0:
		return s.badConfig(ctx, w.at, row, cfg)
	case !cfg.Config.Enabled || !cfg.Config.Pollution.Annotate:
		return s.postCheck(ctx, here, github.Check{Conclusion: "neutral", Title: "New polluters are not looked for any more",
			Summary: "The configuration on the base branch does not ask for it: `pollution: {annotate: true}` in `" +
				config.FileName + "` does."})
	}
	full := false
	err = s.store.Do(ctx, func(tx *store.Tx) (err error) {
		if asked, err := s.askedSince(tx, here); err != nil || asked {
			return err
		}
		if full, err = s.used(tx, here.Repository, cfg.Config); err != nil || full {
			return err
		}
		return s.enlist(tx, here, cfg.Config)
	})
	if err != nil || !full {
		return err
	}
	return s.postCheck(ctx, here, github.Check{Conclusion: "neutral", Title: "The search was not repeated",
		Summary: "The day's investigations of this repository are used up (`budgets.investigations-per-day`). Ask again tomorrow."})
}

// pollutionWithAll repeats the search if all check runs of a commit are requested again and it has
// one of pollution.
func (s *Service) pollutionWithAll(ctx context.Context, w request, e *github.Event) error {
	if e.Name != "check_suite" {
		return nil
	}
	rows, err := s.postedOn(ctx, w.at.repo.ID, w.pull)
	marked := slices.ContainsFunc(rows, func(r store.Posted) bool {
		return r.Kind == kindPollutionCheck &&
			strings.HasPrefix(r.Key, push{Repository: w.at.repo.ID, Pull: w.pull, Head: w.head}.key("pollution"))
	})
	if err != nil || !marked {
		return err
	}
	return s.pollutionAgain(ctx, w)
}

// askedSince reports whether a search began after the request. It answers the request, too: the
// request was handled before, or a second person asked for the same.
func (s *Service) askedSince(tx *store.Tx, here push) (bool, error) {
	rows, err := tx.PostedOn(here.Repository, here.Pull)
	first := here
	first.Again = 0
	for _, r := range rows {
		if r.Kind == kindPollution && strings.HasPrefix(r.Key, first.key("pollution-run")) && r.Claimed.UnixMicro() >= here.Again {
			return true, err
		}
	}
	return false, err
}

// unknownPolluters is the check run of a search that failed.
func unknownPolluters(err error, late bool) github.Check {
	c := github.Check{Conclusion: "neutral", Title: "It is not known what the tests leave changed", Summary: "The search did not finish."}
	var said *job.Error
	switch {
	case late:
		c.Summary = "`budgets.job-minutes` were not enough for it."
	case errors.As(err, &said):
		c.Summary = templates.Prose(said.Message) + "\n\n" + templates.Prose(said.Hint)
	}
	return c
}
