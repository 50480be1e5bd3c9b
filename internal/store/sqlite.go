package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/odfix/odfix/internal/lockfile"
	"github.com/odfix/odfix/internal/pause"
)

// sqlite has one connection for all writes, those of the queue too, so no write polls for a lock.
// Readers have other connections, which see the last commit (WAL).
type sqlite struct {
	file           string
	writer, reader *sql.DB
	client         *river.Client[*sql.Tx]
	driver         *riversqlite.Driver
	log            *slog.Logger
	lock           io.Closer
}

// sqliteSettings. FULL means that an acknowledged commit is on disk.
const sqliteSettings = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&" +
	"_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=cache_size(-16000)"

func openSQLite(file string, log *slog.Logger) (*sqlite, error) {
	file = strings.TrimPrefix(file, "sqlite:")
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	if err := privateFile(path); err != nil {
		return nil, fmt.Errorf("the database file cannot be used: %w", err)
	}
	b := &sqlite{file: path, log: log}
	if b.writer, err = sql.Open(driverName, dataSource(path, "_txlock=immediate")); err != nil {
		return nil, err
	}
	b.writer.SetMaxOpenConns(1)
	if b.reader, err = sql.Open(driverName, dataSource(path, "_pragma=query_only(1)")); err != nil {
		return nil, err
	}
	b.reader.SetMaxOpenConns(4)
	b.driver = riversqlite.New(b.writer)
	b.client, err = river.NewClient(b.driver, &river.Config{Logger: log})
	return b, err
}

// privateFile makes the file, readable only for its owner, if it does not exist.
func privateFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	return errors.Join(err, f.Close())
}

func dataSource(path, more string) string {
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: sqliteSettings + "&" + more}
	if !strings.HasPrefix(u.Path, "/") {
		u.Path = "/" + u.Path // a drive letter
	}
	return u.String()
}

func (b *sqlite) name() string { return "sqlite" }

// ping also makes the first connections. The file changes to WAL with the first one of all processes,
// for which SQLite does not wait: while another process does the same, it says that the file is locked.
func (b *sqlite) ping(ctx context.Context) error {
	for until := time.Now().Add(busyTime); ; {
		err := b.writer.PingContext(ctx)
		if err == nil {
			return b.reader.PingContext(ctx)
		}
		if !strings.Contains(err.Error(), "(SQLITE_BUSY)") || time.Now().After(until) || !pause.For(ctx, 20*time.Millisecond) {
			return err
		}
	}
}

// busyTime is how long to wait for another process's write.
const busyTime = 10 * time.Second

func (b *sqlite) write(ctx context.Context, f func(session, insertJobs) error) error {
	tx, err := b.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	insert := func(ctx context.Context, jobs []river.InsertManyParams) error {
		_, err := b.client.InsertManyFastTx(ctx, tx, jobs)
		return err
	}
	if err := f(sqlSession{tx}, insert); err != nil {
		return err
	}
	return tx.Commit()
}

func (b *sqlite) read(ctx context.Context, f func(session) error) error {
	tx, err := b.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing was written
	return f(sqlSession{tx})
}

// migrate makes the queue's tables. River does not lock, so processes that start together take
// turns here.
func (b *sqlite) migrate(ctx context.Context) error {
	turn, err := b.turn(ctx)
	if err != nil {
		return err
	}
	defer turn.Close()
	m, err := rivermigrate.New(b.driver, &rivermigrate.Config{Logger: quiet(b.log)})
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// turn waits until no other process migrates this file.
func (b *sqlite) turn(ctx context.Context) (io.Closer, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		lock, err := lockfile.Try(b.file + ".migrate")
		if err != nil || lock != nil {
			return lock, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("another odfix migrates %s: %w", b.file, ctx.Err())
		}
	}
}

// work takes the database's lock first. Without it, each of two processes would take the running
// jobs of the other for those of a dead process.
func (b *sqlite) work(ctx context.Context, c *river.Config) (worker, error) {
	lock, err := lockfile.Try(b.file + ".lock")
	if err != nil {
		return nil, fmt.Errorf("the database's lock cannot be taken: %w", err)
	}
	if lock == nil {
		return nil, fmt.Errorf("another odfix uses %s: stop it, or use PostgreSQL for several", b.file)
	}
	if err := b.orphans(ctx); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	client, err := river.NewClient(b.driver, c)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	b.lock = lock
	return client, nil
}

// orphans returns the jobs of a killed process to the queue, but for those that have taken mostDeaths
// processes with them. Because of the lock, no other process works on them.
func (b *sqlite) orphans(ctx context.Context) error {
	alive := deaths(false) + ` < $1`
	_, err := b.writer.ExecContext(ctx, `UPDATE river_job SET max_attempts = max(max_attempts, attempt + 1),
		state = CASE WHEN `+alive+` THEN 'available' ELSE 'discarded' END,
		finalized_at = CASE WHEN `+alive+` THEN NULL ELSE datetime('now', 'subsec') END WHERE state = 'running'`, mostDeaths)
	return err
}

func (b *sqlite) close() {
	b.writer.Close()
	b.reader.Close()
	if b.lock != nil {
		b.lock.Close()
	}
}

// sqlSession is a transaction of database/sql.
type sqlSession struct{ tx *sql.Tx }

func (s sqlSession) exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := s.tx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (s sqlSession) query(ctx context.Context, query string, args ...any) (rows, error) {
	return s.tx.QueryContext(ctx, query, args...)
}
