package investigate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/odfix/odfix/internal/store"
)

// What is stored of evidence: while an investigation collects, digests of the failing tests; once it
// is queued, their names, and apart from them the order of all tests, until there is a report.

// save saves the evidence without the order.
func (ev evidence) save(tx *store.Tx, id string) error {
	ev.Order = nil
	return tx.SaveEvidence(id, ev)
}

// ordered reads the evidence of a queued investigation, with the order of the tests.
func (s *Service) ordered(ctx context.Context, i store.Investigation) (evidence, error) {
	var ev evidence
	var order []byte
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		if err = tx.Evidence(i.ID, &ev); err == nil {
			order, err = tx.Order(i.ID)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) && ev.Order != nil { // an earlier odfix has queued it
		if order, err = json.Marshal(ev.Order); err == nil {
			err = s.store.Do(ctx, func(tx *store.Tx) error { return tx.SaveOrder(i.ID, order) })
		}
	}
	if err == nil {
		err = json.Unmarshal(order, &ev.Order)
	}
	return ev, err
}

// evidence reads the evidence of an investigation; empty: there is none yet.
func (s *Service) evidence(ctx context.Context, i store.Investigation) (ev evidence, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error { return tx.Evidence(i.ID, &ev) })
	return ev, ignoreMissing(err)
}

// digested is the evidence with digests of the tests' names instead of the names and their order.
func (ev evidence) digested() evidence {
	for _, t := range slices.Concat(ev.Tests, ev.Spare) {
		ev.Known = append(ev.Known, digest(t))
	}
	ev.Order, ev.Tests, ev.Spare = nil, nil, nil
	return ev
}

// add adds what a later reading of the commit's failures has found: the jobs that were read, so that
// jobs of the queue for other deliveries do not read them, and digests of tests that were not known. It
// reports whether there are any.
func (ev *evidence) add(later evidence) (fresh bool) {
	for _, key := range later.Read {
		if !slices.Contains(ev.Read, key) {
			ev.Read = append(ev.Read, key)
		}
	}
	known := map[string]bool{}
	for _, t := range slices.Concat(ev.Tests, ev.Spare, ev.Known) {
		known[t] = true
	}
	for _, t := range later.Tests {
		if d := digest(t); !known[t] && !known[d] {
			ev.Known, known[d], fresh = append(ev.Known, d), true, true
		}
	}
	return fresh
}

// digest is a short text that stands for a test's name.
func digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:6])
}
