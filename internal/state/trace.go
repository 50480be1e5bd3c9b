package state

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Segment is a stretch of an observed run: what was touched in it, by place, and what was found
// changed at its end.
type Segment struct {
	// Kind is 't' for the test at Position, 'b' for what was done before it (class setup), 'a' for
	// what was done after it (teardown), 'o' for what belongs to none.
	Kind                byte
	Position            int
	Read, Written       []int // getstatic, putstatic
	InitRead, InitWrite []int // the same while a class was initialised
	Values              []Value
}

// Value is what a place held before a segment and holds after it, as fingerprints.
type Value struct {
	Field         int
	Unsure        bool // not all of it could be seen, or not what it held before
	Before, After int64
	Behind        int // how many segments in front may have changed it, too
}

// Trace collects what one process said of one order. What stands between two tests of a class
// belongs to the second: its constructor, or the setup of a nested class. What stands before the
// first and after the last is setup and teardown, and counts for all tests of the visit: what it
// reads and puts always, what it leaves changed where the visit as a whole does. The first test's
// constructor stands there, too, so that what is read there counts as read by that test as well.
type Trace struct {
	tests  suite.Order
	groups *suite.Groups
	places []Field
	notes  []string

	owners []int // of each segment so far: the test it belongs to, or -1
	spans  []Span
	failed set
	visit  visit
}

// visit is a stretch of tests of one launched class.
type visit struct {
	first, last int
	open        bool
	begin       int // its first segment
	around      map[int]*around
	began       map[int]int64 // what places held before the visit changed them
	now         map[int]int64
	loose       []int // places changed by setup or teardown
}

// around is what setup and teardown did with one place.
type around struct{ read, written, first, unsure bool }

// NewTrace begins a trace of an order that holds no test twice.
func NewTrace(order suite.Order, groups *suite.Groups) *Trace {
	return &Trace{groups: groups, tests: slices.Clone(order), spans: make([]Span, len(order))}
}

// Field announces the next place.
func (t *Trace) Field(name string, ambient bool) {
	t.places = append(t.places, Field{Name: name, Ambient: ambient})
}

// Note keeps a sentence for people.
func (t *Trace) Note(text string) { t.notes = append(t.notes, text) }

// Failed says that the test at the position failed: what it found was not good for it.
func (t *Trace) Failed(position int) { t.failed.add(position) }

// Segment adds the next stretch. Its places and positions are known to be good.
func (t *Trace) Segment(s Segment) {
	if s.Kind == 'o' {
		t.owners = append(t.owners, -1)
		for _, v := range s.Values {
			t.history(v)
		}
		return
	}
	t.enter(s.Position)
	t.owners = append(t.owners, s.Position)
	for _, v := range s.Values {
		t.history(v)
	}
	t.span(s)
	own := true
	switch {
	case s.Kind == 't':
		t.test(s, []int{s.Position})
	case s.Kind == 'b' && s.Position > t.visit.first:
		t.test(s, t.nested(s.Position))
	default:
		own = false
		t.group(s)
	}
	for _, v := range s.Values {
		t.value(s, v, own)
	}
}

// history notes what a place holds from the end of the present segment on.
func (t *Trace) history(v Value) {
	p, now := &t.places[v.Field], len(t.owners)-1
	if len(p.History) == 0 {
		p.History = append(p.History, Moment{Segment: -1, Held: v.Before, Unknown: v.Unsure})
	}
	p.History = append(p.History, Moment{Segment: now, Held: v.After, Unknown: v.Unsure})
}

// span stretches the test's time to hold the present segment.
func (t *Trace) span(s Segment) {
	if s.Kind == 'a' || s.Kind == 'b' && s.Position == t.visit.first {
		return
	}
	own, now := &t.spans[s.Position], len(t.owners)-1
	if own.End == 0 {
		own.Begin = now
	}
	own.End = now + 1
}

