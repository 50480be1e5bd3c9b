package work

import "sync"

func (s *Server) bell(id string) *bell {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bells[id] == nil {
		s.bells[id] = &bell{}
	}
	return s.bells[id]
}

func (s *Server) unbell(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.bells, id)
}

func (s *Server) ring(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.bells[id]; b != nil {
		b.ring()
	}
}

// bell wakes those who wait in this process. Others look for themselves now and then.
type bell struct {
	mu sync.Mutex
	c  chan struct{}
}

// heard is closed by the next ring.
func (b *bell) heard() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.c == nil {
		b.c = make(chan struct{})
	}
	return b.c
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.c != nil {
		close(b.c)
		b.c = nil
	}
}
