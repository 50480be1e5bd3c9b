package ci

import (
	"context"
	"errors"
	"fmt"
)

// Limits bound what is read of one source and what is kept of it. A larger source is refused or
// cut, and never held in memory.
type Limits struct {
	Bytes   int64 // of a file, after decompression
	Tests   int
	Names   int  // bytes of all names together
	Own     bool // a person's own files: they may be gzip-compressed, and order files
	Reports bool // only reports are read, in XML or JSON
}

// ownLimits are for sources on a person's own machine.
var ownLimits = Limits{Bytes: 8 << 30, Tests: 500_000, Names: 64 << 20, Own: true}

// ErrTooMuch means that a source names more tests than its limits allow.
var ErrTooMuch = errors.New("names too many tests")

// budget counts what is kept of one source.
type budget struct {
	tests, bytes int
	limits       Limits
	over         bool
}

func newBudget(l Limits) *budget { return &budget{limits: l} }

// spend reports whether one more name may be kept.
func (b *budget) spend(name string) bool {
	b.tests++
	return b.add(len(name))
}

// add reports whether so many more bytes of names may be kept.
func (b *budget) add(bytes int) bool {
	b.bytes += bytes
	b.over = b.over || b.tests > b.limits.Tests || b.bytes > b.limits.Names
	return !b.over
}

// err is the error when the budget is used up.
func (b *budget) err() error {
	return fmt.Errorf("%w: more than %d, or more than %d MiB of names", ErrTooMuch, b.limits.Tests, b.limits.Names>>20)
}

// reader opens sources.
type reader struct {
	ctx    context.Context //nolint:containedctx // of one call of Read
	limits Limits
}
