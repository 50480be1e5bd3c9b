package order

import "slices"

// lowerBound returns the least number of orders that can cover every pair of tests of different
// outermost groups as neighbours, and begin with every test if that is asked for:
//
//   - An order holds at most one pair that leaves a group, and one that enters it.
//   - An order of C groups holds at most C-1 pairs.
//   - Likewise it holds at most k-1 pairs between any k of the groups. The k largest groups give
//     the largest bound. For groups of 7 and 5 among others it is 70, though a single group gives
//     at most 56.
//   - Between three groups, two pairs of an order lead the same way round: both along A, B, C, A or
//     both along C, B, A, C. So each way needs orders of its own, and as many as half its pairs,
//     rounded up. Three groups of 3 have 27 pairs each way, and need 28 orders.
//   - An order has one first test. To begin with each test counts as a further pair that enters its
//     group; the start of an order is then like a group of one test.
func (n *node) lowerBound(eachFirst bool) int {
	bound, start := 0, 0
	if eachFirst {
		bound, start = len(n.firsts), 1
	}
	if n.boundaries() == 0 {
		return bound
	}
	firsts, lasts, sizes := 0, 0, make([]int, 0, len(n.children))
	for _, c := range n.children {
		firsts, lasts = firsts+len(c.firsts), lasts+len(c.lasts)
		sizes = append(sizes, min(len(c.firsts), len(c.lasts)))
	}
	if n.fixed {
		for i := 1; i < len(n.children); i++ {
			bound = max(bound, len(n.children[i-1].lasts)*len(n.children[i].firsts))
		}
		return bound
	}
	for _, c := range n.children {
		bound = max(bound, len(c.lasts)*(firsts-len(c.firsts)), len(c.firsts)*(lasts-len(c.lasts)+start))
	}
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	sum, squares := 0, 0
	for k, s := range sizes {
		sum, squares = sum+s, squares+s*s
		if k > 0 {
			bound = max(bound, ceil(sum*sum-squares, k), ceil(sum*sum-squares+start*sum, k+start))
		}
		if oneWay := (sum*sum - squares) / 2; k == 2 {
			bound = max(bound, 2*ceil(oneWay, 2))
		}
	}
	return max(bound, ceil(n.boundaries(), len(n.children)-1))
}

func ceil(a, b int) int { return (a + b - 1) / b }
