package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// postgres is the database for several replicas.
type postgres struct {
	pool   *pgxpool.Pool
	driver *riverpgxv5.Driver
	client *river.Client[pgx.Tx]
	log    *slog.Logger
}

func openPostgres(ctx context.Context, place string, log *slog.Logger) (*postgres, error) {
	c, err := pgxpool.ParseConfig(place)
	if err != nil {
		// The message of pgx has no password; so the address is shown without it, too.
		return nil, fmt.Errorf("%s is not a PostgreSQL URL: %w", withoutPassword(place), err)
	}
	c.ConnConfig.ConnectTimeout = cmp.Or(c.ConnConfig.ConnectTimeout, 10*time.Second)
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, err
	}
	b := &postgres{pool: pool, driver: riverpgxv5.New(pool), log: log}
	if b.client, err = river.NewClient(b.driver, &river.Config{Logger: log}); err != nil {
		pool.Close()
		return nil, err
	}
	return b, nil
}

func withoutPassword(place string) string {
	u, err := url.Parse(place)
	if err != nil {
		return "the address"
	}
	return u.Redacted()
}

func (b *postgres) name() string { return "postgres" }

func (b *postgres) ping(ctx context.Context) error { return b.pool.Ping(ctx) }

func (b *postgres) close() { b.pool.Close() }

// tries is how often a transaction is tried when PostgreSQL aborts it because of a deadlock or a
// conflict.
const tries = 5

func (b *postgres) write(ctx context.Context, f func(session, insertJobs) error) error {
	for n := 1; ; n++ {
		err := pgx.BeginFunc(ctx, b.pool, func(tx pgx.Tx) error {
			return f(pgSession{tx}, func(ctx context.Context, jobs []river.InsertManyParams) error {
				_, err := b.client.InsertManyFastTx(ctx, tx, jobs)
				return err
			})
		})
		if !again(err) || n == tries || ctx.Err() != nil {
			return err
		}
	}
}

// again reports whether a transaction was rolled back because of another one (serialization
// failure, deadlock).
func again(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

func (b *postgres) read(ctx context.Context, f func(session) error) error {
	o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, b.pool, o, func(tx pgx.Tx) error { return f(pgSession{tx}) })
}

// migrate makes the queue's tables. River does not lock, so replicas that start together take turns
// here.
func (b *postgres) migrate(ctx context.Context) error {
	m, err := rivermigrate.New(b.driver, &rivermigrate.Config{Logger: quiet(b.log)})
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, b.pool, func(turn pgx.Tx) error {
		if _, err := turn.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, migrationLock); err != nil {
			return err
		}
		_, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil)
		return err
	})
}

func (b *postgres) work(_ context.Context, c *river.Config) (worker, error) {
	return river.NewClient(b.driver, c)
}

// pgSession is a transaction of pgx.
type pgSession struct{ tx pgx.Tx }

func (s pgSession) exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := s.tx.Exec(ctx, query, args...)
	return tag.RowsAffected(), err
}

func (s pgSession) query(ctx context.Context, query string, args ...any) (rows, error) {
	r, err := s.tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgRows{r}, nil
}

type pgRows struct{ pgx.Rows }

// Close implements rows.
func (r pgRows) Close() error {
	r.Rows.Close()
	return nil
}
