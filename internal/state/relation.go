// Package state describes what tests do with static state. Relation: which fields each test reads,
// writes and leaves changed, and which ordered pairs of tests can therefore depend on each other.
// Pollutions: what each test leaves changed in the objects that static fields lead to.
//
// The relation is that of Li et al., ISSTA 2023, section 3.3: two tests touch one static field. The
// contents of the field make it more exact (PolDet: Gyori et al., ISSTA 2015).
//
// # What is concluded
//
//   - A pair of the relation is a hint. It decides which orders are tried, and which fields a report
//     names as likely. What could not be observed counts as written, so that no pair is missed.
//   - What a class's setup or teardown does counts for every test of the class, but only against
//     tests of other classes: for two tests of one class it runs once for both.
//   - What a class's initialiser does counts for the test that needs the class first. Its writes
//     make no test a writer. Its reads make the test a reader, but of a weaker kind (Written).
//   - A test that was seen to pass with what another test leaves makes no pair with it. The weaker
//     relation of the paper (Touched) still holds such pairs.
//   - Fields matter to a test (Matters) if restoring them after the cause makes the test behave as
//     without the cause, and if none of them can be left out. If restoring all fields has no effect,
//     the test depends on something else. If a field could not be restored, nothing is concluded.
package state

import (
	"cmp"
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Strength says how likely it is that v depends on p in a pair (p, v), the likeliest first.
type Strength int

// The strengths.
const (
	Changed Strength = iota // p changes what v reads, and v was not seen to pass with what p leaves
	Written                 // the same may hold: not all contents could be observed, or only a class's initialiser reads the field
	Touched                 // both touch a field that some test writes: the paper's relation
	Ambient                 // p changes what any code can read unobserved, such as the default locale
	strengths
)

func (s Strength) String() string {
	return [...]string{"changed and read", "written and read", "touched by both", "read by anybody"}[s]
}

// Relation describes what the tests of a suite do with static state.
type Relation struct {
	Tests  suite.Order // by number, in the order of the run
	Fields []Field
	Notes  []string // for people: what was not observed
	// Apart means that every class runs in a separate process, so tests of two classes share none
	// of this state.
	Apart bool

	// failed are the tests that failed in the observed run. What they found is no evidence that
	// they pass with it.
	failed  set
	groups  *suite.Groups
	spans   []Span // by test
	class   []int  // by test
	members []set  // by class
}

// Relate combines traces of several processes or orders of one suite. All traces have the same
// groups. Fields with the same name become one.
func Relate(traces ...*Trace) *Relation {
	r := &Relation{}
	if len(traces) > 0 {
		r.groups = traces[0].groups
	}
	number := map[suite.TestID]int{}
	fields := map[string]int{}
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
		for i := range t.fields {
			key := t.fields[i].key(twice)
			n, ok := fields[key]
			if !ok {
				n = len(r.Fields)
				fields[key] = n
				r.Fields = append(r.Fields, Field{Name: t.fields[i].Name, Ambient: t.fields[i].Ambient})
			}
			r.Fields[n].join(&t.fields[i], of, segments)
		}
		segments += len(t.owners) + 1
	}
	for i := range r.Fields {
		r.Fields[i].restart(starts)
	}
	r.classes()
	return r
}

// key distinguishes fields with the same name in one process: their class was loaded twice.
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

// Pairs yields each pair (p, v) that is at least as strong as weakest, once, the strongest first.
// In such a pair v may behave differently after p than alone. It needs memory for T² bits.
func (r *Relation) Pairs(weakest Strength) iter.Seq2[suite.TestID, suite.TestID] {
	return r.between(Changed, weakest)
}

// Tier yields the pairs of one strength.
func (r *Relation) Tier(s Strength) iter.Seq2[suite.TestID, suite.TestID] { return r.between(s, s) }

func (r *Relation) between(from, to Strength) iter.Seq2[suite.TestID, suite.TestID] {
	return func(yield func(p, v suite.TestID) bool) {
		r.each(to, func(p, v int, s Strength) bool {
			return s < from || yield(r.Tests[p], r.Tests[v])
		})
	}
}

// each calls f once for each pair, with its strength, until f returns false.
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

// Count returns the number of pairs of each strength.
func (r *Relation) Count() map[Strength]int {
	out := map[Strength]int{}
	r.each(Ambient, func(_, _ int, s Strength) bool { out[s]++; return true })
	return out
}

// MaybeBrittle returns the tests that read a field after earlier tests had changed its initial
// value. If such a test is brittle, it fails when it runs before those. Tests that read the fewest
// such fields come first.
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

// Failed returns the tests that failed when they were observed.
func (r *Relation) Failed() []suite.TestID { return r.names(r.failed) }

// Why returns the names of the fields through which v may depend on one of the causes, only those of
// the greatest strength, and that strength.
func (r *Relation) Why(causes suite.Order, v suite.TestID) (Strength, []string) {
	from, j := r.numbers(causes), r.Tests.Index(v)
	if j < 0 {
		return strengths, nil
	}
	for s := Strength(0); s < strengths; s++ {
		var names []string
		for _, l := range r.links(s) {
			if l.leads(from, j) {
				names = append(names, l.field.Name)
			}
		}
		if len(names) > 0 {
			return s, names
		}
	}
	return strengths, nil
}

// numbers returns the numbers of the tests that the relation knows.
func (r *Relation) numbers(tests suite.Order) []int {
	var out []int
	for _, t := range tests {
		if i := r.Tests.Index(t); i >= 0 {
			out = append(out, i)
		}
	}
	return out
}

// Writers returns those of the tests after which one of the fields held other contents than before.
func (r *Relation) Writers(fields []string, tests suite.Order) suite.Order {
	return suite.Filter(tests, func(t suite.TestID) bool {
		i := r.Tests.Index(t)
		return i >= 0 && slices.ContainsFunc(r.Fields, func(f Field) bool {
			return slices.Contains(fields, f.Name) && (f.Tests.Changed.has(i) || f.Around.Changed.has(i))
		})
	})
}

// Leaves returns the names of the fields that one of the tests may have left changed. Fields that few
// tests change come first.
func (r *Relation) Leaves(tests suite.Order) []string {
	from := r.numbers(tests)
	var out []*Field
	for n := range r.Fields {
		at := &r.Fields[n]
		if slices.ContainsFunc(from, func(i int) bool { return at.Tests.writes().has(i) || at.Around.writes().has(i) }) {
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
