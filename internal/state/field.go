package state

import (
	"cmp"
	"slices"
	"sort"
)

// Field is a piece of static state and what was done with it.
type Field struct {
	Name    string // a.B.field, or words for what belongs to the whole process
	Ambient bool   // code that nobody observes can read it, too
	Tests   Doing  // by tests themselves
	Around  Doing  // by setup and teardown of their class
	// History is what it held, as fingerprints, from which segment on. Before the first entry that
	// is not known; where there is none it never changed.
	History []Moment
}

// Moment is what a place holds from the end of a segment on.
type Moment struct {
	Segment int
	Held    int64
	Unknown bool
}

// Doing is the tests that did something with a place, by their number in the relation.
type Doing struct {
	Read    set // got it
	Written set // put it
	First   set // got it while a class was initialised: what an initialiser only puts it cannot be hurt by
	Changed set // left it with other contents than before
	Unsure  set // may have: not all of it could be seen
}

func (d *Doing) puts() set    { return union(d.Changed, d.Written) }
func (d *Doing) writes() set  { return union(d.Changed, d.Written, d.Unsure) }
func (d *Doing) reads() set   { return union(d.Read, d.First) }
func (d *Doing) touches() set { return union(d.Read, d.Written, d.Changed, d.Unsure) }

func (d *Doing) sets() []*set { return []*set{&d.Read, &d.Written, &d.First, &d.Changed, &d.Unsure} }

// hot says whether anybody can have changed it.
func (p *Field) hot() bool { return !p.Tests.writes().empty() || !p.Around.writes().empty() }

// held is what the place held when the segment began; ok is false where that is not known.
func (p *Field) held(segment int) (value int64, ok bool) {
	i := sort.Search(len(p.History), func(i int) bool { return p.History[i].Segment >= segment })
	if i == 0 {
		return 0, len(p.History) == 0
	}
	m := p.History[i-1]
	return m.Held, !m.Unknown
}

// restart makes unknown what the place holds in processes that never changed it.
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

// Span is when a test, and the visit of its class that it belongs to, were running, as numbers of
// segments: from the first to before the last.
type Span struct{ Begin, End, VisitBegin, VisitEnd int }

// left is what test p leaves the place with: by itself, or with all of its visit. It is nothing
// where that is not known.
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

// found is what test v, run first in its class, would have to find to behave as in the observed
// run; nothing where that is not known, or its setup gets in between.
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
