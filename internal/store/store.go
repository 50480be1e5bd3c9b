// Package store keeps the data that must survive the process: deliveries, installations, the heads
// of pull requests, investigations and their reports, writes to GitHub, and the durable queue
// (River).
//
// The database is one file of SQLite, or PostgreSQL for several replicas. Both have the same
// migrations, statements and conformance tests. Invariants: a delivery and its job are committed
// together or not at all. An investigation changes its state only as states.go allows, and has at
// most one holder of its lease. A write to GitHub is claimed by its key before it is done.
// Everything that was acknowledged survives a crash at any moment.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
)

// Options are for Open. The zero value is valid.
type Options struct {
	// Now is the clock; nil: time.Now.
	Now func() time.Time
	// Log receives the messages of the queue; nil: none.
	Log *zap.Logger
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	db      backend
	now     func() time.Time
	log     *slog.Logger
	batcher *batcher
}

// backend is the part that differs between the databases.
type backend interface {
	// write runs f in a transaction and commits it if f returns nil.
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

// Open opens the database and applies new migrations. The place is a file for SQLite, or a
// postgres:// URL.
func Open(ctx context.Context, place string, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	log := slog.New(slog.DiscardHandler) // River takes no other kind of logger
	if o.Log != nil {
		log = slog.New(zapslog.NewHandler(o.Log.Core(), zapslog.WithName("queue"), zapslog.AddStacktraceAt(slog.LevelError+100)))
	}
	db, err := connect(ctx, place, log)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, now: o.Now, log: log}
	if err := s.prepare(ctx); err != nil {
		db.close()
		return nil, err
	}
	s.batcher = newBatcher(s)
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
		return nil, fmt.Errorf("odfix has no database %s://: give a file for SQLite, or a postgres:// URL", scheme)
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

// Close waits for writes in progress and closes the database. Stop the workers of Work before.
func (s *Store) Close() {
	s.batcher.close()
	s.db.close()
}

// Ping returns an error unless the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.ping(ctx) }

// Name is "sqlite" or "postgres".
func (s *Store) Name() string { return s.db.name() }

// Tx is one transaction. The operations of this package are its methods, so the caller decides
// which of them are committed together.
type Tx struct {
	ctx      context.Context
	db       session
	jobs     insertJobs
	time     time.Time // the transaction's now
	postgres bool
}

// Do runs f in a transaction that writes. The database can ask for a repetition, so f can be called
// several times and must have no other effects.
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

// Read is the result of f in a transaction that only reads.
func Read[T any](ctx context.Context, s *Store, f func(*Tx) (T, error)) (out T, err error) {
	err = s.View(ctx, func(tx *Tx) (err error) {
		out, err = f(tx)
		return err
	})
	return out, err
}

// Enqueue adds jobs to the queue. They exist if and only if the transaction is committed.
func (tx *Tx) Enqueue(jobs ...river.InsertManyParams) error {
	if len(jobs) == 0 {
		return nil
	}
	if tx.jobs == nil {
		return errors.New("store: Enqueue in a transaction that only reads")
	}
	return tx.jobs(tx.ctx, jobs)
}

// ErrNotFound means that there is no such row.
var ErrNotFound = errors.New("not in the database")
