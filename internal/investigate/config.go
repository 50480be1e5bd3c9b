package investigate

import (
	"context"
	"errors"
	"fmt"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// config is the configuration of a repository: its files on the base branch, which a pull request
// cannot change, and the organisation's file.
func (s *Service) config(ctx context.Context, at target, base string) (config.Resolved, error) {
	var sources []config.Source
	organisation := github.Repo{Owner: at.repo.Owner, Name: ".github"} // only its name is known
	for _, p := range []struct {
		where config.Where
		repo  github.Repo
		ref   string
		file  string
	}{
		{config.Repository, at.repo, base, ""},
		{config.Misnamed, at.repo, base, ""},
		{config.GitHubFolder, at.repo, base, ""},
		{config.Organisation, organisation, "HEAD", fmt.Sprintf("%s/.github:%s", at.repo.Owner, config.FileName)},
	} {
		if p.where == config.Misnamed && len(sources) > 0 {
			continue // the file with the right name is there, too
		}
		f, err := s.configFile(ctx, at, p.repo, p.ref, p.where)
		if err != nil {
			return config.Resolved{}, err
		}
		if f.Found {
			sources = append(sources, config.Source{Where: p.where, File: p.file, Text: f.Content})
		}
	}
	r := config.Resolve(sources...)
	r.Config.Budgets.Cap(s.o.MostJobMinutes)
	return r, nil
}

// configFile reads a file, from the database while its copy is fresh. A push that changes the file
// ends that, also for a read that began before the push.
func (s *Service) configFile(ctx context.Context, at target, from github.Repo, ref string, where config.Where) (store.ConfigFile, error) {
	place := fmt.Sprintf("%s/%s:%s:%s", from.Owner, from.Name, ref, where.PathIn())
	was, err := store.Read(ctx, s.store, func(tx *store.Tx) (store.ConfigFile, error) { return tx.Config(at.repo.ID, place) })
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return was, err
	}
	if err == nil && s.now().Sub(was.Fetched) < s.o.Pace.Config {
		return was, nil
	}
	if err != nil {
		if err = s.store.Do(ctx, func(tx *store.Tx) error { return tx.AwaitConfig(at.repo.ID, place) }); err != nil {
			return was, err
		}
	}
	read := at.client.SmallFile
	if where == config.Organisation {
		read = at.client.OrganisationFile
	}
	now, err := read(ctx, at.repo, ref, where.PathIn(), was.ETag)
	if err != nil {
		return was, fmt.Errorf("configuration %s: %w", place, err)
	}
	if !now.Unchanged {
		was.ETag, was.Found, was.Content = now.ETag, now.Found, now.Text
	}
	was.Repository, was.Path = at.repo.ID, place
	return was, s.store.Do(ctx, func(tx *store.Tx) error { return tx.SaveConfig(was) })
}

// badConfig creates a check run with the configuration's mistakes, once for each head. It has no
// annotations: they would mark lines of the head, and the mistakes are in the base branch.
func (s *Service) badConfig(ctx context.Context, at target, p store.PullRequest, cfg config.Resolved) error {
	check := github.Check{
		HeadSHA: p.HeadSHA, ExternalID: "config-" + p.HeadSHA[:12], Status: "completed", Conclusion: "neutral",
		Title: "The configuration has to be fixed first", Summary: badConfigText(p.BaseRef, cfg.Problems),
	}
	write := posting{at: at, pull: p.Number, kind: "config", key: fmt.Sprintf("config/%d/%d/%s", p.Repository, p.Number, p.HeadSHA)}
	_, err := s.checkOnce(ctx, write, s.signed(check))
	if github.Forbidden(err) {
		return nil // without the permission there is no check run
	}
	return err
}
