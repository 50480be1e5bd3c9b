package harness

import (
	"strings"

	"github.com/odfix/odfix/internal/state"
)

// A HeapObserver is an Observer that also receives changes of everything reachable from static
// fields. The process's agent must capture the heap (JVM.AgentFile).
type HeapObserver interface {
	Observer
	// Capture receives the state at the end of the segment that was reported directly before.
	Capture(c state.Capture)
}

// Bounds on the heap that one process may report.
const (
	maxChanges = 1 << 20
	maxPath    = 2 << 10
)

func (o *observing) capture(c state.Capture) error {
	if o.captures++; o.captures > maxSegments*(o.order+1) {
		return protocolf("more than %d captures in an order of %d tests", maxSegments*(o.order+1), o.order)
	}
	if o.changes += len(c.Changes); o.changes > maxChanges {
		return protocolf("more than %d changes in one run", maxChanges)
	}
	if !strings.ContainsRune("tbao", rune(c.Kind)) {
		return protocolf("a capture of the unknown kind %q", c.Kind)
	}
	if c.Kind != 'o' && (c.Position < 0 || c.Position >= o.order) {
		return protocolf("a capture at position %d of an order of %d tests", c.Position, o.order)
	}
	for i := range c.Changes {
		for _, s := range []*string{&c.Changes[i].Field, &c.Changes[i].Path, &c.Changes[i].Before, &c.Changes[i].After, &c.Changes[i].By} {
			*s = clip(*s, maxPath)
		}
	}
	if to, ok := o.to.(HeapObserver); ok {
		to.Capture(c)
	}
	return nil
}

func decodeCapture(f *fields) state.Capture {
	c := state.Capture{Kind: f.u8(), Position: int(f.i64()), Objects: int(f.u32()), Roots: int(f.u32()), Cut: f.u8() == 1, Micros: f.i64()}
	f.list(25, func() {
		ch := state.Change{Field: f.str(), Path: f.str(), Before: f.str(), After: f.str(), Fresh: f.u8()&1 != 0, By: f.str()}
		f.list(4, func() { ch.Also = append(ch.Also, clip(f.str(), maxPath)) })
		c.Changes = append(c.Changes, ch)
	})
	return c
}
