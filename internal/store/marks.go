package store

import (
	"errors"
	"time"
)

// Mark returns up to which time something was read; the zero time: it was never read.
func (tx *Tx) Mark(name string) (time.Time, error) {
	n, err := one(tx, scanInt, `SELECT until FROM mark WHERE name = $1`, name)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return fromMicros(n), err
}

// SetMark records up to which time something was read. A mark never goes back.
func (tx *Tx) SetMark(name string, until time.Time) error {
	_, err := tx.exec(`INSERT INTO mark (name, until) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET until = excluded.until WHERE excluded.until > mark.until`, name, micros(until))
	return err
}
