package ledger

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// letters of outcomes in the database.
var letters = []struct {
	outcome suite.Outcome
	letter  byte
}{{suite.Pass, 'p'}, {suite.Fail, 'f'}, {suite.Skip, 's'}, {suite.Flaky, 'y'}, {suite.Unresolved, '?'}}

// rest has the fields that few runs have.
type rest struct {
	Failures map[int]*suite.Failure `json:"failures,omitempty"` // by position
	Crash    *suite.Crash           `json:"crash,omitempty"`
	Output   string                 `json:"output,omitempty"` // of crashed runs
}

// Recall returns the next stored run of this order that was not returned since opening, or nil.
// lone asks for a run during which no other process ran.
func (l *Ledger) Recall(ctx context.Context, o suite.Order, lone bool) (*suite.Run, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.old == 0 {
		return nil, nil
	}
	key := keyOf(o)
	q := "SELECT seq, tests, outcomes, nanos, rest FROM runs WHERE asked = ? AND lone >= ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT 1"
	var seq int
	var tests, outcomes []byte
	var nanos int64
	var text string
	err := l.db.QueryRowContext(ctx, q, key, lone, l.given[string(key)], l.old).Scan(&seq, &tests, &outcomes, &nanos, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	run, err := l.decode(tests, outcomes, text)
	if err != nil {
		return nil, fmt.Errorf("the ledger is damaged at run %d: %w", seq, err)
	}
	run.Nanos = nanos
	if !slices.Equal(run.Order, o) {
		return nil, fmt.Errorf("the ledger is damaged at run %d: it has another order", seq)
	}
	l.given[string(key)] = seq
	l.reused++
	return run, nil
}

// Record stores a run.
func (l *Ledger) Record(ctx context.Context, run *suite.Run, lone bool) error {
	text, err := json.Marshal(restOf(run))
	if err != nil {
		return err
	}
	outcomes := make([]byte, len(run.Order))
	for i := range run.Order {
		outcomes[i] = letter(run.At(i).Outcome)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return plain(err)
	}
	defer func() { _ = tx.Rollback() }()
	before := len(l.ids)
	tests, err := l.encode(ctx, tx, run.Order)
	if err == nil {
		_, err = tx.ExecContext(ctx, "INSERT INTO runs (asked, lone, tests, outcomes, nanos, rest) VALUES (?, ?, ?, ?, ?, ?)",
			keyOf(run.Order), lone, tests, outcomes, run.Nanos, string(text))
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		for _, t := range l.ids[before:] {
			delete(l.numbers, t)
		}
		l.ids = l.ids[:before]
	}
	return plain(err)
}

func restOf(run *suite.Run) rest {
	r := rest{Crash: run.Crash}
	if run.Crash != nil {
		r.Output = run.Output
	}
	for i := range run.Order {
		if f := run.At(i).Failure; f != nil {
			if r.Failures == nil {
				r.Failures = map[int]*suite.Failure{}
			}
			r.Failures[i] = f
		}
	}
	return r
}

func letter(o suite.Outcome) byte {
	for _, l := range letters {
		if l.outcome == o {
			return l.letter
		}
	}
	return '?'
}

// encode turns an order into numbers. New tests get numbers in the same transaction.
func (l *Ledger) encode(ctx context.Context, tx *sql.Tx, o suite.Order) ([]byte, error) {
	out := make([]byte, 0, 2*len(o))
	for _, t := range o {
		n, known := l.numbers[t]
		if !known {
			n = len(l.ids)
			if _, err := tx.ExecContext(ctx, "INSERT INTO tests VALUES (?, ?)", n, string(t)); err != nil {
				return nil, err
			}
			l.numbers[t] = n
			l.ids = append(l.ids, t)
		}
		out = binary.AppendUvarint(out, uint64(n))
	}
	return out, nil
}

// decode checks everything, since the file can have been changed.
func (l *Ledger) decode(tests, outcomes []byte, text string) (*suite.Run, error) {
	var r rest
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, err
	}
	run := &suite.Run{Price: suite.Fresh, Crash: r.Crash, Output: r.Output}
	for i := 0; len(tests) > 0; i++ {
		n, k := binary.Uvarint(tests)
		if k <= 0 || n >= uint64(len(l.ids)) || i >= len(outcomes) {
			return nil, errors.New("the order cannot be read")
		}
		tests = tests[k:]
		res := suite.Result{Test: l.ids[n], Position: i, Outcome: suite.Unresolved, Failure: r.Failures[i]}
		for _, x := range letters {
			if x.letter == outcomes[i] {
				res.Outcome = x.outcome
			}
		}
		run.Order = append(run.Order, res.Test)
		run.Results = append(run.Results, res)
	}
	return run, nil
}
