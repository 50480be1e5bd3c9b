package state

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Segment is a stretch of an observed run: what was touched in it, by place,
// and what was found changed at its end.
type Segment struct {
	// Kind is 't' for the test at Position, 'b' for what was done before it (class
	// setup), 'a' for what was done after it (teardown), 'o' for what belongs to none.
	Kind                byte
	Position            int
	Read, Written       []int // getstatic, putstatic
	InitRead, InitWrite []int // the same while a class was initialised
	Values              []Value
}

// Value is what a place held before a segment and holds after it, as fingerprints.
type Value struct {
	Place         int
	Unsure        bool // not all of it could be seen, or not what it held before
	Before, After int64
	Behind        int // how many segments in front may have changed it, too
}

// Trace collects what one process said of one order. Setup and teardown of a
// class count for every test of its visit: what they read and put always, what
// they leave changed where the visit as a whole does.
type Trace struct {
	tests  suite.Order
	places []Place
	notes  []string

	owners []int // of each segment so far: the test it belongs to, or -1
	visit  visit
	ran    int // tests seen
}

// visit is a stretch of tests of one launched class.
type visit struct {
	first, last int
	open        bool
	around      map[int]*around
	began       map[int]int64 // what places held before the visit changed them
	now         map[int]int64
	loose       []int // places changed by setup or teardown
}

// around is what setup and teardown did with one place.
type around struct{ read, written, first, unsure bool }

// NewTrace begins a trace of an order that holds no test twice.
func NewTrace(order suite.Order) *Trace { return &Trace{tests: slices.Clone(order)} }

// Place announces the next place.
func (t *Trace) Place(name string, ambient bool) {
	t.places = append(t.places, Place{Name: name, Ambient: ambient})
}

// Note keeps a sentence for people.
func (t *Trace) Note(text string) { t.notes = append(t.notes, text) }

// Segment adds the next stretch. Its places and positions are known to be good.
func (t *Trace) Segment(s Segment) {
	if s.Kind == 'o' {
		t.owners = append(t.owners, -1)
		return
	}
	t.enter(s.Position)
	t.owners = append(t.owners, s.Position)
	if s.Kind == 't' {
		t.ran = max(t.ran, s.Position+1)
		t.test(s)
	} else {
		t.group(s)
	}
	for _, v := range s.Values {
		t.value(s, v)
	}
}

// enter begins another visit where the position belongs to one.
func (t *Trace) enter(at int) {
	v := &t.visit
	if v.open && t.tests[at].Visit() == t.tests[v.last].Visit() && at >= v.last && at <= v.last+1 {
		v.last = at
		return
	}
	if v.open && at >= v.first && at <= v.last {
		return // tests of a class that come in turns
	}
	t.leave()
	t.visit = visit{first: at, last: at, open: true, around: map[int]*around{}, began: map[int]int64{}, now: map[int]int64{}}
}

func (t *Trace) test(s Segment) {
	for _, p := range s.Read {
		t.places[p].Read.add(s.Position)
	}
	for _, p := range s.Written {
		t.places[p].Written.add(s.Position)
	}
	for _, p := range slices.Concat(s.InitRead, s.InitWrite) {
		t.places[p].First.add(s.Position)
	}
}

func (t *Trace) group(s Segment) {
	for _, p := range s.Read {
		t.around(p).read = true
	}
	for _, p := range s.Written {
		t.around(p).written = true
	}
	for _, p := range slices.Concat(s.InitRead, s.InitWrite) {
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

func (t *Trace) value(s Segment, v Value) {
	p := &t.places[v.Place]
	middle := s.Kind == 't' || s.Kind == 'b' && s.Position > t.visit.first
	switch {
	case v.Unsure && s.Kind == 't':
		p.Unsure.add(s.Position)
		return
	case v.Unsure:
		t.around(v.Place).unsure = true
		return
	case middle:
		p.Changed.add(s.Position) // before a test in the middle stands its own constructor
	default:
		t.visit.loose = append(t.visit.loose, v.Place)
	}
	if _, ok := t.visit.began[v.Place]; !ok {
		t.visit.began[v.Place] = v.Before
	}
	t.visit.now[v.Place] = v.After
	for i := 2; i <= v.Behind+1 && i <= len(t.owners); i++ {
		if at := t.owners[len(t.owners)-i]; at >= 0 {
			p.Unsure.add(at)
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
		p := &t.places[place]
		for _, c := range []struct {
			to  *set
			yes bool
		}{{&p.Read, a.read}, {&p.Written, a.written}, {&p.First, a.first}, {&p.Unsure, a.unsure}} {
			if c.yes {
				addRange(c.to, v.first, v.last)
			}
		}
	}
	for _, place := range v.loose {
		if v.began[place] != v.now[place] {
			addRange(&t.places[place].Changed, v.first, v.last)
		}
	}
	t.visit = visit{}
}

func addRange(s *set, from, to int) {
	for i := from; i <= to; i++ {
		s.add(i)
	}
}
