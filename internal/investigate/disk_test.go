package investigate

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/odfix/odfix/internal/github"
)

// TestDisk: one installation has its share of the places, all have the server's together, who waits
// can be stopped, and a place is free again after an error and a panic.
func TestDisk(t *testing.T) {
	d := newDisk()
	let := make(chan struct{})
	var all sync.WaitGroup
	var busy atomic.Int64
	inside := make(chan struct{})
	hold := func(installation int64, n int) {
		for range n {
			all.Go(func() {
				err := d.with(t.Context(), installation, func() error {
					if n := busy.Add(1); n > filesAtOnce {
						t.Errorf("%d at once", n)
					}
					inside <- struct{}{}
					<-let
					busy.Add(-1)
					return errors.New("for example")
				})
				if err == nil {
					t.Error("the error is lost")
				}
			})
		}
		for range n {
			<-inside
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	full := func(installation int64) bool {
		entered := false
		for range 100 { // among several ways that are open, select takes any
			err := d.with(gone, installation, func() error { entered = true; return nil })
			if !entered && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		return !entered
	}
	hold(1, filesOfOne)
	if !full(1) || full(2) {
		t.Error("the share of one installation")
	}
	hold(2, filesOfOne)
	hold(3, filesAtOnce-2*filesOfOne)
	if !full(3) || !full(4) {
		t.Error("the places of the server")
	}
	close(let)
	all.Wait()
	func() {
		defer func() { _ = recover() }()
		_ = d.with(t.Context(), 1, func() error { panic("for example") })
	}()
	if len(d.all) > 0 || len(d.of[1]) > 0 {
		t.Error("places are not free again")
	}
}

// TestLogsTakePlaces: without a place, no log is asked for. A client that is nil would panic.
func TestLogsTakePlaces(t *testing.T) {
	d := newDisk()
	for range filesAtOnce {
		d.all <- struct{}{}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	g := gathering{at: target{inst: 1}, dir: t.TempDir(), disk: d}
	if err := g.run(gone, github.Run{ID: 1}, []github.CIJob{{ID: 1}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(g.dir); len(left) > 0 || len(d.of[1]) > 0 {
		t.Errorf("%d files, %d places", len(left), len(d.of[1]))
	}
}
