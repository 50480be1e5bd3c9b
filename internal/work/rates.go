package work

import (
	"sync"
	"time"
)

// rates bounds the requests of each key within a second. It keeps only the keys of this second.
type rates struct {
	mu     sync.Mutex
	second int64
	counts map[string]int
}

// allow reports whether one more request of the key is within its bound.
func (r *rates) allow(key string, most int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now().Unix(); now != r.second || r.counts == nil {
		r.second, r.counts = now, map[string]int{}
	}
	r.counts[key]++
	return r.counts[key] <= most
}
