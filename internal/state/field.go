package state

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// Unfinished begins the name of what a test begins and does not wait for. FILE:LINE:COLUMN of its
// source follows.
const Unfinished = "unfinished "

// MockCalls ends the path of the calls that a mock function has seen. The others end the paths of
// what it answers with.
const (
	MockCalls          = ".mock.calls"
	mockImplementation = " implementation"
	mockOnce           = " once"
)

// OfMock reports whether a path is one of a mock function.
func OfMock(path string) bool {
	return strings.HasSuffix(path, MockCalls) || strings.HasSuffix(path, mockImplementation) || strings.HasSuffix(path, mockOnce)
}

// Instance begins the name of what the tests of one class share if all run in one instance of it. The
// class follows.
const Instance = "the instance of "

// Hooks begins the name of what hooks set up for all tests of an outermost group, whose name follows.
const Hooks = "what is set up once in "

// LeftOpen begins the name of state that a group of tests opened and did not close.
const LeftOpen = "what is left open by "

// Field is a static field, or a part of the process's state such as a system property, with the
// tests that read and wrote it.
type Field struct {
	Name    string // a.B.field, or a name such as "system property a.b"
	Ambient bool   // code that is not observed can read it, too
	Tests   Doing  // by tests themselves
	Around  Doing  // by setup and teardown of their class
	// History holds fingerprints of the field's contents over time. Before the first entry the
	// value is not known. A field without entries never changed.
	History []Moment
}

// Moment is what a field holds from the end of a segment on.
type Moment struct {
	Segment int
	Held    int64
	Unknown bool
}

// Doing holds the tests that read or wrote a field, by their number in the relation.
type Doing struct {
	Read    set // read it
	Written set // wrote it
	// read it while a class was initialised; the initialiser's own writes are not kept, because it
	// cannot depend on what it overwrites
	First   set
	Changed set // left it with other contents than before
	Unsure  set // may have changed it: not all of its contents could be observed
}

func (d *Doing) puts() set    { return union(d.Changed, d.Written) }
func (d *Doing) writes() set  { return union(d.Changed, d.Written, d.Unsure) }
func (d *Doing) reads() set   { return union(d.Read, d.First) }
func (d *Doing) touches() set { return union(d.Read, d.Written, d.Changed, d.Unsure) }

func (d *Doing) sets() []*set { return []*set{&d.Read, &d.Written, &d.First, &d.Changed, &d.Unsure} }

// mayChange reports whether any test can have changed the field.
func (p *Field) mayChange() bool { return !p.Tests.writes().empty() || !p.Around.writes().empty() }

// held returns what the field held when the segment began. ok is false if that is not known.
func (p *Field) held(segment int) (value int64, ok bool) {
	i := sort.Search(len(p.History), func(i int) bool { return p.History[i].Segment >= segment })
	if i == 0 {
		return 0, len(p.History) == 0
	}
	m := p.History[i-1]
	return m.Held, !m.Unknown
}

// restart marks the field's value as unknown where a new process starts, unless the process changed
// it.
func (p *Field) restart(starts []int) {
	if len(p.History) == 0 {
		return
	}
	for _, at := range starts {
		i, known := slices.BinarySearchFunc(p.History, at, func(m Moment, at int) int { return cmp.Compare(m.Segment, at) })
		if !known {
			p.History = slices.Insert(p.History, i, Moment{Segment: at, Unknown: true})
		}
	}
}

// Span says when a test ran, and when the visit of its class ran. The numbers are segments. End and
// VisitEnd are the first segments after them.
type Span struct{ Begin, End, VisitBegin, VisitEnd int }

// left returns what the test of span s leaves in the field: by itself if own is set, together with
// its visit if around is set. It returns nil if that is not known.
func (p *Field) left(s Span, own, around bool) []int64 {
	var out []int64
	for _, at := range []struct {
		segment int
		counts  bool
	}{{s.End, own}, {s.VisitEnd, around}} {
		if !at.counts {
			continue
		}
		v, ok := p.held(at.segment)
		if !ok {
			return nil
		}
		out = append(out, v)
	}
	return out
}

// found returns what test v, as the first of its class, would have to find in the field to behave
// as it did in the observed run. It returns nil if that is not known, or if the class's setup
// writes the field.
func (p *Field) found(s Span, v int, sameClass bool) []int64 {
	moments := []int{s.Begin}
	if !sameClass {
		if p.Around.Read.has(v) || p.Around.First.has(v) {
			moments = append(moments, s.VisitBegin)
		}
		if p.Around.writes().has(v) {
			return nil
		}
	}
	var out []int64
	for _, at := range moments {
		x, ok := p.held(at)
		if !ok {
			return nil
		}
		out = append(out, x)
	}
	return out
}
