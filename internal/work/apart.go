package work

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"strconv"
	"time"

	"github.com/odfix/odfix/internal/store"
)

// A proof counts only if two workers made it, where there are two: one that was taken over could forge
// both. So a worker does not get the proof of a job that it has done, as long as another one is
// connected to any of the servers: one with another credential; where all have the same one, one with
// another name. A proof does not wait for longer than store.ProofWait.

// sizeOfMark is the length of what identity puts before the name.
const sizeOfMark = 17

// identity names a worker for the server: a mark of its credential, and its name. A worker can choose
// only the latter. No identity begins with another one.
func identity(credential, name string) string {
	sum := sha256.Sum256([]byte("worker " + credential))
	return hex.EncodeToString(sum[:(sizeOfMark-1)/2]) + " " + strconv.Quote(name)
}

// mark is what workers with the same credential have in common.
func mark(identity string) string { return identity[:min(len(identity), sizeOfMark)] }

// apart is what the identities of those begin with, or are, whose jobs a worker must not prove again;
// empty: there is no other worker.
func apart(worker string, connected []string) string {
	out := ""
	for _, other := range connected {
		if mark(other) != mark(worker) {
			return mark(worker)
		}
		if other != worker {
			out = worker
		}
	}
	return out
}

// asks records in the database that a worker is connected, so that all servers know it. It does so a few
// times in the time after which the worker counts as gone.
func (s *Server) asks(ctx context.Context, worker string) error {
	s.mu.Lock()
	known := time.Since(s.asked[worker]) < s.o.Silence/3
	s.mu.Unlock()
	if known {
		return nil
	}
	recorded := false
	err := s.o.Store.Do(ctx, func(tx *store.Tx) (err error) {
		recorded, err = tx.SeeWorker(worker, mark(worker))
		return err
	})
	if err != nil || !recorded {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.asked, func(_ string, at time.Time) bool { return time.Since(at) > s.o.Silence })
	s.asked[worker] = time.Now()
	return nil
}
