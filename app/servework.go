package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// work says what is done with what was stored.
func (s *server) work() store.Work {
	d := &deliveries{store: s.store, log: s.log.Named("delivery"), next: func(*store.Tx, string, *github.Event, []store.Investigation) error { return nil }}
	out := store.Work{Workers: river.NewWorkers(), Queues: map[string]int{river.QueueDefault: s.o.deliveryTasks}}
	river.AddWorker(out.Workers, d)
	if s.path != nil {
		d.next = s.path.Delivered
		s.path.Register(out.Workers)
		maps.Copy(out.Queues, s.path.Queues())
		out.Periodic = s.path.Periodic()
	}
	return out
}

// deliveries handles what was stored: it keeps the indexes of installations,
// repositories and pull requests.
type deliveries struct {
	river.WorkerDefaults[github.DeliveryArgs]
	store *store.Store
	log   *zap.Logger
	// next gets each in the same transaction, and of the investigations that it ended.
	next func(tx *store.Tx, guid string, e *github.Event, left []store.Investigation) error
}

// Timeout implements river.Worker.
func (d *deliveries) Timeout(*river.Job[github.DeliveryArgs]) time.Duration { return time.Minute }

// Work implements river.Worker. It may be called again for what it did already.
func (d *deliveries) Work(ctx context.Context, j *river.Job[github.DeliveryArgs]) error {
	return d.store.Do(ctx, func(tx *store.Tx) error {
		stored, err := tx.Delivery(j.Args.GUID)
		if errors.Is(err, store.ErrNotFound) {
			return river.JobCancel(fmt.Errorf("delivery %s is not in the database", j.Args.GUID))
		}
		if err != nil {
			return err
		}
		var e github.Event
		if err := json.Unmarshal(stored.Content, &e); err != nil {
			return river.JobCancel(fmt.Errorf("delivery %s cannot be read: %w", j.Args.GUID, err))
		}
		left, err := d.note(tx, &e)
		if err != nil {
			return err
		}
		if err := d.next(tx, j.Args.GUID, &e, left); err != nil {
			return err
		}
		_, err = tx.Handled(j.Args.GUID)
		return err
	})
}

// note brings the indexes up to date. Everything in it can be done twice, and in any order.
func (d *deliveries) note(tx *store.Tx, e *github.Event) ([]store.Investigation, error) {
	if e.Repository.ID != 0 {
		r := store.Repository{ID: e.Repository.ID, Installation: e.Installation, FullName: e.Repository.FullName}
		if err := tx.SaveRepository(r); err != nil {
			return nil, err
		}
	}
	switch {
	case e.PullRequest != nil:
		return d.pullRequest(tx, e)
	case e.Installed != nil:
		return nil, installed(tx, e)
	case e.Push != nil:
		return nil, tx.ForgetConfig(e.Repository.ID)
	}
	return nil, nil
}

func (d *deliveries) pullRequest(tx *store.Tx, e *github.Event) ([]store.Investigation, error) {
	p := e.PullRequest
	left, err := tx.SavePullRequest(store.PullRequest{
		Repository: e.Repository.ID, Number: p.Number, HeadSHA: p.HeadSHA, HeadRepository: p.HeadRepository,
		HeadRef: p.HeadRef, BaseRef: p.BaseRef, Open: p.Open, Updated: p.Updated,
	})
	for _, i := range left {
		d.log.Info("investigation left", zap.String("investigation", i.ID), zap.String("state", string(i.State)))
	}
	return left, err
}

func installed(tx *store.Tx, e *github.Event) error {
	i := e.Installed
	err := tx.SaveInstallation(store.Installation{
		ID: e.Installation, Account: i.Account, Permissions: i.Permissions, Suspended: i.Suspended, Removed: i.Removed, Updated: i.Updated,
	})
	for _, r := range i.Added {
		err = errors.Join(err, tx.SaveRepository(store.Repository{ID: r.ID, Installation: e.Installation, FullName: r.FullName}))
	}
	for _, r := range i.Gone {
		err = errors.Join(err, tx.SaveRepository(store.Repository{ID: r.ID, Installation: e.Installation, FullName: r.FullName, Removed: true}))
	}
	return err
}
