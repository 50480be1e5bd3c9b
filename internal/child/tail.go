package child

import "sync"

// Tail keeps the last Size bytes that are written to it. Write never fails.
type Tail struct {
	Size int

	mu    sync.Mutex
	kept  []byte // up to twice Size
	total int64
}

// Write implements io.Writer.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += int64(len(p))
	t.kept = append(t.kept, p[max(0, len(p)-t.Size):]...)
	if len(t.kept) > 2*t.Size {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-t.Size:]...)
	}
	return len(p), nil
}

// End is at most n of the kept bytes, and how many were written before these.
func (t *Tail) End(n int) (text string, before int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text = string(t.kept[max(0, len(t.kept)-min(n, t.Size)):])
	return text, t.total - int64(len(text))
}

func (t *Tail) String() string {
	text, _ := t.End(t.Size)
	return text
}

// Forget begins anew.
func (t *Tail) Forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept, t.total = t.kept[:0], 0
}
