package java

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// Working copies are made once, however many processes need them at a time. If none can be made,
// one of them learns why. A process whose time is over leaves that to the next.
func TestCopiesAreMadeOnce(t *testing.T) {
	broken := errors.New("no space left on device")
	for _, fails := range []bool{false, true} {
		var made, said atomic.Int64
		p := &laterCopies{copy: func(ctx context.Context) (*copies, error) {
			made.Add(1)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if fails {
				return nil, broken
			}
			return &copies{all: make([]*clone, 2)}, nil
		}}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if c, err := p.take(over); c != nil || err != nil {
			t.Errorf("without time: %v, %v", c, err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				c, err := p.take(t.Context())
				if err != nil {
					said.Add(1)
				}
				if (c == nil) != fails {
					t.Errorf("fails %v: copies %v", fails, c)
				}
			})
		}
		wg.Wait()
		if want := map[bool]int64{true: 1}[fails]; made.Load() != 2 || said.Load() != want {
			t.Errorf("fails %v: made %d times, %d errors", fails, made.Load(), said.Load())
		}
		if want := map[bool]int{false: 2}[fails]; p.count() != want {
			t.Errorf("fails %v: %d copies", fails, p.count())
		}
	}
}
