package investigate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/store"
)

// Intake stores deliveries with the job that handles them.
type Intake struct{ Store *store.Store }

var _ github.DeliveryStore = Intake{}

// Receive implements github.DeliveryStore.
func (d Intake) Receive(ctx context.Context, x github.Delivery) (bool, error) {
	content, err := json.Marshal(x.Event)
	if err != nil {
		return false, err
	}
	return d.Store.Receive(ctx, store.Arrival{
		GUID: x.GUID, Event: x.Event.Name, Content: content, Digest: x.Digest,
		Installation: x.Event.Installation, Repository: x.Event.Repository.ID,
		Job: store.Job(github.DeliveryArgs{GUID: x.GUID}, &river.InsertOpts{MaxAttempts: 25}),
	})
}

// Next gets each delivery in the transaction that handles it, and the investigations that the
// delivery ended.
type Next func(tx *store.Tx, guid string, e *github.Event, ended []store.Investigation) error

// Deliveries is the worker that handles stored deliveries: it keeps the indexes of installations,
// repositories and pull requests.
type Deliveries struct {
	river.WorkerDefaults[github.DeliveryArgs]
	store *store.Store
	log   *zap.Logger
	next  Next
}

// NewDeliveries makes the worker. Next may be nil.
func NewDeliveries(s *store.Store, log *zap.Logger, next Next) *Deliveries {
	if next == nil {
		next = func(*store.Tx, string, *github.Event, []store.Investigation) error { return nil }
	}
	return &Deliveries{store: s, log: log, next: next}
}

// Timeout implements river.Worker.
func (d *Deliveries) Timeout(*river.Job[github.DeliveryArgs]) time.Duration { return time.Minute }

// Work implements river.Worker. The same delivery can be handled again.
func (d *Deliveries) Work(ctx context.Context, j *river.Job[github.DeliveryArgs]) error {
	return queueable(d.store.Do(ctx, func(tx *store.Tx) error {
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
		ended, err := d.note(tx, &e)
		if err != nil {
			return err
		}
		if err := d.next(tx, j.Args.GUID, &e, ended); err != nil {
			return err
		}
		_, err = tx.Handled(j.Args.GUID)
		return err
	}))
}

// note updates the indexes. It can be repeated, and deliveries can come in any order.
func (d *Deliveries) note(tx *store.Tx, e *github.Event) ([]store.Investigation, error) {
	if removed, err := tx.InstallationRemoved(e.Installation); err != nil || removed {
		return nil, err // the event is late: nothing of the installation is stored again
	}
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
		return nil, tx.ForgetConfig(e.Repository.ID, e.Repository.FullName)
	}
	return nil, nil
}

func (d *Deliveries) pullRequest(tx *store.Tx, e *github.Event) ([]store.Investigation, error) {
	p := e.PullRequest
	ended, err := tx.SavePullRequest(store.PullRequest{
		Repository: e.Repository.ID, Number: p.Number, HeadSHA: p.HeadSHA, HeadRepository: p.HeadRepository,
		HeadRef: p.HeadRef, BaseRef: p.BaseRef, Open: p.Open, Updated: p.Updated,
	})
	for _, i := range ended {
		d.log.Info("a delivery ended an investigation", zap.String("investigation", i.ID), zap.String("state", string(i.State)))
	}
	return ended, err
}

func installed(tx *store.Tx, e *github.Event) error {
	i := e.Installed
	err := tx.SaveInstallation(store.Installation{
		ID: e.Installation, AccountID: i.AccountID, Account: i.Account, Permissions: i.Permissions,
		Suspended: i.Suspended, Removed: i.Removed, Updated: i.Updated,
	})
	for _, r := range i.Added {
		err = errors.Join(err, tx.SaveRepository(store.Repository{ID: r.ID, Installation: e.Installation, FullName: r.FullName}))
	}
	for _, r := range i.Gone {
		err = errors.Join(err, tx.RemoveRepository(e.Installation, r.ID))
	}
	return err
}
