package harness

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// guest enters in the background and reports that on the channel.
func guest(t *testing.T, g *gate, ctx context.Context, alone bool) chan error {
	t.Helper()
	in := make(chan error, 1)
	go func() { in <- g.enter(ctx, alone) }()
	synctest.Wait()
	return in
}

func isIn(in chan error) bool {
	synctest.Wait()
	return len(in) == 1
}

func TestGateAdmitsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{size: 2}
		a, b := guest(t, g, t.Context(), false), guest(t, g, t.Context(), false)
		alone, last := guest(t, g, t.Context(), true), guest(t, g, t.Context(), false)
		if !isIn(a) || !isIn(b) || isIn(alone) || isIn(last) {
			t.Fatal("two are to be inside")
		}
		if g.tryStart() {
			t.Error("a spare was started while questions wait")
		}
		g.leave(false)
		if isIn(alone) || isIn(last) {
			t.Fatal("one that must run alone did not wait for the others, or those after it did not wait")
		}
		g.leave(false)
		if !isIn(alone) || isIn(last) {
			t.Fatal("it is alone now")
		}
		g.leave(true)
		if !isIn(last) {
			t.Fatal("the last is to be in")
		}
		if !g.tryStart() || g.tryStart() {
			t.Error("one place is free for a spare, and only one")
		}
		g.leave(false)
		if alone = guest(t, g, t.Context(), true); isIn(alone) {
			t.Error("alone beside a spare that starts")
		}
		g.started()
		if !isIn(alone) || g.tryStart() {
			t.Error("alone once the spare has started, and no other starts")
		}
		g.leave(true)
	})
}

func TestGateGivesUpWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gate{size: 2}
		ctx, cancel := context.WithCancel(t.Context())
		guest(t, g, t.Context(), false)
		alone, next := guest(t, g, ctx, true), guest(t, g, t.Context(), false)
		cancel()
		if err := <-alone; !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		if !isIn(next) {
			t.Error("those after one that gave up were not admitted")
		}
		if err := g.enter(ctx, false); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	})
}

// Many questions run at once, some alone, some give up. There are never more inside than allowed,
// never another beside one that runs alone, and none at the end.
func TestGateUnderLoad(t *testing.T) {
	g := &gate{size: 3}
	var inside atomic.Int32
	var all sync.WaitGroup
	for range 200 {
		alone, hasty := rand.IntN(5) == 0, rand.IntN(5) == 0
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if hasty {
				go cancel()
			}
			if g.enter(ctx, alone) != nil {
				return
			}
			if n := inside.Add(1); n > 3 || alone && n > 1 {
				t.Errorf("%d inside, alone: %v", n, alone)
			}
			inside.Add(-1)
			g.leave(alone)
		})
	}
	all.Wait()
	if g.inside != 0 || g.alone || len(g.waiting) != 0 {
		t.Errorf("%d inside, %d waiting, alone: %v", g.inside, len(g.waiting), g.alone)
	}
}
