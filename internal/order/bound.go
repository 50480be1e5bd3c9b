package order

import "slices"

// lowerBound is how many orders at least it takes to cover every pair of tests
// of different outermost groups as neighbours:
//
//   - an order holds one pair at most that leaves a group, and one that enters it;
//   - an order of C groups holds C-1 pairs at most;
//   - likewise k-1 pairs at most between any k of the groups, of which the
//     largest ask for the most. For two groups of 7 and 5 among others that is 70,
//     though no group alone needs more than 56 orders.
func (n *node) lowerBound() int {
	if n.boundaries() == 0 {
		return 0
	}
	firsts, lasts, sizes := 0, 0, make([]int, 0, len(n.children))
	for _, c := range n.children {
		firsts, lasts = firsts+len(c.firsts), lasts+len(c.lasts)
		sizes = append(sizes, min(len(c.firsts), len(c.lasts)))
	}
	bound := 0
	if n.fixed {
		for i := 1; i < len(n.children); i++ {
			bound = max(bound, len(n.children[i-1].lasts)*len(n.children[i].firsts))
		}
		return bound
	}
	for _, c := range n.children {
		bound = max(bound, len(c.lasts)*(firsts-len(c.firsts)), len(c.firsts)*(lasts-len(c.lasts)))
	}
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	sum, squares := 0, 0
	for k, s := range sizes {
		sum, squares = sum+s, squares+s*s
		if k > 0 {
			bound = max(bound, (sum*sum-squares+k-1)/k)
		}
	}
	return max(bound, (n.boundaries()+len(n.children)-2)/(len(n.children)-1))
}
