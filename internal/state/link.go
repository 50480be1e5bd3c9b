package state

import (
	"cmp"
	"slices"
)

// link holds the pairs of one strength that one field gives reason for.
type link struct {
	r     *Relation
	field *Field
	// from and to are the tests on either side of the pairs. ownFrom and ownTo are the part of them
	// for two tests of one class, where setup and teardown do not count.
	from, to, ownFrom, ownTo set
	// differs leaves out pairs (p, v) for which v was seen to find the field as p leaves it.
	differs bool
	// found holds the tests by the value that they have to find to behave as they did in the
	// observed run: as the first of their class, and (ownFound) after another test of it.
	found, ownFound map[int64]set
}

func (r *Relation) newLink(p *Field, from, to func(*Doing) set) link {
	l := link{r: r, field: p, ownFrom: from(&p.Tests), ownTo: to(&p.Tests)}
	l.from, l.to = union(l.ownFrom, from(&p.Around)), union(l.ownTo, to(&p.Around))
	return l
}

// leads reports whether a pair of one of the tests from, and v, is in the link.
func (l link) leads(from []int, v int) bool {
	return slices.ContainsFunc(from, func(p int) bool { return l.from.has(p) && l.row(p).has(v) })
}

// only leaves out the pairs (p, v) for which v passed with what p leaves.
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

// sees adds test v under the one value that it has to find, if there is only one.
func (l link) sees(by map[int64]set, v int, sameClass bool) {
	values := slices.Compact(l.field.found(l.r.spans[v], v, sameClass))
	if len(values) == 1 {
		s := by[values[0]]
		s.add(v)
		by[values[0]] = s
	}
}

// row returns the tests v of the pairs (p, v).
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
			around := l.field.Around.writes().has(p)
			other = other.without(l.same(l.found, p, around))
		}
	}
	row := union(own, other)
	if row.has(p) {
		row[p>>6] &^= 1 << (p & 63)
	}
	return row
}

// same returns the tests that find in the field what p leaves.
func (l link) same(by map[int64]set, p int, around bool) set {
	if l.field.Tests.Unsure.has(p) || l.field.Around.Unsure.has(p) {
		return nil
	}
	own := l.ownFrom.has(p)
	left := slices.Compact(l.field.left(l.r.spans[p], own, around || !own))
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
	case s == Touched && p.mayChange():
		return r.newLink(p, (*Doing).touches, (*Doing).touches)
	case s == Ambient && p.Ambient:
		var all set
		addRange(&all, 0, len(r.Tests)-1)
		return r.newLink(p, changed, func(*Doing) set { return all }).only()
	}
	return link{}
}

// links returns the links of one strength. Fields with few pairs come first, because they explain
// most: a field with one writer says more than a counter that every test increments.
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
