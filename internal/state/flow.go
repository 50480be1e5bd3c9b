package state

import (
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

// Flow is what tests leave to each other in one place.
type Flow struct {
	// Writers are the tests after which it may hold something else: what one leaves stands until
	// the next one runs.
	Writers []suite.TestID
	// Readers get it, and were not seen to change it. What a test puts in order only where it finds
	// it spoilt no observation of a good run shows.
	Readers []suite.TestID
	// Pairs (p, v) are of a writer and a test that was not seen to find what it leaves.
	Pairs iter.Seq2[suite.TestID, suite.TestID]
	// Leaders are one writer for each thing that is left there: it stands for the others.
	Leaders []suite.TestID
	// Bare are the tests that read it and were not seen to pass with it as it is before anybody
	// writes it: where one of them is brittle, it fails then.
	Bare []suite.TestID
}

// Flows are what may make tests depend on order, for pairs at least as strong as given (Changed or
// Written), the strongest first, and of these the places with fewest pairs. A pair is in one flow
// only for each place.
func (r *Relation) Flows(weakest Strength) iter.Seq[Flow] {
	return func(yield func(Flow) bool) {
		for s := Changed; s <= min(weakest, Written); s++ {
			for _, l := range r.links(s) {
				if f := r.flow(l, s); f.any() && !yield(f) {
					return
				}
			}
		}
	}
}

func (f Flow) any() bool {
	for range f.Pairs {
		return true
	}
	return len(f.Bare) > 0
}

func (r *Relation) flow(l link, s Strength) Flow {
	p := l.place
	stronger := link{}
	if s > Changed {
		stronger = r.link(p, Changed)
	}
	f := Flow{Pairs: func(yield func(p, v suite.TestID) bool) {
		for p := range l.from.all() {
			row := l.row(p)
			if stronger.from.has(p) {
				row = row.without(stronger.row(p))
			}
			for v := range row.all() {
				if !yield(r.Tests[p], r.Tests[v]) {
					return
				}
			}
		}
	}}
	writers := union(p.Tests.writes(), p.Around.writes())
	f.Writers = r.names(writers)
	f.Readers = r.names(union(p.Tests.touches(), p.Around.touches()).without(writers))
	if s == Changed {
		f.Leaders = r.leaders(l)
		f.Bare = r.names(r.leaning(p))
	}
	return f
}

func (r *Relation) names(s set) []suite.TestID {
	var out []suite.TestID
	for i := range s.all() {
		out = append(out, r.Tests[i])
	}
	return out
}

// leaders are the first of those that leave the same, of writers whose own doing it is if there is
// one.
func (r *Relation) leaders(l link) []suite.TestID {
	seen := map[int64]bool{}
	var out []suite.TestID
	for _, some := range []set{l.ownFrom, l.from.without(l.ownFrom)} {
		for p := range some.all() {
			left := slices.Compact(l.place.left(r.spans[p], l.ownFrom.has(p), !l.ownFrom.has(p)))
			if len(left) == 1 && seen[left[0]] {
				continue
			}
			if len(left) == 1 {
				seen[left[0]] = true
			}
			out = append(out, r.Tests[p])
		}
	}
	return out
}

// leaning are the tests that found a place they read as others had left it, and not as it was at
// first; and those that failed, whatever they found.
func (r *Relation) leaning(p *Place) set {
	readers := union(p.Tests.reads(), p.Around.reads())
	var out set
	if p.hot() {
		out = readers.and(r.failed)
	}
	if len(p.History) == 0 || p.History[0].Unknown {
		return out
	}
	for v := range readers.all() {
		at := r.spans[v].Begin
		if !p.Tests.reads().has(v) {
			at = r.spans[v].VisitBegin
		}
		if now, ok := p.held(at); ok && now != p.History[0].Held {
			out.add(v)
		}
	}
	return out
}
