package harness

import (
	"context"
	"slices"
	"sync"
)

// gate limits how many questions run at once, in the order in which they came. A question that must
// run alone waits until no other question runs and no spare process is starting. No question begins
// while it waits or runs.
type gate struct {
	size int

	mu      sync.Mutex
	inside  int  // questions running
	starts  int  // spare processes being started
	alone   bool // the question inside runs alone
	waiting []*waiter
}

type waiter struct {
	alone bool
	open  chan struct{}
}

// enter waits until the question may run. If it returns nil, the caller must call leave(alone).
func (g *gate) enter(ctx context.Context, alone bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	w := &waiter{alone, make(chan struct{})}
	g.waiting = append(g.waiting, w)
	g.admit()
	g.mu.Unlock()
	select {
	case <-w.open:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := slices.Index(g.waiting, w); i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
		g.admit() // those after a waiter that must run alone
		return ctx.Err()
	}
	return nil // it opened at the same moment, and the caller checks its context
}

func (g *gate) leave(alone bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if alone {
		g.alone = false
	}
	g.admit()
}

// admit admits as many waiting questions as possible, in the order in which they came.
func (g *gate) admit() {
	for len(g.waiting) > 0 {
		w := g.waiting[0]
		if g.alone || g.inside >= g.size || w.alone && g.inside+g.starts > 0 {
			return
		}
		g.waiting = g.waiting[1:]
		g.inside++
		g.alone = w.alone
		close(w.open)
	}
}

// tryStart reserves capacity that no question needs now, to start a spare process.
func (g *gate) tryStart() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.alone || len(g.waiting) > 0 || g.inside+g.starts >= g.size {
		return false
	}
	g.starts++
	return true
}

func (g *gate) started() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.starts--
	g.admit()
}
