// Package state says what tests do with static state: which of it each one
// reads, writes and leaves changed, and which ordered pairs of tests can
// therefore depend on each other. It is the first stone of what is to find
// polluted state; so far it knows nothing below a static field.
//
// The relation is that of Li et al., ISSTA 2023, section 3.3 (two tests touch
// one static field), sharpened by what a field's contents were seen to become
// (PolDet: Gyori et al., ISSTA 2015).
//
// Invariants: a place counts as read or written for every test of a class where
// the class's setup or teardown did it; what could not be seen counts as
// written. What a class's initialiser does happens to whoever comes first: it
// never makes a test a writer by itself, and makes it a reader only where
// somebody was seen to leave the place changed.
package state

import (
	"cmp"
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Place is a piece of static state and the tests that did something with it, by
// their number in the relation.
type Place struct {
	Name    string // a.B.field, or words for what belongs to the whole process
	Ambient bool   // code that nobody observes can read it, too
	Read    set    // got it
	Written set    // put it
	First   set    // got or put it while a class was initialised
	Changed set    // left it with other contents than before
	Unsure  set    // may have: not all of it could be seen
}

// hot says whether anybody can have changed it.
func (p *Place) hot() bool { return !(p.Written.empty() && p.Changed.empty() && p.Unsure.empty()) }

// Strength is how much speaks for a pair (p, v), the most first.
type Strength int

// The strengths.
const (
	Changed Strength = iota // p was seen to leave changed what v reads
	Written                 // p puts, or may have changed, what v reads
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
	Places []Place
	Notes  []string // what was not observed, for people
	// Apart says that every class runs in a process of its own, so that tests of
	// two classes share nothing of what is here.
	Apart bool

	class []int // by test
}

// Relate puts traces together; places of the same name are one. Several traces
// come from several processes, or orders, of one suite.
func Relate(traces ...*Trace) *Relation {
	r := &Relation{}
	number := map[suite.TestID]int{}
	places := map[string]int{}
	for _, t := range traces {
		t.leave()
		r.Notes = append(r.Notes, t.notes...)
		of := make([]int, len(t.tests))
		for i, id := range t.tests {
			n, ok := number[id]
			if !ok {
				n = len(r.Tests)
				number[id] = n
				r.Tests = append(r.Tests, id)
			}
			of[i] = n
		}
		twice := map[string]int{}
		for i := range t.places {
			key := t.places[i].key(twice)
			n, ok := places[key]
			if !ok {
				n = len(r.Places)
				places[key] = n
				r.Places = append(r.Places, Place{Name: t.places[i].Name, Ambient: t.places[i].Ambient})
			}
			r.Places[n].join(&t.places[i], of)
		}
	}
	r.classes()
	return r
}

// key tells places of one name in one process apart: one class, loaded twice.
func (p *Place) key(seen map[string]int) string {
	seen[p.Name]++
	return p.Name + string(rune(seen[p.Name]))
}

func (p *Place) join(o *Place, of []int) {
	for _, s := range []struct{ to, from *set }{
		{&p.Read, &o.Read}, {&p.Written, &o.Written}, {&p.First, &o.First}, {&p.Changed, &o.Changed}, {&p.Unsure, &o.Unsure},
	} {
		for i := range s.from.all() {
			s.to.add(of[i])
		}
	}
}

func (r *Relation) classes() {
	number := map[string]int{}
	r.class = make([]int, len(r.Tests))
	for i, t := range r.Tests {
		c, ok := number[t.Visit()]
		if !ok {
			c = len(number)
			number[t.Visit()] = c
		}
		r.class[i] = c
	}
}

// link is one place's reason for pairs: each of the one with each of the other.
type link struct {
	place    int
	from, to set
}

// links are the reasons of one strength, those that tell most first: a place
// with one writer says more than a counter that everybody moves.
func (r *Relation) links(s Strength) []link {
	var out []link
	for i := range r.Places {
		p := &r.Places[i]
		var l link
		switch s {
		case Changed:
			l = link{i, p.Changed, p.Read}
		case Written:
			l = link{i, union(p.Changed, p.Written, p.Unsure), union(p.Read, p.First)}
		case Touched:
			if p.hot() {
				all := union(p.Read, p.Written, p.Changed, p.Unsure)
				l = link{i, all, all}
			}
		case Ambient:
			if p.Ambient && !p.Changed.empty() {
				l = link{place: i, from: p.Changed}
				addRange(&l.to, 0, len(r.Tests)-1)
			}
		}
		if !l.from.empty() && !l.to.empty() {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b link) int {
		return cmp.Compare(a.from.size()*a.to.size(), b.from.size()*b.to.size())
	})
	return out
}

// Pairs yields each pair (p, v) once that is at least as strong as the given
// strength, the strongest first: v run after p may fare differently from v
// alone. It takes memory for T² bits.
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
				for v := range l.to.all() {
					if p == v || done[p].has(v) || r.Apart && r.class[p] != r.class[v] {
						continue
					}
					done[p].add(v)
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

// Leaning are the tests that read what tests in front of them, in the
// relation's order, left changed: if one of them is brittle, it fails where it
// runs before those. The ones with the fewest such tests come first, since theirs
// are the easiest to leave out.
func (r *Relation) Leaning() []suite.TestID {
	setters := make([]set, len(r.Tests))
	for i := range r.Places {
		p := &r.Places[i]
		for v := range union(p.Read, p.First).all() {
			for s := range p.Changed.all() {
				if s < v && !(r.Apart && r.class[s] != r.class[v]) {
					setters[v].add(s)
				}
			}
		}
	}
	var out []int
	for v, s := range setters {
		if !s.empty() {
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(setters[a].size(), setters[b].size()) })
	tests := make([]suite.TestID, len(out))
	for i, v := range out {
		tests[i] = r.Tests[v]
	}
	return tests
}

// Why are the names of the places through which v may depend on p, the
// strongest first, and how strong that is.
func (r *Relation) Why(p, v suite.TestID) (Strength, []string) {
	i, j := r.Tests.Index(p), r.Tests.Index(v)
	if i < 0 || j < 0 {
		return strengths, nil
	}
	for s := Strength(0); s < strengths; s++ {
		var names []string
		for _, l := range r.links(s) {
			if l.from.has(i) && l.to.has(j) {
				names = append(names, r.Places[l.place].Name)
			}
		}
		if len(names) > 0 {
			return s, names
		}
	}
	return strengths, nil
}
