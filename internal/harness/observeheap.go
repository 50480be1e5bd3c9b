package harness

import "strings"

// A HeapObserver is an Observer that also receives the changes of everything that can be reached
// from static fields, from a process whose agent captures that (JVM.AgentFile).
type HeapObserver interface {
	Observer
	// Capture is the state at the end of the segment reported directly before.
	Capture(c Capture)
}

// Capture compares the state at the end of a segment with that at the end of the one before.
type Capture struct {
	Kind     byte // as in Segment
	Position int
	Objects  int   // met
	Roots    int   // static fields, and parts of the process's state
	Cut      bool  // the limit on objects was reached, and some were left out
	Micros   int64 // duration
	Changes  []Change
}

// Change is one value that differs from before.
type Change struct {
	Field  string // the static field, or the part of the process's state, by the name of Observer.Field
	Path   string // the access path from there
	Before string // for people
	After  string
	Fresh  bool   // its class was initialised in this segment; Before is what the initialiser left
	By     string // the line that wrote it last; it begins with "?" if the method that writes the static field reads it first; empty: not known
	// Also are other static fields that lead to the object that changed.
	Also []string
}

// Bounds on what one process may report of the heap.
const (
	maxChanges = 1 << 20
	maxPath    = 2 << 10
)

func (o *observing) capture(e captured) error {
	if o.captures++; o.captures > maxSegments*(o.order+1) {
		return protocolf("more than %d captures in an order of %d tests", maxSegments*(o.order+1), o.order)
	}
	if o.changes += len(e.Changes); o.changes > maxChanges {
		return protocolf("more than %d changes in one run", maxChanges)
	}
	if !strings.ContainsRune("tbao", rune(e.Kind)) {
		return protocolf("a capture of the unknown kind %q", e.Kind)
	}
	if e.Kind != 'o' && (e.Position < 0 || e.Position >= o.order) {
		return protocolf("a capture at position %d of an order of %d tests", e.Position, o.order)
	}
	c := Capture(e)
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

type captured Capture

func decodeCapture(f *fields) captured {
	c := captured{Kind: f.u8(), Position: int(f.i64()), Objects: int(f.u32()), Roots: int(f.u32()), Cut: f.u8() == 1, Micros: f.i64()}
	f.list(25, func() {
		ch := Change{Field: f.str(), Path: f.str(), Before: f.str(), After: f.str(), Fresh: f.u8()&1 != 0, By: f.str()}
		f.list(4, func() { ch.Also = append(ch.Also, clip(f.str(), maxPath)) })
		c.Changes = append(c.Changes, ch)
	})
	return c
}
