package state

import (
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// Flows yields the flows that may make tests depend on order. Their pairs are at least as strong as
// weakest (Changed or Written). The strongest flows come first, and among these the fields with the
// fewest pairs. For each field, a pair is in one flow only.
func (r *Relation) Flows(weakest Strength) iter.Seq[order.Flow] {
	return func(yield func(order.Flow) bool) {
		for s := Changed; s <= min(weakest, Written); s++ {
			for _, l := range r.links(s) {
				if f := r.flow(l, s); useful(f) && !yield(f) {
					return
				}
			}
		}
	}
}

func useful(f order.Flow) bool {
	for range f.Pairs {
		return true
	}
	return len(f.Bare) > 0
}

func (r *Relation) flow(l link, s Strength) order.Flow {
	p := l.field
	stronger := link{}
	if s > Changed {
		stronger = r.link(p, Changed)
	}
	f := order.Flow{Pairs: func(yield func(p, v suite.TestID) bool) {
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
		f.Bare = r.names(r.maybeBrittle(p))
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

// leaders returns one writer for each value that is left in the field. Writers that change the
// field in the test itself come before those whose setup or teardown does.
func (r *Relation) leaders(l link) []suite.TestID {
	seen := map[int64]bool{}
	var out []suite.TestID
	for _, some := range []set{l.ownFrom, l.from.without(l.ownFrom)} {
		for p := range some.all() {
			left := slices.Compact(l.field.left(r.spans[p], l.ownFrom.has(p), !l.ownFrom.has(p)))
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

// maybeBrittle returns the tests that read the field after another test had changed its initial
// value. If any test can have changed the field, it also returns the readers that failed.
func (r *Relation) maybeBrittle(p *Field) set {
	readers := union(p.Tests.reads(), p.Around.reads())
	var out set
	if p.mayChange() {
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
