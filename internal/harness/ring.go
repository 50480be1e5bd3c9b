package harness

import (
	"fmt"
	"strings"
	"sync"
)

// ringSize is how much of a process's output is kept, in bytes.
const ringSize = 64 << 10

// ring keeps the end of what is written to it and counts the rest. It never
// blocks a writer and never fails.
type ring struct {
	mu    sync.Mutex
	buf   []byte // grows to ringSize, then wraps
	next  int    // where the next byte goes once buf is full
	total int64
}

func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(p)
	r.total += int64(n)
	if len(p) > ringSize {
		p = p[len(p)-ringSize:]
	}
	if room := ringSize - len(r.buf); room > 0 {
		k := min(room, len(p))
		r.buf = append(r.buf, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(r.buf[r.next:], p)
		r.next = (r.next + k) % ringSize
		p = p[k:]
	}
	return n, nil
}

func (r *ring) String() string { return r.tail(ringSize) }

// tail is the end of what was written, at most n bytes of it, as valid UTF-8
// and headed by a line that says how much is missing.
func (r *ring) tail(n int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := string(r.buf[r.next:]) + string(r.buf[:r.next])
	kept = kept[max(0, len(kept)-n):]
	text := strings.ToValidUTF8(kept, "\uFFFD")
	if lost := r.total - int64(len(kept)); lost > 0 {
		return fmt.Sprintf("[%d earlier bytes left out]\n%s", lost, text)
	}
	return text
}

// forget begins anew.
func (r *ring) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.buf, r.next, r.total = r.buf[:0], 0, 0
}
