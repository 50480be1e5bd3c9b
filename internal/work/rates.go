package work

import (
	"crypto/sha256"
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

// rightTokens remembers, as hashes, which tokens of tasks the database knew at the last request.
type rightTokens struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]bool
}

// mostTokens is how many tokens are remembered. All are forgotten when there are more.
const mostTokens = 10_000

func hashOf(id, token string) [sha256.Size]byte { return sha256.Sum256([]byte(id + " " + token)) }

func (t *rightTokens) has(id, token string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known[hashOf(id, token)]
}

// keep remembers whether the token is right.
func (t *rightTokens) keep(id, token string, right bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !right {
		delete(t.known, hashOf(id, token))
		return
	}
	if t.known == nil || len(t.known) >= mostTokens {
		t.known = map[[sha256.Size]byte]bool{}
	}
	t.known[hashOf(id, token)] = true
}
