package work

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"time"
)

// A proof counts only if two workers made it, where there are two: one that was taken over could forge
// both. So a worker does not get the proof of a job that it has done, as long as another one is
// connected: one with another credential; where all have the same one, one with another name.

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

// asks records that a worker is connected, and returns all that asked this server a short time ago.
func (s *Server) asks(worker string) (connected []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[worker] = time.Now()
	for w, at := range s.asked {
		if time.Since(at) > s.o.Silence {
			delete(s.asked, w)
			continue
		}
		connected = append(connected, w)
	}
	return connected
}
