// Package store keeps what must outlive the process: deliveries, installations,
// which commit is the head of which pull request, investigations and their
// reports, what was written to GitHub, and the durable queue (River).
//
// One file of SQLite, or PostgreSQL when there are several replicas: the same
// migrations, the same statements, and one conformance suite. Invariants:
// a delivery and its job are committed together or not at all; an investigation
// changes state only along the arrows in states.go, and only one holder at a time
// has its lease; a write to GitHub is claimed by its key before it is done.
// Whatever was acknowledged survives the death of the process at any moment.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/riverqueue/river"
)

// Options are for Open; all of them may be left out.
type Options struct {
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Log hears of what the queue has to say; nil: nobody does.
	Log *slog.Logger
}

// Store is an open database. Its methods may be called from any goroutine.
type Store struct {
	db   backend
	now  func() time.Time
	log  *slog.Logger
	desk *desk
}

// backend is what differs between databases.
type backend interface {
	// write runs f in a transaction that is committed if f returns nil.
	write(ctx context.Context, f func(session, insertJobs) error) error
	// read runs f on one snapshot.
	read(ctx context.Context, f func(session) error) error
	migrate(ctx context.Context) error
	work(ctx context.Context, c *river.Config) (worker, error)
	ping(ctx context.Context) error
	close()
	name() string
}

// insertJobs adds jobs to the queue within a transaction.
type insertJobs func(context.Context, []river.InsertManyParams) error

// Open opens the database and brings its tables up to date. The place is a file
// for SQLite, or a postgres:// URL.
func Open(ctx context.Context, place string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	db, err := connect(ctx, place, o.Log)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, now: o.Now, log: o.Log}
	if err := s.prepare(ctx); err != nil {
		db.close()
		return nil, err
	}
	s.desk = newDesk(s)
	return s, nil
}

func connect(ctx context.Context, place string, log *slog.Logger) (backend, error) {
	switch {
	case place == "":
		return nil, errors.New("no database is named: give a file for SQLite, or a postgres:// URL")
	case strings.HasPrefix(place, "postgres://"), strings.HasPrefix(place, "postgresql://"):
		return openPostgres(ctx, place, log)
	case strings.Contains(place, "://"):
		scheme, _, _ := strings.Cut(place, "://")
		return nil, fmt.Errorf("a database cannot be %s://: give a file for SQLite, or a postgres:// URL", scheme)
	}
	return openSQLite(place, log)
}

func (s *Store) prepare(ctx context.Context) error {
	if err := s.db.ping(ctx); err != nil {
		return fmt.Errorf("the database does not answer: %w", err)
	}
	if err := s.db.migrate(ctx); err != nil {
		return fmt.Errorf("the queue's tables cannot be made: %w", err)
	}
	return s.migrate(ctx)
}

// Close waits for what is being written and closes the database. What Work
// started must be stopped before.
func (s *Store) Close() {
	s.desk.close()
	s.db.close()
}

// Ping says whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.ping(ctx) }

// Name is "sqlite" or "postgres".
func (s *Store) Name() string { return s.db.name() }

// Tx is one transaction. Every operation of this package is a method of it, so
// that callers decide what happens together.
type Tx struct {
	ctx      context.Context
	db       session
	jobs     insertJobs
	time     time.Time // the transaction's now
	postgres bool
}

// Do runs f in a transaction that writes: all of it happens, or nothing. f can
// be called again when the database asks for that, so it must not act outside.
func (s *Store) Do(ctx context.Context, f func(*Tx) error) error {
	return s.db.write(ctx, func(db session, jobs insertJobs) error {
		return f(&Tx{ctx, db, jobs, s.now(), s.Name() == "postgres"})
	})
}

// View runs f in a transaction that only reads.
func (s *Store) View(ctx context.Context, f func(*Tx) error) error {
	return s.db.read(ctx, func(db session) error {
		return f(&Tx{ctx, db, nil, s.now(), s.Name() == "postgres"})
	})
}

// Enqueue adds jobs that exist if and only if the transaction is committed.
func (tx *Tx) Enqueue(jobs ...river.InsertManyParams) error {
	if len(jobs) == 0 {
		return nil
	}
	if tx.jobs == nil {
		return errors.New("store: Enqueue in a transaction that only reads")
	}
	return tx.jobs(tx.ctx, jobs)
}

// ErrNotFound: there is no such row.
var ErrNotFound = errors.New("not in the database")
