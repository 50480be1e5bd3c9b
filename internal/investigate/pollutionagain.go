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

// wordPollution is the wish to look again at what tests leave changed. GitHub's "Re-run" stands for
// it; nobody can write it, since no word has a space.
const wordPollution = github.PollutionName

// pollutionAgain looks at the head of now once more. Whoever asks can write to the repository, so
// that the code of a stranger's fork may run. What comes of it is said whatever it is: somebody
// waits.
func (s *Service) pollutionAgain(ctx context.Context, w wish) error {
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
	here := push{Installation: w.at.inst, Repository: w.at.repo.ID, FullName: w.at.repo.Owner + "/" + w.at.repo.Name, Pull: w.pull, Head: p.HeadSHA, Again: w.when.UnixMicro()}
	switch {
	case len(cfg.Problems) > 0:
		return s.badConfig(ctx, w.at, row, cfg)
	case !cfg.Config.Enabled || !cfg.Config.Pollution.Annotate:
		return s.says(ctx, here, github.Check{Conclusion: "neutral", Title: "New polluters are not looked for any more",
			Summary: "The configuration on the base branch does not ask for it: `pollution: {annotate: true}` in `" + config.FileName + "` does."})
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
	return s.says(ctx, here, github.Check{Conclusion: "neutral", Title: "It was not looked into again",
		Summary: "The day's investigations of this repository are used up (`budgets.investigations-per-day`). Ask again tomorrow."})
}

// pollutionWithAll: who asks for all checks of a commit asks for this one, too, where there is one.
func (s *Service) pollutionWithAll(ctx context.Context, w wish, e *github.Event) error {
	if e.Name != "check_suite" {
		return nil
	}
	marked := false
	err := s.store.View(ctx, func(tx *store.Tx) error {
		rows, err := tx.PostedOn(w.at.repo.ID, w.pull)
		marked = slices.ContainsFunc(rows, func(r store.Posted) bool {
			return r.Kind == kindPollutionCheck && strings.HasPrefix(r.Key, push{Repository: w.at.repo.ID, Pull: w.pull, Head: w.head}.key("pollution"))
		})
		return err
	})
	if err != nil || !marked {
		return err
	}
	return s.pollutionAgain(ctx, w)
}

// askedSince: a look that was begun after the wish answers it, too: it is the same wish again, or a
// second person's.
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

// unknownPolluters says why nothing is known, to whoever asked.
func unknownPolluters(err error, late bool) github.Check {
	c := github.Check{Conclusion: "neutral", Title: "Nothing is known of what the tests leave changed", Summary: "The look did not come to its end."}
	var said *job.Error
	switch {
	case late:
		c.Summary = "`budgets.job-minutes` were not enough for it."
	case errors.As(err, &said):
		c.Summary = templates.Prose(said.Message) + "\n\n" + templates.Prose(said.Hint)
	}
	return c
}
