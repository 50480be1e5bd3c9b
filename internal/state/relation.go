// Package state says what tests do with static state: which of it each one reads, writes and leaves
// changed, and which ordered pairs of tests can therefore depend on each other (Relation), and what
// each test leaves changed anywhere on the heap below static fields (Pollutions).
//
// The relation is that of Li et al., ISSTA 2023, section 3.3 (two tests touch one static field),
// sharpened by what a field's contents were seen to become (PolDet: Gyori et al., ISSTA 2015).
//
// # What is concluded
//
//   - A pair of the relation is a hint: it decides which orders are tried, and which places a
//     report names as likely. What could not be seen counts as written, so that no pair is missed
//     for it.
//   - What a class's setup or teardown does counts for every test of the class against tests of
//     other classes, and for none against another of its own, since it is done once for both.
//   - What a class's initialiser does happens to the test that needs the class first. It never
//     makes a test a writer by itself; what it reads makes the test a reader of a weaker sort
//     (Written).
//   - A test that was seen to pass with what another one leaves makes no pair with it, but for the
//     weaker relation of the paper (Touched).
//   - Fields matter to a test (Matters) if it behaves as without its cause once they are restored
//     after the cause, and none of them can go. Restoring all of them without effect says that the
//     dependence goes another way. Where a place could not be restored, nothing is concluded.
package state

