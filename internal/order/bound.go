package order

import "slices"

// lowerBound returns the least number of orders that can cover every pair of tests of different
// outermost groups as neighbours:
//
//   - An order holds at most one pair that leaves a group, and one that enters it.
//   - An order of C groups holds at most C-1 pairs.
//   - Likewise it holds at most k-1 pairs between any k of the groups. The k largest groups give
//     the largest bound. For groups of 7 and 5 among others it is 70, though a single group gives
//     at most 56.
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
