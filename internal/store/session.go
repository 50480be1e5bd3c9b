package store

import (
	"context"
	"time"
)

// session is a transaction of either database. Parameters are $1, $2, … in both.
type session interface {
	exec(ctx context.Context, query string, args ...any) (int64, error)
	query(ctx context.Context, query string, args ...any) (rows, error)
}

// rows are the answer to a query.
type rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// exec runs a statement and returns the number of changed rows.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	return tx.db.exec(tx.ctx, query, args...)
}

// all scans every row of a query.
func all[T any](tx *Tx, scan func(rows) (T, error), query string, args ...any) ([]T, error) {
	return until(tx, scan, func(T) bool { return false }, query, args...)
}

// until scans rows up to the first one that is too many, which is the last of the list.
func until[T any](tx *Tx, scan func(rows) (T, error), tooMany func(T) bool, query string, args ...any) ([]T, error) {
	r, err := tx.db.query(tx.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var out []T
	for r.Next() {
		v, err := scan(r)
		if err != nil {
			return nil, err
		}
		if out = append(out, v); tooMany(v) {
			return out, nil
		}
	}
	return out, r.Err()
}

// one scans the only row, or returns ErrNotFound.
func one[T any](tx *Tx, scan func(rows) (T, error), query string, args ...any) (T, error) {
	list, err := all(tx, scan, query, args...)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		var none T
		return none, err
	}
	return list[0], nil
}

func scanInt(r rows) (n int64, err error) { return n, r.Scan(&n) }

// micros is a time as stored in the database. The zero time is 0.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
