package order

import (
	"cmp"
	"slices"
)

// Ranks of tests, and of groups whose tests all have this rank. Tests and groups are sorted by
// their ranks.
const (
	rankBefore  = iota // tests in the writer's own groups that would disturb the state
	rankWriter         // the writer
	rankNext           // the one test that must come directly after it
	rankReached        // tests to be reached that do not write
	rankSilent         // other tests that do not write
	rankEnds           // a writer that is to be reached, and its group
	rankAfter          // other writers
)

// build makes an order in which many tests run with what p left. If next is a test, it comes
// directly after p. Tests of equal rank follow the suite's order, or the reverse if back is set.
func (r *reacher) build(f *flow, p, next int, back bool) []int {
	need := f.need[p]
	ends := r.ends(f, p, next, need)
	for x := range r.steps {
		switch {
		case x == p:
			r.steps[x] = rankWriter
		case x == next:
			r.steps[x] = rankNext
		case x == ends:
			r.steps[x] = rankEnds
		case f.writes[x]:
			r.steps[x] = rankAfter
		case need[x]:
			r.steps[x] = rankReached
		default:
			r.steps[x] = rankSilent
		}
	}
	return r.arrange(nil, r.t.root, p, back)
}

// ends returns the writer to be reached last. It belongs to the group with the most tests to reach.
func (r *reacher) ends(f *flow, p, next int, need map[int]bool) int {
	best, most := bare, 0
	for _, c := range r.t.root.children {
		writer, reached, first := false, 0, bare
		for x := c.lo; x < c.hi; x++ {
			writer = writer || f.writes[x]
			if !need[x] || x == next {
				continue
			}
			if !f.writes[x] {
				reached++
			} else if first == bare {
				first, reached = x, reached+1
			}
		}
		if !writer || reached <= most || c.lo <= p && p < c.hi {
			continue
		}
		if best, most = first, reached; first == bare {
			best = c.lo // its group comes first, whichever of its tests writes
			for !f.writes[best] {
				best++
			}
		}
	}
	return best
}

func (r *reacher) arrange(out []int, n *node, p int, back bool) []int {
	if n.leaf() {
		return append(out, n.lo)
	}
	children := slices.Clone(n.children)
	if !n.fixed {
		if back {
			slices.Reverse(children)
		}
		around := n.lo <= p && p < n.hi && n != r.t.root
		rank := make(map[*node]int, len(children))
		for _, c := range children {
			rank[c] = r.rank(c, around)
		}
		slices.SortStableFunc(children, func(a, b *node) int { return cmp.Compare(rank[a], rank[b]) })
	}
	for _, c := range children {
		out = r.arrange(out, c, p, back)
	}
	return out
}

// rank returns the rank of a test or group among its siblings. around means that the writer is one
// of the siblings, so that tests that would disturb the state can come before it.
func (r *reacher) rank(n *node, around bool) int {
	low, high := rankAfter, rankBefore
	ends := false
	for x := n.lo; x < n.hi; x++ {
		low, high = min(low, r.steps[x]), max(high, r.steps[x])
		ends = ends || r.steps[x] == rankEnds
	}
	switch {
	case low <= rankNext:
		return low
	case around && high >= rankEnds:
		return rankBefore
	case ends:
		return rankEnds
	case high == rankAfter:
		return rankAfter
	}
	return low
}
