package order

// rearrange frees a partner that is taken if what it was linked to finds another.
func (m *matcher) rearrange(p *pairs, e end) bool {
	k := len(m.n.children)
	there := p.between
	if !e.out {
		there = p.across
	}
	there = there[e.child*k:][:k]
	for c := range k {
		if there[c] == 0 || c == e.child {
			continue
		}
		// a -> b is to go, so that c can be linked to e's child.
		a, b := m.prev[c], c
		if !e.out {
			a, b = c, m.next[c]
		}
		if a < 0 || b < 0 || a == e.child || b == e.child {
			continue
		}
		if m.swap(p, e, c, a, b) {
			return true
		}
	}
	return false
}

func (m *matcher) swap(p *pairs, e end, c, a, b int) bool {
	x, y := m.exit[a], m.entry[b]
	m.unlink(a)
	from, to, left := e.child, c, end{child: a, out: true}
	if !e.out {
		from, to, left = c, e.child, end{child: b}
	}
	if !m.closes(end{child: from, out: true}, to) {
		if u, v := m.cell(p, from, to); u >= 0 {
			m.link(from, to, u, v)
			if m.match(p, left) {
				return true
			}
			m.unlink(from)
		}
	}
	m.link(a, b, x, y)
	return false
}
