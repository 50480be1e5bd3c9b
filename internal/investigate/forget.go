package investigate

import (
	"cmp"
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// Keep is how long records are kept. Zero fields take those of DefaultKeep.
type Keep struct {
	Reports    time.Duration // from the end of an investigation
	Deliveries time.Duration // more than three days: GitHub can send one again for that long
	Audit      time.Duration
}

// DefaultKeep keeps reports for people who come back to a pull request.
var DefaultKeep = Keep{Reports: 90 * 24 * time.Hour, Deliveries: 14 * 24 * time.Hour, Audit: 365 * 24 * time.Hour}

func (k *Keep) fill() {
	k.Reports = cmp.Or(k.Reports, DefaultKeep.Reports)
	k.Deliveries = cmp.Or(k.Deliveries, DefaultKeep.Deliveries)
	k.Audit = cmp.Or(k.Audit, DefaultKeep.Audit)
}

const (
	keepTasks = 24 * time.Hour // longer than an investigation, which may adopt one
	batch     = 100            // rows that one transaction removes
)

// forget removes older records.
func (s *Service) forget(ctx context.Context, _ forgetArgs) error {
	now := s.now()
	gone, err := s.store.Forget(ctx, store.Ages{Reports: now.Add(-s.o.Keep.Reports), Deliveries: now.Add(-s.o.Keep.Deliveries),
		Tasks: now.Add(-keepTasks), Audit: now.Add(-s.o.Keep.Audit)}, batch)
	if len(gone) == 0 || err != nil {
		return err
	}
	s.log.Info("old records are removed", zap.Any("rows", gone))
	return record(ctx, s.store, store.Audit{Event: store.AuditRemoved, Removed: gone})
}

// eraseArgs is the job that removes what belongs to a removed installation, or to removed
// repositories of one.
type eraseArgs struct {
	Installation int64     `json:"installation"`
	Repositories []int64   `json:"repositories,omitempty"` // empty: all
	Before       time.Time `json:"before"`
}

// Kind is the job's name in the queue.
func (eraseArgs) Kind() string { return "erase" }

// erasing queues the removal of what an event says is removed. It also does so for a late event of an
// installation that was removed before. It reports whether the installation is removed.
func (s *Service) erasing(tx *store.Tx, e *github.Event) (bool, error) {
	a := eraseArgs{Installation: e.Installation, Before: s.now()}
	if e.Installed != nil && !e.Installed.Removed {
		for _, r := range e.Installed.Gone {
			a.Repositories = append(a.Repositories, r.ID)
		}
	}
	removed, err := tx.InstallationRemoved(e.Installation)
	if err != nil || !removed && len(a.Repositories) == 0 {
		return false, err
	}
	if removed {
		a.Repositories = nil
	}
	return removed, tx.Enqueue(s.in(a, 0))
}

// erase removes it, and records that. A repetition goes on where the last one stopped. The event can be
// late, and the repository added again since: then its records stay.
func (s *Service) erase(ctx context.Context, a eraseArgs) error {
	scopes := []store.Scope{{Installation: a.Installation, Before: a.Before}}
	if len(a.Repositories) > 0 {
		scopes = nil
	}
	for _, r := range a.Repositories {
		back, err := s.back(ctx, a.Installation, r)
		if err != nil {
			return err
		}
		if back {
			continue
		}
		scopes = append(scopes, store.Scope{Installation: a.Installation, Repository: r, Before: a.Before})
	}
	for _, scope := range scopes {
		gone, err := s.store.Erase(ctx, scope, batch)
		if err == nil && len(gone) > 0 {
			err = record(ctx, s.store, store.Audit{Event: store.AuditRemoved, Installation: scope.Installation, Repository: scope.Repository, Removed: gone})
		}
		if err != nil {
			return err
		}
		s.log.Info("records of what was removed are removed", zap.Int64("installation", scope.Installation),
			zap.Int64("repository", scope.Repository), zap.Any("rows", gone))
	}
	return nil
}

// back reports whether a repository that was removed is in the installation again.
func (s *Service) back(ctx context.Context, installation, repository int64) (bool, error) {
	back, err := s.app.Reaches(ctx, installation, repository)
	if err != nil || !back {
		return false, err
	}
	s.log.Info("a repository was removed, and is back: its records stay", zap.Int64("installation", installation),
		zap.Int64("repository", repository))
	return true, s.store.Do(ctx, func(tx *store.Tx) error { return tx.RestoreRepository(installation, repository) })
}
