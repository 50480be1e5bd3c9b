package investigate

import (
	"context"
	"errors"
	"slices"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/pull"
	"github.com/odfix/odfix/internal/store"
)

// posting is a write to GitHub that must happen once.
type posting struct {
	at   target
	pull int64
	kind string
	key  string

	// sought: the caller has just looked for an earlier write on GitHub, and found none.
	sought bool

	holder string // of the claim
}

// once writes to GitHub unless that was done before. It asks the database, and then looks for the
// marker on GitHub, which is there even if the database or GitHub's answer was lost. If the write was
// sought, it looks again only if an earlier holder did not finish.
func (s *Service) once(ctx context.Context, p posting, find, write func() (int64, error)) (int64, error) {
	// A process can try the same write twice, if it was slow and its job was given to it again.
	p.holder = s.me + "/" + newName()
	row := store.Posted{Key: p.key, Repository: p.at.repo.ID, PullRequest: p.pull, Kind: p.kind, Holder: p.holder}
	var claim store.Claim
	err := s.store.Do(ctx, func(tx *store.Tx) (err error) {
		row, claim, err = tx.ClaimPost(row, s.o.Pace.Patience)
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case claim == store.Already:
		return row.RemoteID, nil
	case claim == store.Theirs:
		return 0, laterError{s.o.Pace.Look, "another process is writing " + p.key}
	}
	var id int64
	if claim == store.Taken || !p.sought {
		if id, err = find(); err != nil {
			return 0, s.unclaim(ctx, p, err)
		}
	}
	if id == 0 && s.now().Sub(row.Claimed) > s.o.Pace.Patience/2 {
		// This process was stopped meanwhile, or slow. The claim can expire before the write ends.
		return 0, s.unclaim(ctx, p, laterError{s.o.Pace.Look, "it took long to look for an earlier write of " + p.key})
	}
	if id == 0 {
		if id, err = write(); err != nil {
			return 0, s.refused(ctx, p, err)
		}
	}
	return id, s.store.Do(ctx, func(tx *store.Tx) error { return tx.Posted(p.key, p.holder, id) })
}

// checkOnce creates a check run once.
func (s *Service) checkOnce(ctx context.Context, p posting, c github.Check) (int64, error) {
	return s.once(ctx, p, func() (int64, error) { return p.at.client.FindCheck(ctx, p.at.repo, c.HeadSHA, c.ExternalID) },
		func() (int64, error) { return p.at.client.CreateCheck(ctx, p.at.repo, c) })
}

// refused gives the claim back if nothing can have been written. If GitHub's answer was lost, the
// claim stays until it expires: by then GitHub's lists show what was written.
func (s *Service) refused(ctx context.Context, p posting, because error) error {
	_, limited := github.Until(because, s.now())
	if limited || errors.Is(because, pull.ErrMoved) || errors.Is(because, pull.ErrEnough) || github.Forbidden(because) ||
		github.Unprocessable(because) {
		return s.unclaim(ctx, p, because)
	}
	return because
}

func (s *Service) unclaim(ctx context.Context, p posting, because error) error {
	err := s.store.Do(context.WithoutCancel(ctx), func(tx *store.Tx) error { return tx.Unclaim(p.key, p.holder) })
	return errors.Join(because, err)
}

// posted is the row of a write, if the write was begun. Its RemoteID is 0 if the write was not
// made, or if the process died before GitHub answered.
func (s *Service) posted(ctx context.Context, i store.Investigation, key string) (row store.Posted, begun bool, err error) {
	list, err := s.postedOn(ctx, i.Repository, i.PullRequest)
	if at := slices.IndexFunc(list, func(p store.Posted) bool { return p.Key == key }); at >= 0 {
		return list[at], true, err
	}
	return row, false, err
}

// postedOn reads the writes on a pull request.
func (s *Service) postedOn(ctx context.Context, repository, pull int64) ([]store.Posted, error) {
	return store.Read(ctx, s.store, func(tx *store.Tx) ([]store.Posted, error) { return tx.PostedOn(repository, pull) })
}

// postedID is GitHub's id of a write; 0: it is not known whether the write was made.
func (s *Service) postedID(ctx context.Context, i store.Investigation, key string) (int64, error) {
	row, _, err := s.posted(ctx, i, key)
	return row.RemoteID, err
}
