package investigate

import (
	"context"
	"sync"
)

// Logs and artifacts that are on disk at once, each of up to maxLog, so that the disk's use has a
// bound: of the server, and of one installation. Sources need no places, since only the runners'
// jobs hold them.
const (
	filesAtOnce = 8
	filesOfOne  = 3
)

// disk has the places for files.
type disk struct {
	all chan struct{}
	mu  sync.Mutex
	of  map[int64]chan struct{} // by installation
}

func newDisk() *disk {
	return &disk{all: make(chan struct{}, filesAtOnce), of: map[int64]chan struct{}{}}
}

// with calls a function as soon as there is a place for its file, which it removes. Who waits for
// one of its installation's places takes none of the server's.
func (d *disk) with(ctx context.Context, installation int64, do func() error) error {
	d.mu.Lock()
	own := d.of[installation]
	if own == nil {
		own = make(chan struct{}, filesOfOne)
		d.of[installation] = own
	}
	d.mu.Unlock()
	for _, places := range []chan struct{}{own, d.all} {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return do()
}
