package ledger

import (
	"context"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// maxHistory is how many earlier searches a ledger remembers.
const maxHistory = 20

// Search is what later searches remember of a search.
type Search struct {
	Started  time.Time      `json:"started"`
	Revision string         `json:"revision,omitempty"`
	Whole    bool           `json:"whole"` // every order ran, for all tests
	Tests    []suite.TestID `json:"tests"` // the order-dependent tests that it found
}

// The values of a ledger that hold the results of searches.
const (
	historyKind = "history"
	earlierName = "earlier"
	currentName = "current"
)

// Remember stores the result of this ledger's search. A later result of the same search replaces it.
func (l *Ledger) Remember(ctx context.Context, s Search) error {
	return l.Keep(ctx, historyKind, currentName, s)
}

// Earlier returns the last searches before this ledger's, the oldest first.
func (l *Ledger) Earlier(ctx context.Context) ([]Search, error) {
	var out []Search
	_, err := l.Kept(ctx, historyKind, earlierName, &out)
	return out, err
}

// history returns all searches that a ledger remembers, its own last.
func (l *Ledger) history(ctx context.Context) ([]Search, error) {
	out, err := l.Earlier(ctx)
	if err != nil {
		return nil, err
	}
	var current Search
	if ok, err := l.Kept(ctx, historyKind, currentName, &current); err != nil || !ok {
		return out, err
	}
	out = append(out, current)
	return out[max(0, len(out)-maxHistory):], nil
}
