package state

import (
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Segment is a part of an observed run: which fields were read and written in it, and which had
// changed at its end.
type Segment struct {
	// Kind is 't' for the test at Position, 'b' for code that ran before it (class setup), 'a' for
	// code that ran after it (class teardown), and 'o' for anything else.
	Kind                byte
	Position            int
	Read, Written       []int // getstatic, putstatic
	InitRead, InitWrite []int // the same while a class was initialised
	Values              []Value
}

// Value is what a field held before a segment and after it, as fingerprints.
type Value struct {
	Field         int
	Unsure        bool // not all contents could be observed, or not the contents before
	Before, After int64
	Behind        int // how many earlier segments may have made the change instead
}

// Trace collects what was observed of one order in one process. What runs between two tests of a
// class counts for the second test: it is its constructor, or the setup of a nested class. What
// runs before the first test and after the last is setup and teardown, and counts for all tests of
// the visit. Its reads and writes always count; its changes count only if the visit as a whole
// leaves them. The first test's constructor runs in setup, too. So what setup reads counts as read
// by the first test as well.
type Trace struct {
	tests  suite.Order
	groups *suite.Groups
	fields []Field
	notes  []string
	// initialised are the classes whose static initialisers ran, in that order.
	initialised []string

	owners []int // of each segment so far: the test it belongs to, or -1
	spans  []Span
	failed set
	visit  visit
	// The tests before which, and in which, a field was changed, by its number.
	changedBefore, changedIn map[int]*set
}

// visit is a sequence of tests of one top-level class.
type visit struct {
	first, last int
	open        bool
	begin       int // its first segment
	around      map[int]*around
	began       map[int]int64 // what fields held before the visit changed them
	now         map[int]int64
	loose       []int // fields that setup or teardown changed
}

// around is what setup and teardown did with one field.
type around struct{ read, written, first, unsure bool }

// NewTrace begins a trace of an order without repeated tests.
func NewTrace(order suite.Order, groups *suite.Groups) *Trace {
	return &Trace{groups: groups, tests: slices.Clone(order), spans: make([]Span, len(order)),
		changedBefore: map[int]*set{}, changedIn: map[int]*set{}}
}

// Field announces the next field.
func (t *Trace) Field(name string, ambient bool) {
	t.fields = append(t.fields, Field{Name: name, Ambient: ambient})
}

// Note adds a sentence for people.
func (t *Trace) Note(text string) { t.notes = append(t.notes, text) }

// Initialised adds a class whose static initialiser has run.
func (t *Trace) Initialised(class string) { t.initialised = append(t.initialised, class) }

// InitialisedClasses are the classes whose static initialisers ran, in that order.
func (t *Trace) InitialisedClasses() []string {
	return suite.AppendNew([]string(nil), t.initialised...)
}

// Failed records that the test at the position failed, so what it found is no evidence that it
// passes with it.
func (t *Trace) Failed(position int) { t.failed.add(position) }

// Segment adds the next segment. The caller has checked its fields and positions.
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

// history records what a field holds from the end of the present segment on.
func (t *Trace) history(v Value) {
	p, now := &t.fields[v.Field], len(t.owners)-1
	if len(p.History) == 0 {
		p.History = append(p.History, Moment{Segment: -1, Held: v.Before, Unknown: v.Unsure})
	}
	p.History = append(p.History, Moment{Segment: now, Held: v.After, Unknown: v.Unsure})
}

// span extends the test's span by the present segment.
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

// enter begins another visit if the position does not belong to the present one.
func (t *Trace) enter(at int) {
	v := &t.visit
	if v.open && t.groups.Same(t.tests[at], t.tests[v.last]) && at >= v.last && at <= v.last+1 {
		v.last = at
		return
	}
	if v.open && at >= v.first && at <= v.last {
		return // tests of a class that alternate
	}
	t.leave()
	t.visit = visit{first: at, last: at, open: true, begin: len(t.owners), around: map[int]*around{}, began: map[int]int64{},
		now: map[int]int64{}}
}

// test records what a test, or code directly before it, read and wrote.
func (t *Trace) test(s Segment, tests []int) {
	for _, at := range tests {
		for _, p := range s.Read {
			t.fields[p].Tests.Read.add(at)
		}
		for _, p := range s.Written {
			t.fields[p].Tests.Written.add(at)
		}
		for _, p := range s.InitRead {
			t.fields[p].Tests.First.add(at)
		}
	}
}

// nested returns the tests for which code between two tests of a visit runs: the next test, or all
// tests of the nested class that begins there.
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

func (t *Trace) around(field int) *around {
	a := t.visit.around[field]
	if a == nil {
		a = &around{}
		t.visit.around[field] = a
	}
	return a
}

// value records a changed value. If own is set, the test or code directly before it changed the
// value; otherwise setup or teardown did.
func (t *Trace) value(s Segment, v Value, own bool) {
	t.when(s, v)
	d := &t.fields[v.Field].Tests
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
		return // the segment itself wrote the field, so no earlier segment changed it
	}
	for i := 2; i <= v.Behind+1 && i <= len(t.owners); i++ {
		if at := t.owners[len(t.owners)-i]; at >= 0 {
			d.Unsure.add(at)
		}
	}
}

// when records whether a test changed the field, or code before it.
func (t *Trace) when(s Segment, v Value) {
	of := t.changedIn
	if s.Kind == 'b' {
		of = t.changedBefore
	}
	if s.Kind == 'a' || v.Unsure {
		return
	}
	add := func(of map[int]*set, test int) {
		if of[v.Field] == nil {
			of[v.Field] = &set{}
		}
		of[v.Field].add(test)
	}
	if v.Behind == 0 || slices.Contains(s.Written, v.Field) {
		add(of, s.Position)
		return
	}
	for i := 1; i <= v.Behind+1 && i <= len(t.owners); i++ { // it may have been any of these
		if at := t.owners[len(t.owners)-i]; at >= 0 {
			add(t.changedIn, at)
		}
	}
}

// SetUp reports whether code that runs before these tests, such as the setup of their class, changed the fields,
// and none of the tests did.
func (t *Trace) SetUp(tests suite.Order, fields []string) bool {
	for _, name := range fields {
		field, before := slices.IndexFunc(t.fields, func(f Field) bool { return f.Name == name }), false
		for _, test := range tests {
			at := t.tests.Index(test)
			if at < 0 {
				return false
			}
			if in := t.changedIn[field]; in != nil && in.has(at) {
				return false
			}
			if b := t.changedBefore[field]; b != nil && b.has(at) {
				before = true
			}
		}
		if !before {
			return false
		}
	}
	return len(fields) > 0
}

// leave ends the visit. What its setup and teardown did counts for each of its tests.
func (t *Trace) leave() {
	v := t.visit
	if !v.open {
		return
	}
	for field, a := range v.around {
		d := &t.fields[field].Around
		for i, yes := range []bool{a.read, a.written, a.first, false, a.unsure} {
			if yes {
				addRange(d.sets()[i], v.first, v.last)
			}
		}
	}
	for _, field := range v.loose {
		if v.began[field] != v.now[field] {
			addRange(&t.fields[field].Around.Changed, v.first, v.last)
		}
	}
	for i := v.first; i <= v.last; i++ {
		s := &t.spans[i]
		s.VisitBegin, s.VisitEnd = v.begin, len(t.owners)
		if s.End == 0 { // it did not run
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
