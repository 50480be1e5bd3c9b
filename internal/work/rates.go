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

// places bounds the requests of a kind that are handled at once. A task has one place, so that its
// worker cannot keep those of others with slow requests.
type places struct {
	most int

	mu    sync.Mutex
	taken map[string]bool
}

func (p *places) enter(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[id] || len(p.taken) >= p.most {
		return false
	}
	if p.taken == nil {
		p.taken = map[string]bool{}
	}
	p.taken[id] = true
	return true
}

func (p *places) leave(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, id)
}
