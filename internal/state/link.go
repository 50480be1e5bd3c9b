package state

import (
	"cmp"
	"slices"
)

// link is one place's reason for pairs of one strength.
type link struct {
	r     *Relation
	place *Field
	// from and to are the tests on either side; of two tests of one class only what they did
	// themselves counts.
	from, to, ownFrom, ownTo set
	// differs: only where v was not seen to find the place as p leaves it.
	differs bool
	// found are the tests by what they have to find, to behave as they did: as the first of their
	// class, and after another test of it.
	found, ownFound map[int64]set
}

func (r *Relation) newLink(p *Field, from, to func(*Doing) set) link {
	l := link{r: r, place: p, ownFrom: from(&p.Tests), ownTo: to(&p.Tests)}
	l.from, l.to = union(l.ownFrom, from(&p.Around)), union(l.ownTo, to(&p.Around))
	return l
}

// only keeps the pairs of which v was not seen to find what p leaves.
func (l link) only() link {
	r := l.r
	if l.from.empty() || l.to.empty() {
		return l
	}
	l.differs, l.found, l.ownFound = true, map[int64]set{}, map[int64]set{}
	for v := range l.to.without(r.failed).all() {
		l.sees(l.found, v, false)
		l.sees(l.ownFound, v, true)
	}
	return l
}

// sees files a test under the one value that it has to find, if there is one.
func (l link) sees(by map[int64]set, v int, sameClass bool) {
	values := slices.Compact(l.place.found(l.r.spans[v], v, sameClass))
	if len(values) == 1 {
		s := by[values[0]]
		s.add(v)
		by[values[0]] = s
	}
}

// row are the tests that make a pair with p.
func (l link) row(p int) set {
	class := l.r.members[l.r.class[p]]
	var own, other set
	if l.ownFrom.has(p) {
		own = l.ownTo.and(class)
		if l.differs {
			own = own.without(l.same(l.ownFound, p, false))
		}
	}
	if !l.r.Apart {
		other = l.to.without(class)
		if l.differs {
			around := l.place.Around.writes().has(p)
			other = other.without(l.same(l.found, p, around))
		}
	}
	row := union(own, other)
	if row.has(p) {
		row[p>>6] &^= 1 << (p & 63)
	}
	return row
}

// same are the tests that find what p leaves.
func (l link) same(by map[int64]set, p int, around bool) set {
	if l.place.Tests.Unsure.has(p) || l.place.Around.Unsure.has(p) {
		return nil
	}
	own := l.ownFrom.has(p)
	left := slices.Compact(l.place.left(l.r.spans[p], own, around || !own))
	if len(left) != 1 {
		return nil
	}
	return by[left[0]]
}

func (r *Relation) link(p *Field, s Strength) link {
	changed := func(d *Doing) set { return d.Changed }
	switch {
	case s == Changed:
		return r.newLink(p, (*Doing).puts, func(d *Doing) set { return d.Read }).only()
	case s == Written:
		return r.newLink(p, (*Doing).writes, (*Doing).reads).only()
	case s == Touched && p.hot():
		return r.newLink(p, (*Doing).touches, (*Doing).touches)
	case s == Ambient && p.Ambient:
		var all set
		addRange(&all, 0, len(r.Tests)-1)
		return r.newLink(p, changed, func(*Doing) set { return all }).only()
	}
	return link{}
}

// links are the reasons of one strength, those that say most first: a place with one writer says
// more than a counter that everybody moves.
func (r *Relation) links(s Strength) []link {
	var out []link
	for i := range r.Fields {
		if l := r.link(&r.Fields[i], s); !l.from.empty() && !l.to.empty() {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(a, b link) int {
		return cmp.Compare(a.from.size()*a.to.size(), b.from.size()*b.to.size())
	})
	return out
}