import (
	"cmp"
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Strength is how much speaks for a pair (p, v), the most first.
type Strength int

// The strengths.
const (
	Changed Strength = iota // p leaves what v reads as v was not seen to find it
	Written                 // p may do so: not all of it could be seen, or a class's initialiser reads it
	Touched                 // both touch what somebody writes: the paper's relation
	Ambient                 // p changes what anybody can read unseen, such as the default locale
	strengths
)

func (s Strength) String() string {
	return [...]string{"changed and read", "written and read", "touched by both", "read by anybody"}[s]
}

// Relation is what the tests of a suite do with static state.
type Relation struct {
	Tests  suite.Order // by number; the first to run first
	Fields []Field
	Notes  []string // what was not observed, for people
	// Apart says that every class runs in a process of its own, so that tests of two classes share
	// nothing of what is here.
	Apart bool

	// failed are the tests that failed in the observed run: what they found is no sign that they
	// pass with it.
	failed  set
	groups  *suite.Groups
	spans   []Span // by test
	class   []int  // by test
	members []set  // by class
}

// Relate puts traces together; places of the same name are one. Several traces come from several
// processes, or orders, of one suite, and have the same groups.
func Relate(traces ...*Trace) *Relation {
	r := &Relation{}
	if len(traces) > 0 {
		r.groups = traces[0].groups
	}
	number := map[suite.TestID]int{}
	places := map[string]int{}
	segments := 0
	var starts []int
	for _, t := range traces {
		starts = append(starts, segments-1)
		t.leave()
		r.Notes = append(r.Notes, t.notes...)
		of := make([]int, len(t.tests))
		for i, id := range t.tests {
			n, ok := number[id]
			if !ok {
				n = len(r.Tests)
				number[id] = n
				r.Tests = append(r.Tests, id)
				r.spans = append(r.spans, t.spans[i].shift(segments))
			}
			of[i] = n
			if t.failed.has(i) {
				r.failed.add(n)
			}
		}
		twice := map[string]int{}
		for i := range t.places {
			key := t.places[i].key(twice)
			n, ok := places[key]
			if !ok {
				n = len(r.Fields)
				places[key] = n
				r.Fields = append(r.Fields, Field{Name: t.places[i].Name, Ambient: t.places[i].Ambient})
			}
			r.Fields[n].join(&t.places[i], of, segments)
		}
		segments += len(t.owners) + 1
	}
	for i := range r.Fields {
		r.Fields[i].restart(starts)
	}
	r.classes()
	return r
}

// key distinguishes places of one name in one process: one class, loaded twice.
func (p *Field) key(seen map[string]int) string {
	seen[p.Name]++
	return p.Name + string(rune(seen[p.Name]))
}

func (p *Field) join(o *Field, of []int, segments int) {
	for _, m := range o.History {
		m.Segment += segments
		p.History = append(p.History, m)
	}
	for _, d := range [][2]*Doing{{&p.Tests, &o.Tests}, {&p.Around, &o.Around}} {
		into, from := d[0].sets(), d[1].sets()
		for i := range into {
			for x := range from[i].all() {
				into[i].add(of[x])
			}
		}
	}
}

func (r *Relation) classes() {
	number := map[string]int{}
	r.class = make([]int, len(r.Tests))
	for i, t := range r.Tests {
		top := r.groups.Top(t)
		c, ok := number[top]
		if !ok {
			c = len(number)
			number[top] = c
			r.members = append(r.members, nil)
		}
		r.class[i] = c
		r.members[c].add(i)
	}
}

func (s Span) shift(by int) Span {
	return Span{s.Begin + by, s.End + by, s.VisitBegin + by, s.VisitEnd + by}
}

// Pairs yields each pair (p, v) once that is at least as strong as the given strength, the
// strongest first: v run after p may behave differently from v alone. It takes memory for T² bits.
func (r *Relation) Pairs(weakest Strength) iter.Seq2[suite.TestID, suite.TestID] {
	return r.between(Changed, weakest)
}

// Tier yields the pairs of exactly one strength.
func (r *Relation) Tier(s Strength) iter.Seq2[suite.TestID, suite.TestID] { return r.between(s, s) }

func (r *Relation) between(from, to Strength) iter.Seq2[suite.TestID, suite.TestID] {
	return func(yield func(p, v suite.TestID) bool) {
		r.each(to, func(p, v int, s Strength) bool {
			return s < from || yield(r.Tests[p], r.Tests[v])
		})
	}
}

// each calls f for each pair once, with its strength, until f is false.
func (r *Relation) each(weakest Strength, f func(p, v int, s Strength) bool) {
	done := make([]set, len(r.Tests))
	for s := Changed; s <= min(weakest, strengths-1); s++ {
		for _, l := range r.links(s) {
			for p := range l.from.all() {
				fresh := l.row(p).without(done[p])
				done[p].addAll(fresh)
				for v := range fresh.all() {
					if !f(p, v, s) {
						return
					}
				}
			}
		}
	}
}

// Count is how many pairs there are of each strength.
func (r *Relation) Count() map[Strength]int {
	out := map[Strength]int{}
	r.each(Ambient, func(_, _ int, s Strength) bool { out[s]++; return true })
	return out
}

// MaybeBrittle are the tests that found a place they read, when they ran, as tests in front of them had
// left it and not as it was at first: if one of them is brittle, it fails where it runs before
// those. The ones that lean on the fewest places come first.
func (r *Relation) MaybeBrittle() []suite.TestID {
	leans := make([]int, len(r.Tests))
	for i := range r.Fields {
		for v := range r.maybeBrittle(&r.Fields[i]).all() {
			leans[v]++
		}
	}
	var out []int
	for v, n := range leans {
		if n > 0 {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(leans[a], leans[b]) })
	tests := make([]suite.TestID, len(out))
	for i, v := range out {
		tests[i] = r.Tests[v]
	}
	return tests
}

// Failed are the tests that failed when they were observed.
func (r *Relation) Failed() []suite.TestID { return r.names(r.failed) }

// Why are the names of the places through which v may depend on p, the strongest first, and how
// strong that is.
func (r *Relation) Why(p, v suite.TestID) (Strength, []string) {
	i, j := r.Tests.Index(p), r.Tests.Index(v)
	if i < 0 || j < 0 {
		return strengths, nil
	}
	for s := Strength(0); s < strengths; s++ {
		var names []string
		for _, l := range r.links(s) {
			if l.from.has(i) && l.row(i).has(j) {
				names = append(names, l.place.Name)
			}
		}
		if len(names) > 0 {
			return s, names
		}
	}
	return strengths, nil
}

// Leaves are the names of the places that p may have left changed, those that few tests change
// first.
func (r *Relation) Leaves(p suite.TestID) []string {
	i := r.Tests.Index(p)
	if i < 0 {
		return nil
	}
	var out []*Field
	for n := range r.Fields {
		at := &r.Fields[n]
		if at.Tests.writes().has(i) || at.Around.writes().has(i) {
			out = append(out, at)
		}
	}
	slices.SortStableFunc(out, func(a, b *Field) int { return cmp.Compare(a.Tests.writes().size(), b.Tests.writes().size()) })
	names := make([]string, len(out))
	for n, at := range out {
		names[n] = at.Name
	}
	return slices.Compact(names)
}
