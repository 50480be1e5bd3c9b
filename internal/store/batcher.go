package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"github.com/sourcegraph/conc"
)

// Arrival is a delivery to be stored, and the job that handles it.
type Arrival struct {
	GUID    string
	Event   string
	Content []byte
	// Installation and Repository are GitHub's ids; 0: none.
	Installation, Repository int64
	// Digest identifies a body that comes again under another GUID; empty: it can come again.
	Digest string
	Job    river.InsertManyParams
}

// Receive stores a delivery and its job in one transaction. fresh is false if the delivery or its
// digest was stored before; then nothing is added. After a return without an error, both are on
// disk.
//
// Arrivals at the same time share a commit. So thousands of them are possible in a second: a commit
// costs the same for one as for many.
func (s *Store) Receive(ctx context.Context, a Arrival) (fresh bool, err error) {
	return s.batcher.receive(ctx, a)
}

// batchMost bounds the arrivals of a commit, and so the time that the first one waits.
const batchMost = 256

// commitTime bounds a commit. After it, the senders have gone.
const commitTime = 30 * time.Second

// batcher collects arrivals while earlier ones are committed.
type batcher struct {
	store    *Store
	arrivals chan waiting
	quit     chan struct{}
	done     conc.WaitGroup
	once     sync.Once
}

type waiting struct {
	Arrival
	answer chan<- received
}

type received struct {
	fresh bool
	err   error
}

var errClosed = errors.New("the database is closed")

func newBatcher(s *Store) *batcher {
	d := &batcher{store: s, arrivals: make(chan waiting, batchMost), quit: make(chan struct{})}
	d.done.Go(d.run)
	return d
}

func (d *batcher) receive(ctx context.Context, a Arrival) (bool, error) {
	answer := make(chan received, 1)
	select {
	case <-d.quit:
		return false, errClosed
	default:
	}
	select {
	case d.arrivals <- waiting{a, answer}:
	case <-ctx.Done():
		return false, ctx.Err()
	case <-d.quit:
		return false, errClosed
	}
	select {
	case r := <-answer:
		return r.fresh, r.err
	case <-ctx.Done():
		return false, ctx.Err() // the delivery can still be stored; then the sender's next try is a duplicate
	}
}

func (d *batcher) run() {
	for {
		select {
		case first := <-d.arrivals:
			d.commit(d.gather(first))
		case <-d.quit:
			d.refuse()
			return
		}
	}
}

// refuse answers the arrivals that came while the batcher closed.
func (d *batcher) refuse() {
	for {
		select {
		case w := <-d.arrivals:
			w.answer <- received{err: errClosed}
		default:
			return
		}
	}
}

func (d *batcher) gather(first waiting) []waiting {
	batch := []waiting{first}
	for len(batch) < batchMost {
		select {
		case w := <-d.arrivals:
			batch = append(batch, w)
		default:
			return batch
		}
	}
	return batch
}

// commit stores a batch. If that fails, it stores each arrival on its own, so one that the database
// refuses does not affect the others.
func (d *batcher) commit(batch []waiting) {
	fresh, err := d.insert(batch)
	if err != nil && len(batch) > 1 {
		for _, w := range batch {
			d.commit([]waiting{w})
		}
		return
	}
	for i, w := range batch {
		w.answer <- received{err == nil && fresh[i], err}
	}
}

// insert stores a batch and reports which of its arrivals are new.
func (d *batcher) insert(batch []waiting) ([]bool, error) {
	var fresh []bool
	// The commit belongs to several callers, so it has none of their contexts.
	ctx, cancel := context.WithTimeout(context.Background(), commitTime)
	defer cancel()
	err := d.store.Do(ctx, func(tx *Tx) error {
		fresh = make([]bool, len(batch))
		var jobs []river.InsertManyParams
		for _, i := range inOrder(batch) {
			w := batch[i]
			n, err := tx.exec(`INSERT INTO delivery (guid, event, received, content, digest, installation, repository) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
				w.GUID, w.Event, micros(tx.time), w.Content, w.Digest, w.Installation, w.Repository)
			if err != nil {
				return err
			}
			if fresh[i] = n > 0; fresh[i] {
				jobs = append(jobs, w.Job)
			}
		}
		return tx.Enqueue(jobs...)
	})
	return fresh, err
}

// inOrder lists the indexes of a batch by GUID. Replicas that insert the same deliveries in the
// same order cannot deadlock.
func inOrder(batch []waiting) []int {
	indexes := make([]int, len(batch))
	for i := range indexes {
		indexes[i] = i
	}
	slices.SortFunc(indexes, func(a, b int) int { return cmp.Compare(batch[a].GUID, batch[b].GUID) })
	return indexes
}

func (d *batcher) close() {
	d.once.Do(func() { close(d.quit) })
	d.done.Wait()
}