// enter begins another visit where the position belongs to one.
func (t *Trace) enter(at int) {
	v := &t.visit
	if v.open && t.groups.Same(t.tests[at], t.tests[v.last]) && at >= v.last && at <= v.last+1 {
		v.last = at
		return
	}
	if v.open && at >= v.first && at <= v.last {
		return // tests of a class that come in turns
	}
	t.leave()
	t.visit = visit{first: at, last: at, open: true, begin: len(t.owners), around: map[int]*around{}, began: map[int]int64{},
		now: map[int]int64{}}
}

// test adds what a test did, or what was done right before it.
func (t *Trace) test(s Segment, tests []int) {
	for _, at := range tests {
		for _, p := range s.Read {
			t.places[p].Tests.Read.add(at)
		}
		for _, p := range s.Written {
			t.places[p].Tests.Written.add(at)
		}
		for _, p := range s.InitRead {
			t.places[p].Tests.First.add(at)
		}
	}
}

// nested are the tests that what stands before a test in the middle of a visit is done for: it, or
// the tests of the nested class that it begins.
func (t *Trace) nested(at int) []int {
	out := []int{at}
	unit := t.groups.Unit(t.tests[at])
	if t.groups.Unit(t.tests[at-1]) == unit {
		return out
	}
	for i := at + 1; i < len(t.tests) && t.groups.Unit(t.tests[i]) == unit; i++ {
		out = append(out, i)
	}
	return out
}

func (t *Trace) group(s Segment) {
	if s.Kind == 'b' {
		t.test(Segment{Read: s.Read, InitRead: s.InitRead}, []int{s.Position})
	}
	for _, p := range s.Read {
		t.around(p).read = true
	}
	for _, p := range s.Written {
		t.around(p).written = true
	}
	for _, p := range s.InitRead {
		t.around(p).first = true
	}
}

func (t *Trace) around(place int) *around {
	a := t.visit.around[place]
	if a == nil {
		a = &around{}
		t.visit.around[place] = a
	}
	return a
}

// value adds what became of a place; own says that it was done by or right before the test, and not
// by setup or teardown.
func (t *Trace) value(s Segment, v Value, own bool) {
	d := &t.places[v.Field].Tests
	switch {
	case v.Unsure && own:
		d.Unsure.add(s.Position)
		return
	case v.Unsure:
		t.around(v.Field).unsure = true
		return
	case own:
		d.Changed.add(s.Position)
	default:
		t.visit.loose = append(t.visit.loose, v.Field)
	}
	if _, ok := t.visit.began[v.Field]; !ok {
		t.visit.began[v.Field] = v.Before
	}
	t.visit.now[v.Field] = v.After
	if slices.Contains(s.Written, v.Field) || slices.Contains(s.InitWrite, v.Field) {
		return // who put it is known
	}
	for i := 2; i <= v.Behind+1 && i <= len(t.owners); i++ {
		if at := t.owners[len(t.owners)-i]; at >= 0 {
			d.Unsure.add(at)
		}
	}
}

// leave ends the visit: what was done around its tests counts for each of them.
func (t *Trace) leave() {
	v := t.visit
	if !v.open {
		return
	}
	for place, a := range v.around {
		d := &t.places[place].Around
		for i, yes := range []bool{a.read, a.written, a.first, false, a.unsure} {
			if yes {
				addRange(d.sets()[i], v.first, v.last)
			}
		}
	}
	for _, place := range v.loose {
		if v.began[place] != v.now[place] {
			addRange(&t.places[place].Around.Changed, v.first, v.last)
		}
	}
	for i := v.first; i <= v.last; i++ {
		s := &t.spans[i]
		s.VisitBegin, s.VisitEnd = v.begin, len(t.owners)
		if s.End == 0 { // it never ran
			s.Begin, s.End = v.begin, v.begin
		}
	}
	t.visit = visit{}
}

func addRange(s *set, from, to int) {
	for i := from; i <= to; i++ {
		s.add(i)
	}
}
